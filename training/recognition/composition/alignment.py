"""Bring the crops of one text length to a common frame."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.image.pixels import Image
from training.recognition.composition.registration import Registration, warp_back

Floats = NDArray[np.float32]

FRAME_HEIGHT_PX = 48
MIN_FRAME_HEIGHT_PX = 24
MAX_FRAME_WIDTH_PX = 384
COARSE_ROUNDS = 3
FINE_ROUNDS = 1
SOME_SHARE = 0.15
"""Least share of inverted crops for which the sign of each crop's skewness is believed."""


@dataclass(frozen=True)
class Alignment:
    """Where a common frame lies in each crop.

    Attributes:
        width_px: Width of the frame.
        height_px: Height of the frame.
        warps: (N, 3, 3), pixels of the frame to pixels of the crop.
        polarities: (N,), 1 where the crop's contrast runs as the mean's, -1 where it is inverted.
        correlations: (N,), of each rectified crop with the mean, up to 1.
        origins: (N, 3, 3), where the centres alone would put the frame.
        mean: (height_px, width_px), mean of the rectified crops, without slow changes of light,
            in units of their standard deviation.
    """

    width_px: int
    height_px: int
    warps: Floats
    polarities: Floats
    correlations: Floats
    origins: Floats
    mean: Floats

    def rectify(self, image: Image, index: int) -> Floats:
        """One of the crops in the frame, grey and flat as the mean, in its own polarity."""
        size = (self.width_px, self.height_px)
        to_resized = np.linalg.inv(_resized_to_crop(image, size))
        return warp_back(flatten(image, size), to_resized @ self.warps[index], size)

    def refine(self, images: Sequence[Image], templates: Sequence[Floats]) -> "Alignment":
        """Align each crop more closely to a template (height_px, width_px) of its own."""
        size = (self.width_px, self.height_px)
        to_crops = np.stack([_resized_to_crop(image, size) for image in images])
        to_resized = np.linalg.inv(to_crops)
        signs = self.polarities.copy()
        state = Registration(
            np.stack([flatten(image, size) for image in images]) * signs[:, None, None],
            np.asarray(to_resized @ self.warps, np.float32),
            signs,
            np.asarray(to_resized @ self.origins, np.float32),
        )
        state.refine(cv2.MOTION_HOMOGRAPHY, templates)
        state.search(turn=True, templates=templates)
        return replace(
            self,
            warps=np.asarray(to_crops @ state.warps, np.float32),
            polarities=state.polarities,
            correlations=state.correlations,
            mean=state.mean(),
        )


def align_crops(images: Sequence[Image], centres_px: Sequence[NDArray[np.floating]]) -> Alignment:
    """Find the frame that the crops of a fixed layout share, coarse to fine.

    Args:
        images: Crops whose texts have the same length.
        centres_px: Rough x of each crop's characters in its pixels, all of one length: a first
            guess of how far to shift and stretch.
    """
    size = frame_size(images)
    fine = np.stack([flatten(image, size) for image in images])
    polarities = guess_polarities(fine)
    fine *= polarities[:, None, None]
    coarse = np.stack(
        [cv2.resize(g, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA) for g in fine]
    )
    scaled = [
        np.asarray(centres) * (size[0] / image.shape[1])
        for image, centres in zip(images, centres_px, strict=True)
    ]
    guesses = stretch_to_median(scaled)
    found = _register(coarse, fine, guesses)
    to_crops = np.stack([_resized_to_crop(image, size) for image in images])
    return Alignment(
        width_px=size[0],
        height_px=size[1],
        warps=np.asarray(to_crops @ found.warps, np.float32),
        polarities=polarities * found.polarities,
        correlations=found.correlations,
        origins=np.asarray(to_crops @ guesses, np.float32),
        mean=found.mean(),
    )


def frame_size(images: Sequence[Image]) -> tuple[int, int]:
    """Width and height of a frame of the crops' median aspect, even numbers of pixels."""
    aspect = float(np.median([image.shape[1] / image.shape[0] for image in images]))
    height = min(FRAME_HEIGHT_PX, max(MIN_FRAME_HEIGHT_PX, int(MAX_FRAME_WIDTH_PX / aspect)))
    return max(16, round(height * aspect / 2) * 2), height // 2 * 2


def flatten(image: Image, size: tuple[int, int]) -> Floats:
    """Grey, resized, without slow changes of light, in units of its standard deviation."""
    shrinks = image.shape[0] > size[1]
    resized = cv2.resize(image, size, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC)
    gray = cv2.cvtColor(resized, cv2.COLOR_BGR2GRAY).astype(np.float32)
    flat = gray - cv2.GaussianBlur(gray, (0, 0), size[1] / 2, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(flat / (flat.std() + 4), np.float32)


def guess_polarities(grays: Floats) -> Floats:
    """1 where ink, which covers less than paper, is the brighter, otherwise -1 (N,).

    A few that differ from all others are more likely misjudged than inverted, so they get the
    sign of the others; the registration may still turn them.
    """
    quarter = grays.shape[1] // 4
    middle = grays[:, quarter:-quarter]
    middle = middle - middle.mean(axis=(1, 2), keepdims=True)
    signs = np.where((middle**3).mean(axis=(1, 2)) < 0, -1, 1).astype(np.float32)
    share = float((signs < 0).mean())
    if min(share, 1 - share) < SOME_SHARE:
        signs[:] = -1 if share > 0.5 else 1
    return signs


def stretch_to_median(centres_px: Sequence[NDArray[np.floating]]) -> Floats:
    """Maps (N, 3, 3) from the median centres to each crop's: a shift and a stretch along x."""
    rows = np.stack(centres_px).astype(np.float64)
    median = np.median(rows, axis=0)
    lever = median - median.mean()
    slopes = (rows - rows.mean(axis=1, keepdims=True)) @ lever / max(float(lever @ lever), 1e-6)
    slopes = np.clip(slopes, 0.7, 1.4) if len(median) > 2 else np.ones(len(rows))
    warps = np.tile(np.eye(3, dtype=np.float32), (len(rows), 1, 1))
    warps[:, 0, 0] = slopes
    warps[:, 0, 2] = rows.mean(axis=1) - slopes * median.mean()
    return warps


def _register(coarse: Floats, fine: Floats, guesses: Floats) -> Registration:
    half = np.diag([0.5, 0.5, 1.0]).astype(np.float32)
    double = np.linalg.inv(half)
    upright = np.ones(len(coarse), np.float32)
    first = Registration(coarse, np.asarray(half @ guesses @ double, np.float32), upright)
    first.search(turn=False)
    for _ in range(COARSE_ROUNDS):
        first.refine(cv2.MOTION_AFFINE)
    first.search(turn=True)
    first.refine(cv2.MOTION_AFFINE)
    signs = first.polarities
    warps = np.asarray(double @ first.warps @ half, np.float32)
    last = Registration(fine * signs[:, None, None], warps, signs)
    last.score()
    for _ in range(FINE_ROUNDS):
        last.refine(cv2.MOTION_HOMOGRAPHY)
    last.score()
    return last


def _resized_to_crop(image: Image, size: tuple[int, int]) -> Floats:
    """Pixels of a crop resized to a size, to its own pixels, as cv2.resize maps them."""
    sx, sy = image.shape[1] / size[0], image.shape[0] / size[1]
    return np.array([[sx, 0, sx / 2 - 0.5], [0, sy, sy / 2 - 0.5], [0, 0, 1]], np.float32)
