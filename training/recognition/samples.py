"""The labelled crops of one split, decoded into memory."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData
from ocr.image.cropping import trim
from ocr.image.pixels import Image
from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from ocr.reading.recognition.line_input import fit_line, fitted_width_px, frame_count

LARGEST_SKIPPED_SHARE = 0.2
OVERSIZE = 3
RARE_COUNT_SHARE = 0.02
RARE_SAMPLE_SHARE = 0.1


class Line(NamedTuple):
    """A labelled line.

    Attributes:
        text: What it reads.
        image: (H, W, 3) BGR.
        around_px: Pixels by which the image goes on round the line, on every side.
    """

    text: str
    image: Image
    around_px: int = 0


@dataclass(frozen=True)
class Crops:
    """Labelled crops of one split, all of equal index.

    Attributes:
        images: (H, W, 3) BGR each.
        around_px: Pixels by which each goes on round its line.
        texts: What each reads.
        labels: The classes of each text, from 1.
        widths_px: Width of each once fitted to the input.
    """

    images: tuple[Image, ...]
    around_px: tuple[int, ...]
    texts: tuple[str, ...]
    labels: tuple[NDArray[np.int32], ...]
    widths_px: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.images)

    def line(self, index: int) -> Image:
        """The image of an index without what surrounds the line."""
        return trim(self.images[index], self.around_px[index])


def collect_crops(
    lines: Iterable[Line],
    *,
    split: str,
    charset: Charset,
    spec: LineSpec,
    say: Callable[[str], object] = lambda _: None,
) -> Crops:
    """Collect the lines of a split, checked against the charset and the net.

    A line whose text has more characters than the net has frames for its width is left out, and
    `say` is told how many are.

    Raises:
        BadData: The split is empty, a character is not in the charset, or the texts are too long
            for the input width (layout fixed: any; layout line: more than a fifth of them).
    """
    images: list[Image] = []
    around: list[int] = []
    texts: list[str] = []
    labels: list[NDArray[np.int32]] = []
    skipped: list[str] = []
    for text, image, around_px in lines:
        classes = np.asarray(charset.encode(text), dtype=np.int32)
        if frames_needed(classes) > frame_count(
            fitted_width_px(trim(image, around_px), spec), spec
        ):
            skipped.append(text)
            continue
        image, around_px = _bounded(image, around_px, spec)
        images.append(image)
        around.append(around_px)
        texts.append(text)
        labels.append(classes)
    if left_out := _check(kept=len(images), skipped=skipped, split=split, spec=spec):
        say(left_out)
    trimmed = map(trim, images, around)
    widths_px = np.array([fitted_width_px(line, spec) for line in trimmed], dtype=np.int64)
    return Crops(tuple(images), tuple(around), tuple(texts), tuple(labels), widths_px)


def frames_needed(labels: Sequence[int] | NDArray[np.int32]) -> int:
    """Return the frames CTC needs: one per character, one blank between equal neighbours."""
    classes = np.asarray(labels)
    return len(classes) + int((classes[1:] == classes[:-1]).sum())


def find_rare(texts: Sequence[str]) -> NDArray[np.int64]:
    """Return the indexes of the crops with the rarest characters, at most a tenth of all."""
    counts = Counter(character for text in texts for character in set(text))
    rarest = np.array([min(counts[character] for character in text) for text in texts])
    order = np.argsort(rarest, kind="stable")[: int(len(texts) * RARE_SAMPLE_SHARE)]
    return np.sort(order[rarest[order] < len(texts) * RARE_COUNT_SHARE])


def _bounded(image: Image, around_px: int, spec: LineSpec) -> tuple[Image, int]:
    """Fit what is far larger than the input right away, so that memory stays bounded."""
    line = trim(image, around_px)
    height_px, width_px = line.shape[:2]
    if height_px <= OVERSIZE * spec.height_px:
        return image, around_px
    if not around_px:
        return fit_line(image, spec), 0
    scale = spec.height_px / height_px
    kept_px = round(scale * around_px)
    size = round(scale * width_px) + 2 * kept_px, spec.height_px + 2 * kept_px
    return np.asarray(cv2.resize(image, size), dtype=np.uint8), kept_px


def _check(*, kept: int, skipped: list[str], split: str, spec: LineSpec) -> str:
    """What is to be said of those that were skipped; empty: nothing."""
    total = kept + len(skipped)
    if not total:
        raise BadData(f"The {split} split is empty: training needs train and val samples")
    if not skipped:
        return ""
    message = (
        f"{len(skipped)} of {total} texts of the {split} split are too long for their width, "
        f"such as {max(skipped, key=len)!r}"
    )
    if spec.layout == "fixed":
        frames = frame_count(spec.width_px, spec)
        raise BadData(f"{message}: {spec.width_px} px give {frames} frames; raise width_px")
    if len(skipped) > LARGEST_SKIPPED_SHARE * total:
        raise BadData(f"{message}; raise height_px")
    room = "the compact net has room for more with a larger training.height_px"
    return f"{message}: left out; {room}"
