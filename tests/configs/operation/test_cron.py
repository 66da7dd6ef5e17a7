"""Schedules are refused before anything is asked of them."""

import asyncio
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from prefect._vendor.croniter.croniter import croniter
from prefect.client.schemas.schedules import CronSchedule
from prefect.server.schemas.schedules import CronSchedule as ServerSchedule
from pydantic import TypeAdapter

from configs.operation.cron import Cron
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
        "59,58/5 22/6 30/2 11/2 5/2",
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
    ("cron", "said"),
    [
        ("59/5 * * * *", "'59/5' begins at its last minute, which Prefect runs as */5; "),
        ("0 23/6 * * *", "write 23 alone, or a range as 0-23/6"),
        ("0 3 31/2 * *", "write 31 alone, or a range as 1-31/2"),
        ("0 3 * 12/2 *", "write 12 alone, or a range as 1-12/2"),
        ("0 3 * dec/2 *", "write dec alone"),
        ("0 3 * * 6/2", "write 6 alone"),
        ("0 3 * * 7/2", "write 7 alone"),
        ("0 3 * * Sat/2", "write sat alone"),
        ("5-5 * * * *", "'5-5' begins at its last minute, which Prefect runs as *; write 5 alone"),
        ("0 3 * * fri-5/2", "'fri-5/2' begins at its last day of the week"),
    ],
)
def test_a_range_of_one_value_is_refused_with_what_to_write(cron: str, said: str) -> None:
    assert said in refuse("cron", cron)


@pytest.mark.parametrize(
    ("field", "values"),
    [(0, range(60)), (1, range(24)), (2, range(1, 32)), (3, range(1, 13)), (4, range(7))],
)
def test_prefect_runs_a_range_that_is_taken_as_it_is_written(field: int, values: range) -> None:
    written: dict[str, range] = {}
    for at, first in enumerate(values[:-1]):
        written |= {f"{first}/{step}": values[at::step] for step in (1, 2, 5, values[-1])}
        written |= {f"{first}-{values[-1]}/{step}": values[at::step] for step in (1, 3)}
        written |= {f"{first}-{last}": range(first, last + 1) for last in values[at + 1 :]}

    for item, meant in written.items():
        fields = ["0", "0", "*", "*", "*"]
        fields[field] = item
        cron = TypeAdapter(Cron).validate_python(" ".join(fields))
        found = croniter.expand(cron)[0][field]  # type: ignore[no-untyped-call]
        assert found == (["*"] if meant == values else list(meant)), item


@pytest.mark.parametrize(
    ("cron", "start", "runs"),
    [
        ("30 2 * * *", "2027-03-28", ["28 01:30+01:00", "29 02:30+02:00"]),
        ("0 2 * * *", "2027-03-28", ["28 01:00+01:00", "29 02:00+02:00"]),
        ("30 2 * * *", "2027-10-31", ["31 02:30+02:00", "01 02:30+01:00"]),
        ("0 2-3 * * *", "2027-10-31", ["31 02:00+02:00", "31 03:00+01:00"]),
    ],
)
def test_prefect_runs_what_the_guide_says_where_clocks_change(
    cron: str, start: str, runs: list[str]
) -> None:
    schedule = ServerSchedule(cron=cron, timezone="Europe/Berlin")
    zone = ZoneInfo("Europe/Berlin")
    midnight = datetime.fromisoformat(start).replace(tzinfo=zone)

    dates = asyncio.run(schedule.get_dates(2, start=midnight))

    local = [date.astimezone(zone).isoformat(timespec="minutes") for date in dates]
    assert [each[8:].replace("T", " ") for each in local] == runs


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
