"""How a version gets into service: fetched, verified, loaded, proved, never half."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from ocr.errors import BadData, OcrError, ParityFailed, StoreUnavailable
from ocr.models.bundle import (
    ModelManifest,
    read_detector_bundle,
    read_detector_manifest,
    read_recogniser_bundle,
)
from ocr.models.golden import decode_golden, prove_lines, prove_pages
from ocr.models.pipeline import read_pipeline
from ocr.models.registry import ModelVersion, Registry
from ocr.reading.cores import Cores
from ocr.reading.detection.detector import Detector, OnnxDetector
from ocr.reading.page_reader import PageReader
from ocr.reading.recognition.cascade import load_recognisers
from ocr.reading.recognition.recogniser import OnnxRecogniser, Recogniser
from serving.engines.net_readers import NetDetector, NetRecogniser
from serving.engines.paddle_serving import PaddleServingNet
from serving.engines.pipeline_process import PipelineProcess
from serving.models.live_model import LiveModel, LivePipeline
from serving.settings import Engine


@dataclass(frozen=True)
class Runtime:
    """What runs the models.

    Attributes:
        engine: Which.
        concurrency: Requests at once.
        cores: What a lone request may use.
        paddle_serving: The interpreter that has it, for that engine.
    """

    engine: Engine
    concurrency: int
    cores: Cores
    paddle_serving: Path


def load_model(
    registry: Registry, version: ModelVersion, *, runtime: Runtime, folder: Path
) -> LiveModel:
    """Fetch a version into `folder` and load it, its golden images read as promised.

    Raises:
        StoreUnavailable: The store does not answer; the same may work later.
        OcrError: The bundle is damaged, does not load, reads something else or is of a task that
            is not served.
    """
    load = LOADERS.get(version.task)
    if load is None:
        raise BadData(f"{version.reference} does {version.task}, which alone is not served")
    try:
        return load(registry, version, runtime, folder)
    except StoreUnavailable:
        raise
    except OcrError:
        shutil.rmtree(folder, ignore_errors=True)  # the copy may be what is damaged
        raise


def _load_recogniser(
    registry: Registry, version: ModelVersion, runtime: Runtime, folder: Path
) -> LiveModel:
    bundle = registry.download(version, folder)
    manifest = read_recogniser_bundle(bundle)
    recogniser = ENGINES[runtime.engine].recogniser(bundle, runtime)
    prove_lines(bundle, lambda images: _read_lines(recogniser, images))
    return LiveModel(recogniser=recogniser, **_describe(version, manifest, runtime))


def _load_pipeline(
    registry: Registry, version: ModelVersion, runtime: Runtime, folder: Path
) -> LiveModel:
    """Load the parts from copies of their own, so that they come and go with the pipeline."""
    bundle = registry.download(version, folder / "pipeline")
    manifest = read_pipeline(bundle)
    engine = ENGINES[runtime.engine]
    found = registry.download(registry.resolve(manifest.detector), folder / "detector")
    detector = engine.detector(found, runtime)

    def load(recogniser: str) -> Recogniser:
        copy = folder / ("recogniser" if recogniser == manifest.recogniser else "second")
        return engine.recogniser(registry.download(registry.resolve(recogniser), copy), runtime)

    recogniser = load_recognisers(manifest, load)
    reader = PageReader(detector, recogniser, name=version.reference)
    prove_pages(bundle, lambda page: reader.read(decode_golden(page)).lines)
    return LivePipeline(
        recogniser=recogniser,
        reader=reader,
        detector=read_detector_manifest(found),
        **_describe(version, manifest, runtime),
    )


def _read_lines(recogniser: Recogniser, images: Sequence[bytes]) -> list[str]:
    answers = recogniser.recognise([decode_golden(image) for image in images])
    return [answer.text for answer in answers]


def _describe(version: ModelVersion, manifest: ModelManifest, runtime: Runtime) -> dict[str, Any]:
    if (manifest.name, manifest.version) != (version.name, version.version):
        raise ParityFailed(
            f"The bundle says {manifest.name}:{manifest.version}, expected {version.reference}"
        )
    return {
        "name": version.name,
        "version": version.version,
        "engine": runtime.engine,
        "manifest": manifest,
        "loaded_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
    }


def _load_onnx_detector(bundle: Path, runtime: Runtime) -> Detector:
    return OnnxDetector.load(bundle, cores=runtime.cores)


def _load_onnx_recogniser(bundle: Path, runtime: Runtime) -> Recogniser:
    return OnnxRecogniser.load(bundle, cores=runtime.cores)


def _load_with_paddle(bundle: Path, runtime: Runtime) -> Recogniser:
    # Paddle takes a second and 300 MB to import, and a gateway of ONNX Runtime has none.
    from serving.engines.paddle_inference import PaddleNet

    read_recogniser_bundle(bundle)
    net = PaddleNet(bundle, predictors=runtime.concurrency)
    return NetRecogniser(bundle, net, cores=runtime.cores)


def _serve_detector(bundle: Path, runtime: Runtime) -> Detector:
    return NetDetector(bundle, _start_serving(read_detector_bundle(bundle), bundle, runtime))


def _serve_recogniser(bundle: Path, runtime: Runtime) -> Recogniser:
    net = _start_serving(read_recogniser_bundle(bundle), bundle, runtime)
    return NetRecogniser(bundle, net, cores=runtime.cores)


def _start_serving(manifest: ModelManifest, bundle: Path, runtime: Runtime) -> PaddleServingNet:
    """Start Paddle Serving over a bundle's legacy form, its files verified by now."""
    reference = f"{manifest.name}:{manifest.version}"
    start = partial(PipelineProcess, runtime.paddle_serving, bundle, version=reference)
    return PaddleServingNet(start, processes=runtime.concurrency)


@dataclass(frozen=True)
class EngineLoaders:
    """How an engine loads what finds lines and what reads them."""

    detector: Callable[[Path, Runtime], Detector]
    recogniser: Callable[[Path, Runtime], Recogniser]


ENGINES: Final[Mapping[Engine, EngineLoaders]] = {
    "onnxruntime": EngineLoaders(_load_onnx_detector, _load_onnx_recogniser),
    "paddle": EngineLoaders(_load_onnx_detector, _load_with_paddle),
    "paddle-serving": EngineLoaders(_serve_detector, _serve_recogniser),
}
LOADERS: Final[Mapping[str, Callable[[Registry, ModelVersion, Runtime, Path], LiveModel]]] = {
    "recognition": _load_recogniser,
    "pipeline": _load_pipeline,
}
