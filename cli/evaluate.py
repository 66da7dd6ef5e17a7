"""``ocrline evaluate``: one model on one label file."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer
from rich.progress import track

from cli.options import AsJson, Model, StoreUri, settings_for
from cli.output import ERR, print_json, print_table, tell
from cli.reading import LineModel, PageModel, load_model
from configs.base import name_encoding
from ocr.dataset.labels.encoding import Encoding

if TYPE_CHECKING:
    from ocr.dataset.labels.text_rule import TextRule
    from ocr.dataset.quarantine import Rejection


def _read_encoding(written: str) -> object:
    encoding = name_encoding(written)
    if encoding not in get_args(Encoding):
        raise typer.BadParameter(f"{written!r} is neither {' nor '.join(get_args(Encoding))}")
    return encoding


def evaluate(
    labels: Annotated[
        Path, typer.Option(help="PaddleOCR label file, of lines or of pages as the model reads.")
    ],
    model: Model = "",
    root: Annotated[
        Path | None,
        typer.Option(
            file_okay=False, help="Folder that images are relative to; default: the file's own."
        ),
    ] = None,
    encoding: Annotated[
        Any,
        typer.Option(
            parser=_read_encoding,
            metavar="utf-8|gb18030",
            help="Encoding of the label file (GBK is a part of gb18030).",
        ),
    ] = "utf-8",
    store: StoreUri = "",
    as_json: AsJson = False,
) -> None:
    """Read every labelled image and compare with its label; rows that cannot be read are named."""
    from tasks.measuring.labels import measure_line_labels, measure_page_labels, name_metrics

    reader = load_model(model, store=store)
    texts = _text_rule(reader, store)
    if isinstance(reader, PageModel):
        metrics, rejections = measure_page_labels(
            reader.reader, labels, texts, root=root, encoding=encoding, track=_track
        )
    else:
        metrics, rejections = measure_line_labels(
            reader.reader, labels, texts, root=root, encoding=encoding
        )
    _name(rejections)
    if as_json:
        print_json(metrics)
    else:
        named = name_metrics(metrics).items()
        print_table(f"{reader.reader.name} on {labels}", ["metric", "value"], named)


def _text_rule(model: LineModel | PageModel, store: str) -> "TextRule":
    from tasks.readers import read_text_rule
    from tasks.workspace import open_workspace

    return read_text_rule(open_workspace(settings_for(store)), model.reader.name)


def _track(pages: Sequence[Any]) -> Iterable[Any]:
    return track(pages, "reading", console=ERR, transient=True)


def _name(rejections: "Sequence[Rejection]") -> None:
    from tasks.measuring.labels import say_left_out

    for said in say_left_out(rejections):
        tell("[yellow]left out[/]", said)
