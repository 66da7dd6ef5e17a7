"""The bundle: one exported model in every form, and the manifest that vouches for its files."""

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from ocr.errors import ArtifactNotFound, BadData
from ocr.preprocess import InputSpec
from ocr.store.key import check_key
from ocr.store.whole import sha256_of, written_whole

MANIFEST = "manifest.json"
CHARSET = "charset.txt"
CARD = "card.md"
ONNX_MODEL = "onnx/model.onnx"
PADDLE_FOLDER = "paddle"
SERVING_FOLDER = "serving"
GOLDEN_FOLDER = "golden"
GOLDEN_OUTPUTS = "golden/outputs.json"
GOLDEN_INPUTS = "golden/inputs"

REQUIRED = frozenset(
    {
        CHARSET,
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
"""Every bundle holds these and golden images, and nothing else: no form that unpickles."""


class BundleManifest(BaseModel):
    """What a bundle says of itself."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    format: Literal[1] = 1
    name: str
    version: str
    task: Literal["recognition"] = "recognition"
    created: str = Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$")
    dataset_digest: str
    code_commit: str
    parameters: dict[str, Any]
    metrics: dict[str, FiniteFloat]
    parent: str
    input: InputSpec
    parity: dict[str, FiniteFloat]
    files: dict[str, str]


def read_bundle(folder: Path) -> BundleManifest:
    """Read a bundle's manifest and verify every file.

    Raises:
        ArtifactNotFound: There is no manifest, or a file is missing.
        BadData: The manifest is malformed, a file is damaged, or one is there that may not be.
    """
    manifest = read_manifest(folder)
    missing = sorted(REQUIRED - manifest.files.keys())
    if missing:
        raise BadData(f"The manifest of {folder} does not list {', '.join(missing)}")
    for relative, digest in manifest.files.items():
        _check_name(relative)
        path = folder / relative
        if path.is_symlink() or not path.is_file():
            raise ArtifactNotFound(f"{folder} holds no file {relative}, which its manifest lists")
        if sha256_of(path) != digest:
            raise BadData(f"{path} is damaged: not sha256 {digest}")
    extra = sorted(_files_of(folder) - manifest.files.keys())
    if extra:
        raise BadData(f"{folder} holds {extra[0]}, which its manifest does not list")
    return manifest


def read_manifest(folder: Path) -> BundleManifest:
    """Read a bundle's manifest alone, no file verified."""
    path = folder / MANIFEST
    if not path.is_file():
        raise ArtifactNotFound(f"{folder} is no bundle: it has no {MANIFEST}")
    try:
        return BundleManifest.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadData(f"{path}, {where or 'content'}: {first['msg']}") from error


def write_manifest(
    folder: Path,
    *,
    name: str,
    version: str,
    created: str,
    dataset_digest: str,
    code_commit: str,
    parameters: dict[str, Any],
    metrics: dict[str, float],
    parent: str,
    spec: InputSpec,
    parity: dict[str, float],
) -> BundleManifest:
    """Complete a bundle: digest the files that are there and write the manifest, last.

    Raises:
        BadData: A required file is missing, or one is there that may not be.
    """
    files = {relative: sha256_of(folder / relative) for relative in sorted(_files_of(folder))}
    manifest = BundleManifest(
        name=name,
        version=version,
        created=created,
        dataset_digest=dataset_digest,
        code_commit=code_commit,
        parameters=parameters,
        metrics=metrics,
        parent=parent,
        input=spec,
        parity=parity,
        files=files,
    )
    with written_whole(folder / MANIFEST) as file:
        file.write(manifest.model_dump_json(indent=1).encode())
    return read_bundle(folder)


def _check_name(relative: str) -> None:
    check_key(relative)
    if relative not in REQUIRED and not _is_golden_image(relative):
        raise BadData(f"{relative} has no place in a bundle")


def _is_golden_image(relative: str) -> bool:
    return relative.startswith(f"{GOLDEN_INPUTS}/") and relative.endswith(".png")


def _files_of(folder: Path) -> set[str]:
    paths = (path for path in folder.rglob("*") if path.is_symlink() or path.is_file())
    return {path.relative_to(folder).as_posix() for path in paths} - {MANIFEST}
