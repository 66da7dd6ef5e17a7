"""The label of a page as written, before its image is opened and its regions are checked."""

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from ocr.dataset.candidate import Row
from ocr.dataset.labels.encoding import ILLEGIBLE, SPACES
from ocr.dataset.labels.text_rule import TextRule
from ocr.dataset.quarantine import Fault
from ocr.errors import BadData

Points = tuple[tuple[float, float], ...]
Size = tuple[int, int]
"""Width and height in pixels."""
_FARTHEST_PX = 1e9


class RawRegion(NamedTuple):
    """One region, as written.

    Attributes:
        points: Corners (x, y) in pixels of the page.
        text: What it reads; empty where nobody transcribed it.
        ignored: Marked as illegible, difficult or not to be read.
        starts_reading: Whether the first corner is where reading begins; else any may be.
        fault: What kept it from being read; its corners, if any, still say where it is.
        text_fault: Why nothing can be learnt of its text; its place is good.
    """

    points: Points
    text: str
    ignored: bool = False
    starts_reading: bool = True
    fault: Fault | None = None
    text_fault: Fault | None = None


class RawPageLabel(NamedTuple):
    """The regions of a page, as written.

    Attributes:
        regions: In the order of the file.
        size: Size of the image that was labelled, where the labels say it.
    """

    regions: tuple[RawRegion, ...]
    size: Size | None = None

    def written(self, texts: TextRule) -> "RawPageLabel":
        """The label, its texts as a rule writes them; what says don't-care then is no text."""
        regions = (_with_text(each, texts.apply(each.text)) for each in self.regions)
        return self._replace(regions=tuple(regions))

    @property
    def shown(self) -> str:
        """What the table of rejected rows shows of it: nothing, before the regions are checked."""
        return ""


RawPage = Row[RawPageLabel]


def read_region(
    points: Points | Fault,
    text: str | Fault,
    *,
    ignored: bool = False,
    starts_reading: bool = True,
    fault: Fault | None = None,
) -> RawRegion:
    """Make a region of what was read; a text that says don't-care is no text.

    Args:
        points: Corners (x, y) in pixels of the page, or what kept them from being read.
        text: As written, or what kept it from being read.
        ignored: Whether it is marked as illegible, difficult or not to be read.
        starts_reading: Whether the first corner is where reading begins; else any may be.
        fault: What is wrong with a region whose corners are known.
    """
    if isinstance(points, Fault):
        region = RawRegion((), "", ignored, fault=points)
    else:
        region = RawRegion(points, "", ignored, starts_reading, fault)
    if isinstance(text, Fault):
        return region._replace(text_fault=text)
    return _with_text(region, text.strip(SPACES))


def _with_text(region: RawRegion, text: str) -> RawRegion:
    if text in ILLEGIBLE:
        return region._replace(text="", ignored=True)
    return region._replace(text=text)


def read_group(entry: Mapping[str, object], field: str) -> str:
    """Read the group that a field of an entry names, whatever its type; empty where it has none."""
    value = entry.get(field) if field else None
    if value is None or (isinstance(value, float) and math.isnan(value)):  # how pandas writes none
        return ""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, float) and value.is_integer():  # pandas, where others have none
        return str(int(value))
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def read_json(content: str, *, name: str) -> object:
    """Read a label file that is one JSON document.

    Raises:
        BadData: Naming the file and the place of the error.
    """
    try:
        document: object = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BadData(
            f"{name} is no JSON, as labels of the dataset's source are: {error}"
        ) from error
    return document


def read_text(written: object) -> str | Fault:
    """Read a text of JSON: a whole number is its digits, null is none.

    A number with a fraction is refused, as in a table: how it stands on the page is lost.
    """
    if written is None:
        return ""
    if isinstance(written, str):
        return written
    if isinstance(written, int) and not isinstance(written, bool):
        return str(written)
    return Fault("malformed_region", f"the text is {written!r:.60}, expected a string")


def read_points(written: object) -> Points | Fault:
    """Read corners written as `[[x, y], ...]`."""
    if not isinstance(written, list):
        return Fault("malformed_region", f"corners are {written!r:.60}, expected a list of [x, y]")
    if not written:
        return Fault("empty_polygon", "no corners")
    points: list[tuple[float, float]] = []
    for point in written:
        if not (isinstance(point, list) and len(point) == 2 and all(map(is_number, point))):
            return Fault("malformed_region", f"a corner is {point!r:.60}, expected [x, y]")
        points.append((float(point[0]), float(point[1])))
    return tuple(points)


def are_numbers(value: Any) -> bool:
    """Whether a value of JSON is a list of nothing but coordinates."""
    return isinstance(value, list) and all(map(is_number, value))


def is_number(value: object) -> bool:
    """Whether a value of JSON is a number that may be a coordinate: finite, and not absurd."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= _FARTHEST_PX
