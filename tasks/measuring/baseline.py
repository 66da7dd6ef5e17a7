"""Who stands in for a champion: looked up before anything is trained, named when it reads."""

from collections.abc import Callable
from functools import partial
from typing import Final

from configs.evaluation import LineEvaluationParams, PageEvaluationParams
from ocr.errors import BadInput
from ocr.reading.baselines.rapidocr import require_rapidocr
from ocr.reading.baselines.stock_paddle import StockPaddleRecogniser
from ocr.reading.baselines.tesseract import digest_language, find_tesseract, name_tesseract
from ocr.store.folder import mark_used
from tasks.measuring.elsewhere import READINGS, name_readings
from tasks.workspace import Workspace, open_workspace

TESSERACT_LANGUAGE: Final = "eng"
BASELINE_PACKAGES: Final = {  # another release may read otherwise
    "rapidocr": ("rapidocr",),
    "paddleocr": ("paddleocr", "paddlex", "paddlepaddle", "paddlepaddle-gpu"),
}
_LOOK_UP: Final[dict[str, Callable[[], object]]] = {
    "rapidocr": require_rapidocr,
    "tesseract": partial(find_tesseract, TESSERACT_LANGUAGE),
    "paddleocr": StockPaddleRecogniser,  # fetches its weights, and ends when it is forgotten
}


def check_baseline(params: LineEvaluationParams | PageEvaluationParams, model: str) -> None:
    """Refuse a baseline that could not read; with a champion nobody stands in for it.

    Args:
        params: Name the baseline.
        model: Name of the model that it is to be compared with.

    Raises:
        ArtifactNotFound: There is no such bundle.
        BadInput: The bundle does something else, or the program, package or file is missing.
    """
    workspace = open_workspace()
    if workspace.registry.champion(model) is None:
        name_baseline(workspace, params)
        if look_up := _LOOK_UP.get(params.baseline):
            look_up()


def name_baseline(workspace: Workspace, params: LineEvaluationParams | PageEvaluationParams) -> str:
    """Return NAME:VERSION of a bundle, which is kept from being pruned, or the baseline's name.

    Raises:
        ArtifactNotFound: There is no such bundle.
        BadInput: It does something else than the candidate; a file of readings cannot be read.
    """
    if params.baseline == READINGS:
        return name_readings(params)
    if params.baseline != "bundle":
        return params.baseline
    model = workspace.registry.resolve(params.baseline_bundle)
    expected = "recognition" if isinstance(params, LineEvaluationParams) else "pipeline"
    if model.task != expected:
        raise BadInput(
            f"evaluation.baseline_bundle: {model.reference} does {model.task}, expected {expected}"
        )
    mark_used(workspace.store, prefix=f"models/{model.name}/{model.version}")
    return model.reference


def is_baseline(reader: str) -> bool:
    """Whether a reader is no version of a model."""
    return ":" not in reader


def identify(workspace: Workspace, reader: str) -> str | tuple[str, ...]:
    """Say of a reader, for a key, what decides how it reads.

    Of a version the content of its bundle and of its parts': after a prune, its name may be used
    again. Of a baseline its name, with its version where that is none of a Python package, and
    what it reads by where that has none.
    """
    if reader == "tesseract":
        program, language = find_tesseract(TESSERACT_LANGUAGE), TESSERACT_LANGUAGE
        return name_tesseract(program, language), digest_language(program, language)
    if is_baseline(reader):
        return reader
    registry = workspace.registry
    model = registry.resolve(reader)
    return model.key, *(registry.resolve(part).key for part in model.parts.values())
