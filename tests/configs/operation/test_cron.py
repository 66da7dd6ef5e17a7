"""Schedules are refused before anything is asked of them."""

import asyncio
from typing import Any

import pytest
from prefect.client.schemas.schedules import CronSchedule
from prefect.server.schemas.schedules import CronSchedule as ServerSchedule

from configs.presets import SHORT, ConfigError, load_project


def refuse(key: str, value: str) -> str:
    with pytest.raises(ConfigError) as refused:
        load_project("smoke", overrides=[f"operation.{key}={value!r}"])
    return str(refused.value)


@pytest.mark.parametrize(
    "cron",
    [
        "",
        "0 3 * * mon",
        "*/15 8-18 1,15 JAN-Mar 1-5",
        "59 23 31 12 7",
        "0 0-20/4 * * *",
        "0 0 29 feb *",
        "0 0 30,31 2,4 *",
        "0 0 31 1/4 *",
    ],
)
def test_a_schedule_that_prefect_runs_is_taken(cron: str) -> None:
    project = load_project("smoke", overrides=[f"operation.cron={cron!r}"])

    assert project.operation.cron == cron
    if cron:
        assert CronSchedule(cron=cron).cron == cron
        assert asyncio.run(ServerSchedule(cron=cron).get_dates(2))


@pytest.mark.parametrize(
    ("cron", "said"),
    [
        ("every monday", "it has 2 fields, expected five"),
        ("61 3 * * mon", "'61' is no minute; expected 0 to 59"),
        ("0 3 0 * *", "'0' is no day of the month; expected 1 to 31"),
        ("0 3 * * fun", "'fun' is no day of the week; expected 0 to 7, sun to sat"),
        ("0 3-1 * * *", "'3-1' is no hour"),
        ("*/0 3 * * *", "'*/0' is no minute"),
        ("0 *-4 * * *", "'*-4' is no hour"),
        ("*/60 3 * * *", "'*/60' is no minute"),
        (f"*/{'9' * 5000} 3 * * *", "is no minute"),
        ("0 0 30 feb *", "no month of it has a day 30; the longest has 29"),
        ("0 0 31 2,4-6/2 *", "no month of it has a day 31; the longest has 30"),
        ("0 0 31 4 mon", "no month of it has a day 31"),
    ],
)
def test_a_schedule_that_never_comes_is_refused_with_what_is_allowed(cron: str, said: str) -> None:
    message = refuse("cron", cron)

    assert message.startswith(f"operation.cron: {SHORT.repr(cron)} is not allowed")
    assert said in message


@pytest.mark.parametrize(
    "zone", ["Mars/Olympus", "../etc/passwd", "", "localtime", "Factory", "posix/Europe/Berlin"]
)
def test_a_time_zone_that_nobody_lives_in_is_refused(zone: str) -> None:
    assert "expected one as Europe/Berlin" in refuse("timezone", zone)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("operation.crom=x", "operation.crom: unknown key; did you mean operation.cron?"),
        ("operation.when_busy=WAIT", "operation.when_busy: 'WAIT' is not allowed"),
        ("operation.new_samples=-1", "operation.new_samples: -1 is not allowed"),
    ],
)
def test_a_wrong_key_is_named_as_everywhere(key: str, said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load_project("smoke", overrides=[key])

    assert str(refused.value).startswith(said)


def test_no_run_is_told_when_the_next_one_starts() -> None:
    given: list[Any] = ["operation.cron=0 3 * * mon", "operation.when_busy=CANCEL_NEW"]

    plain, operated = load_project("smoke"), load_project("smoke", overrides=given)

    assert operated.params == plain.params
    assert operated.operation != plain.operation
