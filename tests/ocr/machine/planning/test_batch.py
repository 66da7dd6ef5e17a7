"""Tables of measurements, and the batch that they say."""

import pytest

from ocr.machine.planning.batch import Probe, choose_batch, scale_learning_rate

GIB = 1024.0


def fit(batch_size: int, images_per_s: float, peak_memory_mib: float = 500) -> Probe:
    return Probe(batch_size, images_per_s, peak_memory_mib)


def lack(batch_size: int) -> Probe:
    return Probe(batch_size, 0, 900, fits=False)


@pytest.mark.parametrize(
    ("probes", "next_batch", "batch_size", "why"),
    [
        ([fit(4, 10)], 8, 4, "fits to 12% of 4.0 GiB"),
        ([fit(4, 10), fit(8, 10.5)], 16, 8, "fits to 12% of 4.0 GiB"),
        ([fit(4, 10), fit(8, 10.4)], 0, 4, "8 gains under 5% over 4"),
        ([fit(4, 10), fit(8, 5)], 0, 4, "8 gains under 5% over 4"),
        (
            [fit(16, 10, 2000), fit(32, 20, 2700)],
            0,
            32,
            "fits to 66% of 4.0 GiB; 64 would take 100%, over 85%",
        ),
        ([fit(16, 10, 2000), fit(32, 20, 2400)], 64, 32, "fits to 59% of 4.0 GiB"),
        ([fit(16, 10, 3600)], 0, 16, "fits to 88% of 4.0 GiB; 32 would take 88%, over 85%"),
        ([fit(16, 10), lack(32)], 0, 16, "fits to 12% of 4.0 GiB; 32 does not"),
        ([fit(32, 10), fit(64, 20)], 0, 64, "fits to 12% of 4.0 GiB; a batch of 128 cannot be had"),
        ([lack(16)], 8, 0, "16 does not fit into 4.0 GiB"),
        ([lack(16), fit(8, 10)], 0, 8, "fits to 12% of 4.0 GiB; 16 does not"),
        ([lack(2), lack(1)], 0, 0, "1 does not fit into 4.0 GiB"),
    ],
)
def test_probes_say_what_to_try_and_what_to_use(
    probes: list[Probe], next_batch: int, batch_size: int, why: str
) -> None:
    choice = choose_batch(probes, memory_mib=4 * GIB, most=100)

    assert (choice.next_batch, choice.batch_size, choice.why) == (next_batch, batch_size, why)


@pytest.mark.parametrize(
    ("probes", "is_at_the_limit"),
    [
        ([fit(4, 10), fit(8, 10)], False),
        ([fit(64, 10)], False),
        ([fit(16, 10, 3600)], True),
        ([fit(16, 10), lack(32)], True),
        ([lack(1)], True),
    ],
)
def test_only_memory_is_a_limit_that_mixed_precision_moves(
    probes: list[Probe], is_at_the_limit: bool
) -> None:
    choice = choose_batch(probes, memory_mib=4 * GIB, most=100)

    assert choice.is_at_the_limit == is_at_the_limit


def test_memory_that_does_not_grow_is_not_expected_to_shrink() -> None:
    choice = choose_batch([fit(4, 10, 3500), fit(8, 20, 3490)], memory_mib=4 * GIB, most=100)

    assert choice.why == "fits to 85% of 4.0 GiB; 16 would take 85%, over 85%"


def test_the_rate_of_a_batch_four_times_as_large_is_twice_as_high() -> None:
    assert scale_learning_rate(1e-3, before=16, after=64) == pytest.approx(2e-3)
