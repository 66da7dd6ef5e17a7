"""A snapshot of pages as a folder of images and label files."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal

from ocr.dataset.candidate import is_checked
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


def export_pages(snapshot: PageSnapshot, folder: Path, *, kind: ExportKind) -> list[Path]:
    """Write the images, byte for byte, one label file a split, and what Label Studio shows them in.

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
    with folder_written_whole(folder) as part:
        (part / "images").mkdir()
        if kind == "labelstudio":
            (part / INTERFACE_FILE).write_text(INTERFACE, encoding="utf-8")
        for split in SPLITS:
            checked = (page for page in snapshot.samples(split) if is_checked(page.source))
            pages = ((_write_image(snapshot, page, part), page) for page in checked)
            with (part / pattern.format(split=split)).open("w", encoding="utf-8") as file:
                file.writelines(write(pages))
    return [folder / pattern.format(split=split) for split in SPLITS]


def _write_image(snapshot: PageSnapshot, page: PageSample, folder: Path) -> str:
    data = snapshot.image_bytes(page)
    name = f"images/{page.id[:16]}{image_suffix(data)}"
    (folder / name).write_bytes(data)
    return name
