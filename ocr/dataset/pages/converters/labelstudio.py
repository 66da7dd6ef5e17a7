"""Pages to Label Studio tasks, for its OCR template.

https://labelstud.io/templates/optical_character_recognition names the controls: Polygon `poly`,
Labels `label` with Text and, for what is not to be read, Ignored, and TextArea `transcription`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote

from ocr.dataset.pages.converters.page import KnownPage, LabelledPage, ReadPage
from ocr.dataset.pages.labels.labelstudio import WRITTEN_ID
from ocr.dataset.pages.region import Region

INTERFACE_FILE: Final = "labelstudio.xml"
LOCAL_FILES = "/data/local-files/?d="
INTERFACE: Final = """<View>
  <Image name="image" value="$ocr"/>
  <Labels name="label" toName="image"><Label value="Text"/><Label value="Ignored"/></Labels>
  <Rectangle name="bbox" toName="image"/>
  <Polygon name="poly" toName="image"/>
  <TextArea name="transcription" toName="image" perRegion="true" editable="true"
            maxSubmissions="1" displayMode="region-list"/>
</View>
"""
"""The labelling interface of the tasks: a region has one text, edited in the list of regions."""


def to_labelstudio(pages: Iterable[tuple[str, KnownPage]]) -> Iterator[str]:
    """Write tasks to import, piece by piece; images are files of a local storage.

    Args:
        pages: The pages, each with the path of its image under the storage's document root.
    """
    return to_list(
        {**to_task(image, page.facts), "annotations": [to_results(page)]} for image, page in pages
    )


def to_labelstudio_predictions(
    pages: Iterable[tuple[str, ReadPage]], *, model: str
) -> Iterator[str]:
    """Write tasks that nobody has annotated, with what a model read on them, piece by piece.

    Label Studio keeps predictions apart from annotations, and sorts by their scores: the
    confidence of a region, and of a task their mean.
    https://labelstud.io/guide/predictions

    Args:
        pages: The pages, each with the path of its image under the storage's document root.
        model: What read them.
    """
    return to_list(
        {
            **to_task(image, page.facts),
            "annotations": [],
            "predictions": [{"model_version": model, **_scored(page)}],
        }
        for image, page in pages
    )


def to_list(tasks: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """Write the file to import, task by task."""
    opening = "[\n"
    for task in tasks:
        yield opening + json.dumps(task, ensure_ascii=False)
        opening = ",\n"
    yield "[]\n" if opening == "[\n" else "\n]\n"


def to_task(image: str, facts: Mapping[str, object]) -> dict[str, object]:
    """Write what a task is about: its image, and facts that are listed and sorted by."""
    return {"data": {"ocr": LOCAL_FILES + quote(image), **facts}}


def to_results(
    page: LabelledPage, more: Mapping[int, Mapping[str, object]] = MappingProxyType({})
) -> dict[str, Any]:
    """Write the regions of a page, as annotations and predictions hold them.

    Args:
        page: The page.
        more: What else stands in the results of a region, by its number from 1.
    """
    results = (
        _region_results(number, region, page, more.get(number, {}))
        for number, region in enumerate(page.regions, start=1)
    )
    return {"result": [result for region in results for result in region]}


def _scored(page: ReadPage) -> dict[str, Any]:
    scores = [round(confidence, 4) for confidence in page.confidences]
    mean = round(sum(scores) / len(scores), 4) if scores else 0.0
    more = {number: {"score": score} for number, score in enumerate(scores, start=1)}
    return {"score": mean, **to_results(page, more)}


def _region_results(
    number: int, region: Region, page: LabelledPage, more: Mapping[str, object]
) -> Iterator[dict[str, object]]:
    shape = {"points": _percent(region, page), "closed": True}
    label = "Ignored" if region.ignored else "Text"
    common = {
        "id": f"{WRITTEN_ID}{number}",
        "to_name": "image",
        "original_width": page.width,
        "original_height": page.height,
        "image_rotation": 0,
        **more,
    }
    yield {**common, "from_name": "poly", "type": "polygon", "value": shape}
    value = {**shape, "labels": [label]}
    yield {**common, "from_name": "label", "type": "labels", "value": value}
    if region.text:
        value = {**shape, "text": [region.text]}
        yield {**common, "from_name": "transcription", "type": "textarea", "value": value}


def _percent(region: Region, page: LabelledPage) -> list[list[float]]:
    return [[100 * x / page.width, 100 * y / page.height] for x, y in region.polygon]
