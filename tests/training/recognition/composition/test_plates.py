import cv2
import numpy as np

from tests.shared_data import PLATES, needs_plates
from training.recognition.composition import CropComposer

MEASURED_CENTRES_PX = np.array([17.5, 42.5, 73, 97, 121, 144.6, 168.4])
"""Middles of a blue plate's characters, where the plate is 188 pixels wide."""


@needs_plates
def test_centres_of_real_plates_are_found_from_even_spacing() -> None:
    lines = (PLATES / "rec_train.txt").read_text(encoding="utf-8").splitlines()[:120]
    rows = [line.split("\t") for line in lines]
    images = np.stack([cv2.resize(cv2.imread(str(PLATES / name)), (188, 48)) for name, _ in rows])
    rng = np.random.default_rng(0)
    even = (np.arange(7) + 0.5) * 188 / 7
    rough = [even + rng.uniform(-1, 1, 7) * 188 / 32 for _ in rows]

    composer = CropComposer.build(images, [text for _, text in rows], rough)

    (layout,) = composer.layouts
    assert len(composer.aligned) > 0.8 * len(rows)
    assert np.abs(layout.centres_px - MEASURED_CENTRES_PX).mean() < 2
