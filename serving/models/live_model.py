"""A model in service: one version that the workers have loaded."""

from dataclasses import dataclass

from ocr.models.bundle import DetectorManifest, RecogniserManifest
from ocr.models.pipeline import PipelineManifest
from serving.settings import Engine


@dataclass(frozen=True, eq=False)
class LiveModel:
    """One loaded version. A request holds it by reference from its first look to its answer.

    Attributes:
        key: What the workers know it by; they forget it when nobody holds this any more.
    """

    name: str
    version: str
    key: str
    engine: Engine
    manifest: RecogniserManifest | PipelineManifest
    loaded_at: str


@dataclass(frozen=True, eq=False)
class LivePipeline(LiveModel):
    """One loaded detector with what reads its lines: it reads pages, and lines too."""

    manifest: PipelineManifest
    detector: DetectorManifest
