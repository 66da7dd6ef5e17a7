"""The Paddle engine reads as ONNX Runtime does, also when many threads ask at once."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import tests.training.conftest  # noqa: F401  (paddle, its import warnings aside)
from bench.serve.untrained_bundle import write_untrained_bundle
from ocr.errors import BadData
from ocr.image.pixels import Image, encode_png
from ocr.models.bundle import (
    INT8_MODEL,
    ONNX_MODEL,
    read_recogniser_manifest,
    write_manifest,
)
from ocr.models.charset import Charset
from ocr.models.registry import Registry
from ocr.models.text_model import TextModel, count_ngrams
from ocr.reading.cores import ONE_CORE
from ocr.reading.recognition.line_input import fit_line, to_line_batch
from ocr.reading.recognition.recogniser import OnnxRecogniser
from ocr.store import open_store
from serving.engines.net_readers import NetRecogniser
from serving.engines.paddle_inference import PaddleNet
from tests.serving.gateway import running_gateway
from training.forms.int8 import export_int8


def noise(count: int) -> list[Image]:
    random = np.random.default_rng(7)
    return [
        np.repeat(
            random.integers(0, 256, (32, int(random.integers(10, 60)), 3), dtype=np.uint8), 4, 1
        )
        for _ in range(count)
    ]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("paddle") / "bundle"
    return write_untrained_bundle(folder, images=noise(3), size="small")


def load(bundle: Path, *, predictors: int = 1) -> NetRecogniser:
    return NetRecogniser(bundle, PaddleNet(bundle, predictors=predictors), cores=ONE_CORE)


def test_paddle_reads_as_onnx_does(bundle: Path) -> None:
    images = noise(24)

    paddle = load(bundle).recognise(images)
    onnx = OnnxRecogniser.load(bundle).recognise(images)

    assert [answer.text for answer in paddle] == [answer.text for answer in onnx]
    assert any(answer.text for answer in onnx)
    np.testing.assert_allclose(
        [answer.confidence for answer in paddle],
        [answer.confidence for answer in onnx],
        atol=1e-4,
    )


def test_both_engines_read_with_the_text_model(bundle: Path, tmp_path: Path) -> None:
    counted = tmp_path / "bundle"
    shutil.copytree(bundle, counted)
    charset = Charset.read(counted / "charset.txt")
    texts = ["ABC", "2026", "TOTAL"]
    TextModel(*count_ngrams(texts, charset), weight=4.0).write(counted / "texts.npz")
    write_manifest(counted, read_recogniser_manifest(counted))
    images = noise(24)

    paddle = load(counted).recognise(images)

    read = [answer.text for answer in paddle]
    assert read == [answer.text for answer in OnnxRecogniser.load(counted).recognise(images)]
    assert read != [answer.text for answer in OnnxRecogniser.load(bundle).recognise(images)]


def test_threads_never_get_each_others_answers(bundle: Path) -> None:
    recogniser = load(bundle, predictors=2)
    images = noise(40)
    alone = [recogniser.recognise([image])[0].text for image in images]

    with ThreadPoolExecutor(6) as threads:
        together = list(threads.map(lambda image: recogniser.recognise([image])[0].text, images))

    assert together == alone


def test_charset_of_another_model_is_refused(bundle: Path, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    shutil.copytree(bundle, folder)
    Charset(("A", "B")).write(folder / "charset.txt")
    write_manifest(folder, read_recogniser_manifest(folder))

    with pytest.raises(BadData, match=r"charset\.txt has 3"):
        load(folder).recognise(noise(1))


def test_what_was_evaluated_in_8_bits_is_not_read_otherwise(bundle: Path, tmp_path: Path) -> None:
    small = tmp_path / "small"
    shutil.copytree(bundle, small)
    spec = read_recogniser_manifest(small).input
    inputs = [to_line_batch([fit_line(image, spec)], spec) for image in noise(4)]
    export_int8(small / ONNX_MODEL, small / INT8_MODEL, inputs, work=tmp_path)
    write_manifest(small, read_recogniser_manifest(small))

    assert OnnxRecogniser.load(small).recognise(noise(1))
    with pytest.raises(BadData, match=r"untrained:r1 is read in 8 bits.*ENGINE=onnxruntime"):
        load(small)


def test_gateway_serves_with_paddle(bundle: Path, tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    registry = Registry(open_store(store))
    registry.register("untrained", "r1", bundle)
    registry.promote("untrained", "r1", reason="first")
    image = noise(1)[0]
    expected = OnnxRecogniser.load(bundle).recognise([image])[0].text

    with running_gateway(tmp_path / "home", store=store, OCRLINE_ENGINE="paddle") as gateway:
        gateway.wait_ready()

        assert gateway.model("untrained")["engine"] == "paddle"
        assert gateway.read(encode_png(image)) == (expected, "r1")
