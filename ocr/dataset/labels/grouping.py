"""Groups: what must stay in one split, as a document's pages must, by the path of their images."""

import re
from collections.abc import Iterable, Iterator
from typing import TypeVar

from ocr.dataset.candidate import Label, Row
from ocr.dataset.quarantine import Rejection, shorten
from ocr.dataset.roots.spelling import join_accents, turn_slashes
from ocr.errors import BadData, BadInput

LabelT = TypeVar("LabelT", bound=Label)


def compile_pattern(written: str) -> re.Pattern[str]:
    """Compile a `group_pattern`.

    Raises:
        BadInput: It is no regular expression.
    """
    try:
        return re.compile(written)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadInput(f"group_pattern {written!r} is no regular expression: {error}") from error


def group_rows(
    rows: Iterable[Row[LabelT] | Rejection], *, pattern: str, asked: str
) -> Iterator[Row[LabelT] | Rejection]:
    """Set the groups of rows by their images' paths, and see that any row has one.

    Args:
        rows: Rows, some with a group of their own, and what their readers rejected.
        pattern: Its first group, or all that it matches somewhere in the path, is the row's
            group; a path that it does not match has none. Empty: rows keep theirs. Paths that
            lead to one image by two spellings are one, as are names with accents apart or joined.
        asked: The setting that groups come from, for the message.

    Raises:
        BadData: No row that a person labelled has a group.
    """
    find = compile_pattern(pattern)
    example, has_groups = "", False
    for row in rows:
        if isinstance(row, Rejection):
            yield row
            continue
        name = _name(find.search(_usual(row.image))) if pattern else join_accents(row.group)
        found = row._replace(group=name)
        if row.is_checked:
            example, has_groups = example or row.image, has_groups or bool(found.group)
        yield found
    if example and not has_groups:
        raise BadData(f"{asked} gives no image a group, for example not {shorten(example)!r}")


def _usual(image: str) -> str:
    return join_accents(turn_slashes(image))


def _name(match: re.Match[str] | None) -> str:
    if match is None:
        return ""
    return (match[1] if match.re.groups else match[0]) or ""
