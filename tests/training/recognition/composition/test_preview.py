import numpy as np

from tests.training.recognition.composition.drawing import draw_counters, random_numbers
from training.recognition.composition import CropComposer, preview


def test_preview_is_a_grid_of_pairs_with_the_centres_marked() -> None:
    crops = draw_counters(random_numbers(20), is_gray=True)
    composer = CropComposer.build(crops.images, crops.texts, crops.rough_px, seed=0)

    grid = preview(composer, np.random.default_rng(0), rows=3, pairs=2)

    assert grid.shape[0] == 3 * 50
    width = grid.shape[1] // 4
    is_red = (grid == (0, 0, 255)).all(axis=2)
    assert not is_red[:, :width].any()
    assert is_red[:, width : 2 * width].sum() >= 3 * 5
