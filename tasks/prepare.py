"""Labelled images to a snapshot in the store; what was rejected, and why, for a person."""

from collections.abc import Sequence
from pathlib import Path

from prefect import task
from prefect.artifacts import create_markdown_artifact
from prefect.context import TaskRunContext
from rich.markup import escape
from rich.table import Table

from configs.dataset import DatasetParams
from ocr.charset import Charset
from ocr.inputs import RenderedSet
from ocr.labels import LabelFiles
from ocr.labels.table import Columns
from ocr.preparation import SnapshotRef, prepare_snapshot
from ocr.quarantine import ReasonCount, TooManyRejected
from ocr.split import SplitRule
from ocr.synthesis import font_fingerprint, render_lines
from ocr.validation import Limits
from tasks.narration import TERMINAL, narrate
from tasks.references import content_digest
from tasks.retries import may_help
from tasks.workspace import Workspace, open_workspace


@task(name="prepare", retries=2, retry_delay_seconds=[2, 10], retry_condition_fn=may_help)
def prepare_dataset(params: DatasetParams, model: str) -> SnapshotRef:
    """Write the dataset's snapshot, or find the one that the same inputs gave before."""
    workspace = open_workspace()
    try:
        snapshot = prepare_snapshot(
            workspace.store,
            name=params.name,
            labels=_labels(params),
            limits=Limits(**params.limits.model_dump()),
            split=SplitRule(**params.split.model_dump(), seed=params.seed),
            charset=Charset.read(Path(params.root, params.charset_file))
            if params.charset_file
            else None,
            rendered=_rendered(params) if params.synthesis.count else None,
            work_folder=workspace.home,
        )
    except TooManyRejected as error:
        _show_quarantine(error.reasons)
        raise
    how = "found" if snapshot.cached else "wrote"
    narrate("prepare", f"{how} {snapshot.key[:-48]}: {_count(snapshot)}")
    if snapshot.quarantine:
        _show_quarantine(snapshot.quarantine)
    _show_charset(workspace, snapshot, model)
    return snapshot


def _labels(params: DatasetParams) -> LabelFiles | None:
    if params.source == "synthetic":
        return None
    return LabelFiles(
        kind=params.source,
        root=Path(params.root),
        train=params.train_labels,
        val=params.val_labels,
        test=params.test_labels,
        encoding=params.encoding,
        columns=Columns(
            image=params.image_column, text=params.text_column, group=params.group_column
        ),
    )


def _rendered(params: DatasetParams) -> RenderedSet:
    synthesis = params.synthesis
    fonts = [Path(folder) for folder in synthesis.font_folders]
    corpus = Path(params.root, synthesis.corpus) if synthesis.corpus else None
    lines = render_lines(
        count=synthesis.count,
        kinds=synthesis.kinds,
        patterns=synthesis.patterns,
        corpus=corpus,
        font_folders=fonts,
        strength=synthesis.strength,
        seed=params.seed,
    )
    fingerprint = content_digest(
        synthesis=synthesis.model_dump(),
        corpus=corpus.read_text(encoding="utf-8") if corpus else "",
        seed=params.seed,
        fonts=font_fingerprint(fonts),
    )
    return RenderedSet(lines=lines, count=synthesis.count, fingerprint=fingerprint)


def _count(snapshot: SnapshotRef) -> str:
    counts = snapshot.counts
    splits = ", ".join(f"{counts[split]} {split}" for split in ("train", "val", "test"))
    return f"{splits}, {counts['quarantined']} of {counts['rows']} rows quarantined"


def _show_quarantine(reasons: Sequence[ReasonCount]) -> None:
    table = Table(title="quarantine", title_justify="left", header_style="bold")
    for column in ("reason", "rows", "for example"):
        table.add_column(column, overflow="fold")
    markdown = ["| reason | rows | for example |", "|---|---|---|"]
    for reason in reasons:
        first = reason.examples[0]
        example = f"{first.where} {first.image} {first.text!r}: {first.detail}"
        table.add_row(reason.reason, str(reason.count), escape(example))
        cell = example.replace("|", "\\|").replace("<", "&lt;")
        markdown.append(f"| {reason.reason} | {reason.count} | {cell} |")
    TERMINAL.print(table)
    if TaskRunContext.get() is not None:
        create_markdown_artifact("\n".join(markdown), key="quarantine")


def _show_charset(workspace: Workspace, snapshot: SnapshotRef, model: str) -> None:
    local = workspace.fetch_snapshot(snapshot.key)
    champion = workspace.registry.champion(model)
    other = local.charset
    if champion is not None:
        bundle = workspace.fetch_bundle(workspace.registry.version(model, champion.version))
        other = Charset.read(bundle / "charset.txt")
    difference = local.charset.diff(other, local.samples("train")["text"])
    parts = {
        "new": difference.new,
        "gone": difference.missing,
        "never in train": difference.unseen,
    }
    said = "; ".join(f"{name} {''.join(found)}" for name, found in parts.items() if found)
    beside = f" beside {model}:{champion.version}" if champion else ""
    narrate("prepare", f"{local.charset.size - 1} characters{beside}{': ' if said else ''}{said}")
