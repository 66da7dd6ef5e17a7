"""How long candidate and opponent take now, on images of the test."""

from collections.abc import Callable
from itertools import islice

from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.evaluation.latency import Latency, measure_latency
from ocr.image.pixels import Image
from ocr.reading.recognition.recogniser import Recogniser
from tasks.measuring.elsewhere import is_of_elsewhere
from tasks.readers import (
    NOBODY,
    load_line_contender,
    load_page_contender,
    load_pipeline,
    load_recogniser,
)
from tasks.references import EvaluationRef
from tasks.workspace import Workspace

LINES = 40
PAGES = 6


def time_lines(workspace: Workspace, evaluation: EvaluationRef, test: LineSnapshot) -> Latency:
    """Let both recognisers read some lines of the test, in turns."""
    return measure_latency(
        _read_alone(load_recogniser(workspace, evaluation.model.reference)),
        None
        if _reads_nothing(evaluation.opponent)
        else _read_alone(load_line_contender(workspace, evaluation.opponent, test)),
        [image for _, image in islice(test.images("test"), LINES)],
    )


def time_pages(workspace: Workspace, evaluation: EvaluationRef, test: PageSnapshot) -> Latency:
    """Let both readers read some pages of the test, in turns."""
    return measure_latency(
        load_pipeline(workspace, evaluation.model.reference).read,
        None
        if _reads_nothing(evaluation.opponent)
        else load_page_contender(workspace, evaluation.opponent, test).read,
        [image for _, image in islice(test.images("test"), PAGES)],
    )


def _reads_nothing(opponent: str) -> bool:
    return opponent in NOBODY or is_of_elsewhere(opponent)


def _read_alone(recogniser: Recogniser) -> Callable[[Image], object]:
    return lambda image: recogniser.recognise([image])
