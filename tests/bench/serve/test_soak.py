from dataclasses import replace

import pytest

from bench.serve.load_generator.generator import Outcome
from bench.serve.process_tree import Usage
from bench.serve.soak.minutes import MINUTE_S, Minute, summarise
from bench.serve.soak.verdict import judge

RATE = 2.0
GATEWAY = Usage("gateway", 1, pss_mib=100.0, descriptors=50, threads=9)
WORKER = Usage("worker", 2, pss_mib=100.0, descriptors=5, threads=2)
RIGHT = Outcome(due_s=0.0, done_s=0.25, failure="", fault="", version="v1", again=0)


def minute(number: int, *outcomes: Outcome, gateway: Usage = GATEWAY) -> Minute:
    answered = [RIGHT] * int(RATE * MINUTE_S)
    versions = [RIGHT._replace(version="v2")]
    return summarise(number, [*answered, *versions, *outcomes], [gateway, WORKER])


def verdict(*minutes: Minute) -> list[str]:
    return judge(minutes, rate=RATE, versions=("v1", "v2"))


def test_minutes_that_are_alike_pass() -> None:
    assert verdict(minute(1), minute(2), minute(3)) == []


def test_what_the_first_minute_warms_up_is_no_growth() -> None:
    cold = minute(1, gateway=replace(GATEWAY, pss_mib=50.0, descriptors=20, threads=4))

    assert verdict(cold, minute(2), minute(3)) == []


@pytest.mark.parametrize(
    ("grown", "said"),
    [
        ({"pss_mib": 111.0}, "memory grew from 200.0 to 211.0 MiB"),
        ({"descriptors": 51}, "descriptors grew from 55 to 56"),
        ({"threads": 10}, "threads grew from 11 to 12"),
    ],
)
def test_what_grows_fails(grown: dict[str, float], said: str) -> None:
    last = minute(3, gateway=replace(GATEWAY, **grown))  # type: ignore[arg-type]

    assert verdict(minute(1), minute(2), last) == [said]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"failure": "500 oops"}, "1 errors, 0 wrong answers: 500 oops"),
        ({"fault": "reads another"}, "0 errors, 1 wrong answers: reads another"),
        ({"again": 1}, "1 errors, 0 wrong answers: 503"),
    ],
)
def test_one_bad_answer_fails(bad: dict[str, str], said: str) -> None:
    hindered = minute(2, RIGHT._replace(**bad))  # type: ignore[arg-type]

    assert verdict(minute(1), hindered, minute(3)) == [f"minute 2: {said}"]


def test_version_that_never_answered_fails() -> None:
    assert verdict(minute(1), minute(2), replace(minute(3), versions=("v1",))) == [
        "minute 3: v2 did not answer"
    ]


def test_load_that_was_not_kept_up_fails() -> None:
    assert verdict(minute(1), minute(2), replace(minute(3), requests=100)) == [
        "minute 3: 100 requests were answered, 120 were due"
    ]
