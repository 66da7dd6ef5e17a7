"""How a recogniser is exported: lines in, texts out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from configs.jobs import ExportJob, ExportRecogniserJob
from ocr.dataset.lines.snapshot import LineSnapshot, open_line_snapshot
from ocr.dataset.snapshot.snapshot import TABLES, shards_in_store
from ocr.evaluation.int8 import Int8Price
from ocr.evaluation.lines.int8 import weigh_int8_lines
from ocr.evaluation.lines.text_gain import CONFIDENCE, TextGain
from ocr.image.pixels import Image
from ocr.models.bundle import (
    CHARSET,
    INT8_MODEL,
    NOTICE,
    ONNX_MODEL,
    TEXT_MODEL,
    RecogniserManifest,
)
from ocr.models.charset import Charset
from ocr.models.golden import compare_texts
from ocr.models.recogniser_spec import LineSpec
from ocr.reading.recognition.ctc import Recognition, decode
from ocr.reading.recognition.decoder import Decoder
from ocr.reading.recognition.line_input import LINE_WIDTH_LIMIT_PX, fit_line, to_line_batch
from ocr.reading.recognition.recogniser import OnnxRecogniser, run_in_batches
from ocr.store import Store
from ocr.store.folder import download_folder
from training.forms.exportable import Run
from training.forms.int8 import add_int8
from training.forms.paddle import RECOGNISER_NAME, preprocessing
from training.forms.parity import Probabilities, Reading
from training.forms.static_graph import InputShape
from training.forms.trained_net import Net, TrainedNet
from training.ppocr_v6.notice import write_notice
from training.recognition.checkpoint import NetSpec, load_recogniser
from training.recognition.ppocr_v6.net import PretrainedNetSpec
from training.recognition.text_model import weigh_text_model

CALIBRATION_LINES = 200
NOTICE_FILE = Path(__file__).parent / "ppocr_v6" / "NOTICE.txt"


@dataclass(frozen=True)
class LineReader:
    """Reads lines with one form of a recogniser.

    Attributes:
        spec: The input of the net.
        characters: The characters of classes 1 and up.
        rgb: Whether to swap the channels.
    """

    spec: LineSpec
    characters: Sequence[str]
    rgb: bool = False

    def infer(self, run: Run, images: Sequence[Image]) -> list[Probabilities]:
        """Return (T, C) for each image."""
        if self.rgb:
            images = [image[:, :, ::-1] for image in images]
        frames = dict(run_in_batches(run, images=images, spec=self.spec))
        return [frames[index] for index in range(len(images))]

    def decode(self, probabilities: Sequence[Probabilities]) -> Reading[Recognition]:
        """Read the texts."""
        outputs = tuple(decode(frames, self.characters) for frames in probabilities)
        return Reading(outputs, tuple(probabilities))


class RecogniserExport:
    """A recogniser to be exported; see `training.forms.exportable`."""

    dimensions = "NTC"

    def __init__(
        self, net: Net, spec: LineSpec, charset: Charset, *, description: str, notice: bool = False
    ) -> None:
        """Take a net.

        Args:
            net: Its output are the probabilities of the charset's classes.
            spec: What it takes.
            charset: The characters of classes 1 and up.
            description: A sentence about it, for the card.
            notice: Whether it started from the weights of PP-OCRv6.
        """
        self.net = net
        self._spec = spec
        self._charset = charset
        self._description = description
        self._notice = notice
        self.reader = LineReader(spec, charset.characters)
        self._gain: TextGain | None = None
        self._price: Int8Price | None = None
        self._decoder = Decoder(charset)

    def config(self) -> dict[str, Any]:
        """Return the inference.yml that tells stock PaddleOCR how to read."""
        return inference_config(self._spec, self._charset.characters)

    def stock_reader(self, config: Mapping[str, Any]) -> LineReader:
        """Read as stock does, with `input_shape` given where the layout is fixed."""
        steps = preprocessing(config)
        _, height_px, width_px = steps["RecResizeImg"]["image_shape"]
        return LineReader(
            replace(self._spec, height_px=height_px, width_px=width_px),
            # paddlex adds a space after whatever the dictionary holds.
            [*config["PostProcess"]["character_dict"], " "],
            rgb=steps["DecodeImage"]["img_mode"] == "RGB",
        )

    def fit_golden(self, image: Image) -> Image:
        """Keep lines as they are: they are small."""
        return image

    def write_files(self, bundle: Path) -> None:
        """Write the charset, and what the license of the weights it started from asks for."""
        self._charset.write(bundle / CHARSET)
        if self._notice:
            write_notice(bundle / NOTICE, changes=NOTICE_FILE)

    def read_onnx(
        self, bundle: Path, images: Sequence[Image], *, form: str = ONNX_MODEL
    ) -> Reading[Recognition]:
        """Read greedily with an ONNX form."""
        recogniser = self._recogniser(bundle, form)
        reader = LineReader(self._spec, Charset.read(bundle / CHARSET).characters)
        return reader.decode(recogniser.probabilities(images))

    def refine(
        self, bundle: Path, *, job: ExportJob, store: Store, folder: Path
    ) -> list[tuple[Image, dict[str, Any]]]:
        """Add a form in 8 bits where it pays, and a text model where that is likely to help."""
        if not isinstance(job, ExportRecogniserJob) or not (job.int8 or job.text_model):
            return []
        tables = download_folder(store, prefix=job.snapshot, folder=folder, only=TABLES)
        snapshot = open_line_snapshot(tables, shards_in_store(store, job.snapshot))
        if job.int8:
            float32 = self._recogniser(bundle, ONNX_MODEL)
            self._price = add_int8(
                bundle,
                self._calibration(snapshot),
                lambda: weigh_int8_lines(float32, self._recogniser(bundle, INT8_MODEL), snapshot),
                work=folder,
            )
        if not job.text_model:
            return []
        served = INT8_MODEL if (bundle / INT8_MODEL).exists() else ONNX_MODEL
        gain, golden = weigh_text_model(snapshot, self._recogniser(bundle, served), self._charset)
        self._gain = gain
        if gain is None or not gain.pays:
            return []
        gain.model.write(bundle / TEXT_MODEL)
        self._decoder = Decoder(self._charset, gain.model)
        return golden

    def compare(self, found: Recognition, expected: Recognition) -> str:
        """Ask for the same text."""
        return compare_texts(found.text, expected.text)

    def record(
        self, output: Recognition, probabilities: Probabilities, sample: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Record what the bundle reads beside what is labelled, and what its forms read alone."""
        read = self._decoder.decode(probabilities)
        return {
            "reference": sample["text"],
            "text": read.text,
            "greedy": output.text,
            "confidence": read.confidence,
            "character_confidences": list(read.character_confidences),
        }

    def manifest(self, **fields: Any) -> RecogniserManifest:
        """Add the input, and what a text model and 8 bits change."""
        gain = self._gain.metrics if self._gain else {}
        price = self._price.metrics if self._price else {}
        metrics = {**fields.pop("metrics"), **gain, **price}
        return RecogniserManifest(input=self._spec, metrics=metrics, **fields)

    def card(self) -> tuple[str, dict[str, Any]]:
        """Return the template of the model card and the values for it."""
        return "recogniser_card.md.jinja", {
            "net": self._description,
            "notice": NOTICE if self._notice else "",
            "spec": self._spec,
            "limit_px": LINE_WIDTH_LIMIT_PX,
            "charset": self._charset.characters,
            "model_name": RECOGNISER_NAME,
            "gain": self._gain,
            "confidence": CONFIDENCE,
            "price": self._price,
        }

    def _calibration(self, snapshot: LineSnapshot) -> Iterator[NDArray[np.float32]]:
        """Yield the first training lines as the net meets them, each alone."""
        for _, image in islice(snapshot.images("train"), CALIBRATION_LINES):
            yield to_line_batch([fit_line(image, self._spec)], self._spec)

    def _recogniser(self, bundle: Path, form: str) -> OnnxRecogniser:
        return OnnxRecogniser(
            (bundle / form).read_bytes(),
            charset=Charset.read(bundle / CHARSET),
            spec=self._spec,
            name="onnx",
        )


def load_recogniser_export(checkpoint: Path) -> RecogniserExport:
    """Load a checkpoint of the embedded trainer.

    Raises:
        BadData: It is damaged.
    """
    net, spec = load_recogniser(checkpoint)
    return RecogniserExport(
        TrainedNet(net, input_shape(spec.input)),
        spec.input,
        Charset(spec.charset),
        description=_describe_net(spec),
        notice=isinstance(spec, PretrainedNetSpec),
    )


def _describe_net(spec: NetSpec) -> str:
    if isinstance(spec, PretrainedNetSpec):
        return "A text-line recogniser, learnt on from the weights of PP-OCRv6's small one: CTC"
    return f"A text-line recogniser of size {spec.size}: CTC over plain convolutions"


def input_shape(spec: LineSpec) -> InputShape:
    """Return the shape of the net's input; the batch is any, and so is the width of a line."""
    return (None, 3, spec.height_px, spec.width_px if spec.layout == "fixed" else None)


def inference_config(spec: LineSpec, characters: Sequence[str]) -> dict[str, Any]:
    """Say in PaddleX's words how an image becomes the input and an output a text."""
    return {
        "Global": {"model_name": RECOGNISER_NAME},
        "PreProcess": {
            "transform_ops": [
                {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}},
                {"MultiLabelEncode": {"gtc_encode": "NRTRLabelEncode"}},
                {"RecResizeImg": {"image_shape": [3, spec.height_px, spec.width_px]}},
                {"KeepKeys": {"keep_keys": ["image", "label_ctc", "length"]}},
            ]
        },
        "PostProcess": {"name": "CTCLabelDecode", "character_dict": list(characters)},
    }
