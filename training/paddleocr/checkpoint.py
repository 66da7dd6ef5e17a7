"""A checkpoint of PaddleOCR's trainer: its weights and config, and the two forms it exports."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from ocr.errors import BadData
from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from ocr.store.whole import written_whole

SPEC = "exported.json"
"""Only a checkpoint of PaddleOCR's trainer has it."""
CONFIG = "config.yml"
WEIGHTS = "weights.pdparams"
PADDLE = "paddle"
LEGACY = "legacy"
MODEL = "inference.json"
LEGACY_MODEL = "inference.pdmodel"


@dataclass(frozen=True)
class ExportedSpec:
    """What a net takes and gives.

    Attributes:
        net: Its config in PaddleOCR's tree, or its family.
        tree: Digest of the tree that trained it.
        input: What the image of a line becomes before it.
        charset: The characters of classes 1 and up; class 0 is the blank.
    """

    net: str
    tree: str
    input: LineSpec
    charset: tuple[str, ...]


_SPEC = TypeAdapter(ExportedSpec)


def is_exported(checkpoint: Path) -> bool:
    """Say whether PaddleOCR's trainer left a checkpoint."""
    return (checkpoint / SPEC).is_file()


def write_spec(checkpoint: Path, spec: ExportedSpec) -> None:
    """Write the spec, after all else."""
    with written_whole(checkpoint / SPEC) as stream:
        stream.write(_SPEC.dump_json(spec, indent=1))


def read_spec(checkpoint: Path) -> ExportedSpec:
    """Read the spec.

    Raises:
        BadData: It is damaged.
    """
    try:
        spec = _SPEC.validate_json((checkpoint / SPEC).read_bytes())
    except ValidationError as error:
        raise BadData(f"{checkpoint / SPEC}: {error.errors()[0]['msg']}") from error
    Charset(spec.charset)
    return spec
