"""Exports a checkpoint to a bundle with all forms and proves that they read alike.

python -m training export DIR/job.json
"""

import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import paddle
from numpy.typing import NDArray

from configs.jobs import ExportJob, ExportResult
from configs.settings import read_settings
from ocr.bundle import CARD, CHARSET, MANIFEST, ONNX_MODEL, PADDLE_FOLDER, write_manifest
from ocr.charset import Charset
from ocr.image import Image
from ocr.preprocess import InputSpec
from ocr.recogniser import OnnxRecogniser, run_in_batches
from ocr.snapshot_manifest import SnapshotManifest
from ocr.store import S3Credentials, Store, open_store
from ocr.store.folder import download_folder
from training.card import render_card
from training.checkpoint import load_checkpoint
from training.golden import read_golden_images, write_golden_inputs, write_golden_outputs
from training.legacy_export import LegacyExport
from training.onnx_form import export_onnx
from training.paddle_form import export_paddle, read_paddle
from training.parity import ParityProof, Reading
from training.recogniser_net import NetSpec

BUNDLE = "bundle"
CHECKPOINT = "checkpoint"
PARITY = "parity"


def export_model(job: ExportJob, folder: Path) -> ExportResult:
    """Export the checkpoint of a job to `folder/bundle`.

    Args:
        job: What to export.
        folder: The job's own; a bundle of an earlier run in it is replaced.

    Raises:
        ArtifactNotFound: The checkpoint or the snapshot is not in the store.
        BadData: One of them is damaged.
        ParityFailed: A form reads a golden image otherwise than the checkpoint does; the image
            is in `folder/parity`.
    """
    timings: dict[str, float] = {}
    part = folder / f"{BUNDLE}-part"
    for left_over in (part, folder / PARITY, folder / BUNDLE):
        shutil.rmtree(left_over, ignore_errors=True)
    with _timed(timings, "fetch_s"):
        store = _open_store(job.store)
        dataset = SnapshotManifest.from_bytes(store.read_bytes(f"{job.snapshot}/{MANIFEST}"))
        golden = read_golden_images(store, snapshot=job.snapshot, count=job.golden_images)
        checkpoint = download_folder(store, prefix=job.checkpoint, folder=folder / CHECKPOINT)
        write_golden_inputs(part, golden)
    proof, net_spec = _export_forms(
        checkpoint, part, images=[one.image for one in golden], work=folder, timings=timings
    )
    write_golden_outputs(part, golden, proof.expected.outputs)
    _complete(part, job, dataset=dataset, net_spec=net_spec, parity=proof.differences)
    part.rename(folder / BUNDLE)
    return ExportResult(bundle=BUNDLE, parity=proof.differences, timings=timings)


def _export_forms(
    checkpoint: Path,
    bundle: Path,
    *,
    images: Sequence[Image],
    work: Path,
    timings: dict[str, float],
) -> tuple[ParityProof, NetSpec]:
    """Write every form and read the golden images with each; the legacy one runs beside."""
    paddle.set_device("cpu")
    with LegacyExport(checkpoint, bundle, work) as legacy:
        with _timed(timings, "checkpoint_s"):
            net, net_spec = load_checkpoint(checkpoint)
            characters, spec = net_spec.charset, input_spec(net_spec)
            expected = _read_checkpoint(net, images, spec=spec, characters=characters)
        proof = ParityProof(expected, images, work / PARITY)
        folder = bundle / PADDLE_FOLDER
        with _timed(timings, "paddle_s"):
            export_paddle(net, spec, characters=characters, folder=folder)
            for form, onednn in (("paddle", False), ("paddle-onednn", True)):
                found = read_paddle(folder, images, layout=spec.layout, onednn=onednn)
                proof.check(form, found)
        with _timed(timings, "onnx_s"):
            export_onnx(folder, bundle / ONNX_MODEL)
            Charset(characters).write(bundle / CHARSET)
            proof.check("onnx", _read_onnx(bundle, images, spec=spec))
        with _timed(timings, "serving_wait_s"):
            proof.check("serving", Reading.of(legacy.wait(), characters))
    return proof, net_spec


def input_spec(net_spec: NetSpec) -> InputSpec:
    """Return the input of a net."""
    return InputSpec(net_spec.layout, net_spec.height_px, net_spec.width_px)


def _read_checkpoint(
    net: Any, images: Sequence[Image], *, spec: InputSpec, characters: Sequence[str]
) -> Reading:
    def run(x: NDArray[np.float32]) -> NDArray[np.float32]:
        with paddle.no_grad():
            return np.asarray(net(paddle.to_tensor(x)).numpy(), dtype=np.float32)

    return Reading.of(dict(run_in_batches(run, images=images, spec=spec)), characters)


def _read_onnx(bundle: Path, images: Sequence[Image], *, spec: InputSpec) -> Reading:
    charset = Charset.read(bundle / CHARSET)
    model = (bundle / ONNX_MODEL).read_bytes()
    recogniser = OnnxRecogniser(model, charset=charset, spec=spec, name="onnx")
    return Reading.of(dict(enumerate(recogniser.probabilities(images))), charset.characters)


def _complete(
    bundle: Path,
    job: ExportJob,
    *,
    dataset: SnapshotManifest,
    net_spec: NetSpec,
    parity: dict[str, float],
) -> None:
    """Write the card, and the manifest last."""
    created = datetime.now(UTC).isoformat(timespec="seconds")
    card = render_card(job=job, created=created, net_spec=net_spec, dataset=dataset, parity=parity)
    (bundle / CARD).write_text(card, encoding="utf-8")
    write_manifest(
        bundle,
        name=job.name,
        version=job.version,
        created=created,
        dataset_digest=dataset.digest,
        code_commit=job.code_commit,
        parameters=job.parameters,
        metrics=job.metrics,
        parent=job.parent,
        spec=input_spec(net_spec),
        parity=parity,
    )


def _open_store(uri: str) -> Store:
    return open_store(uri, s3=S3Credentials.of(read_settings()))


@contextmanager
def _timed(timings: dict[str, float], phase: str) -> Iterator[None]:
    start = time.monotonic()
    yield
    timings[phase] = round(time.monotonic() - start, 3)
