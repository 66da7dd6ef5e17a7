"""A schedule in cron's five fields and its time zone, refused before anything is asked of it."""

import re
from calendar import monthrange
from typing import Annotated
from zoneinfo import available_timezones

from pydantic import AfterValidator

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_FIELDS: tuple[tuple[str, int, int, tuple[str, ...]], ...] = (
    ("minute", 0, 59, ()),
    ("hour", 0, 23, ()),
    ("day of the month", 1, 31, ()),
    ("month", 1, 12, _MONTHS),
    ("day of the week", 0, 7, _DAYS),
)
_ITEM = re.compile(r"(?P<first>\*|\w{1,3})(?:-(?P<last>\w{1,3}))?(?:/(?P<step>\d\d?))?", re.ASCII)
_LEAP_YEAR = 2024
_NO_PLACES = {"localtime", "Factory"}
"""Names that mean another zone on each machine, or none; Prefect's server knows neither."""


def _check_cron(written: str) -> str:
    if not written:
        return written
    fields = written.split()
    if len(fields) != len(_FIELDS):
        raise ValueError(
            f"it has {len(fields)} fields, expected five: minute, hour, day of the month, month, "
            "day of the week, as in '0 3 * * mon'"
        )
    sets = [
        set[int]().union(*(_read_item(item, *field) for item in text.lower().split(",")))
        for text, field in zip(fields, _FIELDS, strict=True)
    ]
    _refuse_days_that_never_come(sets[2], sets[3])
    return written


def _read_item(item: str, name: str, least: int, most: int, names: tuple[str, ...]) -> range:
    found = _ITEM.fullmatch(item)
    ends = [end for end in found.group("first", "last") if end] if found else []
    numbers = [_number(end, least, names) for end in ends if ends != ["*"]]
    is_allowed = all(least <= number <= most for number in numbers) and numbers == sorted(numbers)
    step = int(found["step"] or 1) if found else 0
    if found is None or not 0 < step <= most or not is_allowed:
        known = f", {names[0]} to {names[-1]}" if names else ""
        raise ValueError(f"{item!r} is no {name}; expected {least} to {most}{known}, *, 1-5 or */2")
    first, last = (numbers[0], numbers[-1]) if numbers else (least, most)
    if found["step"] and not found["last"]:  # 5/10: from 5 on; of days of the week to Saturday
        last = most if not names else least + len(names) - 1
    if first >= last and (found["step"] or found["last"]):
        every = f"/{step}" if found["step"] else ""
        raise ValueError(
            f"{item!r} begins at its last {name}, which Prefect runs as *{every}; "
            f"write {found['first']} alone, or a range as {least}-{most}{every}"
        )
    return range(first, last + 1, step)


def _refuse_days_that_never_come(days: set[int], months: set[int]) -> None:
    """Refuse a 30th of February; beside days of the week too, as Prefect finds no date then."""
    longest = max(monthrange(_LEAP_YEAR, month)[1] for month in months)
    if min(days) > longest:
        raise ValueError(f"no month of it has a day {min(days)}; the longest has {longest}")


def _number(end: str, least: int, names: tuple[str, ...]) -> int:
    if end in names:
        return names.index(end) + least
    return int(end) if end.isdecimal() else -1


def _check_timezone(written: str) -> str:
    if written not in available_timezones() - _NO_PLACES:
        raise ValueError("there is no such time zone; expected one as Europe/Berlin")
    return written


Cron = Annotated[str, AfterValidator(_check_cron)]
"""Five fields; empty: never."""

TimeZone = Annotated[str, AfterValidator(_check_timezone)]
"""A name of the IANA database."""
