"""How a detector is exported: pages in, boxes out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from configs.jobs import ExportJob
from ocr.dataset.pages.snapshot import PageSnapshot, open_page_snapshot
from ocr.dataset.snapshot.snapshot import TABLES, shards_in_store
from ocr.evaluation.int8 import Int8Price
from ocr.evaluation.pages.int8 import weigh_int8_pages
from ocr.image.pixels import Image
from ocr.models.bundle import INT8_MODEL, NOTICE, ONNX_MODEL, DetectorManifest
from ocr.models.detector_spec import BoxRule, PageSpec
from ocr.reading.detection.agreement import compare_boxes
from ocr.reading.detection.boxes import CONTOUR_LIMIT, Detections, find_boxes
from ocr.reading.detection.detector import OnnxDetector
from ocr.reading.detection.page_input import fit_page, to_page_input
from ocr.store import Store
from ocr.store.folder import download_folder
from training.detection.checkpoint import NetSpec, load_detector
from training.detection.ppocr_v6.net import PretrainedDetectorSpec
from training.forms.exportable import Run
from training.forms.int8 import add_int8
from training.forms.paddle import DETECTOR_NAME, RECOGNISER_NAME, preprocessing
from training.forms.parity import Probabilities, Reading
from training.forms.trained_net import Net, TrainedNet
from training.ppocr_v6.notice import write_notice

CALIBRATION_PAGES = 12
NOTICE_FILE = Path(__file__).parent / "ppocr_v6" / "NOTICE.txt"


@dataclass(frozen=True)
class PageFinder:
    """Finds the boxes of pages with one form of a detector.

    Attributes:
        spec: The input of the net.
        rule: How its map becomes boxes.
        rgb: Whether to swap the channels.
    """

    spec: PageSpec
    rule: BoxRule
    rgb: bool = False

    def infer(self, run: Run, images: Sequence[Image]) -> list[Probabilities]:
        """Return (H, W) for each page."""
        if self.rgb:
            images = [image[:, :, ::-1] for image in images]
        inputs = (to_page_input(fit_page(image, self.spec), self.spec) for image in images)
        return [np.asarray(run(x)[0, 0]) for x in inputs]

    def decode(self, probabilities: Sequence[Probabilities]) -> Reading[Detections]:
        """Find the boxes; golden pages have the size of their maps."""
        outputs = tuple(
            find_boxes(found, self.rule, width_px=found.shape[1], height_px=found.shape[0])
            for found in probabilities
        )
        return Reading(outputs, tuple(probabilities))


class DetectorExport:
    """A detector to be exported; see `training.forms.exportable`."""

    dimensions = "NCHW"

    def __init__(
        self, net: Net, spec: PageSpec, rule: BoxRule, *, description: str, notice: bool = False
    ) -> None:
        """Take a net.

        Args:
            net: Its output is a map of probabilities.
            spec: What it takes.
            rule: How its map becomes boxes.
            description: A sentence about it, for the card.
            notice: Whether it started from the weights of PP-OCRv6.
        """
        self.net = net
        self._spec = spec
        self._rule = rule
        self._description = description
        self._notice = notice
        self.reader = PageFinder(spec, rule)
        self._price: Int8Price | None = None

    def config(self) -> dict[str, Any]:
        """Return the inference.yml that tells stock PaddleOCR how to find boxes."""
        return inference_config(self._spec, self._rule)

    def stock_reader(self, config: Mapping[str, Any]) -> PageFinder:
        """Find boxes as stock does, which knows one unclip ratio only."""
        steps, rule = preprocessing(config), config["PostProcess"]
        return PageFinder(
            PageSpec(
                steps["DetResizeForTest"]["resize_long"],
                mean=tuple(steps["NormalizeImage"]["mean"]),
                std=tuple(steps["NormalizeImage"]["std"]),
            ),
            BoxRule(rule["thresh"], rule["box_thresh"], rule["unclip_ratio"], rule["unclip_ratio"]),
            rgb=steps["DecodeImage"]["img_mode"] == "RGB",
        )

    def fit_golden(self, image: Image) -> Image:
        """Reduce a page to the net's input: a tenth of a scan, and every form sees it the same."""
        return fit_page(image, self._spec)

    def write_files(self, bundle: Path) -> None:
        """Write what the license of the weights it started from asks for."""
        if self._notice:
            write_notice(bundle / NOTICE, changes=NOTICE_FILE)

    def read_onnx(
        self, bundle: Path, images: Sequence[Image], *, form: str = ONNX_MODEL
    ) -> Reading[Detections]:
        """Find boxes with an ONNX form."""
        detector = self._detector(bundle, form)
        return self.reader.decode([detector.probabilities(image) for image in images])

    def compare(self, found: Detections, expected: Detections) -> str:
        """Ask for the same boxes: those that are cut out, for stock knows no others."""
        return compare_boxes(found.crop_boxes, expected.crop_boxes)

    def refine(
        self, bundle: Path, *, job: ExportJob, store: Store, folder: Path
    ) -> list[tuple[Image, dict[str, Any]]]:
        """Add a form in 8 bits where it pays; the rule was found in training."""
        if job.int8:
            tables = download_folder(store, prefix=job.snapshot, folder=folder, only=TABLES)
            snapshot = open_page_snapshot(tables, shards_in_store(store, job.snapshot))
            float32 = self._detector(bundle, ONNX_MODEL)
            self._price = add_int8(
                bundle,
                self._calibration(snapshot),
                lambda: weigh_int8_pages(float32, self._detector(bundle, INT8_MODEL), snapshot),
                work=folder,
            )
        return []

    def record(
        self,
        output: Detections,  # noqa: ARG002
        probabilities: Probabilities,
        sample: Mapping[str, Any],
    ) -> dict[str, Any]:
        """Record the boxes that the bundle finds, in pixels of the golden page."""
        (found,) = self.reader.decode([probabilities]).outputs
        return {
            "page": sample["id"],
            "boxes": found.boxes.tolist(),
            "scores": found.scores.tolist(),
        }

    def manifest(self, **fields: Any) -> DetectorManifest:
        """Add the input and the rule, and what 8 bits change."""
        metrics = {**fields.pop("metrics"), **(self._price.metrics if self._price else {})}
        return DetectorManifest(input=self._spec, boxes=self._rule, metrics=metrics, **fields)

    def card(self) -> tuple[str, dict[str, Any]]:
        """Return the template of the model card and the values for it."""
        return "detector_card.md.jinja", {
            "net": self._description,
            "notice": NOTICE if self._notice else "",
            "spec": self._spec,
            "rule": self._rule,
            "model_name": DETECTOR_NAME,
            "recogniser_name": RECOGNISER_NAME,
            "price": self._price,
        }

    def _calibration(self, snapshot: PageSnapshot) -> Iterator[NDArray[np.float32]]:
        """Yield the first training pages as the net meets them."""
        for _, image in islice(snapshot.images("train"), CALIBRATION_PAGES):
            yield to_page_input(fit_page(image, self._spec), self._spec)

    def _detector(self, bundle: Path, form: str) -> OnnxDetector:
        model = (bundle / form).read_bytes()
        return OnnxDetector(model, spec=self._spec, rule=self._rule, name=form)


def load_detector_export(checkpoint: Path) -> DetectorExport:
    """Load a checkpoint of the embedded trainer.

    Raises:
        BadData: It is damaged.
    """
    net, spec, rule = load_detector(checkpoint)
    return DetectorExport(
        TrainedNet(net, (None, 3, None, None)),
        spec.input,
        rule,
        description=_describe_net(spec),
        notice=isinstance(spec, PretrainedDetectorSpec),
    )


def _describe_net(spec: NetSpec) -> str:
    if isinstance(spec, PretrainedDetectorSpec):
        return "A text detector, PP-OCRv6_small_det learnt on: a segmentation net (DB)"
    return f"A text detector of size {spec.size}: a segmentation net of plain convolutions (DB)"


def inference_config(spec: PageSpec, rule: BoxRule) -> dict[str, Any]:
    """Say in PaddleX's words how a page becomes the input and a map boxes.

    `TextDetection` takes everything from here; `resize_long` limits the longer side for a model of
    this name. The pipeline `PaddleOCR` takes the normalisation only: it has its own defaults for
    the rest, which must be given as arguments.
    """
    return {
        "Global": {"model_name": DETECTOR_NAME},
        "PreProcess": {
            "transform_ops": [
                {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}},
                {"DetLabelEncode": None},
                {"DetResizeForTest": {"resize_long": spec.long_side_px}},
                {
                    "NormalizeImage": {
                        "mean": list(spec.mean),
                        "std": list(spec.std),
                        "scale": "1./255.",
                        "order": "hwc",
                    }
                },
                {"ToCHWImage": None},
                {"KeepKeys": {"keep_keys": ["image", "shape", "polys", "ignore_tags"]}},
            ]
        },
        "PostProcess": {
            "name": "DBPostProcess",
            "thresh": rule.threshold,
            "box_thresh": rule.box_threshold,
            "max_candidates": CONTOUR_LIMIT,
            "unclip_ratio": rule.crop_unclip_ratio,
        },
    }
