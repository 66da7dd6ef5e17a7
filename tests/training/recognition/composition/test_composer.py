from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from ocr.errors import BadData
from tests.training.recognition.composition.drawing import (
    BORDER_PX,
    HEIGHT_PX,
    PITCH_PX,
    SIZE_PX,
    DrawnCrops,
    draw_counters,
    draw_words,
    glyph,
    random_numbers,
)
from training.recognition.composition import ComposedCrop, CropComposer
from training.recognition.composition.alignment import flatten

Floats = NDArray[np.float32]

LETTERS = list("abcdefghijklmnopqrstuvwxyzilmWMI")
WORDS = ["".join(row) for row in np.random.default_rng(0).choice(LETTERS, (60, 7))]


def build(crops: DrawnCrops) -> CropComposer:
    return CropComposer.build(crops.images, crops.texts, crops.rough_px)


@cache
def counters() -> DrawnCrops:
    return draw_counters(random_numbers(40))


@cache
def counter_composer() -> CropComposer:
    return build(counters())


def compose_all(
    composer: CropComposer, *, count: int, swap_share: float = 0.6, untouched_share: float = 0.0
) -> list[ComposedCrop]:
    rng = np.random.default_rng(0)
    return [
        composer.compose(
            rng,
            composer.aligned[k % len(composer.aligned)],
            swap_share=swap_share,
            untouched_share=untouched_share,
        )
        for k in range(count)
    ]


def read_digits(crop: ComposedCrop) -> str:
    """Nearest drawn digit at each centre, in any polarity."""
    size = (2 * BORDER_PX + PITCH_PX * len(crop.text), HEIGHT_PX)
    gray = flatten(cv2.resize(crop.image, size, interpolation=cv2.INTER_AREA))
    centres = (crop.centres_px + 0.5) * np.divide(size, SIZE_PX) - 0.5
    templates = {digit: glyph(digit)[4:-4, 3:-3] for digit in "0123456789"}
    sign = np.sign(((gray - gray.mean()) ** 3).mean())
    return "".join(
        max(templates, key=lambda d: best_match(sign * gray, x, y, templates[d]))
        for x, y in centres
    )


def best_match(gray: Floats, x: float, y: float, template: Floats) -> float:
    height, width = template.shape
    left, top = max(0, round(x - width / 2 - 2)), max(0, round(y - height / 2 - 2))
    patch = gray[top : top + height + 4, left : left + width + 4]
    return float(cv2.matchTemplate(patch, template, cv2.TM_CCOEFF_NORMED).max())


@pytest.mark.parametrize("is_dark_on_light", [False, True])
@pytest.mark.parametrize("is_gray", [False, True])
def test_composed_crops_show_what_their_text_says(is_dark_on_light: bool, is_gray: bool) -> None:
    crops = draw_counters(random_numbers(40), is_dark_on_light=is_dark_on_light, is_gray=is_gray)

    composed = compose_all(build(crops), count=200)

    shown = [read_digits(crop) == crop.text for crop in composed]
    new = [crop.text not in crops.texts for crop in composed]
    assert np.mean(shown) > 0.9
    assert np.mean(new) > 0.8


def test_light_and_dark_counters_share_one_layout() -> None:
    light = draw_counters(random_numbers(30))
    dark = draw_counters(random_numbers(30, seed=1), seed=1, is_dark_on_light=True)
    composer = build(light + dark)

    composed = compose_all(composer, count=60)

    assert len(composer.aligned) > 50
    assert np.mean([read_digits(crop) == crop.text for crop in composed]) > 0.9


def test_centres_are_recovered_from_noisy_ones() -> None:
    crops, composer = counters(), counter_composer()

    errors = [
        composer.compose(
            np.random.default_rng(0), index, swap_share=0, untouched_share=1
        ).centres_px
        - crops.centres_px[index]
        for index in composer.aligned
    ]

    rough = [r - c[:, 0] for r, c in zip(crops.rough_px, crops.centres_px, strict=True)]
    pitch = np.diff(crops.centres_px, axis=1)[..., 0].mean()
    assert np.abs(rough).mean() > 0.08 * pitch
    assert np.abs(errors)[..., 0].mean() < 0.06 * pitch
    assert np.abs(errors)[..., 1].mean() < 1.5


def test_untouched_crops_are_the_labelled_ones() -> None:
    crops, composer = counters(), counter_composer()
    index = composer.aligned[0]

    crop = composer.compose(np.random.default_rng(0), index, swap_share=1, untouched_share=1)

    assert np.array_equal(crop.image, crops.images[index])
    assert crop.text == crops.texts[index]
    assert crop.centres_px.shape == (5, 2)


def test_composing_leaves_the_labelled_crops_alone() -> None:
    crops = counters()
    before = crops.images.copy()

    compose_all(counter_composer(), count=50, swap_share=1)

    assert np.array_equal(before, crops.images)


def test_only_swapped_characters_change() -> None:
    composer = counter_composer()
    index = composer.aligned[0]
    old, text = counters().images[index], counters().texts[index]
    pitch = np.diff(counters().centres_px[index][:, 0]).mean()

    crops = [
        composer.compose(np.random.default_rng(k), index, swap_share=0.1, untouched_share=0)
        for k in range(30)
    ]

    for crop in crops:
        changed = np.flatnonzero((crop.image != old).any(axis=(0, 2)))
        away = np.abs(changed[:, None] - crop.centres_px[:, 0])
        touched = set(away.argmin(axis=1)[away.min(axis=1) < 0.4 * pitch].tolist())
        swapped = {k for k in range(5) if crop.text[k] != text[k]}
        assert swapped <= touched
        if len(swapped) == 0:
            assert len(touched) <= 2


def test_the_same_randomness_gives_the_same_crop() -> None:
    composer = counter_composer()

    one, other = (
        composer.compose(np.random.default_rng(5), 3, swap_share=0.6, untouched_share=0.3)
        for _ in range(2)
    )

    assert one.text == other.text
    assert np.array_equal(one.image, other.image)


def test_two_builds_compose_the_same() -> None:
    again = build(draw_counters(random_numbers(40)))

    ours, theirs = compose_all(counter_composer(), count=10), compose_all(again, count=10)

    assert [c.text for c in ours] == [c.text for c in theirs]
    assert all(np.array_equal(a.image, b.image) for a, b in zip(ours, theirs, strict=True))


def test_characters_stay_in_positions_where_they_were_seen() -> None:
    texts = ["AB"[n % 2] + number for n, number in enumerate(random_numbers(40, digits=4))]
    composer = build(draw_counters(texts))

    composed = compose_all(composer, count=300)

    assert {crop.text[0] for crop in composed} == {"A", "B"}
    assert all(crop.text[1:].isdigit() for crop in composed)


def test_a_character_seen_once_is_drawn_again_and_again() -> None:
    texts = ["K" + number for number in random_numbers(39, digits=4)] + ["X1234"]
    composer = build(draw_counters(texts))

    composed = compose_all(composer, count=300)

    assert np.mean([crop.text[0] == "X" for crop in composed]) > 0.02


def test_lengths_are_laid_out_apart() -> None:
    short, long = draw_counters(random_numbers(20)), draw_counters(random_numbers(20, digits=7))
    composer = build(short + long)

    composed = compose_all(composer, count=60)

    assert {len(crop.text) for crop in composed} == {5, 7}
    assert [len(layout.centres_px) for layout in composer.layouts] == [5, 7]
    assert np.mean([read_digits(crop) == crop.text for crop in composed]) > 0.9


def test_free_text_is_refused_with_the_reason() -> None:
    with pytest.raises(BadData, match="No crops of a fixed layout to compose from: texts of 7 ch"):
        build(draw_words(WORDS))


def test_free_text_beside_counters_is_left_as_it_is() -> None:
    fixed, free = draw_counters(random_numbers(20)), draw_words(WORDS[:30])
    composer = build(fixed + free)

    assert 15 < len(composer.aligned) <= 20
    assert not any(index in composer for index in range(20, 50))


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        (random_numbers(5), "only 5 crops, at least 16 are needed"),
        (random_numbers(20, digits=1), "no neighbours"),
        (random_numbers(20, digits=25), "more than 24 characters"),
    ],
)
def test_sets_without_a_layout_are_refused(texts: list[str], reason: str) -> None:
    with pytest.raises(BadData, match=reason):
        build(draw_counters(texts))


def test_crops_without_texture_are_refused() -> None:
    blank = np.full((20, 32, 120, 3), 127, np.uint8)
    centres = [np.linspace(10, 110, 5)] * 20

    with pytest.raises(BadData, match="do not look alike"):
        CropComposer.build(blank, random_numbers(20), centres)


def test_a_saved_composer_composes_the_same(tmp_path: Path) -> None:
    composer = counter_composer()
    composer.save(tmp_path / "composer.npz")

    loaded = CropComposer.load(tmp_path / "composer.npz", counters().images, counters().texts)

    ours, theirs = compose_all(composer, count=10), compose_all(loaded, count=10)
    assert [c.text for c in ours] == [c.text for c in theirs]
    assert all(np.array_equal(a.image, b.image) for a, b in zip(ours, theirs, strict=True))
