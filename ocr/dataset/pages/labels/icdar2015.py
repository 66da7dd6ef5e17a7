"""ICDAR 2015 text files: `gt_NAME.txt` or `NAME.txt` beside `NAME.jpg`, a region a line.

A line holds eight coordinates, clockwise from where reading begins, and the text, in which commas
need no quotes; `###` is don't-care (https://rrc.cvc.uab.es/?ch=4&com=tasks).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from ocr.dataset.candidate import Row
from ocr.dataset.pages.labels.raw import RawPage, RawPageLabel, RawRegion, is_number, read_region
from ocr.dataset.quarantine import Fault, Rejection
from ocr.dataset.roots.undecoded import read_path
from ocr.dataset.split import Split
from ocr.image.folder import shown_path
from ocr.image.header import IMAGE_SUFFIXES

SUFFIX = ".txt"
"""Of the text files, which may be in capitals."""
_LINE_END = re.compile(r"\r\n?|\n")
"""Not what `str.splitlines` takes for one as well, as U+2028: that is of the text."""
_MOST_NAMES = 3
EXPECTED = "expected x1,y1,x2,y2,x3,y3,x4,y4,text"


def parse_icdar2015(
    files: Iterable[tuple[str, str]], *, images: frozenset[str], folder: str, split: Split | None
) -> Iterator[RawPage | Rejection]:
    """Parse the text files of a folder; one that may be of two images is rejected.

    Args:
        files: Names and contents of the text files.
        images: Names of all files in the folder.
        folder: Folder of the files, relative to the dataset's root.
        split: Split its pages belong to; None where the preparation splits.
    """
    of_stem = defaultdict(list)
    for each in sorted(images):
        if each.lower().endswith(IMAGE_SUFFIXES):
            of_stem[each.rpartition(".")[0]].append(each)
    for name, content in files:
        stem = name[: -len(SUFFIX)].removeprefix("gt_")
        found = of_stem.get(stem, [])
        image = read_path(found[0] if found else f"{stem}.jpg")
        path, where = image if folder == "." else f"{folder}/{image}", f"{folder}/{name}"
        if len(found) > 1:
            names = " or ".join(shown_path(read_path(each)) for each in found[:_MOST_NAMES])
            detail = f"the text file of {names}; take the others out of the folder"
            yield Rejection("missing_image", where, path, "", detail)
            continue
        lines = _LINE_END.split(content)
        regions = tuple(_read_line(line) for line in lines if line.strip())
        yield Row(path, RawPageLabel(regions), split, "", folder, where)


def _read_line(line: str) -> RawRegion:
    *coordinates, text = line.split(",", 8)
    try:
        numbers = [float(each) for each in coordinates]
    except ValueError:
        numbers = []
    if len(numbers) != 8 or not all(map(is_number, numbers)):
        fault = Fault("malformed_region", f"{line[:60]!r}, {EXPECTED}")
        return RawRegion((), "", fault=fault)
    return read_region(tuple(zip(numbers[::2], numbers[1::2], strict=True)), text)
