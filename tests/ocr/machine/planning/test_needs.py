"""What a training is expected to take, from a run like it or the model, and who is enough."""

from dataclasses import replace

import pytest

from ocr.machine.planning.choice import Kind, Verdict, add_up, choose, judge, take_turns
from ocr.machine.planning.needs import Needs, Took, Training, predict

NET = "embedded recogniser compact base"
ASKED = Training(
    net=NET, device="cpu", devices=1, batch_size=16, pixels=4096, images=1000, epochs=10
)
RAN = Took(
    key="checkpoints/a",
    training=ASKED,
    memory_mib=600,
    shared_memory_mib=0,
    device_memory_mib=0,
    train_s=100,
    other_s=20,
)
NEEDS = Needs(
    memory_mib=1024, shared_memory_mib=0, device_memory_mib=0, seconds=3600, basis="a run"
)
KIND = Kind(
    name="small",
    devices=2,
    memory_gib=6,
    shared_memory_gib=0,
    gpu_memory_gib=0,
    time_limit_h=24,
)


def test_the_same_training_again_takes_what_it_took() -> None:
    needs = predict(ASKED, [RAN])

    assert needs.memory_mib == RAN.memory_mib
    assert needs.seconds == pytest.approx(RAN.train_s + RAN.other_s)
    assert needs.basis == "checkpoint a, scaled"


def test_time_grows_with_images_epochs_and_their_size_and_the_start_does_not() -> None:
    larger = replace(ASKED, images=2000, epochs=20, pixels=8192)

    assert predict(larger, [RAN]).seconds == pytest.approx(20 + 8 * 100)


def test_two_ranks_learn_nearly_twice_as_fast_and_begin_no_faster() -> None:
    two = replace(ASKED, devices=2)

    assert predict(two, [RAN]).seconds == pytest.approx(20 + 100 / 1.9)
    assert predict(ASKED, [replace(RAN, training=two)]).seconds == pytest.approx(20 + 100 * 1.9)


def test_memory_grows_with_the_batch_of_each_rank_and_with_their_number() -> None:
    batch = predict(replace(ASKED, batch_size=256), [RAN]).memory_mib
    ranks = predict(replace(ASKED, batch_size=512, devices=2), [RAN]).memory_mib

    assert batch > RAN.memory_mib + 100
    assert ranks == pytest.approx(2 * batch)


def test_of_several_runs_the_nearest_in_ranks_and_batch_is_scaled() -> None:
    on_two = replace(RAN, key="two", training=replace(ASKED, devices=2, batch_size=32))
    large = replace(RAN, key="large", training=replace(ASKED, batch_size=512))

    needs = predict(replace(ASKED, batch_size=400), [RAN, on_two, large])

    assert "large" in needs.basis


@pytest.mark.parametrize("other", [{"net": "embedded detector compact base"}, {"device": "gpu"}])
def test_a_run_of_another_net_or_device_says_nothing(other: dict[str, str]) -> None:
    stranger = Took(**{**RAN.__dict__, "training": Training(**{**ASKED.__dict__, **other})})

    assert "a model" in predict(ASKED, [stranger]).basis


def test_what_was_never_measured_is_said() -> None:
    gpu = predict(replace(ASKED, device="gpu"), [])
    unknown = predict(replace(ASKED, net="paddleocr recogniser configs/rec/x.yml"), [])

    assert "never measured on a GPU" in gpu.basis
    assert gpu.device_memory_mib > 0
    assert "never measured" in unknown.basis
    assert unknown.memory_mib >= predict(ASKED, []).memory_mib


def test_without_the_number_of_images_there_is_no_time() -> None:
    nobody_knows = replace(ASKED, images=0)

    assert predict(nobody_knows, []).seconds == predict(nobody_knows, [RAN]).seconds == 0


def test_mixed_precision_takes_less_of_a_gpu() -> None:
    on_gpu = replace(ASKED, device="gpu", batch_size=1024)

    mixed = predict(replace(on_gpu, mixed=True), [])

    assert mixed.device_memory_mib < predict(on_gpu, []).device_memory_mib


@pytest.mark.parametrize(
    ("unseen", "said"),
    [("memory_mib", "memory"), ("device_memory_mib", "memory of GPUs"), ("train_s", "time")],
)
def test_what_was_not_seen_of_a_run_is_of_the_model(unseen: str, said: str) -> None:
    on_gpu = replace(ASKED, device="gpu")
    run = replace(RAN, training=on_gpu, device_memory_mib=9000)
    run = Took(**run.__dict__ | {unseen: 0})

    needs, whole = predict(on_gpu, [run]), predict(on_gpu, [])

    field = {"train_s": "seconds"}.get(unseen, unseen)
    assert f"; its {said} unknown, so of a model" in needs.basis
    assert getattr(needs, field) == getattr(whole, field)
    assert (needs.device_memory_mib == 9000) == (unseen != "device_memory_mib")


def test_the_precision_of_a_run_is_seen() -> None:
    on_gpu = replace(ASKED, device="gpu")
    mixed = replace(RAN, training=replace(on_gpu, mixed=True), device_memory_mib=20000)
    whole = replace(RAN, key="whole", training=replace(on_gpu, batch_size=32))

    assert 30000 < predict(on_gpu, [mixed]).device_memory_mib < 33400
    assert "checkpoint whole" in predict(on_gpu, [mixed, whole]).basis


@pytest.mark.parametrize(
    ("needs", "devices", "said"),
    [
        (replace(NEEDS, memory_mib=7000), 1, "too small: 6.8 of 6 GiB of memory"),
        (replace(NEEDS, seconds=90000), 1, "too small: 25 of 24 hours"),
        (NEEDS, 3, "too small: 3 of 2 devices"),
        (NEEDS, 1, "enough: 1 of 6 GiB of memory, 1 of 24 hours, 1 of 2 devices"),
    ],
)
def test_a_kind_of_machine_is_judged_by_each_of_its_bounds(
    needs: Needs, devices: int, said: str
) -> None:
    verdict = judge(KIND, needs, devices=devices)

    assert (verdict.why, verdict.fits) == (said, said.startswith("enough"))


def test_a_tenth_of_a_gpus_memory_is_not_planned_with() -> None:
    gpu = replace(KIND, gpu_memory_gib=16)

    fits = [judge(gpu, replace(NEEDS, device_memory_mib=g * 1024), devices=1) for g in (14, 15)]

    assert [each.fits for each in fits] == [True, False]


def test_the_first_that_is_enough_is_chosen_or_none() -> None:
    small, medium, large = (
        Verdict(name, name != "small", "enough" if name != "small" else "too small", NEEDS)
        for name in ("small", "medium", "large")
    )

    assert choose([small, medium, large])[0] == "medium"
    assert choose([small]) == ("", "none is enough; small is too small")


def test_trainings_at_once_share_memory_and_cores() -> None:
    both = add_up([NEEDS, replace(NEEDS, seconds=1800)], devices=2, slots=2)
    apart = add_up([NEEDS, replace(NEEDS, seconds=1800)], devices=1, slots=2)

    assert (both.memory_mib, both.seconds, apart.seconds) == (2048, 5400, 3600)
    assert add_up([NEEDS, replace(NEEDS, seconds=0)], devices=1, slots=2).seconds == 0


def test_what_ran_together_takes_as_long_together_again() -> None:
    shared = replace(NEEDS, beside=1)

    assert add_up([shared, shared], devices=2, slots=2).seconds == NEEDS.seconds


def test_trainings_one_after_another_need_what_the_larger_needs() -> None:
    needs = take_turns([replace(NEEDS, seconds=1), replace(NEEDS, memory_mib=1)])

    assert (needs.memory_mib, needs.seconds) == (NEEDS.memory_mib, NEEDS.seconds)
