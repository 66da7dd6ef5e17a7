"""A model in service: one loaded version."""

from dataclasses import dataclass

from ocr.models.bundle import DetectorManifest, RecogniserManifest
from ocr.models.pipeline import PipelineManifest
from ocr.reading.page_reader import ReadsPages
from ocr.reading.recognition.recogniser import Recogniser
from serving.settings import Engine


@dataclass(frozen=True, eq=False)
class LiveModel:
    """One loaded version. A request holds it by reference from its first look to its answer."""

    name: str
    version: str
    engine: Engine
    recogniser: Recogniser
    manifest: RecogniserManifest | PipelineManifest
    loaded_at: str


@dataclass(frozen=True, eq=False)
class LivePipeline(LiveModel):
    """One loaded detector with what reads its lines: it reads pages, and lines too."""

    reader: ReadsPages
    detector: DetectorManifest
