"""The plan: a pure function that shows every crop, equally to all ranks."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

import numpy as np
import pytest

from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from ocr.reading.recognition.line_input import frame_count, padded_width_px
from tests.training.recognition.toy_lines import draw_digits, random_texts
from training.recognition.plan import Draw, FixedPlan, LinePlan, make_plan
from training.recognition.samples import Crops, Line, collect_crops


def make_crops(
    layout: Literal["fixed", "line"], *, count: int = 60, spec: LineSpec | None = None
) -> Crops:
    rng = np.random.default_rng(0)
    texts = random_texts(count, lengths=(3, 12), seed=0)
    lines = (Line(text, draw_digits(text, rng=rng)) for text in texts)
    spec = spec or LineSpec(layout, 32, 128)
    return collect_crops(lines, split="train", charset=Charset(tuple("0123456789")), spec=spec)


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_an_epoch_of_fixed_crops_shows_each_once(ranks: int) -> None:
    plan = FixedPlan(np.arange(48), width_px=128, batch_size=4, ranks=ranks, seed=1)

    for epoch in (0, 3):
        steps = range(epoch * plan.steps_per_epoch, (epoch + 1) * plan.steps_per_epoch)
        seen = [
            index for step in steps for rank in range(ranks)
            for index in plan.draw(step=step, rank=rank).indexes
        ]  # fmt: skip
        assert Counter(seen) == Counter(range(48))


@pytest.mark.parametrize("ranks", [2, 4])
def test_ranks_learn_the_batches_that_one_of_all_their_crops_learns(ranks: int) -> None:
    alone = FixedPlan(np.arange(50), width_px=128, batch_size=8, ranks=1, seed=1)
    plan = FixedPlan(np.arange(50), width_px=128, batch_size=8 // ranks, ranks=ranks, seed=1)

    assert plan.steps_per_epoch == alone.steps_per_epoch
    for step in range(3 * plan.steps_per_epoch):
        shared = [plan.draw(step=step, rank=rank).indexes for rank in range(ranks)]
        np.testing.assert_array_equal(np.concatenate(shared), alone.draw(step=step, rank=0).indexes)


def test_batches_of_a_set_smaller_than_a_batch_are_full() -> None:
    plan = FixedPlan(np.arange(3), width_px=128, batch_size=8, ranks=2, seed=1)

    assert plan.steps_per_epoch == 1
    assert len(plan.draw(step=0, rank=1).indexes) == 8


def test_epochs_differ_and_a_draw_does_not() -> None:
    plan = FixedPlan(np.arange(48), width_px=128, batch_size=48, ranks=1, seed=1)

    first, again = plan.draw(step=0, rank=0), plan.draw(step=0, rank=0)
    other = plan.draw(step=1, rank=0)

    assert (first.indexes == again.indexes).all()
    assert (first.indexes != other.indexes).any()


def test_lines_fill_their_budget_and_stay_wide_enough_for_their_texts() -> None:
    crops = make_crops("line")
    plan = make_plan(crops, spec=LineSpec("line", 32, 320), batch_size=8, ranks=2, seed=0)
    assert isinstance(plan, LinePlan)

    steps = range(3 * plan.steps_per_epoch)
    draws = [plan.draw(step=step, rank=rank) for step in steps for rank in (0, 1)]

    assert len({int(index) for draw in draws for index in draw.indexes}) == len(crops)
    for draw in draws:
        padded = -(-draw.widths_px // 16) * 16
        assert padded.max() * len(padded) <= plan.budget_px or len(padded) == 1
        for index, width_px in zip(draw.indexes, draw.widths_px, strict=True):
            assert frame_count(int(width_px), plan.spec) >= len(crops.labels[index])


@pytest.mark.parametrize("width_px", [32, 128])
def test_lines_whose_padding_is_seen_share_one_padded_width(width_px: int) -> None:
    spec = LineSpec("line", 48, width_px, frame_px=8, width_multiple_px=8, padding="seen")
    crops = make_crops("line", spec=spec)
    plan = make_plan(crops, spec=spec, batch_size=6, ranks=1, seed=0)

    draws = [plan.draw(step=step, rank=0) for step in range(2 * plan.steps_per_epoch)]

    for draw in draws:
        padded = {padded_width_px(width, spec) for width in draw.widths_px.tolist()}
        assert len(padded) == 1
        for index, width in zip(draw.indexes, draw.widths_px.tolist(), strict=True):
            assert frame_count(width, spec) >= len(crops.labels[index])
            assert 0.7 < width / crops.widths_px[index] < 1.5
    assert max(len(draw.indexes) for draw in draws) > 3


def test_a_line_plan_is_the_same_whatever_was_drawn_before() -> None:
    spec = LineSpec("line", 32, 320)
    crops = make_crops("line")
    one = make_plan(crops, spec=spec, batch_size=4, ranks=1, seed=0)
    two = make_plan(crops, spec=spec, batch_size=4, ranks=1, seed=0)

    late = 5 * one.steps_per_epoch + 1
    for step in range(late):
        one.draw(step=step, rank=0)

    assert (one.draw(step=late, rank=0).widths_px == two.draw(step=late, rank=0).widths_px).all()
    assert (one.draw(step=0, rank=0).indexes == two.draw(step=0, rank=0).indexes).all()


def test_loader_threads_share_the_epochs_that_one_of_them_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = make_plan(
        make_crops("line"), spec=LineSpec("line", 32, 320), batch_size=8, ranks=1, seed=0
    )
    steps = plan.steps_per_epoch
    made: list[int] = []
    pack = LinePlan._pack

    def pack_slowly(self: LinePlan, rng: np.random.Generator) -> list[Draw]:
        made.append(1)
        time.sleep(0.05)  # the others come by meanwhile
        return pack(self, rng)

    monkeypatch.setattr(LinePlan, "_pack", pack_slowly)
    with ThreadPoolExecutor(8) as threads:
        draws = list(threads.map(lambda _: plan.draw(step=steps, rank=0), range(8)))

    assert len(made) == 1
    assert {id(draw) for draw in draws} == {id(draws[0])}
