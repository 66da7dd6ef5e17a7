"""The stages that make something: how their code and libraries decide what they make.

Raise a stage's generation when its code makes something else of the same inputs: what it made
before is then not found any more, and nobody else's work is touched. `tests/test_generations.py`
notices when code changed without that.
"""

from dataclasses import dataclass
from typing import Final, Literal

StageName = Literal[
    "render-lines",
    "render-pages",
    "prepare-lines",
    "prepare-pages",
    "crop-pages",
    "train-recogniser",
    "train-detector",
    "train-paddleocr-recogniser",
    "train-paddleocr-detector",
    "export-recogniser",
    "export-detector",
    "assemble",
    "evaluate-lines",
    "evaluate-pages",
    "read-batch",
]


@dataclass(frozen=True)
class Stage:
    """What decides a stage's results besides its inputs and parameters.

    Attributes:
        generation: Raised when the same inputs give something else.
        code: The modules that do the work; what they import is a part of it.
        libraries: Packages whose version decides bytes, by their names on PyPI.
    """

    generation: int
    code: tuple[str, ...]
    libraries: tuple[str, ...]


_IMAGES = ("numpy", "opencv-contrib-python-headless", "pillow")
_POLYGONS = ("pyclipper", "shapely")
_PADDLE = ("paddlepaddle", "paddlepaddle-gpu")
_PADDLEOCR = (
    *(*_IMAGES, *_POLYGONS, *_PADDLE),
    *("onnx", "onnxruntime", "pyarrow", "pyyaml", "rapidfuzz", "scipy"),
)
_PADDLEOCR_CODE = (
    "training.paddleocr.train",
    # Run by PaddleOCR's interpreter, and so imported by nothing.
    *(
        f"training.paddleocr.{module}"
        for module in (
            "foreign.classic_operators",
            "foreign.keep_parts",
            "foreign.measure_tool",
            "foreign.portable_upsampling",
            "foreign.run_ranks",
            "foreign.run_tools",
            "foreign.take_weights",
            "pretrained.fit_tool",
        )
    ),
)
_FORMS = ("jinja2", "onnx", "onnxruntime", "paddle2onnx", "pyyaml")

STAGES: Final[dict[StageName, Stage]] = {
    "render-lines": Stage(1, ("ocr.synthesis.lines.render",), (*_IMAGES, "fonttools", "rstr")),
    "render-pages": Stage(1, ("ocr.synthesis.pages.render",), (*_IMAGES, "fonttools")),
    "prepare-lines": Stage(15, ("ocr.dataset.lines.preparation",), (*_IMAGES, "pyarrow", "scipy")),
    "prepare-pages": Stage(
        17, ("ocr.dataset.pages.preparation",), (*_IMAGES, "pyarrow", "scipy", "shapely")
    ),
    "crop-pages": Stage(
        10, ("ocr.dataset.pages.crops",), (*_IMAGES, "pyarrow", "scipy", "shapely")
    ),
    "train-recogniser": Stage(
        3,
        ("training.recognition.trainee", "training.loop.loop"),
        (*_IMAGES, *_PADDLE, "onnx", "onnxruntime", "pyarrow", "rapidfuzz"),
    ),
    "train-detector": Stage(
        3,
        ("training.detection.trainee", "training.loop.loop"),
        (*_IMAGES, *_POLYGONS, *_PADDLE, "onnx", "onnxruntime", "pyarrow", "scipy"),
    ),
    "train-paddleocr-recogniser": Stage(1, _PADDLEOCR_CODE, _PADDLEOCR),
    "train-paddleocr-detector": Stage(1, _PADDLEOCR_CODE, _PADDLEOCR),
    "export-recogniser": Stage(
        12,
        ("training.export.export", "ocr.dataset.lines.snapshot"),
        (*_IMAGES, *_POLYGONS, *_PADDLE, *_FORMS, "pyarrow", "scipy"),
    ),
    "export-detector": Stage(
        6,
        ("training.export.export", "ocr.dataset.pages.snapshot"),
        (*_IMAGES, *_POLYGONS, *_PADDLE, *_FORMS, "pyarrow", "scipy"),
    ),
    "assemble": Stage(
        8,
        (
            "ocr.models.pipeline",
            "ocr.reading.page_reader",
            "ocr.reading.recognition.cascade",
            "ocr.evaluation.lines.cascade",
            "ocr.evaluation.pages.gaps.gain",
            "ocr.evaluation.pages.set_aside",
            "ocr.dataset.lines.snapshot",
            "ocr.dataset.pages.snapshot",
        ),
        (*_IMAGES, *_POLYGONS, "onnxruntime", "pyarrow", "rapidfuzz", "scipy"),
    ),
    "evaluate-lines": Stage(
        6,
        (
            "ocr.evaluation.lines.evaluate",
            "ocr.dataset.lines.snapshot",
            "ocr.reading.baselines",
            "ocr.reading.recognition.recogniser",
        ),
        (*_IMAGES, *_POLYGONS, "onnxruntime", "pyarrow", "rapidfuzz", "scipy"),
    ),
    "evaluate-pages": Stage(
        6,
        (
            "ocr.evaluation.pages.evaluate",
            "ocr.dataset.pages.snapshot",
            "ocr.reading.baselines",
            "ocr.reading.page_reader",
            "ocr.reading.recognition.cascade",
        ),
        (*_IMAGES, *_POLYGONS, "onnxruntime", "pyarrow", "rapidfuzz", "scipy"),
    ),
    "read-batch": Stage(
        6,
        (
            "ocr.batch.reading",
            "ocr.decoding.child",
            "ocr.reading.page_reader",
            "ocr.reading.recognition.cascade",
        ),
        (*_IMAGES, *_POLYGONS, "onnxruntime", "pyarrow", "pypdfium2", "scipy"),
    ),
}
