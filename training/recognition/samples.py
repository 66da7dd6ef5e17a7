"""The labelled crops of one split, decoded into memory."""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData
from ocr.image.pixels import Image
from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from ocr.reading.recognition.line_input import fit_line, fitted_width_px, frame_count

LOG = logging.getLogger(__name__)
LARGEST_SKIPPED_SHARE = 0.2
OVERSIZE = 3
RARE_COUNT_SHARE = 0.02
RARE_SAMPLE_SHARE = 0.1


@dataclass(frozen=True)
class Crops:
    """Labelled crops of one split, all of equal index.

    Attributes:
        images: (H, W, 3) BGR each.
        texts: What each reads.
        labels: The classes of each text, from 1.
        widths_px: Width of each once fitted to the input.
    """

    images: tuple[Image, ...]
    texts: tuple[str, ...]
    labels: tuple[NDArray[np.int32], ...]
    widths_px: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.images)


def collect_crops(
    pairs: Iterable[tuple[str, Image]], *, split: str, charset: Charset, spec: LineSpec
) -> Crops:
    """Collect the texts and images of a split, checked against the charset and the net.

    A line whose text has more characters than the net has frames for its width is left out.

    Raises:
        BadData: The split is empty, a character is not in the charset, or the texts are too long
            for the input width (layout fixed: any; layout line: more than a fifth of them).
    """
    images: list[Image] = []
    texts: list[str] = []
    labels: list[NDArray[np.int32]] = []
    skipped: list[str] = []
    for text, image in pairs:
        classes = np.asarray(charset.encode(text), dtype=np.int32)
        if frames_needed(classes) > frame_count(fitted_width_px(image, spec), spec):
            skipped.append(text)
            continue
        images.append(_bounded(image, spec))
        texts.append(text)
        labels.append(classes)
    _check(kept=len(images), skipped=skipped, split=split, spec=spec)
    widths_px = np.array([fitted_width_px(image, spec) for image in images], dtype=np.int64)
    return Crops(tuple(images), tuple(texts), tuple(labels), widths_px)


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


def _bounded(image: Image, spec: LineSpec) -> Image:
    """Fit what is far larger than the input right away, so that memory stays bounded."""
    if image.shape[0] <= OVERSIZE * spec.height_px:
        return image
    return fit_line(image, spec)


def _check(*, kept: int, skipped: list[str], split: str, spec: LineSpec) -> None:
    total = kept + len(skipped)
    if not total:
        raise BadData(f"The {split} split is empty: training needs train and val samples")
    if not skipped:
        return
    message = (
        f"{len(skipped)} of {total} texts of the {split} split are too long for their width, "
        f"such as {max(skipped, key=len)!r}"
    )
    if spec.layout == "fixed":
        frames = frame_count(spec.width_px, spec)
        raise BadData(f"{message}: {spec.width_px} px give {frames} frames; raise width_px")
    if len(skipped) > LARGEST_SKIPPED_SHARE * total:
        raise BadData(f"{message}; raise height_px")
    LOG.warning("%s: left out", message)
