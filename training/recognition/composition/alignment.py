"""Bring the crops of one text length to a common frame.

Enhanced correlation coefficient (Evangelidis and Psarakis, PAMI 2008) against the crops' own
evolving mean.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.image.pixels import Image

Floats = NDArray[np.float32]
Centres = NDArray[np.float64]

ROUNDS = 4 * (cv2.MOTION_AFFINE,) + (cv2.MOTION_HOMOGRAPHY,)
SMOOTHING_PX = {cv2.MOTION_AFFINE: 5, cv2.MOTION_HOMOGRAPHY: 3}
SOME_SHARE = 0.15
"""Least share of inverted crops for which the sign of each crop's skewness is believed."""


@dataclass(frozen=True)
class Alignment:
    """Where a common frame, of the crops' size (H, W), lies in each of N crops.

    Attributes:
        warps: (N, 3, 3), pixels of the frame to pixels of the crop.
        polarities: (N,), 1 where the ink is brighter than the paper, -1 where it is darker.
        correlations: (N,), of each rectified crop with the mean, up to 1.
        rectified: (N, H, W), grey, without slow changes of light, ink brighter.
    """

    warps: Floats
    polarities: Floats
    correlations: Floats
    rectified: Floats


def align_crops(images: NDArray[np.uint8], centres_px: Centres) -> Alignment:
    """Find the frame that crops of a fixed layout share.

    Args:
        images: (N, H, W, 3), crops whose texts have the same length P.
        centres_px: (N, P), rough x of their characters: a first guess of how far to shift and
            stretch.
    """
    grays = np.stack([flatten(image) for image in images])
    polarities = guess_polarities(grays)
    grays *= polarities[:, None, None]
    warps = stretch_to_median(centres_px)
    rectified = _rectify(grays, warps)
    correlations = np.ones(len(grays), np.float32)
    for motion in ROUNDS:
        mean = _mean(rectified, correlations)
        for index, gray in enumerate(grays):
            correlations[index] = _correlate(mean, rectified[index])
            found = _follow(mean, gray, warps[index], motion)
            if found is not None:
                moved = warp_back(gray, found)
                correlation = _correlate(mean, moved)
                if correlation > correlations[index]:
                    warps[index], rectified[index] = found, moved
                    correlations[index] = correlation
    mean = _mean(rectified, correlations)
    correlations[:] = [_correlate(mean, gray) for gray in rectified]
    sign = np.float32(_skewness(mean[None])[0])
    return Alignment(warps, sign * polarities, correlations, sign * rectified)


def flatten(image: Image) -> Floats:
    """Grey, without slow changes of light, in units of its standard deviation."""
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32)
    flat = gray - cv2.GaussianBlur(gray, (0, 0), len(gray) / 2, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(flat / (flat.std() + 4), np.float32)


def guess_polarities(grays: Floats) -> Floats:
    """1 where ink, which covers less than paper, is the brighter, otherwise -1 (N,).

    A few that differ from all others are more likely misjudged than inverted, so they get the
    sign of the others.
    """
    signs = _skewness(grays)
    share = float((signs < 0).mean())
    if min(share, 1 - share) < SOME_SHARE:
        signs[:] = -1 if share > 0.5 else 1
    return signs


def stretch_to_median(centres_px: Centres) -> Floats:
    """Maps (N, 3, 3) from the median centres to each crop's: a shift and a stretch along x."""
    median = np.median(centres_px, axis=0)
    lever = median - median.mean()
    means = centres_px.mean(axis=1)
    slopes = (centres_px - means[:, None]) @ lever / max(float(lever @ lever), 1e-6)
    slopes = np.clip(slopes, 0.7, 1.4) if len(median) > 2 else np.ones(len(means))
    warps = np.tile(np.eye(3, dtype=np.float32), (len(means), 1, 1))
    warps[:, 0, 0] = slopes
    warps[:, 0, 2] = means - slopes * median.mean()
    return warps


def warp_back(gray: Floats, warp: Floats) -> Floats:
    """What lies under each pixel of the frame."""
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    size = gray.shape[::-1]
    rectified = cv2.warpPerspective(gray, warp, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(rectified, np.float32)


def _skewness(grays: Floats) -> Floats:
    """The sign of each one's, in its middle half."""
    quarter = grays.shape[1] // 4
    middle = grays[:, quarter:-quarter]
    middle = middle - middle.mean(axis=(1, 2), keepdims=True)
    return np.where((middle**3).mean(axis=(1, 2)) < 0, -1, 1).astype(np.float32)


def _rectify(grays: Floats, warps: Floats) -> Floats:
    return np.stack([warp_back(gray, warp) for gray, warp in zip(grays, warps, strict=True)])


def _mean(rectified: Floats, correlations: Floats) -> Floats:
    """Better matches count more."""
    weights = np.clip(correlations - np.quantile(correlations, 0.25), 1e-6, None)
    return np.asarray(np.average(rectified, axis=0, weights=weights), np.float32)


def _follow(mean: Floats, gray: Floats, start: Floats, motion: int) -> Floats | None:
    is_affine = motion == cv2.MOTION_AFFINE
    first = start[:2] if is_affine else start
    ends = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 20 if is_affine else 40, 1e-4)
    mask = np.zeros(gray.shape, np.uint8)
    mask[_inside(gray)] = 255
    try:
        _, found = cv2.findTransformECC(
            mean, gray, first.copy(), motion, ends, mask, SMOOTHING_PX[motion]
        )
    except cv2.error:
        return None  # it did not converge
    full = np.vstack([found, [0, 0, 1]]) if is_affine else found / found[2, 2]
    return np.asarray(full, np.float32) if _is_plausible(full, gray.shape) else None


def _is_plausible(warp: Floats, shape: tuple[int, ...]) -> bool:
    """Whether it neither mirrors nor shrinks nor tilts more than crops of a line do."""
    tilt = abs(warp[2, 0]) * shape[1] + abs(warp[2, 1]) * shape[0]
    return bool(
        0.5 < warp[0, 0] < 1.6
        and 0.4 < warp[1, 1] < 1.7
        and abs(warp[1, 0]) < 0.35
        and abs(warp[0, 1]) < 0.9
        and tilt < 0.5
    )


def _correlate(one: Floats, other: Floats) -> float:
    inside = _inside(one)
    a, b = one[inside] - one[inside].mean(), other[inside] - other[inside].mean()
    return float((a * b).sum() / (np.linalg.norm(a) * np.linalg.norm(b) + 1e-6))


def _inside(gray: Floats) -> tuple[slice, slice]:
    margin = max(2, len(gray) // 12)
    return np.s_[margin:-margin, margin:-margin]
