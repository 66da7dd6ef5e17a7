"""A cascade's threshold: as many unsure lines as the time allows, and what they gain."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.dataset.split import SplitRule
from ocr.evaluation.lines.cascade import CascadeGain, fit_cascade
from ocr.image.pixels import Image, encode_png
from ocr.reading.recognition.ctc import Recognition
from ocr.store import open_store
from tasks.workspace import Workspace
from tests.ocr.dataset.rules import LINE_LIMITS
from tests.toy_bundle import CELL_PX, draw

TEXTS = [a + b + c for a in "ABC" for b in "ABC" for c in "ABC" if a != b != c]
"""Twelve, four of which begin with A."""


class Clock:
    """Moves on by what those who read say that it took."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class Reader:
    """Reads the colours of `draw`, a line's first character as `misread` says, that unsurely."""

    name = "reader"

    def __init__(self, clock: Clock, *, line_s: float, misread: dict[str, str]) -> None:
        self.lines = 0
        self._clock = clock
        self._line_s = line_s
        self._misread = misread

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        self.lines += len(images)
        self._clock.now_s += self._line_s * len(images)
        texts = ["".join("ABC"[cell.argmax()] for cell in image[0, ::CELL_PX]) for image in images]
        return [self._answer(text) for text in texts]

    def _answer(self, text: str) -> Recognition:
        first = self._misread.get(text[0], text[0])
        sure = 0.9 - 0.001 * TEXTS.index(text)
        confidences = (sure if first == text[0] else sure - 0.5, 1.0, 1.0)
        return Recognition(first + text[1:], sum(confidences) / 3, confidences)


@pytest.fixture
def val(tmp_path: Path) -> LineSnapshot:
    """All texts for validation, other ones for training and test."""
    root = tmp_path / "images"
    root.mkdir()
    for split, texts in {"train": ["ABAB"], "val": TEXTS, "test": ["CACA"]}.items():
        for text in texts:
            (root / f"{text}.png").write_bytes(encode_png(draw(text)))
        (root / f"{split}.txt").write_text("".join(f"{text}.png\t{text}\n" for text in texts))
    workspace = Workspace(store=open_store(str(tmp_path / "store")), home=tmp_path / "home")
    snapshot = prepare_lines(
        workspace.store,
        name="toy",
        labels=LineLabelFiles(
            kind="paddleocr", root=root, train="train.txt", val="val.txt", test="test.txt"
        ),
        limits=LINE_LIMITS,
        split=SplitRule(val_share=0.0, test_share=0.0, seed=0),
        near_duplicate_bits=0,
    )
    return workspace.open_lines(snapshot.key)


def fit(
    snapshot: LineSnapshot, *, time_factor: float, ruined: str = ""
) -> tuple[CascadeGain, Reader]:
    """Fit a fast one that misreads A and an accurate one, ten times as slow, that does not."""
    clock = Clock()
    fast = Reader(clock, line_s=1.0, misread={"A": "B"})
    accurate = Reader(clock, line_s=10.0, misread=dict.fromkeys(ruined, "?"))
    gain = fit_cascade(fast, accurate, snapshot, time_factor=time_factor, clock=clock)
    return gain, accurate


def test_unsure_lines_are_read_again_while_there_is_time(val: LineSnapshot) -> None:
    gain, accurate = fit(val, time_factor=1 + 25 / 12)  # the time of two lines and a half

    assert accurate.lines == 3
    assert gain.share == 2 / 12
    assert gain.time_factor == pytest.approx(1 + 20 / 12)
    assert gain.accuracy == pytest.approx(8 / 12)
    assert gain.change.value == pytest.approx(2 / 12)
    assert gain.below == pytest.approx(0.4 - 0.001)  # of the next one that is misread
    assert gain.pays


def test_with_time_for_all_lines_only_the_wholly_sure_are_left(val: LineSnapshot) -> None:
    gain, _ = fit(val, time_factor=50)

    assert (gain.below, gain.share) == (1.0, 1.0)
    assert gain.accuracy + gain.change.value == 1.0


def test_a_second_recogniser_that_spoils_lines_does_not_pay(val: LineSnapshot) -> None:
    gain, _ = fit(val, time_factor=50, ruined="BC")

    assert gain.change.value < 0
    assert not gain.pays


def test_metrics_are_finite_also_of_lines_that_are_all_of_one_document(val: LineSnapshot) -> None:
    gain, _ = fit(val, time_factor=2)

    metrics = gain.metrics

    assert list(metrics)[:3] == ["cascade_share", "cascade_time_factor", "cascade_gain"]
    assert -1 <= metrics["cascade_gain_lower"] <= metrics["cascade_gain"]
    assert metrics["cascade_gain"] <= metrics["cascade_gain_upper"] <= 1
