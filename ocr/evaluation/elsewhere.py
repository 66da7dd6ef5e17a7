"""What a system that is no version here read of the test, in a file as PaddleOCR's tools write it.

Lines are `image<TAB>text<TAB>confidence` (tools/infer_rec.py), pages `image<TAB>[{"transcription",
"points"}, ...]` (tools/infer/predict_system.py).
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Generic, Protocol, TypeVar

import shapely

from ocr.dataset.labels.encoding import SPACES, OtherEncoding, decode_labels
from ocr.dataset.pages.labels.raw import Points, read_points, read_text
from ocr.dataset.quarantine import Fault
from ocr.dataset.roots.spelling import join_accents, turn_slashes
from ocr.dataset.snapshot.snapshot import Sample
from ocr.errors import BadData
from ocr.image.folder import find_path_excess
from ocr.models.page_line import PageLine
from ocr.reading.recognition.ctc import Recognition

ReadT = TypeVar("ReadT")
Place = tuple[str, str]
"""SHA-256 of an image, and its path as the labels write it."""
_OF_SEVERAL = re.compile(r'\{ *"[^"]*": *\{ *"label"')
"""How infer_rec.py writes what several nets, a teacher and its student, read of one line."""
_OF_A_PAGE = re.compile(r'\[ *\{ *"(transcription|points)"')
_HALF = re.compile("[\ud800-\udfff]")
"""Of a pair that JSON writes as two escapes: no report could be written with it."""
_FEWEST_CORNERS = 3
_SHOWN = 80


class Placed(Protocol):
    """A sample of a snapshot."""

    @property
    def id(self) -> str:
        """SHA-256 of the encoded image."""

    @property
    def image(self) -> str:
        """Image path as written in the labels."""


@dataclass(frozen=True)
class Readings(Generic[ReadT]):
    """Readings of test images; `name` is what reports call them.

    Documents may have equal images, so each is known by its SHA-256 and its path.
    """

    name: str
    by_place: Mapping[Place, ReadT]

    def of(self, sample: Placed) -> ReadT:
        """Return what was read of a sample."""
        return self.by_place[sample.id, sample.image]


def read_lines_elsewhere(
    content: bytes, *, name: str, samples: Iterable[Sample], write: Callable[[str], str] = str
) -> Readings[Recognition]:
    """Find what was read of test lines.

    Args:
        content: The file; a row without a confidence counts as sure, and without a text as read so.
        name: Its name, for messages and reports.
        samples: Of the whole snapshot: a path that may name two images is refused.
        write: Writes a text as the labels do.

    Raises:
        BadData: The file is damaged, or does not tell what was read of each test image.
    """

    def parse(written: str) -> Recognition:
        text, _, confidence = written.partition("\t")
        if _OF_SEVERAL.match(text):
            raise ValueError("several nets read it: keep the text and the confidence of one")
        if _OF_A_PAGE.match(text):
            raise ValueError("it is told as a page is, expected the text, a tab and its confidence")
        return Recognition(write(text.strip(SPACES)), _to_share(confidence or 1.0), ())

    return _place(_rows(content, parse, name=name), samples, name=name)


def read_pages_elsewhere(
    content: bytes, *, name: str, samples: Iterable[Sample], write: Callable[[str], str] = str
) -> Readings[tuple[PageLine, ...]]:
    """Find what was read of test pages; see `read_lines_elsewhere`.

    Corners are in pixels of the page as PaddleOCR opens it, turned as its EXIF says.

    Raises:
        BadData: As there, or most boxes have no area that could be compared.
    """

    def parse(written: str) -> tuple[PageLine, ...]:
        found = json.loads(written)
        if not isinstance(found, list):
            raise ValueError('expected [{"transcription": ..., "points": [[x, y], ...]}, ...]')
        lines = [_to_line(each, write) for each in found]
        return tuple(line for line in lines if line.text)

    readings = _place(_rows(content, parse, name=name), samples, name=name)
    boxes = [line.polygon for lines in readings.by_place.values() for line in lines]
    crooked = [box for box in boxes if not _is_outline(box)]
    if 2 * len(crooked) > len(boxes):  # single ones are left out, as of any reader
        raise BadData(
            f"{name}: {len(crooked)} of {len(boxes)} boxes are no outline, such as "
            f"{crooked[0]!s:.{_SHOWN}}; expected corners in pixels, in their order round the text"
        )
    return readings


def _is_outline(box: Points) -> bool:
    is_in_pixels = any(number > 1 for point in box for number in point)  # no shares of the page
    return is_in_pixels and len(box) >= _FEWEST_CORNERS and shapely.Polygon(box).is_valid


def _to_line(found: object, write: Callable[[str], str]) -> PageLine:
    if not isinstance(found, Mapping):
        raise ValueError(f"{found!r:.60} is no object")
    if "transcription" not in found:
        raise ValueError(f"a line has no transcription, only {', '.join(found) or 'nothing'}")
    points, text = read_points(found.get("points")), read_text(found["transcription"])
    if isinstance(points, Fault):
        raise ValueError(points.detail)
    if isinstance(text, Fault):
        raise ValueError(text.detail)
    if half := _HALF.search(text):
        raise ValueError(f"the text has half a character, U+{ord(half[0]):04X}")
    return PageLine(points, write(text.strip(SPACES)), _to_share(found.get("score", 1.0)))


def _to_share(written: object) -> float:
    try:
        share = float(written) if isinstance(written, str | int | float) else -1.0
    except (ValueError, OverflowError):
        share = -1.0
    if not 0 <= share <= 1:
        raise ValueError(f"the confidence is {written!r:.60}, expected 0 to 1")
    return share


def _rows(
    content: bytes, parse: Callable[[str], ReadT], *, name: str
) -> Iterator[tuple[str, str, ReadT]]:
    """Yield where a row stands, the image that it names and what was read of it."""
    try:
        text = decode_labels(content, encoding="utf-8", name=name)
    except OtherEncoding as error:
        raise BadData(f"{error.fault} save it as UTF-8") from error
    for number, line in enumerate(text.split("\n"), start=1):
        row, where = line.removesuffix("\r"), f"{name}:{number}"
        if not row.strip():
            continue
        image, tab, written = row.partition("\t")
        if not tab or not image.strip():
            raise BadData(f"{where}: {row[:_SHOWN]!r}, expected an image, a tab and what it reads")
        try:
            yield where, image.strip(), parse(written)
        except (ValueError, RecursionError) as error:
            raise BadData(f"{where}: {image.strip()}: {error}") from error


def _place(
    rows: Iterable[tuple[str, str, ReadT]], samples: Iterable[Sample], *, name: str
) -> Readings[ReadT]:
    """Find the image of each row; those of no test image are left out."""
    told = _one_each(rows)
    wanted = {end for path in told for end in _ends(path)}
    whole: dict[str, list[Sample]] = defaultdict(list)
    longer: dict[str, list[Sample]] = defaultdict(list)
    tested: dict[Place, str] = {}  # and the path as it is compared
    for sample in samples:
        path = _path(sample.image)
        if path in wanted:
            whole[path].append(sample)
        for end in told.keys() & _ends(path):
            longer[end].append(sample)
        if sample.split == "test":
            tested[sample.id, sample.image] = path
    found: dict[Place, ReadT] = {}
    for path, (where, reading) in told.items():
        shorter = (sample for end in _ends(path) for sample in whole.get(end, ()))
        alike = _choose(path, whole.get(path) or [*longer[path], *shorter], where)
        for place in alike & tested.keys():
            if path != tested[place] and tested[place] in told:  # by a row of its own
                continue
            if found.setdefault(place, reading) != reading:
                said = f"{place[1]} was read otherwise under another path; keep one"
                raise BadData(f"{where}: {said}")
    missing = [image or "one that was rendered" for _, image in tested.keys() - found.keys()]
    if missing:
        raise BadData(
            f"{name} does not tell what was read of {len(missing)} of {len(tested)} test images, "
            f"such as {min(missing)!r}; let that system read these too"
        )
    return Readings(f"readings in {PurePosixPath(name).name}", found)


def _one_each(rows: Iterable[tuple[str, str, ReadT]]) -> dict[str, tuple[str, ReadT]]:
    """Return where a row stands and what it says, by the path that it names."""
    told: dict[str, tuple[str, ReadT]] = {}
    for where, image, reading in rows:
        path = _path(image)
        if excess := find_path_excess(path):  # it is looked for from each of its folders
            raise BadData(f"{where}: the path {path[:_SHOWN]!r}… {excess}, as no image's is")
        first, said = told.setdefault(path, (where, reading))
        if said != reading:
            raise BadData(f"{where}: {image} was read otherwise at {first}; keep one row")
    return told


def _choose(path: str, samples: Sequence[Sample], where: str) -> set[Place]:
    """Return where the image that a path names lies: nowhere, in one place, or equal in several."""
    named = {sample.id: sample.image for sample in samples}
    if len(named) < 2:
        return {(sample.id, sample.image) for sample in samples}
    images = sorted(set(named.values()))
    if len(images) == 1:
        raise BadData(f"{where}: {path} has {len(named)} lines, expected images of one line each")
    raise BadData(f"{where}: {path} may be {images[0]} or {images[1]}; write it as the labels do")


def _path(written: str) -> str:
    return PurePosixPath(join_accents(turn_slashes(written))).as_posix()


def _ends(path: str) -> Iterator[str]:
    """Yield what a path may be, seen from each of the folders that lead to it, and itself."""
    yield path
    start = path.find("/") + 1
    while start:
        yield path[start:]
        start = path.find("/", start) + 1
