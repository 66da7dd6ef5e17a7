"""``ocrline evaluate``: one model on one label file."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from cli.output import ERR, AsJson, StoreUri, print_json, print_table
from cli.predict import Model, load_model


def evaluate(
    model: Model,
    labels: Annotated[Path, typer.Option(help="PaddleOCR label file: image<TAB>text.")],
    store: StoreUri = "",
    as_json: AsJson = False,
) -> None:
    """Read every labelled image and compare with its label; rows that cannot be read are named."""
    from ocr.evaluation.metrics import measure
    from ocr.labelled_images import read_labelled_images

    recogniser = load_model(model, store=store)
    samples, rejections = read_labelled_images(labels)
    for rejection in rejections:
        said = f"{rejection.where} {rejection.reason}: {rejection.detail}"
        ERR.print(f"[yellow]left out[/] {escape(said)}")
    answers = recogniser.recognise([image for image, _ in samples])
    metrics = asdict(measure([answer.text for answer in answers], [text for _, text in samples]))
    metrics["left_out"] = len(rejections)
    if as_json:
        print_json(metrics)
    else:
        print_table(f"{recogniser.name} on {labels}", ["metric", "value"], metrics.items())
