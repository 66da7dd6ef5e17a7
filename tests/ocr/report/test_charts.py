import math

import pytest

from ocr.evaluation.bootstrap import Interval
from ocr.report.charts import Series, draw_curves, draw_intervals, nice_ticks, smooth, thin


@pytest.mark.parametrize(
    ("lower", "upper", "ticks"),
    [
        (0.0, 1.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.83, 1.0, [0.8, 0.85, 0.9, 0.95, 1.0]),
        (0.0, 12.1, [0.0, 2.5, 5.0, 7.5, 10.0, 12.5]),
        (3.0, 3.0, [3.0, 4.0]),
        (0.0, 0.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
    ],
)
def test_ticks_are_round_and_enclose_the_values(
    lower: float, upper: float, ticks: list[float]
) -> None:
    found = nice_ticks(lower, upper)

    assert found[0] <= lower
    assert found[-1] >= upper
    if upper > lower:
        assert found == pytest.approx(ticks)


def test_smoothing_starts_at_the_first_value_and_skips_what_is_no_number() -> None:
    smoothed = smooth([(0, 4.0), (1, math.nan), (2, 4.0), (3, 0.0)])

    assert smoothed[0][1] == pytest.approx(4.0)
    assert [x for x, _ in smoothed] == [0, 2, 3]
    assert 0.0 < smoothed[-1][1] < 4.0


@pytest.mark.parametrize("count", [1, 2, 399, 400, 799, 10_000])
def test_thinned_curve_keeps_its_ends(count: int) -> None:
    points = [(float(x), 0.0) for x in range(count)]

    thinned = thin(points)

    assert min(count, 200) <= len(thinned) <= 401
    assert (thinned[0], thinned[-1]) == (points[0], points[-1])


def test_curve_without_points_is_not_drawn() -> None:
    series = [Series("loss", "raw", [(1.0, math.nan)])]

    assert draw_curves(series, title="Loss", label=str) == ""


def test_drawing_names_its_values_for_those_who_do_not_see_it() -> None:
    drawing = draw_intervals(Interval(0.9, 0.8, 0.95), Interval(0.7, 0.6, 0.8), lower=0, upper=1)

    assert 'aria-label="candidate 90.0%, opponent 70.0%"' in drawing
    assert "95% interval 80.0% to 95.0%" in drawing
