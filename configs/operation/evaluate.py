"""The form of a measurement of one model on one label file."""

from pydantic import Field

from configs.base import FileName, LabelEncoding, Params


class EvaluateParams(Params):
    """A model and labelled images to measure it on."""

    model: str = Field(min_length=1, description="NAME, its champion, or NAME:version")
    labels: FileName = Field(
        min_length=1,
        description="PaddleOCR label file, of lines or of pages as the model reads",
    )
    encoding: LabelEncoding = Field(
        "utf-8", description="Encoding of the label file (GBK is a part of gb18030)"
    )
    root: FileName = Field("", description="What its images are relative to; empty: its folder")
