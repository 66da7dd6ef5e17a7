"""All pages of one PaddleOCR detection label file with their regions, without a snapshot."""

from dataclasses import dataclass
from pathlib import Path

from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.limits import PageLimits
from ocr.dataset.pages.region import Region
from ocr.dataset.pages.region_check import check_regions
from ocr.dataset.quarantine import Rejection, refuse_unreadable
from ocr.image.folder import ImageFolder
from ocr.image.pixels import BadImage, Image, decode_image


@dataclass(frozen=True)
class LabelledPage:
    """A page and its regions; decoded when asked for, because many scans do not fit in memory."""

    name: str
    regions: tuple[Region, ...]
    encoded: bytes

    def image(self) -> Image:
        """Decode it: (H, W, 3) BGR."""
        return decode_image(self.encoded, max_pixels=PageLimits().max_pixels)


def read_labelled_pages(labels: Path) -> tuple[list[LabelledPage], list[Rejection]]:
    """Read the pages of a label file, and what of it cannot be used: rows, and single regions.

    Raises:
        ArtifactNotFound: There is no such file.
        BadData: No row can be read, or the file is in another encoding.
    """
    limits = PageLimits()
    images = ImageFolder(labels.parent)
    pages: list[LabelledPage] = []
    rejections: list[Rejection] = []
    for page in PageLabelFiles(kind="paddleocr", root=labels.parent, train=labels.name).read():
        if isinstance(page, Rejection):
            rejections.append(page)
            continue
        try:
            data = images.read(page.image, max_bytes=limits.max_bytes)
            height_px, width_px = decode_image(data, max_pixels=limits.max_pixels).shape[:2]
        except BadImage as error:
            rejections.append(page.reject(error.reason, str(error)))
            continue
        label = check_regions(page, width_px=width_px, height_px=height_px)
        pages.append(LabelledPage(page.image, label.regions, data))
        rejections += label.faults
    if not pages:
        refuse_unreadable(labels, rejections)
    return pages, rejections
