"""New crops composed from labelled ones, for any short texts of fixed layout."""

from ocr.composition.composer import ComposedCrop, CropComposer
from ocr.composition.group import GroupReport
from ocr.composition.preview import preview

__all__ = ["ComposedCrop", "CropComposer", "GroupReport", "preview"]
