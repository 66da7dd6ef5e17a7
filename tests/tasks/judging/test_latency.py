"""How long a candidate takes is measured when it is judged, and stands in no cache."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from configs.gate import LineGateParams
from ocr.image.pixels import Image
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.recogniser import OnnxRecogniser
from tasks.judging.lines import judge_lines
from tasks.references import ModelRef
from tests.tasks.conftest import ToyProject

GATE = LineGateParams(margin=0.9, max_latency_ms=60)


@pytest.fixture
def candidate(project: ToyProject) -> ModelRef:
    """A version beside the champion, as good as it."""
    project.add("v1")
    project.promote("v1")
    return project.add("v2")


@contextmanager
def busy_machine() -> Iterator[None]:
    """Let every recogniser take a tenth of a second longer."""
    read = OnnxRecogniser.recognise

    def wait_and_read(self: OnnxRecogniser, images: Sequence[Image]) -> list[Recognition]:
        time.sleep(0.1)
        return read(self, images)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OnnxRecogniser, "recognise", wait_and_read)
        patch.setattr("tasks.judging.latency.LINES", 2, raising=False)
        yield


def test_the_load_during_an_evaluation_decides_nothing(
    project: ToyProject, candidate: ModelRef
) -> None:
    with busy_machine():
        evaluation = project.evaluate(candidate)

    assert judge_lines.fn(evaluation, GATE).accepted


def test_each_judgement_measures_anew_and_names_the_machine(
    project: ToyProject, candidate: ModelRef
) -> None:
    evaluation = project.evaluate(candidate)

    with busy_machine():
        judgement = judge_lines.fn(evaluation, GATE)

    assert judgement.verdict == "block"
    assert "more than 60.0" in judgement.reasons[0]
    html = Path(judgement.report).read_text(encoding="utf-8")
    for words in ("× that of toy:v1", "processors, load "):
        assert words in html
    assert b"latency" not in project.registry.store.read_bytes(f"{evaluation.key}/report.json")
    assert judge_lines.fn(evaluation, GATE).accepted
