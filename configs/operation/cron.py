"""A schedule in cron's five fields and its time zone, refused before anything is asked of it."""

import re
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

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
_ITEM = re.compile(r"(?P<first>\*|\w+)(?:-(?P<last>\w+))?(?:/(?P<step>\d+))?")


def _check_cron(written: str) -> str:
    if not written:
        return written
    fields = written.split()
    if len(fields) != len(_FIELDS):
        raise ValueError(
            f"it has {len(fields)} fields, expected five: minute, hour, day of the month, month, "
            "day of the week, as in '0 3 * * mon'"
        )
    for text, (name, least, most, names) in zip(fields, _FIELDS, strict=True):
        for item in text.lower().split(","):
            _check_item(item, name, least, most, names)
    return written


def _check_item(item: str, name: str, least: int, most: int, names: tuple[str, ...]) -> None:
    found = _ITEM.fullmatch(item)
    ends = [end for end in found.group("first", "last") if end] if found else []
    numbers = [_number(end, least, names) for end in ends if ends != ["*"]]
    is_allowed = all(least <= number <= most for number in numbers) and numbers == sorted(numbers)
    if found is None or found["step"] == "0" or not is_allowed:
        known = f", {names[0]} to {names[-1]}" if names else ""
        raise ValueError(f"{item!r} is no {name}; expected {least} to {most}{known}, *, 1-5 or */2")


def _number(end: str, least: int, names: tuple[str, ...]) -> int:
    if end in names:
        return names.index(end) + least
    return int(end) if end.isdecimal() else -1


def _check_timezone(written: str) -> str:
    try:
        ZoneInfo(written)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError("there is no such time zone; expected one as Europe/Berlin") from error
    return written


Cron = Annotated[str, AfterValidator(_check_cron)]
"""Five fields; empty: never."""

TimeZone = Annotated[str, AfterValidator(_check_timezone)]
"""A name of the IANA database."""
