"""MMOCR's labels of lines, of its version 1 and, as JSON lines, of the versions before.

Version 1 has `{"metainfo": …, "data_list": [{"img_path": …, "instances": [{"text": …}]}]}`
(https://mmocr.readthedocs.io/en/dev-1.x/user_guides/dataset_prepare.html), a file of JSON lines
`{"filename": …, "text": …}`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping

from ocr.dataset.candidate import Row
from ocr.dataset.labels.encoding import SPACES
from ocr.dataset.labels.mmocr import read_items
from ocr.dataset.lines.label import LineLabel, LineRow
from ocr.dataset.quarantine import Rejection
from ocr.dataset.split import Split

JSON_LINES = ".jsonl"


def parse_mmocr(
    items: Iterable[object], *, name: str, split: Split | None
) -> Iterator[LineRow | Rejection]:
    """Parse the items of the data list.

    Args:
        items: They, as JSON has them.
        name: Name of the file, for messages.
        split: Split its rows belong to; None where the preparation splits.
    """
    for item in read_items(items, name=name):
        if isinstance(item, Rejection):
            yield item
        elif len(item.instances) != 1:
            detail = (
                f"{len(item.instances)} instances, expected one; of whole pages the task is pages"
            )
            yield _refuse(item.where, detail, item.image)
        else:
            (instance,) = item.instances
            text = instance.get("text") if isinstance(instance, Mapping) else None
            yield _to_row(item.image, text, name=name, where=item.where, split=split)


def parse_mmocr_lines(
    lines: Iterable[str], *, name: str, split: Split | None
) -> Iterator[LineRow | Rejection]:
    """Parse the lines of a file of JSON lines; blank ones are skipped."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield _parse_line(line, name=name, where=f"{name}:{number}", split=split)


def _parse_line(line: str, *, name: str, where: str, split: Split | None) -> LineRow | Rejection:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        return Rejection("malformed_row", where, "", line.strip()[:80], str(error))
    if not isinstance(fields, Mapping) or not isinstance(fields.get("filename"), str):
        return Rejection("malformed_row", where, "", line.strip()[:80], "expected a filename")
    return _to_row(fields["filename"], fields.get("text"), name=name, where=where, split=split)


def _to_row(
    image: str, text: object, *, name: str, where: str, split: Split | None
) -> LineRow | Rejection:
    if not image.strip():
        return _refuse(where, "expected a path")
    if isinstance(text, int) and not isinstance(text, bool):
        text = str(text)
    if not isinstance(text, str):
        return _refuse(where, f"the text is {text!r:.60}, expected a string", image)
    row = Row(image.strip(), LineLabel(text.strip(SPACES)), split, "", name, where)
    tabs = row.label.text.count("\t")
    return row.reject("tab_in_text", f"{tabs} tabs") if tabs else row


def _refuse(where: str, detail: str, image: str = "") -> Rejection:
    return Rejection("malformed_row", where, image, "", detail)
