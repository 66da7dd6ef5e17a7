"""Readers of registered versions, loaded from this machine's copies, and baselines."""

from collections.abc import Callable

from ocr.dataset.labels.text_rule import USUAL, TextRule
from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.dataset.snapshot.manifest import SnapshotManifest
from ocr.dataset.snapshot.snapshot import MANIFEST
from ocr.models.pipeline import read_gap_model, read_pipeline
from ocr.reading.baselines import (
    FilteredRecogniser,
    RapidOcrPages,
    RapidOcrRecogniser,
    RewrittenPages,
    StockPaddleRecogniser,
    TesseractPages,
    TesseractRecogniser,
    WrittenAsLabels,
)
from ocr.reading.cores import ONE_CORE, Cores
from ocr.reading.detection.detector import OnnxDetector
from ocr.reading.page_reader import PageReader, ReadsPages
from ocr.reading.recognition.cascade import load_recognisers
from ocr.reading.recognition.recogniser import OnnxRecogniser, Recogniser
from tasks.workspace import Workspace

NOBODY = ("none", "number")
"""Opponents that read nothing."""
LINE_BASELINES: dict[str, Callable[[], Recogniser]] = {
    "rapidocr": RapidOcrRecogniser,
    "paddleocr": StockPaddleRecogniser,
    "tesseract": TesseractRecogniser,
}
PAGE_BASELINES: dict[str, Callable[[int], ReadsPages]] = {  # on so many threads
    "rapidocr": lambda threads: RapidOcrPages(threads=threads),
    "tesseract": lambda _: TesseractPages(),
}


def load_recogniser(
    workspace: Workspace, reference: str, *, cores: Cores = ONE_CORE, plain: bool = False
) -> OnnxRecogniser:
    """Load a recogniser by its reference; plain: as its forms read in other runtimes."""
    bundle = workspace.fetch_bundle(workspace.registry.resolve(reference))
    return OnnxRecogniser.load(bundle, cores=cores, plain=plain)


def load_line_reader(workspace: Workspace, reference: str) -> OnnxRecogniser:
    """Load a recogniser by its reference, or of a pipeline the one that reads best."""
    model = workspace.registry.resolve(reference)
    if model.task == "pipeline":
        pipeline = read_pipeline(workspace.fetch_bundle(model))
        reference = pipeline.second_recogniser or pipeline.recogniser
    return load_recogniser(workspace, reference)


def load_detector(
    workspace: Workspace, reference: str, *, cores: Cores = ONE_CORE, plain: bool = False
) -> OnnxDetector:
    """Load a detector by its reference; plain: as its forms find in other runtimes."""
    bundle = workspace.fetch_bundle(workspace.registry.resolve(reference))
    return OnnxDetector.load(bundle, cores=cores, plain=plain)


def load_pipeline(
    workspace: Workspace,
    reference: str,
    *,
    threads: int = 1,
    plain: bool = False,
    sets_aside: bool = True,
) -> PageReader:
    """Load the parts of a pipeline by its reference, to read a page on so many cores.

    It sets lines aside unless all are wanted, in reading order.
    Plain: its first recogniser reads alone, as its forms do in other runtimes; no line is parted or
    set aside.
    """
    model = workspace.registry.resolve(reference)
    cores = Cores(threads)
    folder = workspace.fetch_bundle(model)
    manifest = read_pipeline(folder)

    def load(recogniser: str) -> OnnxRecogniser:
        return load_recogniser(workspace, recogniser, cores=cores, plain=plain)

    return PageReader(
        load_detector(workspace, manifest.detector, cores=cores, plain=plain),
        load(manifest.recogniser) if plain else load_recognisers(manifest, load),
        gaps=None if plain else read_gap_model(folder, manifest),
        min_confidence=(sets_aside and not plain and manifest.min_confidence) or 0.0,
        name=model.reference,
    )


def read_text_rule(workspace: Workspace, reference: str) -> TextRule:
    """Return how the texts were written that a version learnt from; USUAL if nobody knows."""
    digest = str(workspace.registry.resolve(reference).manifest["dataset_digest"])
    key = workspace.find_snapshot(digest)
    if not key:
        return USUAL
    return SnapshotManifest.from_bytes(workspace.store.read_bytes(f"{key}/{MANIFEST}")).texts


def load_line_contender(
    workspace: Workspace, name: str, labels: LineSnapshot, *, threads: int = 1
) -> Recogniser:
    """Load who reads labelled lines, a version by its reference or a baseline by its name.

    A baseline answers as these labels are written.
    """
    if name in LINE_BASELINES:
        return FilteredRecogniser(
            LINE_BASELINES[name](),
            WrittenAsLabels(labels.charset.characters, labels.manifest.texts.apply),
        )
    return load_recogniser(workspace, name, cores=Cores(threads))


def load_page_contender(
    workspace: Workspace, name: str, labels: PageSnapshot, *, threads: int = 1
) -> ReadsPages:
    """Load who reads labelled pages; see `load_line_contender`."""
    if name in PAGE_BASELINES:
        return RewrittenPages(PAGE_BASELINES[name](threads), rewrite=labels.manifest.texts.apply)
    return load_pipeline(workspace, name, threads=threads)
