"""``ocrline convert``: checked pages to a folder that PPOCRLabel or Label Studio opens."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from cli.options import AsJson, Overrides, Preset, StoreUri, settings_for
from cli.output import print_json
from configs.presets import load_params
from configs.retrain import RetrainPagesParams
from ocr.errors import BadInput


def convert(
    preset: Preset,
    folder: Annotated[Path, typer.Argument(help="Folder to make")],
    to: Annotated[
        Literal["paddleocr", "labelstudio"], typer.Option(help="Format of the labels")
    ] = "paddleocr",
    overrides: Overrides = None,
    store: StoreUri = "",
    as_json: AsJson = False,
) -> None:
    """Write a page dataset's images and labels, as they were checked, for another tool."""
    params = load_params(preset, overrides=overrides or [])
    if not isinstance(params, RetrainPagesParams):
        raise BadInput(f"{preset} is of text lines, expected one with task: pages")
    settings_for(store)
    from ocr.dataset.pages.converters import export_pages
    from tasks.prepare_pages import prepare_pages
    from tasks.workspace import open_workspace

    snapshot = prepare_pages.fn(params.dataset)
    files = export_pages(open_workspace().open_pages(snapshot.key), folder, kind=to)
    if as_json:
        print_json({"files": [str(file) for file in files]})
    else:
        for file in files:
            typer.echo(file)
