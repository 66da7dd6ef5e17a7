"""Pages to lines of text: detect, put in reading order, cut out, recognise."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Protocol

import numpy as np

from ocr.image.cropping import crop_line
from ocr.image.pixels import Image
from ocr.image.rectangle import Corners
from ocr.image.turning import BACK, ROTATIONS, Rotation, turn_image, turn_points
from ocr.models.gap_model import GapModel
from ocr.models.page_line import PageLine, PageWord, Polygon
from ocr.reading.detection.detector import Detector
from ocr.reading.detection.kernel_map import KernelMap
from ocr.reading.gaps import cut_at_gaps
from ocr.reading.legibility import FoundLine, legibility, lies_well, reads_surely
from ocr.reading.reading_order import reading_order
from ocr.reading.recognition.recogniser import Recogniser
from ocr.reading.words import FoundWord, PlacedLine, find_words

BLANK_DEVIATION = 2.0
"""A page whose values, 0 to 255, deviate less from their mean holds nothing."""


@dataclass(frozen=True)
class PageReading:
    """What a page reads.

    Attributes:
        lines: In reading order; lines that read as nothing are left out.
        rotation: Degrees by which the page was turned clockwise to be read.
        timings: Seconds per stage.
        reread: Lines that the second recogniser of a cascade read.
        set_aside: In reading order, what is rather no text, or none that can be read.
    """

    lines: tuple[PageLine, ...]
    rotation: int
    timings: Mapping[str, float]
    reread: int = 0
    set_aside: tuple[PageLine, ...] = ()


@dataclass(frozen=True)
class PlacedPage:
    """The lines of a page, found and read.

    Attributes:
        lines: In reading order, on the page as it was turned; those that read as nothing are left
            out.
        rotation: As `PageReading.rotation`.
        height_px: Of the turned page.
        width_px: Of the turned page.
        timings: Seconds per stage.
        reread: As `PageReading.reread`.
        kernels: What the detector saw of the turned page, where that is known and was kept.
    """

    lines: tuple[PlacedLine, ...]
    rotation: Rotation
    height_px: int
    width_px: int
    timings: Mapping[str, float]
    reread: int
    kernels: KernelMap | None

    def parted(self, gaps: GapModel) -> "PlacedPage":
        """Part the lines where a gap model says that they end; parts stand where their line did."""
        timings = dict(self.timings)
        with _timed(timings, "cut_s"):
            lines = tuple(
                part for line in self.lines for part in cut_at_gaps(line, gaps, self.kernels)
            )
        return replace(self, lines=lines, timings=timings)

    def to_reading(self, *, words: bool = False, min_confidence: float = 0.0) -> PageReading:
        """Return it in pixels of the page as it was given, with or without its words.

        Args:
            words: Whether to tell where the words of each line stand.
            min_confidence: Lines of less are set aside.
        """
        timings = dict(self.timings)
        found: list[Sequence[FoundWord]] = [()] * len(self.lines)
        if words:
            with _timed(timings, "words_s"):
                found = [find_words(line) for line in self.lines]
        lines = [
            PageLine(
                polygon=self._polygon(line.box),
                text=line.read.text,
                confidence=line.read.confidence,
                words=tuple(
                    PageWord(self._polygon(word.corners), word.text, word.confidence)
                    for word in within
                ),
            )
            for line, within in zip(self.lines, found, strict=True)
        ]
        return PageReading(
            lines=tuple(line for line in lines if line.confidence >= min_confidence),
            rotation=self.rotation,
            timings=timings,
            reread=self.reread,
            set_aside=tuple(line for line in lines if line.confidence < min_confidence),
        )

    def _polygon(self, corners: Corners) -> Polygon:
        """Return corners (4, 2) of the turned page as they lie on the given one."""
        back = BACK[self.rotation]
        given = turn_points(corners, back, width_px=self.width_px, height_px=self.height_px)
        return tuple((x, y) for x, y in given.tolist())


class ReadsPages(Protocol):
    """Anything that reads whole pages."""

    @property
    def name(self) -> str:
        """What reads, for reports and logs."""

    def read(self, image: Image) -> PageReading:
        """Read a (H, W, 3) BGR page of any size."""


class PageReader:
    """Reads with a detector and a recogniser; safe to share between threads if they are.

    A page is read as it lies. Where that reads badly, most of it runs up or down, or was found as
    single characters, a few lines are tried at each quarter turn, and the page is read as it reads
    best. So an upright page that reads well costs nothing more, and no trial can change it. One
    that reads surely, but by single characters, is turned only to what lies well.
    """

    TRIED_LINES = 8
    """So many of the longest lines tell how well a page reads at a turn."""

    LEAST_GAIN = 1.2
    """A turn must read this much better than the page as it lies."""

    def __init__(
        self,
        detector: Detector,
        recogniser: Recogniser,
        *,
        gaps: GapModel | None = None,
        min_confidence: float = 0.0,
        name: str = "",
    ) -> None:
        """Put the models together.

        Args:
            detector: Finds the lines.
            recogniser: Reads them.
            gaps: Where lines end that the detector takes for one; None: as it finds them.
            min_confidence: Lines of less are set aside.
            name: For reports and logs; empty names both models.
        """
        self.name = name or f"{detector.name} + {recogniser.name}"
        self._detector = detector
        self._recogniser = recogniser
        self._gaps = gaps
        self._min_confidence = min_confidence

    def read(
        self,
        image: Image,
        *,
        rotation: Rotation | None = None,
        words: bool = False,
        min_confidence: float | None = None,
    ) -> PageReading:
        """Read a (H, W, 3) BGR page of any size.

        Args:
            image: The page.
            rotation: Turn it clockwise by this angle; None finds the angle.
            words: Whether to tell where the words of each line stand.
            min_confidence: Lines of less are set aside; None: as the reader was told.

        Raises:
            BadInput: The page is empty or not (H, W, 3) bytes.
        """
        placed = self.place(image, rotation=rotation, with_kernels=self._gaps is not None)
        if self._gaps is not None:
            placed = placed.parted(self._gaps)
        least = self._min_confidence if min_confidence is None else min_confidence
        return placed.to_reading(words=words, min_confidence=least)

    def place(
        self, image: Image, *, rotation: Rotation | None = None, with_kernels: bool = True
    ) -> PlacedPage:
        """Find and read the lines of a page, and part none; errors as of `read`.

        Args:
            image: The page.
            rotation: As of `read`.
            with_kernels: Whether to keep what the detector saw, four bytes a pixel.
        """
        if rotation is not None:
            return self._place(image, rotation, with_kernels=with_kernels)
        upright = self._place(image, 0, with_kernels=with_kernels)
        found = [(line.box, line.read) for line in upright.lines]
        if lies_well(found) or (not found and _is_blank(image)):
            return upright
        started = perf_counter()
        is_sure = reads_surely(found)
        rotation = self._find_rotation(image, is_sure=is_sure)
        turn_s = perf_counter() - started
        if rotation == 0:
            return replace(upright, timings={**upright.timings, "turn_s": turn_s})
        turned = self._place(image, rotation, with_kernels=with_kernels)
        if is_sure and not lies_well([(line.box, line.read) for line in turned.lines]):
            turn_s += sum(turned.timings.values())
            return replace(upright, timings={**upright.timings, "turn_s": turn_s})
        turn_s += sum(upright.timings.values())
        return replace(turned, timings={**turned.timings, "turn_s": turn_s})

    def _place(self, image: Image, rotation: Rotation, *, with_kernels: bool) -> PlacedPage:
        timings: dict[str, float] = {}
        with _timed(timings, "detect_s"):
            page = turn_image(image, rotation)
            found = self._detector.detect(page)
            if not with_kernels:
                found = replace(found, kernels=None)
        with _timed(timings, "crop_s"):
            order = reading_order(found.boxes)
            crops = [crop_line(page, found.crop_boxes[index]) for index in order]
        with _timed(timings, "recognise_s"):
            texts = self._recogniser.recognise(crops)
        lines = (
            PlacedLine(text, found.boxes[at], found.crop_boxes[at])
            for text, at in zip(texts, order, strict=True)
        )
        return PlacedPage(
            lines=tuple(line for line in lines if line.read.text.strip()),
            rotation=rotation,
            height_px=page.shape[0],
            width_px=page.shape[1],
            timings=timings,
            reread=sum(text.is_reread for text in texts),
            kernels=found.kernels,
        )

    def _find_rotation(self, image: Image, *, is_sure: bool) -> Rotation:
        tried = {rotation: self._try(turn_image(image, rotation)) for rotation in ROTATIONS}
        best = max(ROTATIONS, key=lambda rotation: legibility(tried[rotation]))
        gains = legibility(tried[best]) > self.LEAST_GAIN * legibility(tried[0])
        return best if gains and (lies_well(tried[best]) or not is_sure) else 0

    def _try(self, page: Image) -> list[FoundLine]:
        """Return the longest lines of a page and what they read, if anything."""
        found = self._detector.detect(page)
        sides_px = np.linalg.norm(found.boxes - np.roll(found.boxes, 1, axis=1), axis=2)
        longest = np.argsort(-sides_px.max(axis=1), kind="stable")[: self.TRIED_LINES]
        crops = [crop_line(page, found.crop_boxes[index]) for index in longest]
        texts = self._recogniser.recognise(crops)
        lines = zip(found.boxes[longest], texts, strict=True)
        return [(box, text) for box, text in lines if text.text.strip()]


def _is_blank(image: Image) -> bool:
    return float(image[::8, ::8].std()) < BLANK_DEVIATION


@contextmanager
def _timed(timings: dict[str, float], stage: str) -> Iterator[None]:
    started = perf_counter()
    yield
    timings[stage] = perf_counter() - started
