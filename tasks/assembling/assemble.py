"""A detector and a recogniser or two under one version, with pages to prove what they read."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from prefect import task

from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.dataset.preparation import SnapshotRef
from ocr.errors import ArtifactExists
from ocr.image.pixels import Image
from ocr.models.bundle import read_detector_manifest
from ocr.models.detector_spec import PageSpec
from ocr.models.page_line import PageLine
from ocr.models.pipeline import (
    GAP_GAIN,
    MIN_CONFIDENCE_GAIN,
    PipelineManifest,
    join_metrics,
    write_pipeline,
)
from ocr.models.provenance import name_code
from ocr.processors import count_processors
from ocr.reading.cores import Cores
from ocr.reading.detection.page_input import fit_page
from ocr.reading.page_reader import PageReader
from ocr.reading.recognition.cascade import load_recognisers
from ocr.store.digest import stage_key
from ocr.store.folder import mark_used
from tasks.assembling.cascade import weigh_cascade
from tasks.assembling.gaps import weigh_gaps
from tasks.assembling.set_aside import weigh_set_aside
from tasks.readers import load_detector, load_recogniser
from tasks.references import CascadeRef, ModelRef
from tasks.run.alone import alone
from tasks.run.narration import narrate
from tasks.run.retries import may_help
from tasks.workspace import Workspace, open_workspace

GOLDEN_PAGES = 4


@task(name="assemble", retries=2, retry_delay_seconds=[2, 10], retry_condition_fn=may_help)
def assemble_pipeline(
    name: str,
    detector: ModelRef,
    recogniser: ModelRef,
    pages: SnapshotRef,
    cascade: CascadeRef | None = None,
) -> ModelRef:
    """Register a version that names its parts, or find it."""
    workspace = open_workspace()
    own: dict[str, Any] = {"cascade": _name_cascade(cascade)} if cascade else {}
    key = stage_key(
        "assemble",
        detector=detector.reference,
        recogniser=recogniser.reference,
        pages=pages.digest,
        golden=GOLDEN_PAGES,
        **own,
    )
    version = key[:12]
    with alone(workspace.home, f"assemble-{name}-{version}", stage="export") as place:
        mark_used(workspace.store, prefix=f"models/{name}/{version}")
        cached = workspace.registry.has_version(name, version)
        if not cached:
            with place.emptied() as folder:
                _assemble(
                    workspace,
                    folder,
                    name=name,
                    version=version,
                    detector=detector.reference,
                    recogniser=recogniser.reference,
                    pages=pages,
                    cascade=cascade,
                )
                with suppress(ArtifactExists):  # another machine was faster; its version counts
                    workspace.registry.register(name, version, folder)
    narrate("export", f"{'found' if cached else 'assembled'} {name}:{version} of its parts")
    return ModelRef(name, version, checkpoints=detector.checkpoints + recogniser.checkpoints)


def _assemble(
    workspace: Workspace,
    folder: Path,
    *,
    name: str,
    version: str,
    detector: str,
    recogniser: str,
    pages: SnapshotRef,
    cascade: CascadeRef | None,
) -> None:
    gain = weigh_cascade(workspace, cascade, recogniser=recogniser) if cascade else None
    manifest = PipelineManifest(
        name=name,
        version=version,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        dataset_digest=pages.digest,
        code_commit=name_code(),
        parameters={"cascade": _name_cascade(cascade)} if cascade else {},
        metrics={
            **join_metrics(*map(workspace.registry.resolve, (detector, recogniser))),
            **(gain.metrics if gain else {}),
        },
        parity={},
        detector=detector,
        recogniser=recogniser,
        second_recogniser=cascade.recogniser if cascade and gain and gain.pays else None,
        reread_below=gain.below if gain and gain.pays else None,
    )
    cores = Cores(count_processors())
    detects = load_detector(workspace, detector, cores=cores)
    reads = load_recognisers(manifest, partial(load_recogniser, workspace, cores=cores))
    labelled = workspace.open_pages(pages.key)
    parted = weigh_gaps(PageReader(detects, reads), reads, labelled)
    gaps = parted.model if parted and parted.gain.pays else None
    aside = weigh_set_aside(PageReader(detects, reads, gaps=gaps), labelled)
    manifest = manifest.model_copy(
        update={
            "metrics": {
                **manifest.metrics,
                **(parted.gain.metrics(GAP_GAIN) if parted else {}),
                **(aside.gain.metrics(MIN_CONFIDENCE_GAIN) if aside else {}),
            },
            "min_confidence": aside.min_confidence if aside and aside.gain.pays else None,
        }
    )
    reader = PageReader(detects, reads, gaps=gaps, min_confidence=manifest.min_confidence or 0.0)
    spec = read_detector_manifest(
        workspace.fetch_bundle(workspace.registry.resolve(detector))
    ).input
    write_pipeline(
        folder,
        manifest,
        pages=_read_golden(reader, labelled, spec),
        gaps=gaps,
    )


def _name_cascade(cascade: CascadeRef) -> dict[str, str | float]:
    return {
        "recogniser": cascade.recogniser,
        "time_factor": cascade.time_factor,
        "lines": cascade.lines.digest,
    }


def _read_golden(
    reader: PageReader, pages: PageSnapshot, spec: PageSpec
) -> Iterator[tuple[Image, tuple[PageLine, ...]]]:
    """Yield the first test pages, of the size that the detector takes, with what they read."""
    for sample in islice(pages.samples("test"), GOLDEN_PAGES):
        image = fit_page(pages.image(sample), spec)
        yield image, reader.read(image).lines
