"""What a detector takes, and how its map becomes boxes: the constants a bundle carries."""

from dataclasses import dataclass

Channels = tuple[float, float, float]
"""A value for blue, green and red."""


@dataclass(frozen=True)
class PageSpec:
    """What a page becomes before the net.

    A pixel of a channel becomes (pixel / 255 - mean) / std. Bundles of earlier development versions
    lack both; their defaults, which give pixel / 127.5 - 1, are what those nets take.

    Attributes:
        long_side_px: A page whose long side is larger is reduced to it; none is enlarged.
        mean: Of each channel, in shares of 255.
        std: Standard deviation of each channel, in shares of 255.
    """

    long_side_px: int
    mean: Channels = (0.5, 0.5, 0.5)
    std: Channels = (0.5, 0.5, 0.5)


@dataclass(frozen=True)
class BoxRule:
    """How a probability map becomes boxes (Liao et al., DB, AAAI 2020), tuned on validation pages.

    Attributes:
        threshold: Probability from which a pixel belongs to a kernel.
        box_threshold: Least mean probability of a kernel that is kept.
        unclip_ratio: Kernels grow by area x ratio / perimeter to the box of the text.
        crop_unclip_ratio: The same, to the box that is cut out and read: the text and a margin.
    """

    threshold: float
    box_threshold: float
    unclip_ratio: float
    crop_unclip_ratio: float
