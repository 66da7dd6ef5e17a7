"""Readers of registered versions, loaded from this machine's copies."""

from ocr.models.pipeline import read_pipeline
from ocr.reading.detection.detector import OnnxDetector
from ocr.reading.page_reader import PageReader
from ocr.reading.recognition.recogniser import OnnxRecogniser
from tasks.workspace import Workspace


def load_recogniser(workspace: Workspace, reference: str) -> OnnxRecogniser:
    """Load a recogniser by its reference."""
    return OnnxRecogniser.load(workspace.fetch_bundle(workspace.registry.resolve(reference)))


def load_detector(workspace: Workspace, reference: str, *, threads: int = 1) -> OnnxDetector:
    """Load a detector by its reference."""
    bundle = workspace.fetch_bundle(workspace.registry.resolve(reference))
    return OnnxDetector.load(bundle, threads=threads)


def load_pipeline(workspace: Workspace, reference: str, *, threads: int = 1) -> PageReader:
    """Load both parts of a pipeline by its reference, to read a page with so many threads."""
    model = workspace.registry.resolve(reference)
    manifest = read_pipeline(workspace.fetch_bundle(model))
    return PageReader(
        load_detector(workspace, manifest.detector, threads=threads),
        load_recogniser(workspace, manifest.recogniser),
        name=model.reference,
        threads=threads,
    )
