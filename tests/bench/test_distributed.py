"""What is reckoned of GPUs that nobody here has."""

import pytest

from bench.distributed.prediction import reckon_efficiency


@pytest.mark.parametrize(
    ("ranks", "bytes_per_s", "efficiency"),
    [
        (1, 1.0, 1.0),  # nobody to wait for
        (2, 1e9, 1.0),  # 0.1 s of exchange, within 0.2 s of the backward pass
        (2, 0.25e9, 0.6),  # 0.4 s, of which 0.2 s are waited for
        (4, 0.25e9, 0.3 / 0.7),  # half as much again
    ],
)
def test_only_what_outlasts_the_backward_pass_is_waited_for(
    ranks: int, bytes_per_s: float, efficiency: float
) -> None:
    found = reckon_efficiency(parameters=25e6, ranks=ranks, bytes_per_s=bytes_per_s, step_s=0.3)

    assert found == pytest.approx(efficiency)
