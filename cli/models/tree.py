"""A version and what it came from, drawn as a tree."""

from collections.abc import Iterator, Mapping

from rich.markup import escape
from rich.tree import Tree

from ocr.lineage.ancestry import Ancestry, Training
from ocr.lineage.data import Data
from ocr.lineage.decision import KeptDecision
from ocr.models.alias import Promotion

GONE = "not in the store any more"
SPLITS = ("train", "val", "test")
_JOB = (
    "engine",
    "net",
    "size",
    "epochs",
    "batch_size",
    "learning_rate",
    "seed",
    "pretrained",
    "pretrained_sha256",
)


def draw_tree(version: Ancestry) -> Tree:
    """Draw a version, its parts under it."""
    tree = Tree(f"[bold]{escape(version.reference)}[/]  {_say_state(version)}", highlight=False)
    _grow(tree, version)
    return tree


def _grow(tree: Tree, version: Ancestry) -> None:
    told = {decision.evaluation for decision in version.decisions}
    for move in version.moves:
        branch = tree.add(_say_move(version, move))
        if move.evaluation and move.evaluation not in told:
            branch.add(_say_key(version, "evaluation", move.evaluation))
    for decision in version.decisions:
        _add_decision(tree, version, decision)
    for answer in version.answers:
        tree.add(escape(f"asked {answer.at}: {answer.describe()}"))
    if not version.decisions and version.moves:
        tree.add("decision: none is kept")
    _add_bundle(tree, version)
    for name, part in version.parts.items():
        branch = tree.add(f"{name} [bold]{escape(part.reference)}[/]")
        _grow(branch, part)


def _say_state(version: Ancestry) -> str:
    state = "[green]champion[/]" if version.is_champion else "not champion"
    return f"{version.task}, made {version.created}, {state}"


def _say_move(version: Ancestry, move: Promotion) -> str:
    number = version.reference.rpartition(":")[2]
    if move.version == number:
        verb = {"promote": "promoted", "rollback": "brought back", "undo": "brought back"}
        said = f"{verb[move.action]} {move.at}"
        said += f", replaced {move.previous}" if move.previous else ", the first champion"
    elif move.action == "promote":
        said = f"replaced {move.at} by {move.version}"
    else:
        verb = {"rollback": "rolled back", "undo": "taken back as its deployment failed"}
        said = f"{verb[move.action]} {move.at}"
        said += f" to {move.version}" if move.version else ", no champion again"
    by = f" (moved by {move.by})" if move.by else ""
    return escape(f"{said}: {move.reason}{_say_approval(move)}{by}")


def _say_approval(move: Promotion) -> str:
    if not move.approved_by:
        return ""
    why = f": {move.approval_reason}" if move.approval_reason else ""
    return f" (approved by {move.approved_by}{why})"


def _add_decision(tree: Tree, version: Ancestry, decision: KeptDecision) -> None:
    branch = tree.add(escape(f"decision {decision.verdict}, {decision.at}"))
    for reason in decision.reasons:
        branch.add(escape(reason))
    beside = decision.opponent or "nobody"
    branch.add(escape(f"measured beside {beside} on {decision.samples} samples"))
    for name, key in (("evaluation", decision.evaluation), ("report", decision.report)):
        branch.add(_say_key(version, name, key))


def _say_key(version: Ancestry, name: str, key: str) -> str:
    gone = "" if version.is_kept.get(key) else f" ({GONE})"
    return escape(f"{name} {key}{gone}")


def _add_bundle(tree: Tree, version: Ancestry) -> None:
    forms = [f"{form}{_say_parity(version.parity, form)}" for form in version.forms]
    if forms:
        tree.add(escape(f"bundle {version.size_mb:.1f} MB: {', '.join(forms)}"))
    if version.parent:
        tree.add(escape(f"fine-tuned from {version.parent}"))
    if version.reading:
        chosen = ", ".join(f"{name} {value}" for name, value in version.reading.items())
        tree.add(escape(f"chosen on its validation pages: {chosen}"))
    if version.training:
        _add_training(tree, version, version.training)
    elif version.code_commit:
        tree.add(escape(f"code {version.code_commit}"))
    _add_data(tree, version.data)


def _say_parity(parity: Mapping[str, float], form: str) -> str:
    distance = parity.get(form)
    return "" if distance is None else f" (within {distance:.1g} of the checkpoint)"


def _add_training(tree: Tree, version: Ancestry, training: Training) -> None:
    if not training.checkpoint:
        branch = tree.add("checkpoint: the bundle names none")
    else:
        gone = "" if training.is_there else f" ({GONE}, with its metrics and machine)"
        branch = tree.add(escape(f"checkpoint {training.checkpoint}{gone}"))
    said = {key: version.parameters.get(key) for key in _JOB}
    named = {key: value for key, value in said.items() if value not in (None, "")}
    branch.add(escape("job: " + ", ".join(f"{key} {value}" for key, value in named.items())))
    for line in _say_training(training):
        branch.add(escape(line))
    branch.add(escape(f"code {version.code_commit}"))


def _say_training(training: Training) -> Iterator[str]:
    if training.metrics:
        said = (f"{name} {value:.4f}" for name, value in training.metrics.items())
        yield f"validation: {', '.join(said)}"
    if training.seconds is not None:
        memory = f", {training.memory_mib:.0f} MiB" if training.memory_mib is not None else ""
        yield f"learnt for {training.seconds:.0f} s{memory}"
    environment = {k: v for k, v in training.environment.items() if k != "code"}
    if environment:
        yield "environment: " + ", ".join(f"{key} {value}" for key, value in environment.items())


def _add_data(tree: Tree, data: Data) -> None:
    if not data.key:
        tree.add(escape(f"data {data.digest} ({GONE}, with its counts and labels)"))
        return
    splits = ", ".join(f"{data.counts[split]} {split}" for split in SPLITS)
    branch = tree.add(escape(f"data {data.name} {data.digest}: {splits}"))
    for source, count in data.sources.items():
        branch.add(escape(f"{count} from {source}"))
    rows = f"{data.counts['quarantined']} of {data.counts['rows']} rows quarantined"
    why = ", ".join(f"{count} {reason}" for reason, count in data.quarantined.items())
    branch.add(escape(f"{rows}: {why}" if why else rows))
