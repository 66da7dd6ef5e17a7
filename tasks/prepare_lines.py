"""Labelled or rendered lines to a snapshot in the store."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from prefect import task

from configs.dataset import LineDatasetParams, TextParams
from configs.further import FurtherLinesParams
from ocr.dataset.inputs import RenderedSet
from ocr.dataset.labels.split_files import LabelShare
from ocr.dataset.labels.text_rule import TextRule, normalise
from ocr.dataset.lines import preparation
from ocr.dataset.lines.inspection import RenderedLine
from ocr.dataset.lines.labels import Columns, LineLabelFiles
from ocr.dataset.lines.limits import LineLimits
from ocr.dataset.preparation import SnapshotRef
from ocr.dataset.roots import find_root
from ocr.dataset.row_list import keep_rows, list_rows
from ocr.dataset.split import UNDIVIDED, SplitRule
from ocr.errors import ArtifactNotFound
from ocr.models.charset import Charset, show_some
from ocr.store.digest import stage_key
from ocr.synthesis.fonts import font_fingerprint
from ocr.synthesis.lines.render import open_lines
from ocr.synthesis.lines.texts import Corpus
from tasks.preparation import prepare_aloud, prepare_further, say_test_split, show_charset
from tasks.run.narration import narrate
from tasks.run.progress import track_rows
from tasks.run.retries import may_help
from tasks.workspace import dataset_root, open_workspace


@task(name="prepare-lines", retries=2, retry_delay_seconds=[2, 10], retry_condition_fn=may_help)
def prepare_lines(params: LineDatasetParams, model: str) -> SnapshotRef:
    """Write the dataset's snapshot, or find the one that the same inputs gave before."""
    workspace, labels = open_workspace(), line_labels(params)
    rows = list_rows(labels.read()) if labels else None
    snapshot = prepare_aloud(
        lambda folder: preparation.prepare_lines(
            workspace.store,
            name=params.name,
            labels=labels,
            limits=LineLimits(**params.limits.model_dump()),
            split=SplitRule(
                val_share=params.split.val_share,
                test_share=params.split.test_share,
                seed=params.seed,
            ),
            texts=TextRule(**params.texts.model_dump()),
            near_duplicate_bits=params.split.near_duplicate_bits,
            charset=_read_charset(params) if params.charset_file else None,
            frozen_test=params.split.frozen_test,
            rendered=render_lines(params) if params.synthesis.count else None,
            work_folder=folder,
            track=track_rows,
        ),
        workspace=workspace,
        name=params.name,
        of="lines",
    )
    if rows is not None:
        keep_rows(workspace.store, rows, name=params.name, snapshot=snapshot.digest)
    say_test_split(snapshot)
    show_charset(workspace, snapshot, model)
    return snapshot


@task(
    name="prepare-further-lines",
    retries=2,
    retry_delay_seconds=[2, 10],
    retry_condition_fn=may_help,
)
def prepare_further_lines(
    sets: Sequence[FurtherLinesParams], texts: TextParams
) -> dict[str, SnapshotRef]:
    """Write the snapshots of further test sets, or find them; by the names of the sets."""
    workspace = open_workspace()

    def prepare(each: FurtherLinesParams, folder: Path) -> SnapshotRef:
        return preparation.prepare_lines(
            workspace.store,
            name=each.name,
            labels=_further_labels(each),
            limits=LineLimits(**each.limits.model_dump()),
            split=UNDIVIDED,
            texts=TextRule(**texts.model_dump()),
            near_duplicate_bits=0,
            work_folder=folder,
            track=track_rows,
        )

    return prepare_further(sets, prepare, workspace=workspace, of="lines")


def line_labels(params: LineDatasetParams) -> LineLabelFiles | None:
    """Return where the labels of a dataset are; None: it is rendered."""
    if params.source == "synthetic":
        return None
    return LineLabelFiles(
        kind=params.source,
        root=dataset_root(params.root),
        train=params.train_labels,
        val=params.val_labels,
        test=params.test_labels,
        encoding=params.encoding,
        group_pattern=params.group_pattern,
        more=tuple(LabelShare(each.labels, each.split, each.ratio) for each in params.more_labels),
        seed=params.seed,
        delimiter=params.delimiter,
        columns=Columns(
            image=params.image_column,
            text=params.text_column,
            group=params.group_column,
            split=params.split_column,
        ),
    )


def _further_labels(params: FurtherLinesParams) -> LineLabelFiles:
    return LineLabelFiles(
        kind=params.source,
        root=dataset_root(params.root),
        test=params.labels,
        encoding=params.encoding,
        group_pattern=params.group_pattern,
        only="test",
        delimiter=params.delimiter,
        columns=Columns(
            image=params.image_column, text=params.text_column, group=params.group_column
        ),
    )


def _read_charset(params: LineDatasetParams) -> Charset:
    content = _read_file(params, params.charset_file, of="charset")
    charset, left_out = Charset.from_dictionary(
        content,
        source=params.charset_file,
        write=partial(normalise, form=params.texts.form),
    )
    if left_out:
        said = f"left out {len(left_out)} lines of several characters, the first is "
        narrate("prepare", f"{params.charset_file}: {said}{left_out[0][:20]!r}")
    blank = [line for line in left_out if len(line.strip()) == 1]
    if lost := charset.unknown("".join(dict.fromkeys(line.strip() for line in blank))):
        said = f"characters beside a space or tab alone, which nothing reads: {show_some(lost)}"
        narrate("prepare", f"{params.charset_file}: {said}; name a copy of the file without that")
    return charset


def _read_file(params: LineDatasetParams, name: str, *, of: str) -> bytes:
    """Read a file that lies where label files do."""
    root = dataset_root(params.root)
    place = find_root(root, encoding=params.encoding) if isinstance(root, Path) else root
    try:
        with place.open_file(name) as file:
            return file.read()
    except ArtifactNotFound as error:
        raise ArtifactNotFound(f"no {of} file: {error}") from error


def _read_corpus(params: LineDatasetParams) -> Corpus:
    name = params.synthesis.corpus
    return Corpus(name, _read_file(params, name, of="corpus"))


def render_lines(params: LineDatasetParams) -> RenderedSet[RenderedLine]:
    """The lines to render, and the digest of all that decides them."""
    synthesis = params.synthesis
    fonts = [Path(folder) for folder in synthesis.font_folders]
    corpus = _read_corpus(params) if synthesis.corpus else None
    lines = open_lines(
        patterns=synthesis.patterns,
        corpus=corpus,
        font_folders=fonts,
        strength=synthesis.strength,
        seed=params.seed,
    )
    fingerprint = stage_key(
        "render-lines",
        synthesis=synthesis.model_dump(exclude={"corpus", "font_folders"}),
        corpus=corpus.content.decode() if corpus else "",
        seed=params.seed,
        fonts=font_fingerprint(fonts),
    )
    return RenderedSet(
        items=(lines.line(number) for number in range(synthesis.count)),
        count=synthesis.count,
        fingerprint=fingerprint,
    )
