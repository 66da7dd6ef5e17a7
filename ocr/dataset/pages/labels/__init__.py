"""Readers of the labels of pages, one format a file.

- `raw`: the regions of a page as written, and what all readers share
- `files`: the label files of a dataset, whatever their format
- `paddleocr`: `image<TAB>[{"transcription", "points"}, ...]`
- `ppocrlabel`: PaddleOCR's rows in a project of PPOCRLabel
- `icdar2015`: text files beside the images; `icdar_relatives` refuses what only looks like them
- `coco`: polygons of COCO, CVAT and COCO-Text
- `mmocr`: MMOCR's polygons and texts
- `labelstudio`: Label Studio's export; `labelstudio_paths` finds its images
"""

from ocr.dataset.pages.labels.files import PageLabelFiles
from ocr.dataset.pages.labels.raw import RawPage, RawPageLabel, RawRegion

__all__ = ["PageLabelFiles", "RawPage", "RawPageLabel", "RawRegion"]
