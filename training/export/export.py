"""Exports a checkpoint to a bundle with all forms and proves that they answer alike.

python -m training export-recogniser|export-detector DIR/job.json
"""

import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import paddle

from configs.jobs import ExportJob, ExportResult
from configs.settings import Settings
from ocr.dataset.snapshot.manifest import SnapshotManifest
from ocr.image.pixels import Image
from ocr.models.bundle import (
    CARD,
    INT8_MODEL,
    MANIFEST,
    ONNX_MODEL,
    PADDLE_FOLDER,
    write_manifest,
)
from ocr.models.golden import write_golden_inputs, write_golden_outputs
from ocr.store import S3Credentials, Store, open_store
from ocr.store.folder import download_folder
from training.export.card import render_card
from training.export.golden_images import GoldenImage, read_golden_images
from training.export.kinds import load_export
from training.export.legacy import LegacyExport
from training.forms.exportable import Exportable
from training.forms.onnx import export_onnx
from training.forms.paddle import export_paddle, load_predictor, read_config
from training.forms.parity import ParityProof, Reading
from training.job import CHECKPOINT, SNAPSHOT

BUNDLE = "bundle"
PARITY = "parity"

Output = TypeVar("Output")


def export_model(job: ExportJob, folder: Path) -> ExportResult:
    """Export the checkpoint of a job to `folder/bundle`.

    Args:
        job: What to export.
        folder: The job's own; a bundle of an earlier run in it is replaced.

    Raises:
        ArtifactNotFound: The checkpoint or the snapshot is not in the store.
        BadData: One of them is damaged.
        ParityFailed: A form answers a golden image otherwise than the checkpoint does; the image
            is in `folder/parity`.
    """
    timings: dict[str, float] = {}
    part = folder / f"{BUNDLE}-part"
    for left_over in (part, folder / PARITY, folder / BUNDLE):
        shutil.rmtree(left_over, ignore_errors=True)
    paddle.set_device("cpu")
    with _timed(timings, "fetch_s"):
        store = _open_store(job.store)
        dataset = SnapshotManifest.from_bytes(store.read_bytes(f"{job.snapshot}/{MANIFEST}"))
        golden = read_golden_images(store, snapshot=job.snapshot, count=job.golden_images)
        checkpoint = download_folder(store, prefix=job.checkpoint, folder=folder / CHECKPOINT)
    with _timed(timings, "checkpoint_s"):
        model = load_export(job.kind, checkpoint)
        golden = [replace(one, image=model.fit_golden(one.image)) for one in golden]
        images = [one.image for one in golden]
        write_golden_inputs(part, images)
    with LegacyExport(job.kind, checkpoint, part, folder) as legacy:
        proof = _export_forms(model, part, images=images, work=folder, timings=timings)
        with _timed(timings, "refine_s"):
            further = model.refine(part, job=job, store=store, folder=folder / SNAPSHOT)
        with _timed(timings, "serving_wait_s"):
            proof.check("serving", model.reader.decode(legacy.wait()))
    golden += [GoldenImage(image, sample) for image, sample in further]
    _write_golden(part, model, proof.expected, golden)
    _complete(part, job, model, dataset=dataset, parity=proof.differences)
    part.rename(folder / BUNDLE)
    return ExportResult(kind=job.kind, bundle=BUNDLE, parity=proof.differences, timings=timings)


def _export_forms(
    model: Exportable[Output],
    bundle: Path,
    *,
    images: Sequence[Image],
    work: Path,
    timings: dict[str, float],
) -> ParityProof[Output]:
    """Write every form but the legacy one, and read the golden images with each."""
    with _timed(timings, "reference_s"):
        expected = model.reader.decode(model.reader.infer(model.net.answer, images))
    proof = ParityProof(expected, images, work / PARITY, compare=model.compare)
    folder = bundle / PADDLE_FOLDER
    with _timed(timings, "paddle_s"):
        export_paddle(model.net, config=model.config(), folder=folder)
        reader = model.stock_reader(read_config(folder))
        for form, onednn in (("paddle", False), ("paddle-onednn", True)):
            found = reader.infer(load_predictor(folder, onednn=onednn), images)
            proof.check(form, reader.decode(found))
    with _timed(timings, "onnx_s"):
        export_onnx(folder, bundle / ONNX_MODEL, dimensions=model.dimensions)
        model.write_files(bundle)
        proof.check("onnx", model.read_onnx(bundle, images))
    return proof


def _write_golden(
    bundle: Path,
    model: Exportable[Output],
    expected: Reading[Output],
    golden: Sequence[GoldenImage],
) -> None:
    """Write what is read on the images of the parity proof, and on those that follow them."""
    further = model.read_onnx(bundle, [one.image for one in golden[len(expected.outputs) :]])
    outputs = (*expected.outputs, *further.outputs)
    probabilities = (*expected.probabilities, *further.probabilities)
    if (bundle / INT8_MODEL).exists():
        images = [one.image for one in golden]
        probabilities = model.read_onnx(bundle, images, form=INT8_MODEL).probabilities
    answers = zip(outputs, probabilities, golden, strict=True)
    write_golden_inputs(bundle, [one.image for one in golden])
    write_golden_outputs(bundle, (model.record(o, p, one.sample) for o, p, one in answers))


def _complete(
    bundle: Path,
    job: ExportJob,
    model: Exportable[Any],
    *,
    dataset: SnapshotManifest,
    parity: dict[str, float],
) -> None:
    """Write the card, and the manifest last."""
    created = datetime.now(UTC).isoformat(timespec="seconds")
    template, words = model.card()
    card = render_card(
        template, job=job, created=created, dataset=dataset, parity=parity, model=words
    )
    (bundle / CARD).write_text(card, encoding="utf-8")
    manifest = model.manifest(
        name=job.name,
        version=job.version,
        created=created,
        dataset_digest=dataset.digest,
        code_commit=job.code_commit,
        checkpoint=job.checkpoint,
        parent=job.parent,
        parameters=job.parameters,
        metrics=job.metrics,
        parity=parity,
    )
    write_manifest(bundle, manifest)


def _open_store(uri: str) -> Store:
    return open_store(uri, s3=S3Credentials.of(Settings()))


@contextmanager
def _timed(timings: dict[str, float], phase: str) -> Iterator[None]:
    start = time.monotonic()
    yield
    timings[phase] = round(time.monotonic() - start, 3)
