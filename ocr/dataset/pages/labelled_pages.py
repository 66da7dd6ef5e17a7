"""All pages of one PaddleOCR detection label file with their regions, without a snapshot."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ocr.dataset.examination import open_rows
from ocr.dataset.labels.encoding import Encoding
from ocr.dataset.labels.text_rule import USUAL, TextRule
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.labels.files import PageLabelKind
from ocr.dataset.pages.region import Region
from ocr.dataset.pages.region_check import check_regions
from ocr.dataset.quarantine import Rejection, refuse_unreadable
from ocr.dataset.roots import FolderRoot
from ocr.dataset.roots.spelling import turn_slashes
from ocr.errors import BadData
from ocr.image.pixels import BadImage, Image, decode_image


@dataclass(frozen=True)
class LabelledPage:
    """A page and its regions; decoded when asked for, because many scans do not fit in memory.

    Attributes:
        name: Path of its image relative to the label file's folder.
        regions: Texts of the page, ignored ones included.
        encoded: Bytes of its image file.
        max_pixels: Largest image, width times height.
    """

    name: str
    regions: tuple[Region, ...]
    encoded: bytes
    max_pixels: int

    def image(self) -> Image:
        """Decode it: (H, W, 3) BGR.

        Raises:
            BadImage: It cannot be decoded; names it.
        """
        try:
            return decode_image(self.encoded, max_pixels=self.max_pixels)
        except BadImage as error:
            raise BadImage(error.reason, f"{self.name}: {error}") from error


def read_labelled_pages(
    labels: Path,
    *,
    max_pixels: int,
    texts: TextRule = USUAL,
    root: Path | None = None,
    encoding: Encoding = "utf-8",
) -> tuple[list[LabelledPage], list[Rejection]]:
    """Read the pages of a label file, and what of it cannot be used: rows, and single regions.

    Args:
        labels: The label file.
        max_pixels: Largest image, width times height.
        texts: How texts are written.
        root: What images are named relative to; None: the label file's folder, or those of a
            project of PPOCRLabel beside it.
        encoding: Of the label file.

    Raises:
        ArtifactNotFound: There is no such file.
        BadData: No row can be read, its rows are lines, or the file is in another encoding.
    """
    folder = FolderRoot(root or labels.parent)
    is_project = root is None and _is_project(labels, encoding)
    kind: PageLabelKind = "ppocrlabel" if is_project else "paddleocr"
    rows = PageLabelFiles(kind, folder.path, str(labels.absolute()), encoding=encoding).read()
    pages: list[LabelledPage] = []
    rejections: list[Rejection] = []
    for each in open_rows(rows, root=folder, max_pixels=max_pixels):
        if isinstance(each, Rejection):
            rejections.append(each)
            continue
        row, encoded, image = each
        row = row._replace(label=row.label.written(texts))
        label = check_regions(row, width_px=image.shape[1], height_px=image.shape[0])
        pages.append(LabelledPage(row.image, label.regions, encoded, max_pixels))
        rejections += label.faults
    if not pages:
        _refuse_lines(labels, rejections)
        refuse_unreadable(labels, rejections, root=folder.path)
    return pages, rejections


def _is_project(labels: Path, encoding: Encoding) -> bool:
    """Whether PPOCRLabel wrote the file: images beside it are named with their folder of then."""
    if not labels.is_file():
        return False
    folder = labels.absolute().parent
    with labels.open(encoding=encoding, errors="replace") as file:
        image = turn_slashes(file.readline().removeprefix("\ufeff").partition("\t")[0])
    called, slash, name = image.partition("/")
    with FolderRoot(folder).images() as images:
        is_beside = bool(called.strip(".")) and "/" not in name and images.exists(name)
        return bool(slash) and (called == folder.name or is_beside) and not images.exists(image)


def _refuse_lines(labels: Path, rejections: Sequence[Rejection]) -> None:
    """Refuse a label file whose rows are an image and a text.

    Raises:
        BadData: It is one.
    """
    if rejections and all(
        each.reason == "malformed_row" and each.image and not each.text.startswith("[")
        for each in rejections
    ):
        raise BadData(
            f"{labels} holds lines, an image and its text a row, and the model reads pages; "
            "give labels of pages, or name a model of lines"
        )
