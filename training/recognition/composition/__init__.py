"""New crops composed from labelled ones, for any short texts of fixed layout."""

from training.recognition.composition.composer import ComposedCrop, CropComposer
from training.recognition.composition.group import GroupReport
from training.recognition.composition.preview import preview

__all__ = ["ComposedCrop", "CropComposer", "GroupReport", "preview"]
