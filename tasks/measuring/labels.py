"""One model on one label file: what `ocrline evaluate` and the flow of that name measure."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

from prefect import task
from prefect.artifacts import create_table_artifact
from prefect.context import TaskRunContext

from configs.dataset import MAX_PIXELS
from configs.operation.evaluate import EvaluateParams
from ocr.dataset.labels.encoding import Encoding, OtherEncoding
from ocr.dataset.labels.text_rule import TextRule
from ocr.dataset.lines.labelled_lines import stream_labelled_lines
from ocr.dataset.pages.labelled_pages import read_labelled_pages
from ocr.dataset.quarantine import Rejection
from ocr.errors import BadData, BadInput
from ocr.evaluation.lines.metrics import measure_lines
from ocr.evaluation.pages.metrics import measure_pages
from ocr.image.pixels import Image
from ocr.processors import count_processors
from ocr.reading.page_reader import PageReader
from ocr.reading.recognition.recogniser import Recogniser
from tasks.readers import load_pipeline, load_recogniser, read_text_rule
from tasks.run.narration import narrate
from tasks.workspace import open_workspace

PAGE_METRICS = ("pages", "precision", "recall", "hmean", "e2e_hmean", "e2e_ned")
LINES_AT_ONCE, PIXELS_AT_ONCE = 32, 2**22
"""Lines that are held decoded, and of large ones fewer: the last may pass it."""
MOST_NAMED = 20
"""Rows left out that are named; of more, the reasons are counted."""
ItemT = TypeVar("ItemT")
Track = Callable[[Sequence[ItemT]], Iterable[ItemT]]
Measured = tuple[dict[str, Any], Sequence[Rejection]]
"""Metrics, and the rows that were left out."""


@task(name="measure-labels")
def measure_labels(params: EvaluateParams) -> dict[str, Any]:
    """Measure a model of the registry on a label file, and show the numbers as a table.

    Raises:
        BadInput: The model reads nothing.
    """
    workspace = open_workspace()
    model = workspace.registry.resolve(params.model)
    labels, texts = Path(params.labels), read_text_rule(workspace, model.reference)
    root = Path(params.root) if params.root else None
    if model.task == "detection":
        raise BadInput(f"{model.reference} finds text and reads none; name its pipeline instead")
    if model.task == "pipeline":
        pages = load_pipeline(workspace, model.reference, threads=count_processors())
        metrics, rejections = measure_page_labels(
            pages, labels, texts, root=root, encoding=params.encoding
        )
    else:
        lines = load_recogniser(workspace, model.reference)
        metrics, rejections = measure_line_labels(
            lines, labels, texts, root=root, encoding=params.encoding
        )
    for said in say_left_out(rejections):
        narrate("evaluate", f"left out: {said}")
    named = name_metrics(metrics)
    measured = ", ".join(f"{name} {value}" for name, value in named.items())
    narrate("evaluate", f"{model.reference} on {labels}: {measured}")
    if TaskRunContext.get() is not None:
        create_table_artifact(
            [{"metric": name, "value": value} for name, value in named.items()],
            key="evaluation",
            description=f"{model.reference} on {labels}",
        )
    return metrics


def measure_line_labels(
    reader: Recogniser,
    labels: Path,
    texts: TextRule,
    *,
    root: Path | None = None,
    encoding: Encoding = "utf-8",
) -> Measured:
    """Read the images of a label file of lines; those left out are counted too."""
    read: list[str] = []
    labelled: list[str] = []
    rejections: list[Rejection] = []
    with _wording_encoding():
        found = stream_labelled_lines(
            labels, max_pixels=MAX_PIXELS, texts=texts, root=root, encoding=encoding
        )
        for images, their_texts in _in_batches(_without(found, rejections)):
            read += [answer.text for answer in reader.recognise(images)]
            labelled += their_texts
    metrics = measure_lines(read, labelled)
    return {**asdict(metrics), "left_out": len(rejections)}, rejections


def measure_page_labels(
    reader: PageReader,
    labels: Path,
    texts: TextRule,
    *,
    root: Path | None = None,
    encoding: Encoding = "utf-8",
    track: Track[Any] = iter,
) -> Measured:
    """Read the pages of a label file, which `track` hands out one by one.

    What is left out is counted, too: rows, and single regions.
    """
    with _wording_encoding():
        pages, rejections = read_labelled_pages(
            labels, max_pixels=MAX_PIXELS, texts=texts, root=root, encoding=encoding
        )
    readings, seconds = [], 0.0
    for page in track(pages):
        image = page.image()
        started = perf_counter()
        readings.append(reader.read(image))
        seconds += perf_counter() - started
    metrics = asdict(measure_pages(readings, [page.regions for page in pages]))
    return {name: metrics[name] for name in PAGE_METRICS} | {
        "seconds_per_page": round(seconds / len(pages), 4),
        "left_out": len(rejections),
    }, rejections


def name_metrics(metrics: dict[str, Any]) -> dict[str, Any]:
    """Name metrics as a person reads them: of pages, single regions are left out, too."""
    left_out = "rows and regions left out" if "pages" in metrics else "rows left out"
    return {left_out if name == "left_out" else name: value for name, value in metrics.items()}


def say_left_out(rejections: Sequence[Rejection]) -> list[str]:
    """Name the first rows that were left out; of many, say how often which reason was met."""
    said = [f"{each.where} {each.reason}: {each.detail}" for each in rejections[:MOST_NAMED]]
    if len(rejections) > MOST_NAMED:
        reasons = Counter(each.reason for each in rejections).most_common()
        counts = ", ".join(f"{count} {reason}" for reason, count in reasons)
        said.append(f"{len(rejections)} rows in all: {counts}")
    return said


def _without(
    found: Iterable[tuple[Image, str] | Rejection], rejections: list[Rejection]
) -> Iterator[tuple[Image, str]]:
    """Put the rows that were left out aside."""
    for each in found:
        if isinstance(each, Rejection):
            rejections.append(each)
        else:
            yield each


def _in_batches(lines: Iterable[tuple[Image, str]]) -> Iterator[tuple[list[Image], list[str]]]:
    images, texts = list[Image](), list[str]()
    pixels = 0
    for image, text in lines:
        images.append(image)
        texts.append(text)
        pixels += image.size // 3
        if len(images) == LINES_AT_ONCE or pixels > PIXELS_AT_ONCE:
            yield images, texts
            images, texts, pixels = [], [], 0
    if images:
        yield images, texts


@contextmanager
def _wording_encoding() -> Iterator[None]:
    """Say of a file of another encoding what an evaluation takes: there is no dataset here."""
    try:
        yield
    except OtherEncoding as error:
        advice = f"evaluate it with the encoding {error.encoding} (--encoding)"
        raise BadData(f"{error.fault} {advice}") from error
