"""Who reads test lines: a model off the shelf, nets, nets with their texts, and cascades."""

import json
import resource
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import psutil

from configs.jobs import TrainResult
from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.image.pixels import Image
from ocr.models.bundle import CHARSET, read_recogniser_manifest
from ocr.models.charset import Charset
from ocr.models.pipeline import read_pipeline
from ocr.models.registry import ModelVersion
from ocr.reading.recognition.cascade import load_recognisers
from ocr.reading.recognition.decoder import Decoder, read_text_model
from ocr.reading.recognition.recogniser import OnnxRecogniser, Recogniser
from tasks.readers import NOBODY, load_line_contender, load_recogniser
from tasks.workspace import Workspace
from training.recognition.text_model import weigh_text_model

Timed = tuple[list[str], float]
"""The texts of a batch, and the processor seconds that they took."""


@dataclass(frozen=True)
class Reader:
    """Reads for one row of the table or more.

    Attributes:
        rows: The name of each, and of the row that it is compared with; empty: with none.
        read: Reads a batch of (H, W, 3) BGR images for each row.
        served: The row that reads in service.
        training: What the first row was trained on and how long.
    """

    rows: Mapping[str, str]
    read: Callable[[Sequence[Image]], list[Timed]]
    served: str
    training: str = ""


def list_readers(
    workspace: Workspace, models: Sequence[ModelVersion], *, baseline: str
) -> tuple[LineSnapshot, list[Reader]]:
    """Load a baseline and models; returns the dataset whose test lines all can read, too.

    Args:
        workspace: Where the models are.
        models: Recognisers, and pipelines: of these the recogniser, and the cascade if it is one.
        baseline: A key of `LINE_BASELINES`, or "none".

    Raises:
        SystemExit: A dataset is gone, or the test lines of two differ.
    """
    nets = [recogniser_of(workspace, model) for model in models]
    snapshots = [workspace.open_lines(find_dataset(workspace, net)) for net in nets]
    if len({snapshot.manifest.test_digest for snapshot in snapshots}) > 1:
        raise SystemExit("The datasets of these models have different test lines")
    readers: dict[str, Reader] = {}
    before = ""
    if baseline not in NOBODY:
        shelf = load_line_contender(workspace, baseline, snapshots[0])
        readers[shelf.name], before = _wrap(shelf, shelf.name), shelf.name
    for model, net, snapshot in zip(models, nets, snapshots, strict=True):
        if net.reference not in readers:
            readers[net.reference] = _load_net(workspace, net, snapshot, beside=before)
        before = net.reference
        if model.manifest.get("second_recogniser"):
            readers[model.reference] = _load_cascade(workspace, model, readers[before].served)
    return snapshots[0], list(readers.values())


def recogniser_of(workspace: Workspace, model: ModelVersion) -> ModelVersion:
    """Return the first recogniser of a pipeline; a recogniser as it is."""
    name = model.manifest.get("recogniser")
    return workspace.registry.resolve(str(name)) if name else model


def find_dataset(workspace: Workspace, model: ModelVersion) -> str:
    """Return the key of the snapshot that a model was trained on.

    Raises:
        SystemExit: It is gone.
    """
    digest = str(model.manifest["dataset_digest"])
    if not (key := workspace.find_snapshot(digest)):
        raise SystemExit(f"The store no longer holds dataset {digest[:12]} of {model.reference}")
    return key


def _load_net(
    workspace: Workspace, net: ModelVersion, snapshot: LineSnapshot, *, beside: str
) -> Reader:
    """Load a net that reads alone and, in the same pass, with a model of its texts."""
    bundle = workspace.fetch_bundle(net)
    recogniser = OnnxRecogniser.load(bundle, plain=True)
    charset = Charset.read(bundle / CHARSET)
    counted = read_text_model(bundle, read_recogniser_manifest(bundle))
    texts, said, served = counted, "with its texts", net.reference
    if counted is None:  # its export left them out: whether it was right in that is of interest
        gain, _ = weigh_text_model(snapshot, recogniser, charset)
        texts, said = gain.model if gain else None, "with its texts, which its export left out"
    rows, decoders = {net.reference: beside}, [Decoder(charset)]
    if texts is not None:
        name = f"{net.reference} {said}"
        rows[name] = net.reference
        decoders.append(Decoder(charset, texts))
        served = name if counted is not None else served
    read = partial(_read_once, recogniser, decoders)
    return Reader(rows, read, served, _describe_training(workspace, net, snapshot))


def _load_cascade(workspace: Workspace, pipeline: ModelVersion, beside: str) -> Reader:
    manifest = read_pipeline(workspace.fetch_bundle(pipeline))
    recogniser = load_recognisers(manifest, partial(load_recogniser, workspace))
    name = f"{pipeline.reference}, unsure lines by {manifest.second_recogniser}"
    return _wrap(recogniser, name, beside=beside)


def _wrap(recogniser: Recogniser, name: str, *, beside: str = "") -> Reader:
    def read(images: Sequence[Image]) -> list[Timed]:
        others_s, began = _others_s(), time.process_time()
        texts = [found.text for found in recogniser.recognise(images)]
        own_s = time.process_time() - began
        return [(texts, own_s + _others_s() - others_s)]

    return Reader({name: beside}, read, served=name)


def _others_s() -> float:
    """Return the processor seconds of all processes that this one started, as Tesseract."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent_s = ended.ru_utime + ended.ru_stime
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            spent_s += sum(child.cpu_times()[:4])  # its own, and of those that it has seen end
    return spent_s


def _read_once(
    recogniser: OnnxRecogniser, decoders: Sequence[Decoder], images: Sequence[Image]
) -> list[Timed]:
    """Run the net once and decode what it gives with each."""
    began = time.process_time()
    probabilities = recogniser.probabilities(images)
    net_s = time.process_time() - began
    read = []
    for decoder in decoders:
        began = time.process_time()
        texts = [decoder.decode(one).text for one in probabilities]
        read.append((texts, net_s + time.process_time() - began))
    return read


def _describe_training(workspace: Workspace, net: ModelVersion, snapshot: LineSnapshot) -> str:
    parameters, key = net.manifest["parameters"], net.manifest.get("checkpoint")
    said = str(parameters.get("net", "compact"))
    said += ", lines with surroundings" if snapshot.manifest.surroundings else ", lines alone"
    if not key or not workspace.store.exists(f"{key}/result.json"):
        return said
    content = workspace.store.read_bytes(f"{key}/result.json")
    minutes = TrainResult.model_validate_json(content).timings["train_s"] / 60
    *_, last = workspace.store.read_bytes(f"{key}/metrics.jsonl").splitlines()
    return f"{said}\n{json.loads(last)['step']} steps, {minutes:.0f} min"
