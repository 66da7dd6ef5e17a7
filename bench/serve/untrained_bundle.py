"""A bundle of the embedded recogniser with random weights: as fast as a trained one, no wiser."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from ocr.image.pixels import Image
from ocr.models.bundle import (
    CHARSET,
    ONNX_MODEL,
    PADDLE_FOLDER,
    REQUIRED,
    RecogniserManifest,
    write_manifest,
)
from ocr.models.charset import Charset
from ocr.models.golden import write_golden
from ocr.models.recogniser_spec import LineSpec
from ocr.reading.recognition.recogniser import OnnxRecogniser
from training.environment import prepare_environment


def write_untrained_bundle(
    folder: Path,
    *,
    images: Sequence[Image],
    name: str = "untrained",
    version: str = "r1",
    layout: Literal["fixed", "line"] = "line",
    size: Literal["small", "base", "large"] = "base",
    characters: str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
) -> Path:
    """Write a bundle with real ``paddle/`` and ``onnx/`` forms; ``serving/`` is a stand-in.

    Args:
        folder: Where; it must not exist.
        images: Golden images.
        name: The model's name.
        version: The model's version.
        layout: Whether lines keep their width; they are 32 px high.
        size: How large the net is.
        characters: What the model reads.
    """
    charset = Charset(tuple(characters))
    spec = LineSpec(layout=layout, height_px=32, width_px=128)
    for relative in REQUIRED:
        if not relative.startswith((f"{PADDLE_FOLDER}/", "onnx/")):
            (folder / relative).parent.mkdir(parents=True, exist_ok=True)
            (folder / relative).write_bytes(b"")
    charset.write(folder / CHARSET)
    _export(folder, spec=spec, charset=charset, size=size)
    _write_golden(folder, images, charset=charset, spec=spec)
    write_manifest(
        folder,
        RecogniserManifest(
            name=name,
            version=version,
            created="2026-01-01T00:00:00Z",
            dataset_digest="0" * 64,
            code_commit="",
            parameters={"size": size},
            metrics={},
            parent="",
            input=spec,
            parity={},
        ),
    )
    return folder


def _export(
    folder: Path, *, spec: LineSpec, charset: Charset, size: Literal["small", "base", "large"]
) -> None:
    with warnings.catch_warnings():  # paddle's imports warn of its dependencies
        warnings.simplefilter("ignore")
        prepare_environment()
        import paddle

        from training.forms.onnx import export_onnx
        from training.forms.paddle import export_paddle
        from training.forms.trained_net import TrainedNet
        from training.recognition.export import inference_config, input_shape
        from training.recognition.net import RecogniserNetSpec, build_recogniser_net

        paddle.set_device("cpu")
        paddle.seed(0)
        net = build_recogniser_net(
            RecogniserNetSpec(input=spec, size=size, gray=True, charset=charset.characters)
        )
        net.eval()
        export_paddle(
            TrainedNet(net, input_shape(spec)),
            config=inference_config(spec, charset.characters),
            folder=folder / PADDLE_FOLDER,
        )
        export_onnx(folder / PADDLE_FOLDER, folder / ONNX_MODEL, dimensions="NTC")


def _write_golden(
    folder: Path, images: Sequence[Image], *, charset: Charset, spec: LineSpec
) -> None:
    recogniser = OnnxRecogniser(
        (folder / ONNX_MODEL).read_bytes(), charset=charset, spec=spec, name="untrained"
    )
    records = [{"text": read.text} for read in recogniser.recognise(images)]
    write_golden(folder, list(zip(images, records, strict=True)))
