"""How a version gets into service: fetched, verified, loaded, proved, never half."""

import itertools
import threading
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from ocr.errors import (
    BadData,
    ParityFailed,
)
from ocr.models.bundle import ModelManifest, read_detector_bundle, read_recogniser_bundle
from ocr.models.pipeline import read_pipeline
from ocr.models.registry import ModelVersion, Registry
from serving.models.live_model import LiveModel, LivePipeline
from serving.settings import Engine
from serving.workers.crew import Crew
from serving.workers.model_files import DETECTOR, PIPELINE, RECOGNISER, SECOND

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Loader:
    """What loading takes.

    Attributes:
        registry: Where versions come from.
        crew: Whose workers read.
        engine: What they read with.
    """

    registry: Registry
    crew: Crew
    engine: Engine

    def load(self, version: ModelVersion, folder: Path) -> LiveModel:
        """Fetch a version into `folder` and have it loaded, its golden images read as promised.

        Raises:
            StoreUnavailable: The store does not answer; the same may work later.
            ProcessDied: A worker ended over it; the same.
            OcrError: The bundle is damaged, does not load, reads something else or is of a task
                that is not served.
        """
        fetch = TASKS.get(version.task)
        if fetch is None:
            raise BadData(f"{version.reference} does {version.task}, which alone is not served")
        live = fetch(self.registry, version, folder, self._facts(version))
        self.crew.load(live.key, folder)
        weakref.finalize(live, _unload, self.crew, live.key).atexit = False
        return live

    def mend(self, live: LiveModel, folder: Path) -> None:
        """Fetch what was changed of a model's copy anew; the workers that lack it load it then.

        Raises:
            OcrError: It cannot be fetched or replaced; the copy is as it was.
        """
        version = self.registry.version(live.name, live.version)
        TASKS[version.task](self.registry, version, folder, self._facts(version))

    def _facts(self, version: ModelVersion) -> dict[str, Any]:
        return {
            "name": version.name,
            "version": version.version,
            "key": f"{version.reference}#{next(_numbers)}",
            "engine": self.engine,
        }


Fetch = Callable[[Registry, ModelVersion, Path, Mapping[str, Any]], LiveModel]


def _fetch_recogniser(
    registry: Registry, version: ModelVersion, folder: Path, facts: Mapping[str, Any]
) -> LiveModel:
    manifest = read_recogniser_bundle(registry.download(version, folder))
    _check(manifest, version)
    return LiveModel(manifest=manifest, loaded_at=_now(), **facts)


def _fetch_pipeline(
    registry: Registry, version: ModelVersion, folder: Path, facts: Mapping[str, Any]
) -> LiveModel:
    """Fetch copies of the parts, so that they come and go with the pipeline."""
    manifest = read_pipeline(registry.download(version, folder / PIPELINE))
    _check(manifest, version)
    detector = registry.download(registry.resolve(manifest.detector), folder / DETECTOR)
    registry.download(registry.resolve(manifest.recogniser), folder / RECOGNISER)
    if manifest.second_recogniser:
        registry.download(registry.resolve(manifest.second_recogniser), folder / SECOND)
    return LivePipeline(
        manifest=manifest, detector=read_detector_bundle(detector), loaded_at=_now(), **facts
    )


def _check(manifest: ModelManifest, version: ModelVersion) -> None:
    if (manifest.name, manifest.version) != (version.name, version.version):
        raise ParityFailed(
            f"The bundle says {manifest.name}:{manifest.version}, expected {version.reference}"
        )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _unload(crew: Crew, key: str) -> None:
    """Have it forgotten, off the thread that held it last: it may be the event loop's."""
    threading.Thread(target=crew.unload, args=(key,), name="unload", daemon=True).start()


TASKS: Final[Mapping[str, Fetch]] = {
    "recognition": _fetch_recogniser,
    "pipeline": _fetch_pipeline,
}
