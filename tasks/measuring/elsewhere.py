"""What a system that is no version here read of the test: a file that stands in for a champion."""

import hashlib
from pathlib import Path
from typing import Final

from configs.evaluation import LineEvaluationParams, PageEvaluationParams
from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.dataset.preparation import SnapshotRef
from ocr.errors import BadData, BadInput
from ocr.evaluation.elsewhere import Readings, read_lines_elsewhere, read_pages_elsewhere
from ocr.evaluation.saved_results import rows_of_results
from ocr.models.page_line import PageLine
from ocr.reading.baselines import WrittenAsLabels
from ocr.reading.recognition.ctc import Recognition
from tasks.run.narration import narrate
from tasks.workspace import Workspace, open_workspace

READINGS: Final = "readings"


def name_readings(params: LineEvaluationParams | PageEvaluationParams) -> str:
    """Return `readings` and the start of the SHA-256 of their file.

    Raises:
        BadInput: It cannot be read.
    """
    return _name(_read(params))


def is_of_elsewhere(reader: str) -> bool:
    """Whether a reader is what `name_readings` returned."""
    return reader.startswith(f"{READINGS} ")


def check_readings(
    params: LineEvaluationParams | PageEvaluationParams, model: str, dataset: SnapshotRef
) -> None:
    """Refuse readings that do not tell of each test image, before anything is trained.

    Raises:
        BadData: They do not, or the file is damaged.
        BadInput: It cannot be read.
    """
    workspace = open_workspace()
    if params.baseline == READINGS and workspace.registry.champion(model) is None:
        _check(workspace, params, dataset)


def still_tell(
    workspace: Workspace, params: LineEvaluationParams | PageEvaluationParams, dataset: SnapshotRef
) -> bool:
    """Whether readings, where they stand in, tell of each test image; said if they do not.

    From the first champion on nobody needs to keep them.
    """
    if params.baseline == READINGS:
        try:
            _check(workspace, params, dataset)
        except (BadData, BadInput) as error:
            narrate("evaluate", f"{error}; the first champion is compared with nothing")
            return False
    return True


def _check(
    workspace: Workspace, params: LineEvaluationParams | PageEvaluationParams, dataset: SnapshotRef
) -> None:
    reader = name_readings(params)
    if isinstance(params, LineEvaluationParams):
        load_line_readings(reader, params, workspace.open_lines(dataset.key))
    else:
        load_page_readings(reader, params, workspace.open_pages(dataset.key))


def load_line_readings(
    reader: str, params: LineEvaluationParams, labels: LineSnapshot
) -> Readings[Recognition]:
    """Find what was read of the test lines, as `name_readings` named it, written as labels are.

    Raises:
        BadData: The file is damaged, changed or incomplete.
    """
    return read_lines_elsewhere(
        _read_named(reader, params),
        name=params.baseline_readings,
        samples=labels.samples(),
        write=WrittenAsLabels(labels.charset.characters, labels.manifest.texts.apply),
    )


def load_page_readings(
    reader: str, params: PageEvaluationParams, labels: PageSnapshot
) -> Readings[tuple[PageLine, ...]]:
    """Find what was read of the test pages; see `load_line_readings`."""
    return read_pages_elsewhere(
        _read_named(reader, params),
        name=params.baseline_readings,
        samples=labels.samples(),
        write=labels.manifest.texts.apply,
    )


def _read_named(reader: str, params: LineEvaluationParams | PageEvaluationParams) -> bytes:
    content = _read(params)
    if _name(content) != reader:
        raise BadData(f"{params.baseline_readings} changed while it was compared with; run again")
    return content


def _read(params: LineEvaluationParams | PageEvaluationParams) -> bytes:
    path = Path(params.baseline_readings)
    said = f"evaluation.baseline_readings: {str(path)!r}"
    try:
        # A pipe would be waited for, and /dev/zero never ends.
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise BadInput(f"{said} is no plain file")
        return rows_of_results(path) if path.is_dir() else path.read_bytes()
    except OSError as error:
        raise BadInput(f"{said} cannot be read: {error.strerror}") from error


def _name(content: bytes) -> str:
    return f"{READINGS} {hashlib.sha256(content).hexdigest()[:12]}"
