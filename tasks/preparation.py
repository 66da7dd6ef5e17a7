"""What a person hears of a preparation: how much was kept, what was rejected, which characters."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from prefect.artifacts import create_markdown_artifact
from prefect.context import TaskRunContext
from rich.markup import escape
from rich.table import Table

from configs.further import FurtherParams
from ocr.dataset.pages.rescans import find_rescans
from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.dataset.preparation import SnapshotRef
from ocr.dataset.quarantine import ReasonCount, TooManyRejected
from ocr.dataset.snapshot.lookalikes import Lookalike, Replacement
from ocr.errors import ArtifactNotFound, BadData, BadInput
from ocr.models.bundle import CHARSET
from ocr.models.charset import Charset
from ocr.report import markdown
from tasks.run.alone import alone
from tasks.run.narration import TERMINAL, narrate
from tasks.workspace import Workspace

FurtherT = TypeVar("FurtherT", bound=FurtherParams)
MOST_SHOWN = 10
"""Characters or pages that the terminal names; the artifact names all."""


def prepare_aloud(
    prepare: Callable[[Path], SnapshotRef], *, workspace: Workspace, name: str, of: str
) -> SnapshotRef:
    """Prepare; say what became of how many, and show what was rejected, also when it is too much.

    Sets of one name are prepared one after another on a machine, so that the second run of equal
    inputs finds what the first one wrote.

    Args:
        prepare: Writes or finds the snapshot; given a folder for temporary files.
        workspace: Where that folder is.
        name: Name of the dataset.
        of: What it holds.
    """
    try:
        with (
            alone(workspace.home, f"prepare-{name}", stage="prepare") as place,
            place.emptied() as folder,
        ):
            snapshot = prepare(folder)
    except TooManyRejected as error:
        _show_quarantine(error.reasons)
        raise
    how = "found" if snapshot.cached else "wrote"
    narrate("prepare", f"{how} {snapshot.key[:-48]}: {_say_counts(snapshot)} ({of})")
    if snapshot.quarantine:
        _show_quarantine(snapshot.quarantine)
    if snapshot.replaced:
        what = "were written as others (dataset.texts.form: none keeps them)"
        _show_characters(snapshot.replaced, what, key="replaced")
    if snapshot.lookalikes:
        what = "look like others or like nothing (dataset.texts)"
        _show_characters(snapshot.lookalikes, what, key="lookalikes")
    return snapshot


def prepare_further(
    sets: Sequence[FurtherT],
    prepare: Callable[[FurtherT, Path], SnapshotRef],
    *,
    workspace: Workspace,
    of: str,
) -> dict[str, SnapshotRef]:
    """Prepare further test sets, one after another, as `prepare_aloud` does.

    Args:
        sets: The sets.
        prepare: Writes or finds the snapshot of one, given a folder for temporary files.
        workspace: Where that folder is.
        of: What they hold.

    Returns:
        The snapshots by the names of the sets.

    Raises:
        ArtifactNotFound: A root or label file is not there; any message names the set.
        BadData: A set cannot be used.
        BadInput: A set is described wrongly, or two of them hold the same.
    """
    found: dict[str, SnapshotRef] = {}
    for each in sets:
        try:
            snapshot = prepare_aloud(
                partial(prepare, each), workspace=workspace, name=each.name, of=f"further {of}"
            )
        except (ArtifactNotFound, BadData, BadInput) as error:
            error.args = (f"evaluation.further, the set {each.name!r}: {error}",)
            raise
        for name, other in found.items():
            if other.test_digest == snapshot.test_digest:
                raise BadInput(f"evaluation.further: {name!r} and {each.name!r} hold the same {of}")
        found[each.name] = snapshot
    return found


def say_test_split(snapshot: SnapshotRef) -> None:
    """Say what names the test split, for those who want to keep it as it is."""
    if snapshot.test_digest:
        narrate("prepare", f"test split {snapshot.test_digest}")


def show_rescans(pages: PageSnapshot) -> None:
    """Warn of pages that are learnt and say what pages of test say."""
    if found := find_rescans(pages.samples()):
        warning = (
            f"learnt pages with the texts of a test page: {len(found)}; of two scans of one page "
            "keep one, or give both one group (dataset.group_pattern)"
        )
        _warn(warning, [each.describe() for each in found], key="rescans")


def show_charset(workspace: Workspace, snapshot: SnapshotRef, model: str) -> None:
    """Say how many characters there are, and in what they differ from the champion's."""
    lines = workspace.open_lines(snapshot.key)
    champion = workspace.registry.champion(model)
    other = lines.charset
    if champion is not None:
        key = f"{workspace.registry.version(model, champion.version).key}/{CHARSET}"
        other = Charset.from_bytes(workspace.store.read_bytes(key), source=key)
    difference = lines.charset.diff(other, lines.values("text", "train")).describe()
    beside = f" beside {model}:{champion.version}" if champion else ""
    said = f": {difference}" if difference else ""
    narrate("prepare", f"{lines.charset.size - 1} characters{beside}{said}")


def _say_counts(snapshot: SnapshotRef) -> str:
    """Say how large the splits are and how many rows are not in them."""
    counts = snapshot.counts
    named = [split for split in ("train", "val", "test") if counts[split]]
    splits = ", ".join(f"{counts[split]} {split}" for split in named)
    if counts.get("groups"):
        splits += f" in {counts['groups']} groups ({counts['ungrouped']} in none)"
    return f"{splits}, {counts['quarantined']} of {counts['rows']} rows quarantined"


def _show_characters(found: Sequence[Lookalike | Replacement], what: str, *, key: str) -> None:
    """Warn of characters, the most frequent first."""
    said = [each.describe() for each in sorted(found, key=lambda each: -each.count)]
    _warn(f"{len(found)} characters {what}", said, key=key)


def _warn(warning: str, said: Sequence[str], *, key: str) -> None:
    """Say what it is about, and of what, in the terminal and as an artifact."""
    more = [f"and {len(said) - MOST_SHOWN} more"] if len(said) > MOST_SHOWN else []
    narrate("prepare", f"{warning}: {'; '.join([*said[:MOST_SHOWN], *more])}")
    if TaskRunContext.get() is not None:
        listed = "\n".join(f"- {markdown.escape(each)}" for each in said)
        create_markdown_artifact(f"{warning}:\n\n{listed}", key=key)


def _show_quarantine(reasons: Sequence[ReasonCount]) -> None:
    """Show the table of reasons in the terminal and as an artifact of the task."""
    table = Table(title="quarantine", title_justify="left", header_style="bold")
    for column in ("reason", "rows", "for example"):
        table.add_column(column, overflow="fold")
    rows = []
    for reason in reasons:
        example = reason.examples[0].describe()
        table.add_row(reason.reason, str(reason.count), escape(example))
        rows.append((reason.reason, str(reason.count), markdown.escape(example)))
    TERMINAL.print(table)
    if TaskRunContext.get() is not None:
        text = markdown.table(("reason", "rows", "for example"), rows)
        create_markdown_artifact(text, key="quarantine")
