"""Pages to Label Studio tasks with annotations, for its OCR template.

https://labelstud.io/templates/optical_character_recognition names the controls: Polygon `poly`,
Labels `label` with Text and, for what is not to be read, Ignored, and TextArea `transcription`.
"""

import json
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from ocr.dataset.pages.region import Region
from ocr.dataset.pages.snapshot import PageSample

LOCAL_FILES = "/data/local-files/?d="


def to_labelstudio(pages: Iterable[tuple[str, PageSample]]) -> str:
    """Write tasks to import; images are files of a local storage.

    Args:
        pages: The pages, each with the path of its image under the storage's document root.
    """
    tasks = [
        {
            "data": {"ocr": LOCAL_FILES + quote(image)},
            "annotations": [{"result": list(_results(page))}],
        }
        for image, page in pages
    ]
    return json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"


def _results(page: PageSample) -> Iterator[dict[str, object]]:
    for number, region in enumerate(page.regions, start=1):
        shape = {"points": _percent(region, page), "closed": True}
        label = "Ignored" if region.ignored else "Text"
        common = {
            "id": f"region-{number}",
            "to_name": "image",
            "original_width": page.width,
            "original_height": page.height,
            "image_rotation": 0,
        }
        yield {**common, "from_name": "poly", "type": "polygon", "value": shape}
        value = {**shape, "labels": [label]}
        yield {**common, "from_name": "label", "type": "labels", "value": value}
        if region.text:
            value = {**shape, "text": [region.text]}
            yield {**common, "from_name": "transcription", "type": "textarea", "value": value}


def _percent(region: Region, page: PageSample) -> list[list[float]]:
    return [[100 * x / page.width, 100 * y / page.height] for x, y in region.polygon]
