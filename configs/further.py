"""Further test sets beside the dataset's own: what a candidate must not forget."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, Literal

from pydantic import ConfigDict, Field, model_validator

from configs.base import (
    NAME_PATTERN,
    FileName,
    LabelEncoding,
    Params,
    PathPattern,
    keep_field_order,
)
from configs.dataset import (
    LineDatasetParams,
    LineLimitParams,
    PageDatasetParams,
    PageLimitParams,
)
from configs.sources import refuse_lmdb_in_bucket


class FurtherParams(Params):
    """A further test set: all of it is test, and its texts are written as the dataset's are."""

    name: str = Field(
        "general", pattern=NAME_PATTERN, description="Name of the set, in the report and the store"
    )
    root: FileName = Field(
        ".",
        description="Folder, tar file or s3://bucket/folder that labels and image paths are "
        "relative to",
    )
    labels: FileName = Field(
        "", description="Label file, table or folder of the set; empty: of a folder of images"
    )
    encoding: LabelEncoding = Field("utf-8", description="Encoding of label files")
    group_pattern: PathPattern = Field(
        "",
        description="Regular expression over an image's path; its first group, or all it matches, "
        "names a document, whose samples share their luck; empty: none",
    )
    margin: float = Field(
        0.02,
        ge=0,
        lt=1,
        description="Loss on this set that is allowed; one that is provably larger holds",
    )


def _ask_for_labels(schema: dict[str, Any]) -> None:
    """The form, too, asks for labels unless the source has none."""
    keep_field_order(schema)
    schema["if"] = {"properties": {"source": {"const": "folder"}}, "required": ["source"]}
    schema["else"] = {"properties": {"labels": {"minLength": 1}}, "required": ["labels"]}


class FurtherLinesParams(FurtherParams):
    """A further set of text lines."""

    model_config = ConfigDict(json_schema_extra=_ask_for_labels)

    source: Literal["paddleocr", "table", "folder", "lmdb", "mmocr"] = Field(
        "paddleocr", description="Format of the labels, as the dataset's"
    )
    delimiter: Literal["tab", "space"] = Field(
        "tab", description="What stands between image and text in PaddleOCR label files"
    )
    image_column: str = Field("image", description="Column of image paths in a table")
    text_column: str = Field("text", description="Column of texts in a table")
    group_column: str = Field("", description="Column of a table that names documents; empty: none")
    limits: LineLimitParams = Field(default=LineLimitParams(), description="What is accepted")
    max_lines: int = Field(
        2000, ge=1, description="Lines that are read, drawn by their content; bounds the time"
    )
    min_accuracy: float = Field(0.0, ge=0, le=1, description="Floor of the accuracy on this set")

    @model_validator(mode="after")
    def _check_labels(self) -> "FurtherLinesParams":
        if self.source != "folder" and not self.labels:
            raise ValueError(f"labels is empty; the source {self.source} needs it")
        refuse_lmdb_in_bucket(self.source, self.root)
        return self


class FurtherPagesParams(FurtherParams):
    """A further set of pages."""

    labels: FileName = Field(
        min_length=1, description="Label file of the set, or folder of icdar2015"
    )
    source: Literal["paddleocr", "ppocrlabel", "icdar2015", "labelstudio", "coco", "mmocr"] = Field(
        "paddleocr", description="Format of the labels, as the dataset's"
    )
    group_field: str = Field(
        "",
        description="Field of a Label Studio task's data or of a COCO image that names documents; "
        "empty: none",
    )
    limits: PageLimitParams = Field(default=PageLimitParams(), description="What is accepted")
    max_pages: int = Field(
        200, ge=1, description="Pages that are read, drawn by their content; bounds the time"
    )
    min_hmean: float = Field(0.0, ge=0, le=1, description="Floor of the Hmean on this set")


def check_further(
    sets: Sequence[FurtherParams], dataset: LineDatasetParams | PageDatasetParams
) -> None:
    """Check that each further set is another one, with a name of its own.

    Raises:
        ValueError: A name is taken, or two entries name the same labels.
    """
    taken = {dataset.name: "the dataset"}
    if isinstance(dataset, PageDatasetParams):
        taken[f"{dataset.name}-lines"] = "the dataset's lines"
    known = {_place(dataset.root, labels): f"dataset.{of}" for of, labels in _own(dataset)}
    for number, each in enumerate(sets):
        here = f"evaluation.further.{number}"
        if each.name in taken:
            raise ValueError(f"{here}.name: {each.name!r} is the name of {taken[each.name]}")
        taken[each.name] = here
        place = _place(each.root, each.labels)
        if place in known:  # the root may hold keys, and is not shown
            labels = each.labels or "the root"
            raise ValueError(f"{here}.labels: {labels} is what {known[place]} names already")
        known[place] = here


def _own(dataset: LineDatasetParams | PageDatasetParams) -> list[tuple[str, str]]:
    if dataset.source == "synthetic":
        return []
    if dataset.source == "folder":
        return [("root", "")]
    named = [
        ("train_labels", dataset.train_labels),
        ("val_labels", dataset.val_labels),
        ("test_labels", dataset.test_labels),
        *(("more_labels", each.labels) for each in dataset.more_labels),
    ]
    return [(of, labels) for of, labels in named if labels]


def _place(root: str, labels: str) -> str:
    return str(PurePath(root, labels))
