"""A folder with the list of suspects and what is needed to look at them in another tool.

Labels stand in it as they are; what was read stands beside them.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from ocr.dataset.lines.snapshot import LineSample
from ocr.dataset.pages.converters.browser_image import browser_image
from ocr.dataset.pages.converters.labelstudio import (
    INTERFACE,
    INTERFACE_FILE,
    to_list,
    to_results,
    to_task,
)
from ocr.dataset.pages.converters.paddleocr import to_row
from ocr.dataset.pages.region import Region
from ocr.dataset.pages.snapshot import PageSample
from ocr.dataset.snapshot.quarantine_list import as_cell
from ocr.dataset.snapshot.snapshot import Sample, Snapshot
from ocr.evaluation.suspects.suspect import Suspect
from ocr.image.header import image_suffix
from ocr.store.whole import folder_written_whole

Tool = Literal["labelstudio", "ppocrlabel"]

LIST = "suspects.csv"
COLUMNS = (
    "file",
    "region",
    "label",
    "read",
    "unknown",
    "contradiction",
    "doubt",
    "confidence",
    "split",
    "image",
    "source",
)
"""`region` counts from 1 what the snapshot kept of a page, as the labels beside the list do: where
regions were dropped, their label file counts further."""


@dataclass(frozen=True)
class Sheet:
    """An image with suspects, the most suspicious image first.

    Attributes:
        file: Its path in the folder.
        page: Its regions; of a line there is one, the whole image.
        suspects: Of this image, by the number of the region, from 1.
    """

    file: str
    page: PageSample
    suspects: dict[int, Suspect]


def write_project(
    folder: Path,
    suspects: Sequence[Suspect],
    snapshot: Snapshot[Any],
    *,
    tool: Tool,
    reader: str,
) -> list[Path]:
    """Write the list, the images that have suspects, and their labels.

    Args:
        folder: Folder to make.
        suspects: The most suspicious first.
        snapshot: Where they were found.
        tool: Whose labels to write.
        reader: Name of who read.

    Returns:
        The list, and the labels.

    Raises:
        ArtifactExists: The folder is there already.
    """
    name, write = _WRITERS[tool]
    encode = partial(browser_image, snapshot) if tool == "labelstudio" else snapshot.image_bytes
    with folder_written_whole(folder) as part:
        (part / "images").mkdir()
        written = _write_images(part, suspects, snapshot, encode=encode)
        sheets = sorted(written, key=lambda sheet: sheet.file)
        if tool == "labelstudio":
            (part / INTERFACE_FILE).write_text(INTERFACE, encoding="utf-8")
        with (part / name).open("w", encoding="utf-8") as file:
            file.writelines(write(sheets, reader))
        _write_list(part / LIST, suspects, sheets)
    return [folder / LIST, folder / name]


def to_labelstudio(sheets: Sequence[Sheet], reader: str) -> Iterator[str]:
    """Write tasks to import: the labels as an annotation, what was read as a prediction."""
    return to_list(_to_task(sheet, reader) for sheet in sheets)


def to_ppocrlabel(sheets: Sequence[Sheet], reader: str) -> Iterator[str]:
    """Write a Label.txt; suspects are of a class that names the reader."""
    for sheet in sheets:
        classes = dict.fromkeys(sheet.suspects, f"doubted by {reader}")
        yield to_row(sheet.file, sheet.page, classes=classes)


_WRITERS: dict[Tool, tuple[str, Callable[[Sequence[Sheet], str], Iterator[str]]]] = {
    "labelstudio": ("labelstudio.json", to_labelstudio),
    "ppocrlabel": ("images/Label.txt", to_ppocrlabel),  # PPOCRLabel opens the folder of the images
}


def _to_task(sheet: Sheet, reader: str) -> dict[str, object]:
    worst = max(sheet.suspects.values(), key=lambda each: each.suspicion)
    facts = {
        "labelled": sheet.page.image,
        "suspects": len(sheet.suspects),
        "contradiction": round(worst.contradiction, 2),
    }
    notes = {number: {"meta": {"text": [_note(each)]}} for number, each in sheet.suspects.items()}
    read = tuple(
        replace(region, text=sheet.suspects[number].read) if number in sheet.suspects else region
        for number, region in enumerate(sheet.page.regions, start=1)
    )
    prediction = {"model_version": reader, "score": round(worst.confidence, 4)}
    return {
        **to_task(sheet.file, facts),
        "annotations": [to_results(sheet.page, notes)],
        "predictions": [{**prediction, **to_results(replace(sheet.page, regions=read))}],
    }


def _note(suspect: Suspect) -> str:
    known = f", does not know {suspect.unknown_codes}" if suspect.unknown else ""
    return f"reads {suspect.read}{known}"


def _write_images(
    folder: Path,
    suspects: Sequence[Suspect],
    snapshot: Snapshot[Any],
    *,
    encode: Callable[[Any], bytes],
) -> Iterator[Sheet]:
    """Write each image once, named so that the most suspicious are listed first."""
    of_image: dict[tuple[str, str], dict[int, Suspect]] = {}
    for suspect in suspects:
        crop = suspect.crop
        of_image.setdefault((crop.split, crop.id), {})[max(1, crop.region)] = suspect
    ranks = {image: rank for rank, image in enumerate(of_image, start=1)}
    for sample in snapshot.samples():
        found = of_image.pop((sample.split, sample.id), None)
        if found:
            data = encode(sample)
            rank = ranks[sample.split, sample.id]
            file = f"images/{rank:06d}-{sample.id[:12]}{image_suffix(data)}"
            (folder / file).write_bytes(data)
            yield Sheet(file, _as_page(sample), found)


def _as_page(sample: LineSample | PageSample) -> PageSample:
    if isinstance(sample, PageSample):
        return sample
    width, height = float(sample.width), float(sample.height)
    corners = ((0.0, 0.0), (width, 0.0), (width, height), (0.0, height))
    kept = {name: getattr(sample, name) for name in (each.name for each in fields(Sample))}
    return PageSample(**kept, regions=(Region(corners, sample.text),))


def _write_list(path: Path, suspects: Sequence[Suspect], sheets: Sequence[Sheet]) -> None:
    files = {(sheet.page.split, sheet.page.id): sheet.file for sheet in sheets}
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for each in suspects:
            crop = each.crop
            writer.writerow(
                [
                    files[crop.split, crop.id],
                    max(1, crop.region),
                    as_cell(crop.text),
                    as_cell(each.read),
                    each.unknown_codes,
                    round(each.contradiction, 2),
                    round(each.doubt, 2),
                    round(each.confidence, 4),
                    crop.split,
                    as_cell(crop.image),
                    as_cell(crop.source),
                ]
            )
