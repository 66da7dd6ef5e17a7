"""``ocrline predict``: read images with a model of the registry."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.output import AsJson, StoreUri, print_json, print_table
from cli.retrain import settings_for
from ocr.errors import BadInput

if TYPE_CHECKING:  # numpy, pandas and the engines take seconds: only where a command needs them
    from ocr.image import Image
    from ocr.recogniser import OnnxRecogniser

MAX_PIXELS = 50_000_000

Model = Annotated[str, typer.Option(help="NAME, NAME@alias or NAME:version.")]


def predict(
    images: Annotated[list[Path], typer.Argument(help="Images of one text line each.")],
    model: Model,
    store: StoreUri = "",
    as_json: AsJson = False,
) -> None:
    """Read one text line per image."""
    recogniser = load_model(model, store=store)
    pictures = [read_image(path) for path in images]
    rows = [
        {"image": str(path), "text": answer.text, "confidence": round(answer.confidence, 4)}
        for path, answer in zip(images, recogniser.recognise(pictures), strict=True)
    ]
    if as_json:
        print_json(rows)
    else:
        columns = ["image", "text", "confidence"]
        print_table(recogniser.name, columns, [list(row.values()) for row in rows])


def load_model(reference: str, *, store: str) -> "OnnxRecogniser":
    """Fetch a version of the registry to this machine, once, and load it."""
    from ocr.recogniser import OnnxRecogniser
    from tasks.workspace import open_workspace

    workspace = open_workspace(settings_for(store))
    return OnnxRecogniser.load(workspace.fetch_bundle(workspace.registry.resolve(reference)))


def read_image(path: Path) -> "Image":
    """Read one image file.

    Raises:
        BadInput: It does not exist or is not an image.
    """
    from ocr.image import BadImage, decode_image

    try:
        return decode_image(path.read_bytes(), max_pixels=MAX_PIXELS)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
    except BadImage as error:
        raise BadInput(f"{path}: {error}") from None
