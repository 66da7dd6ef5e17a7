import numpy as np
import pytest

from ocr.image.pixels import Image
from training.recognition.composition.cells import Cells
from training.recognition.composition.matte import cut_matte
from training.recognition.composition.painting import paint_characters, vary_shape

CELLS = Cells(np.array([10.0, 30.0]), np.array([16, 16]), np.array([4, 28]))
UPRIGHT = np.eye(3, dtype=np.float32)


def draw_bars(*, slope: float = 0.0) -> Image:
    """A wide bar in the left cell and none in the right, on paper that may darken rightwards."""
    image = np.full((32, 40, 3), (120, 60, 30), float)
    image[8:24, 7:13] = (180, 190, 200)
    return (image * (1 + slope * np.linspace(-0.5, 0.5, 40)[None, :, None])).astype(np.uint8)


@pytest.mark.parametrize("slope", [0.0, -0.3])
def test_a_painted_character_has_the_crops_own_colours(slope: float) -> None:
    image = draw_bars(slope=slope)
    paper, ink, alpha = cut_matte(image, UPRIGHT, 1, CELLS)
    left = alpha[:, CELLS.columns(0)].astype(np.float32)

    painted = paint_characters(
        image, paper=paper, ink=ink, warp=UPRIGHT, cells=CELLS, alphas={1: left}
    )

    bar = draw_bars(slope=slope)[16, 9].astype(float)
    assert np.abs(painted[16, 29] - bar * (1 + slope / 2)).max() < 45
    assert np.abs(painted[16, 24].astype(int) - painted[16, 4]).max() < 30
    assert np.array_equal(painted[:, :22], image[:, :22])


def test_a_cell_outside_the_crop_paints_nothing() -> None:
    image = draw_bars()
    paper, ink, alpha = cut_matte(image, UPRIGHT, 1, CELLS)
    away = np.array([[1, 0, 500], [0, 1, 0], [0, 0, 1]], np.float32)

    painted = paint_characters(
        image,
        paper=paper,
        ink=ink,
        warp=away,
        cells=CELLS,
        alphas={0: alpha[:, CELLS.columns(0)].astype(np.float32)},
    )

    assert np.array_equal(painted, draw_bars())


def test_varied_shapes_keep_their_size_and_differ() -> None:
    alpha = np.zeros((24, 16), np.float32)
    alpha[4:20, 5:11] = 1

    varied = [vary_shape(alpha, np.random.default_rng(seed)) for seed in range(5)]

    assert {shape.shape for shape in varied} == {(24, 16)}
    assert not any(np.array_equal(shape, alpha) for shape in varied)
