"""``ocrline evaluate``: one model on one label file."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.progress import track

from cli.options import AsJson, Model, StoreUri, settings_for
from cli.output import ERR, print_json, print_table
from cli.reading import LineModel, PageModel, load_model
from configs.dataset import MAX_PIXELS

if TYPE_CHECKING:
    from ocr.dataset.labels.text_rule import TextRule
    from ocr.dataset.quarantine import Rejection

PAGE_METRICS = ("pages", "precision", "recall", "hmean", "e2e_hmean", "e2e_ned")


def evaluate(
    labels: Annotated[
        Path, typer.Option(help="PaddleOCR label file, of lines or of pages as the model reads.")
    ],
    model: Model = "",
    store: StoreUri = "",
    as_json: AsJson = False,
) -> None:
    """Read every labelled image and compare with its label; rows that cannot be read are named."""
    reader = load_model(model, store=store)
    texts = _text_rule(reader, store)
    if isinstance(reader, PageModel):
        metrics = _measure_pages(reader, labels, texts)
    else:
        metrics = _measure_lines(reader, labels, texts)
    if as_json:
        print_json(metrics)
    else:
        print_table(f"{reader.reader.name} on {labels}", ["metric", "value"], metrics.items())


def _text_rule(model: LineModel | PageModel, store: str) -> "TextRule":
    from tasks.readers import read_text_rule
    from tasks.workspace import open_workspace

    return read_text_rule(open_workspace(settings_for(store)), model.reader.name)


def _measure_lines(model: LineModel, labels: Path, texts: "TextRule") -> dict[str, Any]:
    from ocr.dataset.lines.labelled_lines import read_labelled_lines
    from ocr.evaluation.lines.metrics import measure_lines

    samples, rejections = read_labelled_lines(labels, max_pixels=MAX_PIXELS, texts=texts)
    _name(rejections)
    answers = model.reader.recognise([image for image, _ in samples])
    metrics = measure_lines([answer.text for answer in answers], [text for _, text in samples])
    return {**asdict(metrics), "left_out": len(rejections)}


def _measure_pages(model: PageModel, labels: Path, texts: "TextRule") -> dict[str, Any]:
    from ocr.dataset.pages.labelled_pages import read_labelled_pages
    from ocr.evaluation.pages.metrics import measure_pages

    pages, rejections = read_labelled_pages(labels, max_pixels=MAX_PIXELS, texts=texts)
    _name(rejections)
    readings, seconds = [], 0.0
    for page in track(pages, "reading", console=ERR, transient=True):
        image = page.image()
        started = perf_counter()
        readings.append(model.reader.read(image))
        seconds += perf_counter() - started
    metrics = asdict(measure_pages(readings, [page.regions for page in pages]))
    return {name: metrics[name] for name in PAGE_METRICS} | {
        "seconds_per_page": round(seconds / len(pages), 4)
    }


def _name(rejections: "Sequence[Rejection]") -> None:
    for rejection in rejections:
        said = f"{rejection.where} {rejection.reason}: {rejection.detail}"
        ERR.print(f"[yellow]left out[/] {escape(said)}", soft_wrap=True)
