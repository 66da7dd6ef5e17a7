"""A snapshot of pages as a folder of images and label files."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Final, Literal

from ocr.dataset.candidate import is_checked
from ocr.dataset.pages.converters.browser_image import browser_image
from ocr.dataset.pages.converters.labelstudio import INTERFACE, INTERFACE_FILE, to_labelstudio
from ocr.dataset.pages.converters.paddleocr import to_paddleocr
from ocr.dataset.pages.snapshot import PageSample, PageSnapshot
from ocr.dataset.split import SPLITS
from ocr.image.header import image_suffix
from ocr.store.whole import folder_written_whole

ExportKind = Literal["paddleocr", "labelstudio"]
Pages = Iterable[tuple[str, PageSample]]
LABEL_WRITERS: dict[ExportKind, tuple[str, Callable[[Pages], Iterator[str]]]] = {
    "paddleocr": ("det_{split}.txt", to_paddleocr),
    "labelstudio": ("labelstudio_{split}.json", to_labelstudio),
}

GROUP_PATTERN: Final = "([0-9a-f]{12})-[0-9a-f]{16}[.]"
"""The `group_pattern` that finds the groups of pages in the names of their images."""


def export_pages(snapshot: PageSnapshot, folder: Path, *, kind: ExportKind) -> list[Path]:
    """Write the images, one label file a split, and what Label Studio shows them in.

    Images stay as they are, byte for byte; for Label Studio only what browsers show, see
    `browser_image`. Those of one group have names that begin alike, see `GROUP_PATTERN`.
    Pages that nobody checked are left out: another tool would take their labels for a person's.

    Args:
        snapshot: The pages.
        folder: Folder to make.
        kind: Format of the labels.

    Returns:
        The label files.

    Raises:
        ArtifactExists: The folder is there already.
    """
    pattern, write = LABEL_WRITERS[kind]
    encode = partial(browser_image, snapshot) if kind == "labelstudio" else snapshot.image_bytes
    with folder_written_whole(folder) as part:
        (part / "images").mkdir()
        if kind == "labelstudio":
            (part / INTERFACE_FILE).write_text(INTERFACE, encoding="utf-8")
        for split in SPLITS:
            checked = (page for page in snapshot.samples(split) if is_checked(page.source))
            pages = ((_write_image(encode(page), page, part), page) for page in checked)
            with (part / pattern.format(split=split)).open("w", encoding="utf-8") as file:
                file.writelines(write(pages))
    return [folder / pattern.format(split=split) for split in SPLITS]


def has_groups(snapshot: PageSnapshot) -> bool:
    """Say whether any page that is written has a group."""
    return any(page.group and is_checked(page.source) for page in snapshot.samples())


def _write_image(data: bytes, page: PageSample, folder: Path) -> str:
    name = f"images/{_group_digits(page.group)}{page.id[:16]}{image_suffix(data)}"
    (folder / name).write_bytes(data)
    return name


def _group_digits(group: str) -> str:
    if not group:
        return ""
    return hashlib.sha256(group.encode("utf-8", "surrogatepass")).hexdigest()[:12] + "-"
