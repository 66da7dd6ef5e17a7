"""All pages of one PaddleOCR detection label file with their regions, without a snapshot."""

from dataclasses import dataclass
from pathlib import Path

from ocr.dataset.examination import open_rows
from ocr.dataset.labels.text_rule import USUAL, TextRule
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.region import Region
from ocr.dataset.pages.region_check import check_regions
from ocr.dataset.quarantine import Rejection, refuse_unreadable
from ocr.dataset.roots import FolderRoot
from ocr.image.pixels import Image, decode_image


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
        """Decode it: (H, W, 3) BGR."""
        return decode_image(self.encoded, max_pixels=self.max_pixels)


def read_labelled_pages(
    labels: Path, *, max_pixels: int, texts: TextRule = USUAL, root: Path | None = None
) -> tuple[list[LabelledPage], list[Rejection]]:
    """Read the pages of a label file, and what of it cannot be used: rows, and single regions.

    Args:
        labels: The label file.
        max_pixels: Largest image, width times height.
        texts: How texts are written.
        root: What images are named relative to; None: the label file's folder.

    Raises:
        ArtifactNotFound: There is no such file.
        BadData: No row can be read, or the file is in another encoding.
    """
    folder = FolderRoot(root or labels.parent)
    rows = PageLabelFiles(kind="paddleocr", root=folder.path, train=str(labels.absolute())).read()
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
        refuse_unreadable(labels, rejections, root=folder.path)
    return pages, rejections
