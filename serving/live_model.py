"""A model in service, and how it gets there: fetched, verified, loaded, proved, never half."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ocr.bundle import BundleManifest, read_bundle
from ocr.errors import OcrError, ParityFailed, StoreUnavailable
from ocr.recogniser import OnnxRecogniser, Recogniser
from ocr.registry import ModelVersion, Registry
from serving.golden import check_golden
from serving.settings import Engine


@dataclass(frozen=True, eq=False)
class LiveModel:
    """One loaded version. A request holds it by reference from its first look to its answer."""

    name: str
    version: str
    engine: Engine
    recogniser: Recogniser
    manifest: BundleManifest
    loaded_at: str


@dataclass(frozen=True)
class Runtime:
    """What runs the models: which engine, how many requests at once, threads inside each."""

    engine: Engine
    concurrency: int
    threads: int


def load_model(
    registry: Registry, version: ModelVersion, *, runtime: Runtime, folder: Path
) -> LiveModel:
    """Fetch a version into `folder` and load it, its golden images read as promised.

    Raises:
        StoreUnavailable: The store does not answer; the same may work later.
        OcrError: The bundle is damaged, does not load or reads something else.
    """
    bundle = registry.download(version, folder)
    try:
        manifest = read_bundle(bundle)
        if (manifest.name, manifest.version) != (version.name, version.version):
            raise ParityFailed(
                f"The bundle says {manifest.name}:{manifest.version}, expected {version.reference}"
            )
        recogniser = ENGINES[runtime.engine](bundle, runtime)
        check_golden(recogniser, bundle)
    except StoreUnavailable:
        raise
    except OcrError:
        shutil.rmtree(folder, ignore_errors=True)  # the copy may be what is damaged
        raise
    return LiveModel(
        name=version.name,
        version=version.version,
        engine=runtime.engine,
        recogniser=recogniser,
        manifest=manifest,
        loaded_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
    )


def _load_onnx(bundle: Path, runtime: Runtime) -> Recogniser:
    return OnnxRecogniser.load(bundle, threads=runtime.threads)


def _load_paddle(bundle: Path, runtime: Runtime) -> Recogniser:
    # Paddle takes a second and 300 MB to import, and a gateway of ONNX Runtime has none.
    from serving.paddle_recogniser import PaddleRecogniser

    return PaddleRecogniser.load(bundle, threads=runtime.threads, predictors=runtime.concurrency)


ENGINES: Final[Mapping[Engine, Callable[[Path, Runtime], Recogniser]]] = {
    "onnxruntime": _load_onnx,
    "paddle": _load_paddle,
}
