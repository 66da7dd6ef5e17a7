"""The bundle: one exported model in every form, and the manifest that vouches for its files."""

import json
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from ocr.errors import ArtifactNotFound, BadData
from ocr.models.detector_spec import BoxRule, PageSpec
from ocr.models.recogniser_spec import LineSpec
from ocr.store.key import check_key
from ocr.store.whole import sha256_of, written_whole

MANIFEST = "manifest.json"
CHARSET = "charset.txt"
CARD = "card.md"
NOTICE = "NOTICE.txt"
TEXT_MODEL = "texts.npz"
TEXT_MODEL_GAIN = ("text_model_gain", "text_model_gain_lower", "text_model_gain_upper")
"""Metrics: how many more of the validation lines are read right with it, and the 95 % interval."""
ONNX_MODEL = "onnx/model.onnx"
INT8_MODEL = "onnx/int8.onnx"
INT8_PRICE = ("int8_change", "int8_change_lower", "int8_change_upper", "int8_alike", "int8_time")
"""Metrics: how the accuracy or the Hmean changes on the validation split in 8 bits, its bounds, the
share of lines or pages that are read alike, and the time by that in float32."""
PADDLE_FOLDER = "paddle"
SERVING_FOLDER = "serving"
GOLDEN_OUTPUTS = "golden/outputs.json"
GOLDEN_INPUTS = "golden/inputs"

FORM_FILES = frozenset(
    {
        CARD,
        ONNX_MODEL,
        GOLDEN_OUTPUTS,
        "paddle/inference.json",
        "paddle/inference.pdiparams",
        "paddle/inference.yml",
        "serving/inference.pdmodel",
        "serving/inference.pdiparams",
        "serving/serving_server_conf.prototxt",
        "serving/serving_client_conf.prototxt",
    }
)
"""The bundles of recognisers and of detectors hold these, and golden images."""

REQUIRED = FORM_FILES | {CHARSET}
"""A recogniser's bundle holds these and golden images; where they pay, a text model and a form in
8 bits; and a notice of whose weights it started from. Nothing else: no form that unpickles."""

Task = Literal["recognition", "detection", "pipeline"]


class ModelManifest(BaseModel):
    """What a bundle of any task says of itself."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    format: Literal[1] = 1
    name: str
    version: str
    created: str = Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$")
    dataset_digest: str
    code_commit: str
    """Commit of the code that trained it, `-dirty` where files had changed; else the release."""
    checkpoint: str = ""
    """Key of the checkpoint that it was exported from; empty: a pipeline, or an earlier bundle."""
    parameters: dict[str, Any]
    metrics: dict[str, FiniteFloat]
    parent: str = ""
    """Version that it was fine-tuned from; empty: none. Earlier bundles name the champion then."""
    parity: dict[str, FiniteFloat]
    files: dict[str, str] = {}
    """sha256 by path; `write_manifest` fills it in."""

    required: ClassVar[frozenset[str]] = FORM_FILES
    optional: ClassVar[frozenset[str]] = frozenset()

    @property
    def served_form(self) -> str:
        """The ONNX file that ocrline reads with."""
        return INT8_MODEL if INT8_MODEL in self.files else ONNX_MODEL


class RecogniserManifest(ModelManifest):
    """What a recogniser's bundle says of itself."""

    task: Literal["recognition"] = "recognition"
    input: LineSpec

    required: ClassVar[frozenset[str]] = REQUIRED
    optional: ClassVar[frozenset[str]] = frozenset({NOTICE, TEXT_MODEL, INT8_MODEL})


class DetectorManifest(ModelManifest):
    """What a detector's bundle says of itself."""

    task: Literal["detection"] = "detection"
    input: PageSpec
    boxes: BoxRule

    optional: ClassVar[frozenset[str]] = frozenset({NOTICE, INT8_MODEL})


Manifest = TypeVar("Manifest", bound=ModelManifest)


def read_recogniser_bundle(folder: Path) -> RecogniserManifest:
    """Read the manifest of a recogniser's bundle and verify every file.

    Raises:
        ArtifactNotFound: There is no manifest, or a file is missing.
        BadData: It is of another task, the manifest is malformed, a file is damaged, or one is
            there that may not be.
    """
    return verify_files(folder, read_recogniser_manifest(folder))


def read_detector_bundle(folder: Path) -> DetectorManifest:
    """Read the manifest of a detector's bundle and verify every file.

    Raises:
        ArtifactNotFound: There is no manifest, or a file is missing.
        BadData: It is of another task, the manifest is malformed, a file is damaged, or one is
            there that may not be.
    """
    return verify_files(folder, read_detector_manifest(folder))


def read_recogniser_manifest(folder: Path) -> RecogniserManifest:
    """Read the manifest of a recogniser's bundle alone, no file verified."""
    return parse_manifest(folder, RecogniserManifest, task="recognition")


def read_detector_manifest(folder: Path) -> DetectorManifest:
    """Read the manifest of a detector's bundle alone, no file verified."""
    return parse_manifest(folder, DetectorManifest, task="detection")


def read_task(folder: Path) -> Task:
    """Tell what a bundle is for, by its manifest alone.

    Raises:
        ArtifactNotFound: There is no manifest.
        BadData: The manifest is malformed or names another task.
    """
    task: Any = _read_json(folder).get("task")
    if task not in get_args(Task):
        raise BadData(f"{folder / MANIFEST}, task: {task!r}, expected one of {get_args(Task)}")
    found: Task = task
    return found


def write_manifest(folder: Path, manifest: Manifest) -> Manifest:
    """Complete a bundle: digest the files that are there and write the manifest, last.

    Args:
        folder: The bundle's.
        manifest: Complete but for the digests of its files.

    Raises:
        BadData: A required file is missing, or one is there that may not be.
    """
    files = {relative: sha256_of(folder / relative) for relative in sorted(_files_of(folder))}
    complete = manifest.model_copy(update={"files": files})
    with written_whole(folder / MANIFEST) as file:
        file.write(complete.model_dump_json(indent=1, exclude_none=True).encode())
    return verify_files(folder, complete)


def parse_manifest(folder: Path, kind: type[Manifest], *, task: Task) -> Manifest:
    """Read the manifest of a bundle of a known task alone, no file verified."""
    content = _read_json(folder)
    if content.get("task") != task:
        raise BadData(f"{folder} is a bundle for {content.get('task')}, expected one for {task}")
    try:
        return kind.model_validate_json(json.dumps(content))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadData(f"{folder / MANIFEST}, {where or 'content'}: {first['msg']}") from error


def _read_json(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    if not path.is_file():
        raise ArtifactNotFound(f"{folder} is no bundle: it has no {MANIFEST}")
    try:
        content = json.loads(path.read_bytes())
    except ValueError as error:
        raise BadData(f"{path}, content: Invalid JSON: {error}") from error
    if not isinstance(content, dict):
        raise BadData(f"{path}, content: expected an object")
    return content


def verify_files(folder: Path, manifest: Manifest) -> Manifest:
    """Compare every file of a bundle with its manifest, and return that."""
    missing = sorted(manifest.required - manifest.files.keys())
    if missing:
        raise BadData(f"The manifest of {folder} does not list {', '.join(missing)}")
    for relative, digest in manifest.files.items():
        _check_name(relative, manifest.required | manifest.optional)
        path = folder / relative
        if path.is_symlink() or not path.is_file():
            raise ArtifactNotFound(f"{folder} holds no file {relative}, which its manifest lists")
        if sha256_of(path) != digest:
            raise BadData(f"{path} is damaged: not sha256 {digest}")
    extra = sorted(_files_of(folder) - manifest.files.keys())
    if extra:
        raise BadData(f"{folder} holds {extra[0]}, which its manifest does not list: remove it")
    return manifest


def _check_name(relative: str, known: frozenset[str]) -> None:
    check_key(relative)
    if relative not in known and not _is_golden_image(relative):
        raise BadData(f"{relative} has no place in a bundle")


def _is_golden_image(relative: str) -> bool:
    return relative.startswith(f"{GOLDEN_INPUTS}/") and relative.endswith(".png")


def _files_of(folder: Path) -> set[str]:
    paths = (path for path in folder.rglob("*") if path.is_symlink() or path.is_file())
    return {path.relative_to(folder).as_posix() for path in paths} - {MANIFEST}
