"""The files of a version on this disk, and how a worker loads them."""

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from ocr.errors import BadData, OcrError
from ocr.models.bundle import MANIFEST, ModelManifest, read_detector_bundle, read_recogniser_bundle
from ocr.models.golden import decode_golden, prove_lines, prove_pages
from ocr.models.pipeline import read_gap_model, read_pipeline
from ocr.reading.cores import Cores
from ocr.reading.detection.detector import Detector, OnnxDetector
from ocr.reading.page_reader import PageReader
from ocr.reading.recognition.cascade import load_recognisers
from ocr.reading.recognition.recogniser import OnnxRecogniser, Recogniser
from ocr.store.whole import sha256_of
from serving.engines.net_readers import NetDetector, NetRecogniser
from serving.engines.paddle_serving import PaddleServingNet
from serving.engines.pipeline_process import PipelineProcess
from serving.settings import Engine

LOG = logging.getLogger("ocrline.serving")

PIPELINE: Final = "pipeline"
DETECTOR: Final = "detector"
RECOGNISER: Final = "recogniser"
SECOND: Final = "second"
PARTS: Final = (PIPELINE, DETECTOR, RECOGNISER, SECOND)


@dataclass(frozen=True)
class Runtime:
    """What runs the models.

    Attributes:
        engine: Which.
        cores: What a lone request may use.
        paddle_serving: The interpreter that has it, for that engine.
    """

    engine: Engine
    cores: Cores
    paddle_serving: Path


@dataclass(frozen=True)
class LoadedModel:
    """A version that reads lines, and pages where it is a pipeline."""

    recogniser: Recogniser
    reader: PageReader | None = None


def digest_manifests(folder: Path) -> dict[str, str]:
    """Return which bundles a model is made of: the SHA-256 of their manifests, by their folder.

    Each manifest vouches for the files of its bundle, and nothing but this for itself.
    """
    places = {part: folder / part / MANIFEST for part in ("", *PARTS)}
    return {part: sha256_of(place) for part, place in places.items() if place.is_file()}


def load_model(
    folder: Path, runtime: Runtime, *, manifests: Mapping[str, str], is_proved: bool
) -> LoadedModel:
    """Load a recogniser's bundle, or the bundles of a pipeline beside each other.

    Args:
        folder: Of the recogniser, or of the folders `pipeline`, `detector`, `recogniser` and, of a
            cascade, `second`.
        runtime: What runs it.
        manifests: What `digest_manifests` told of the folder when the model was fetched.
        is_proved: Whether its golden images have been read as promised before; else they are.

    Raises:
        OcrError: A bundle is damaged, another than was fetched, does not load or reads something
            else.
    """
    if digest_manifests(folder) != manifests:
        raise BadData(f"{folder} holds other bundles than were fetched")
    if (folder / PIPELINE).is_dir():
        return _load_pipeline(folder, runtime, is_proved=is_proved)
    recogniser = ENGINES[runtime.engine].recogniser(folder, runtime)
    if not is_proved:
        for read in (_read_together, _read_alone):
            prove_lines(folder, partial(read, recogniser))
    return LoadedModel(recogniser)


def _load_pipeline(folder: Path, runtime: Runtime, *, is_proved: bool) -> LoadedModel:
    manifest = read_pipeline(folder / PIPELINE)
    engine = ENGINES[runtime.engine]
    detector = engine.detector(folder / DETECTOR, runtime)

    def load(recogniser: str) -> Recogniser:
        copy = RECOGNISER if recogniser == manifest.recogniser else SECOND
        return engine.recogniser(folder / copy, runtime)

    recogniser = load_recognisers(manifest, load)
    reader = PageReader(
        detector,
        recogniser,
        gaps=read_gap_model(folder / PIPELINE, manifest),
        min_confidence=manifest.min_confidence or 0.0,
        name=f"{manifest.name}:{manifest.version}",
    )
    if not is_proved:
        prove_pages(folder / PIPELINE, lambda page: reader.read(decode_golden(page)).lines)
    return LoadedModel(recogniser, reader)


def _read_together(recogniser: Recogniser, images: Sequence[bytes]) -> list[str]:
    answers = recogniser.recognise([decode_golden(image) for image in images])
    return [answer.text for answer in answers]


def _read_alone(recogniser: Recogniser, images: Sequence[bytes]) -> list[str]:
    """Crops of many requests are read together, and must read the same either way."""
    return [text for image in images for text in _read_together(recogniser, [image])]


def _load_onnx_detector(bundle: Path, runtime: Runtime) -> Detector:
    return OnnxDetector.load(bundle, cores=runtime.cores)


def _load_onnx_recogniser(bundle: Path, runtime: Runtime) -> Recogniser:
    return OnnxRecogniser.load(bundle, cores=runtime.cores)


def _load_with_paddle(bundle: Path, runtime: Runtime) -> Recogniser:
    # Paddle takes a second and 300 MB to import, and a worker of ONNX Runtime has none.
    from serving.engines.paddle_inference import PaddleNet

    read_recogniser_bundle(bundle)
    return NetRecogniser(bundle, PaddleNet(bundle, predictors=1), cores=runtime.cores)


def _serve_detector(bundle: Path, runtime: Runtime) -> Detector:
    return NetDetector(bundle, _start_serving(read_detector_bundle, bundle, runtime))


def _serve_recogniser(bundle: Path, runtime: Runtime) -> Recogniser:
    net = _start_serving(read_recogniser_bundle, bundle, runtime)
    return NetRecogniser(bundle, net, cores=runtime.cores)


def _start_serving(
    verify: Callable[[Path], ModelManifest], bundle: Path, runtime: Runtime
) -> PaddleServingNet:
    """Start Paddle Serving over a bundle's legacy form.

    Its files are verified before each process that loads them, also one that replaces another.
    Where they have changed since, this worker ends: until they are mended the others read.
    """
    first: ModelManifest | None = None

    def start() -> PipelineProcess:
        nonlocal first
        try:
            manifest = verify(bundle)
            if first not in (None, manifest):
                raise BadData(f"{bundle} has become another bundle")
        except OcrError as error:
            if first is None:
                raise
            LOG.error("a worker ends: %s", error)
            os._exit(1)
        first = manifest
        version = f"{manifest.name}:{manifest.version}"
        return PipelineProcess(runtime.paddle_serving, bundle, version=version)

    return PaddleServingNet(start, processes=1)


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
