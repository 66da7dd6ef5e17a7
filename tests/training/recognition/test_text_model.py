"""A text model gets into the bundle if it helps on the validation lines, with lines to prove it."""

import shutil
from pathlib import Path

import pytest

from configs.jobs import ExportRecogniserJob
from ocr.dataset.snapshot.manifest import SnapshotManifest
from ocr.models.bundle import TEXT_MODEL
from ocr.models.charset import Charset
from ocr.models.text_model import TextModel, count_ngrams
from ocr.reading.recognition.recogniser import OnnxRecogniser
from ocr.report.lineage import describe_part
from ocr.store import open_store
from tests.training.export.line_store import CHARACTERS, TRAIN, blotches, line_store
from training.export.card import render_card
from training.export.export import export_model
from training.recognition.export import RecogniserExport, load_recogniser_export

CHARSET = Charset(CHARACTERS)
NUMBERS = range(1000, 2200)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A job that was done: its net reads nothing right, so no text model helps."""
    root = tmp_path_factory.mktemp("exported")
    _, job = line_store(root, layout="line")
    export_model(job, root)
    return root


@pytest.fixture(scope="module")
def readings(exported: Path) -> dict[int, tuple[str, str]]:
    """What the net reads alone and with a text model, where that is another labelled text."""
    model = TextModel(*count_ngrams(TRAIN.values(), CHARSET), weight=0.5)
    onnx = (exported / "bundle/onnx/model.onnx").read_bytes()
    spec = load_recogniser_export(exported / "checkpoint").manifest(**facts()).input
    plain, reader = (
        OnnxRecogniser(onnx, charset=CHARSET, spec=spec, name="toy", text_model=one)
        for one in (None, model)
    )
    images = [blotches(number) for number in NUMBERS]
    read = zip(NUMBERS, plain.recognise(images), reader.recognise(images), strict=True)
    return {n: (a.text, b.text) for n, a, b in read if a.text != b.text and is_label(b.text)}


def is_label(text: str) -> bool:
    return text == " ".join(text.split()) != ""


@pytest.fixture(scope="module")
def val(readings: dict[int, tuple[str, str]]) -> dict[int, str]:
    """Texts of validation lines that the net reads so with a text model only."""
    return {number: counted for number, (_, counted) in readings.items()}


@pytest.fixture(scope="module")
def val_without(readings: dict[int, tuple[str, str]]) -> dict[int, str]:
    """Texts of validation lines that the net reads so without a text model only."""
    return {number: alone for number, (alone, _) in readings.items() if is_label(alone)}


def refine(
    exported: Path, root: Path, val: dict[int, str], **changes: object
) -> tuple[RecogniserExport, Path, int]:
    """Refine a copy of what was exported; count the golden images that prove it."""
    store, job = line_store(root, layout="line", val=val)
    bundle = root / "bundle"
    shutil.copytree(exported / "bundle", bundle)
    export = load_recogniser_export(exported / "checkpoint")
    changed = job.model_copy(update=changes)
    golden = export.refine(bundle, job=changed, store=store, folder=root / "snapshot")
    return export, bundle, len(golden)


def facts() -> dict[str, object]:
    return {
        "name": "toy", "version": "1", "created": "2026-11-22T00:00:00Z", "dataset_digest": "",
        "code_commit": "", "parameters": {}, "metrics": {"accuracy": 0.5}, "parity": {},
    }  # fmt: skip


def test_a_text_model_that_helps_is_a_file_of_the_bundle(
    exported: Path, tmp_path: Path, val: dict[int, str]
) -> None:
    export, bundle, golden = refine(exported, tmp_path, val)

    metrics = export.manifest(**facts()).metrics
    assert TextModel.read(bundle / TEXT_MODEL).weight == pytest.approx(0.5, abs=0.11)
    assert 0 < metrics["text_model_gain_lower"] <= metrics["text_model_gain"] == 1.0
    assert metrics["accuracy"] == 0.5
    assert golden == 8
    assert "reads with `texts.npz`" in card_of(export, tmp_path)


def test_what_is_recorded_is_what_the_texts_say_and_what_the_net_does(
    exported: Path, tmp_path: Path, val: dict[int, str]
) -> None:
    export, bundle, _ = refine(exported, tmp_path, val)
    images = [blotches(number) for number in val]
    reading = export.read_onnx(bundle, images)

    records = [
        export.record(*found, {"text": "?"})
        for found in zip(reading.outputs, reading.probabilities, strict=True)
    ]

    assert [one["greedy"] for one in records] == [output.text for output in reading.outputs]
    assert [one["text"] for one in records] == list(val.values())


def test_none_is_looked_for_when_it_is_not_wanted(
    exported: Path, tmp_path: Path, val: dict[int, str]
) -> None:
    export, bundle, golden = refine(exported, tmp_path, val, text_model=False)

    assert not (bundle / TEXT_MODEL).exists()
    assert golden == 0
    assert export.manifest(**facts()).metrics == {"accuracy": 0.5}


def test_one_that_does_not_help_is_left_out_and_the_card_says_so(exported: Path) -> None:
    card = (exported / "bundle/card.md").read_text(encoding="utf-8")

    assert not (exported / "bundle" / TEXT_MODEL).exists()
    assert (
        "A model of the training texts was left out, as it helps with a probability of less than "
        "about 80%." in card
    )
    assert "(60 % interval +0.0000 to +0.0000)" in card
    assert "| text_model_gain |" not in card


def test_card_and_report_say_that_fewer_lines_are_read_right(
    exported: Path, tmp_path: Path, val_without: dict[int, str]
) -> None:
    export, bundle, golden = refine(exported, tmp_path, val_without)

    reason = "left out, as fewer validation lines are read exactly right with it"
    assert f"A model of the training texts was {reason}." in card_of(export, tmp_path)
    assert report_of(export).startswith(f"{reason}; validation lines read right: -")
    assert not (bundle / TEXT_MODEL).exists()
    assert golden == 0


def test_card_and_report_say_that_one_document_cannot_tell(
    exported: Path, tmp_path: Path, val: dict[int, str]
) -> None:
    one = dict(list(val.items())[:1])

    export, _, _ = refine(exported, tmp_path, one)

    card = card_of(export, tmp_path)
    reason = "left out, as the validation lines are of one document, which cannot tell whether it"
    assert f"A model of the training texts was {reason} helps." in card
    assert "interval" not in card
    assert report_of(export) == f"{reason} helps; validation lines read right: +0.0000"


def report_of(export: RecogniserExport) -> str:
    return describe_part(export.manifest(**facts()), environment={}).text_model


def card_of(export: RecogniserExport, root: Path) -> str:
    store = open_store(str(root / "store"))
    (snapshot,) = {k.rpartition("/")[0] for k in store.list("datasets/toy") if "manifest" in k}
    template, words = export.card()
    return render_card(
        template,
        job=ExportRecogniserJob(
            store="", snapshot="", checkpoint="", name="toy", version="1", parameters={},
            metrics={}, text_model=True,
        ),
        created="",
        dataset=SnapshotManifest.from_bytes(store.read_bytes(f"{snapshot}/manifest.json")),
        parity={},
        model=words,
    )  # fmt: skip
