"""Exports of PP-OCRv6's recogniser: the same forms, the same proof, and what its license asks."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from configs.jobs import ExportRecogniserJob
from ocr.models.bundle import NOTICE, read_recogniser_bundle
from ocr.models.golden import read_golden_inputs
from ocr.reading.recognition.recogniser import OnnxRecogniser
from tests.training.export.card_code import read_by_card
from tests.training.export.line_store import fill_store
from tests.training.recognition.ppocr_v6.weights import needs_rapidocr, read_graph, start
from tests.training.recognition.toy_lines import draw_digits
from training.export.export import export_model
from training.forms.paddle import read_config
from training.forms.parity import LARGEST_DIFFERENCE
from training.loop.checkpoint import read_weights
from training.recognition.export import inference_config

pytestmark = needs_rapidocr


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of the net as it is before any training."""
    root = tmp_path_factory.mktemp("pretrained")
    begun = start()
    weights = begun.frozen | read_weights(begun.build())
    _, job = fill_store(root, weights=weights, spec=begun.spec)
    return export(job, root / "job")


def export(job: ExportRecogniserJob, folder: Path) -> Path:
    folder.mkdir()
    return folder / export_model(job, folder).bundle


def test_every_form_answers_as_the_checkpoint(bundle: Path) -> None:
    manifest = read_recogniser_bundle(bundle)

    assert manifest.parity.keys() == {"paddle", "paddle-onednn", "onnx", "serving"}
    assert max(manifest.parity.values()) < LARGEST_DIFFERENCE


def test_the_bundle_reads_before_any_training(bundle: Path) -> None:
    recogniser = OnnxRecogniser.load(bundle)
    rng = np.random.default_rng(0)
    texts = ["1011", "0", "0110100111"]

    found = recogniser.recognise([draw_digits(text, rng=rng) for text in texts])

    assert [one.text for one in found] == texts


def test_a_line_reads_the_same_in_company(bundle: Path) -> None:
    recogniser = OnnxRecogniser.load(bundle)
    images = list(read_golden_inputs(bundle))

    together = recogniser.probabilities(images)

    for image, frames in zip(images, together, strict=True):
        np.testing.assert_allclose(recogniser.probabilities([image])[0], frames, atol=1e-4)


def test_the_program_on_the_card_pads_as_the_net_learnt_it(bundle: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    lines = [draw_digits("1" + "0" * length, rng=rng) for length in range(12)]

    found = read_by_card(bundle, lines, folder=tmp_path)

    read = OnnxRecogniser.load(bundle, plain=True).recognise(lines)
    assert found == [one.text for one in read]


def test_the_bundle_says_whose_weights_were_modified(bundle: Path) -> None:
    notice = (bundle / NOTICE).read_text(encoding="utf-8")
    card = (bundle / "card.md").read_text(encoding="utf-8")

    assert "PP-OCRv6_small_rec" in notice
    assert "THE WEIGHTS WERE MODIFIED" in notice
    assert "Apache License\n                           Version 2.0" in notice
    assert NOTICE in read_recogniser_bundle(bundle).files
    assert "The weights were modified: PP-OCRv6_small_rec" in card


def test_all_characters_of_ppocr_pass_through_yaml(tmp_path: Path) -> None:
    characters = read_graph().characters
    config = inference_config(start(keep_charset=True).input, characters)
    text = yaml.safe_dump(config, allow_unicode=True, sort_keys=False)
    (tmp_path / "inference.yml").write_text(text, encoding="utf-8")

    assert read_config(tmp_path)["PostProcess"]["character_dict"] == list(characters)
