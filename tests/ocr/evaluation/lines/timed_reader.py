"""Readers that say how long reading took them, and lines for them."""

from collections.abc import Sequence
from pathlib import Path

from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.dataset.split import SplitRule
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
    """Reads the colours of `draw`, a line's first character as `misread` says, that unsurely.

    Each line as surely as the one before it, less a `step`.
    """

    name = "reader"

    def __init__(
        self, clock: Clock, *, line_s: float, misread: dict[str, str], step: float = 0.001
    ) -> None:
        self.lines = 0
        self._clock = clock
        self._line_s = line_s
        self._misread = misread
        self._step = step

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        self.lines += len(images)
        self._clock.now_s += self._line_s * len(images)
        texts = ["".join("ABC"[cell.argmax()] for cell in image[0, ::CELL_PX]) for image in images]
        return [self._answer(text) for text in texts]

    def _answer(self, text: str) -> Recognition:
        first = self._misread.get(text[0], text[0])
        sure = 0.9 - self._step * TEXTS.index(text)
        confidences = (sure if first == text[0] else sure - 0.5, 1.0, 1.0)
        return Recognition(first + text[1:], sum(confidences) / 3, confidences)


def line_snapshot(folder: Path) -> LineSnapshot:
    """All texts for validation, other ones for training and test."""
    root = folder / "images"
    root.mkdir()
    for split, texts in {"train": ["ABAB"], "val": TEXTS, "test": ["CACA"]}.items():
        for text in texts:
            (root / f"{text}.png").write_bytes(encode_png(draw(text)))
        (root / f"{split}.txt").write_text("".join(f"{text}.png\t{text}\n" for text in texts))
    workspace = Workspace(store=open_store(str(folder / "store")), home=folder / "home")
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
