"""The report of a recogniser: one self-contained HTML file, the decision first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from ocr.evaluation.lines.report import LinesReport
from ocr.gate.judge import Decision
from ocr.report.gallery import to_address
from ocr.report.html import render_html
from ocr.report.lineage import Lineage
from ocr.report.lines.calibration import draw_calibration
from ocr.report.lines.gallery import GallerySection, LineImage, build_line_gallery
from ocr.report.lines.metrics import METRICS
from ocr.report.suspects import ShownSuspect
from ocr.report.training import draw_training

NONE: Final[Mapping[str, "ShownLines"]] = MappingProxyType({})


@dataclass(frozen=True)
class ShownLines:
    """The evaluation of a further set, and images by id, to show its errors."""

    report: LinesReport
    images: Mapping[str, LineImage]


@dataclass(frozen=True)
class FurtherGallery:
    """What is shown of a further set."""

    report: LinesReport
    sections: Sequence[GallerySection]


def render_lines_html(
    report: LinesReport,
    decision: Decision,
    *,
    images: Mapping[str, LineImage],
    lineage: Lineage,
    curves: Sequence[Mapping[str, Any]],
    composition_png: bytes,
    suspects: Sequence[ShownSuspect],
    gallery: int,
    further: Mapping[str, ShownLines] = NONE,
    further_gallery: int = 0,
) -> str:
    """Render the whole report; it needs nothing else to be read, neither scripts nor a network.

    Args:
        report: The evaluation.
        decision: The gate's answer to it.
        images: By sample id, of the lines that `choose_lines` names.
        lineage: What made the recogniser.
        curves: Rows of the training's metrics.jsonl.
        composition_png: Preview of composed crops; empty without composition.
        suspects: Test labels that are probably wrong.
        gallery: Misread lines to show.
        further: Further sets by name.
        further_gallery: Misread lines to show of each.
    """
    models = {"candidate": report.candidate, "opponent": report.opponent}
    return render_html(
        "lines/report.html.jinja",
        report,
        decision,
        lineage=lineage,
        metrics=METRICS,
        suspects=suspects,
        sections=build_line_gallery(report, images, most=gallery),
        further_galleries={
            name: FurtherGallery(
                each.report, build_line_gallery(each.report, each.images, most=further_gallery)
            )
            for name, each in further.items()
        },
        calibration=draw_calibration({who: m.calibration for who, m in models.items() if m}),
        curves=draw_training(curves),
        composition=to_address(composition_png) if composition_png else "",
    )
