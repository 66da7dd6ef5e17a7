"""The base of every parameter model: frozen, typed, no unknown keys."""

import re
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationInfo,
    field_validator,
)

NAME_PATTERN = r"^[a-z0-9][a-z0-9_-]{0,62}$"
NAME_BYTES = 255
"""Of a file, on nearly every file system."""


def _check_pattern(written: str) -> str:
    try:
        re.compile(written)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"it is no regular expression: {error}") from error
    return written


def _check_file_name(written: str) -> str:
    if "\0" in written:
        raise ValueError("it has a NUL, which no file name has")
    for part in written.split("/"):
        if len(part.encode(errors="surrogateescape")) > NAME_BYTES:
            raise ValueError(f"{part[:20]}… is longer than a file name may be, {NAME_BYTES} bytes")
    return written


def hide_keys(written: str) -> str:
    """Return an address as it may be shown: without the user and password that it may have."""
    before, _, place = written.rpartition("@")
    return f"…@{place}" if ":" in before else written


def name_encoding(written: object) -> object:
    """Return the name of an encoding that we read, of another name of it or of a part of it."""
    return _ENCODINGS.get(str(written).lower(), written)


_ENCODINGS = {"utf8": "utf-8", "utf-8": "utf-8"} | dict.fromkeys(
    ("gbk", "gb2312", "cp936", "gb18030"), "gb18030"
)

LabelEncoding = Annotated[Literal["utf-8", "gb18030"], BeforeValidator(name_encoding)]
"""Encoding of label files."""

FileName = Annotated[str, AfterValidator(_check_file_name)]
"""Path of a file or a folder."""

PathPattern = Annotated[str, AfterValidator(_check_pattern)]
"""A regular expression; empty: none."""


def keep_field_order(schema: dict[str, Any]) -> None:
    """Prefect's form sorts nested fields by name unless each carries a position."""
    for position, field in enumerate(schema.get("properties", {}).values()):
        field["position"] = position


def title_group(model: type) -> str:
    """Title a group in plain words: the form shows no name of ours."""
    words = re.findall("PaddleOcr|[A-Z][a-z]*", model.__name__.removesuffix("Params"))
    first, *others = ("PaddleOCR" if word == "PaddleOcr" else word for word in words)
    return " ".join([first, *(word.lower() for word in others)])


class Params(BaseModel):
    """A frozen group of parameters; an unknown key is an error."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra=keep_field_order,
        model_title_generator=title_group,
        protected_namespaces=(),
    )

    @field_validator("*", mode="before")
    @classmethod
    def _refuse_truth_as_number(cls, given: object, info: ValidationInfo) -> object:
        """Refuse `epochs: no`, which YAML reads as false and pydantic would take for 0."""
        expected = cls.model_fields[str(info.field_name)].annotation
        if isinstance(given, bool) and {int, float} & {expected, *get_args(expected)}:
            said = "yes, on or true" if given else "no, off or false"
            raise ValueError(f"expected a number, got {said}")
        return given
