"""The report of a pipeline: one self-contained HTML file, the decision first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from ocr.evaluation.pages.report import PagesReport
from ocr.gate.judge import Decision
from ocr.image.pixels import Image
from ocr.report.html import render_html
from ocr.report.lineage import Lineage
from ocr.report.pages.gallery import GalleryPage, build_page_gallery
from ocr.report.pages.losses import LossRow
from ocr.report.pages.metrics import METRICS
from ocr.report.suspects import ShownSuspect
from ocr.report.training import draw_training

NONE: Final[Mapping[str, "ShownPages"]] = MappingProxyType({})


@dataclass(frozen=True)
class ShownPages:
    """The evaluation of a further set, and images (H, W, 3) BGR by id, to show its errors."""

    report: PagesReport
    images: Mapping[str, Image]


@dataclass(frozen=True)
class FurtherGallery:
    """What is shown of a further set."""

    report: PagesReport
    sheets: Sequence[GalleryPage]


def render_pages_html(
    report: PagesReport,
    decision: Decision,
    *,
    images: Mapping[str, Image],
    lineage: Lineage,
    parts: Sequence[Lineage],
    curves: Mapping[str, Sequence[Mapping[str, Any]]],
    losses: Sequence[LossRow],
    suspects: Sequence[ShownSuspect],
    gallery: int,
    further: Mapping[str, ShownPages] = NONE,
    further_gallery: int = 0,
) -> str:
    """Render the whole report; it needs nothing else to be read, neither scripts nor a network.

    Args:
        report: The evaluation.
        decision: The gate's answer to it.
        images: Image (H, W, 3) BGR by page id, of the pages that `choose_pages` names.
        lineage: What made the pipeline.
        parts: The same of each net in it.
        curves: Rows of metrics.jsonl by the name of the training ("detector", "recogniser").
        losses: Why lines are not read.
        suspects: Test labels that are probably wrong.
        gallery: Pages to show.
        further: Further sets by name.
        further_gallery: Pages to show of each.
    """
    return render_html(
        "pages/report.html.jinja",
        report,
        decision,
        lineage=lineage,
        metrics=METRICS,
        suspects=suspects,
        parts=parts,
        losses=losses,
        sheets=build_page_gallery(report, images, most=gallery),
        further_galleries={
            name: FurtherGallery(
                each.report, build_page_gallery(each.report, each.images, most=further_gallery)
            )
            for name, each in further.items()
        },
        trainings={name: draw_training(rows) for name, rows in curves.items()},
    )
