"""Register grey crops to their own evolving mean.

Enhanced correlation coefficient (Evangelidis and Psarakis, PAMI 2008), from the better of the
present map and the best of a grid of affine maps.
"""

from collections.abc import Sequence
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

POOR_SHARE = 0.75
"""Crops that correlate less than this share of the median are searched for anew."""
CANDIDATES = 4
TURN_GAIN = 0.1
"""How much better a crop must match inverted: gaps between characters look like characters."""


class Registration:
    """Crops at one resolution, where they lie, and how well they match.

    Attributes:
        grays: (N, H, W), in the present polarity.
        warps: (N, 3, 3), pixels of the frame to pixels of the crop.
        polarities: (N,), -1 where a crop was inverted since it was given.
        origins: (N, 3, 3), the maps that searches start from.
        correlations: (N,), with the mean at the time.
    """

    def __init__(
        self, grays: Floats, warps: Floats, polarities: Floats, origins: Floats | None = None
    ) -> None:
        self.grays = grays
        self.warps = warps
        self.origins = warps.copy() if origins is None else origins
        self.polarities = polarities
        self.correlations = np.zeros(len(grays), np.float32)
        self.height, self.width = grays.shape[1:]
        self.size = (self.width, self.height)
        margin = max(2, self.height // 12)
        self.inside = np.s_[margin:-margin, margin:-margin]
        self.mask = np.zeros((self.height, self.width), np.uint8)
        self.mask[self.inside] = 255

    def mean(self) -> Floats:
        """The mean of the rectified crops, better matches counting more."""
        floor = np.quantile(self.correlations, 0.25)
        weights = np.clip(self.correlations - floor, 0, None)
        weights = weights if weights.any() else np.ones(len(weights), np.float32)
        total = np.zeros((self.height, self.width), np.float32)
        for index in np.flatnonzero(weights):
            total += weights[index] * self._rectify(index, self.warps[index])
        return np.asarray(total / weights.sum(), np.float32)

    def score(self) -> None:
        """Correlate every crop with the mean."""
        mean = self.mean()
        for index in range(len(self.grays)):
            self.correlations[index] = self._correlate(mean, index, self.warps[index])

    def refine(self, motion: int, templates: Sequence[Floats] | None = None) -> None:
        """One round of ECC of every crop against the mean, or against a template of its own."""
        templates = templates or [self.mean()] * len(self.grays)
        for index, template in enumerate(templates):
            self.correlations[index] = self._correlate(template, index, self.warps[index])
            self._improve(template, index, self.warps[index], motion)

    def search(self, *, turn: bool, templates: Sequence[Floats] | None = None) -> None:
        """Try the best of a grid of affine maps for poor crops; perhaps also inverted."""
        if templates is None:
            self.score()
        poor = np.flatnonzero(self.correlations < POOR_SHARE * np.median(self.correlations))
        if not len(poor):
            return
        mean = self.mean()
        grid = _affine_grid(self.width, self.height)
        variants = _unit_rows([self._shrink(mean, np.linalg.inv(m)) for m in grid])
        for index in poor:
            template = mean if templates is None else templates[index]
            seen = self._shrink(self.grays[index], self.origins[index])
            order = np.argsort(variants @ _unit(seen))
            starts = self.origins[index] @ grid
            for start in starts[order[::-1][:CANDIDATES]]:
                self._improve(template, index, start, cv2.MOTION_AFFINE)
            if turn:
                self._try_inverted(template, index, starts[order[:CANDIDATES]])

    def _shrink(self, gray: Floats, warp: Floats) -> Floats:
        """Rectified, smoothed, and half as large where it is large."""
        half = 2 if self.height > 24 else 1
        size = (self.width // half, self.height // half)
        smooth = cv2.GaussianBlur(gray, (0, 0), half)
        return warp_back(smooth, warp @ np.diag([half, half, 1]).astype(np.float32), size)

    def _try_inverted(self, template: Floats, index: int, starts: Floats) -> None:
        kept = self.correlations[index], self.warps[index].copy()
        least = max(kept[0] + TURN_GAIN, POOR_SHARE * float(np.median(self.correlations)))
        self._invert(index)
        self.correlations[index] = least
        for start in starts:
            self._improve(template, index, start, cv2.MOTION_AFFINE)
        if self.correlations[index] <= least:
            self._invert(index)
            self.correlations[index], self.warps[index] = kept

    def _invert(self, index: int) -> None:
        self.grays[index] *= -1
        self.polarities[index] *= -1

    def _improve(self, mean: Floats, index: int, start: Floats, motion: int) -> None:
        found = self._follow(mean, self.grays[index], start, motion)
        if found is None:
            return
        correlation = self._correlate(mean, index, found)
        if correlation > self.correlations[index]:
            self.correlations[index] = correlation
            self.warps[index] = found

    def _follow(self, mean: Floats, gray: Floats, start: Floats, motion: int) -> Floats | None:
        is_affine = motion == cv2.MOTION_AFFINE
        first = start[:2] if is_affine else start
        ends = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 20 if is_affine else 40, 1e-4)
        try:
            _, found = cv2.findTransformECC(
                mean, gray, first.astype(np.float32), motion, ends, self.mask, 3
            )
        except cv2.error:
            return None  # it did not converge
        full = np.vstack([found, [0, 0, 1]]) if is_affine else found / found[2, 2]
        return np.asarray(full, np.float32) if self._is_plausible(full) else None

    def _is_plausible(self, warp: Floats) -> bool:
        """Whether it neither mirrors nor shrinks nor tilts more than crops of a line do."""
        tilt = abs(warp[2, 0]) * self.width + abs(warp[2, 1]) * self.height
        return bool(
            0.5 < warp[0, 0] < 1.6
            and 0.4 < warp[1, 1] < 1.7
            and abs(warp[1, 0]) < 0.35
            and abs(warp[0, 1]) < 0.9
            and tilt < 0.5
        )

    def _rectify(self, index: int, warp: Floats) -> Floats:
        return warp_back(self.grays[index], warp, self.size)

    def _correlate(self, mean: Floats, index: int, warp: Floats) -> float:
        rectified = self._rectify(index, warp)[self.inside]
        return float(_unit(rectified) @ _unit(mean[self.inside]))


def warp_back(image: Floats, warp: Floats, size: tuple[int, int]) -> Floats:
    """What lies under each pixel of a frame that the warp maps to the image."""
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    rectified = cv2.warpPerspective(image, warp, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(rectified, np.float32)


def _affine_grid(width: int, height: int) -> Floats:
    """Affine maps (G, 3, 3) of a frame about its middle: slope, shear, stretch, shift along y."""
    steps = product(
        np.linspace(-0.16, 0.16, 9),
        np.linspace(-0.4, 0.4, 5),
        (0.6, 0.75, 0.9, 1.05),
        (0.85, 0.95, 1.05),
        np.linspace(-0.125, 0.125, 5),
    )
    slopes, shears, heights, widths, shifts = np.array(list(steps)).T
    grid = np.tile(np.eye(3), (len(slopes), 1, 1))
    grid[:, 0, 0], grid[:, 0, 1] = widths, shears
    grid[:, 1, 0], grid[:, 1, 1] = slopes, heights
    middle = np.array([width / 2, height / 2])
    grid[:, :2, 2] = middle - grid[:, :2, :2] @ middle
    grid[:, 1, 2] += shifts * height
    return grid.astype(np.float32)


def _unit_rows(rows: Sequence[Floats]) -> Floats:
    return np.stack([_unit(row) for row in rows])


def _unit(pixels: Floats) -> Floats:
    flat = pixels.ravel() - pixels.mean()
    return np.asarray(flat / (np.linalg.norm(flat) + 1e-6), np.float32)
