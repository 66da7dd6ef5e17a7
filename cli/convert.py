"""``ocrline convert`` and ``suspects``: checked labels, and doubtful ones, for other tools."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.progress import track

from cli.options import AsJson, Overrides, Preset, StoreUri, settings_for
from cli.output import ERR, print_json, print_table, tell
from configs.presets import ProjectParams, load_params
from configs.retrain import RetrainPagesParams
from ocr.dataset.split import SPLITS, Split
from ocr.errors import ArtifactExists, BadInput

if TYPE_CHECKING:
    from ocr.dataset.snapshot.snapshot import Snapshot
    from ocr.evaluation.suspects.suspect import LabelledCrop, Suspect
    from ocr.image.pixels import Image
    from tasks.workspace import Workspace

SHOWN = 20


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
    _refuse_existing(folder)
    params = load_params(preset, overrides=overrides or [])
    if not isinstance(params, RetrainPagesParams):
        raise BadInput(f"{preset} is of text lines, expected one with task: pages")
    settings_for(store)
    from ocr.dataset.pages.converters import GROUP_PATTERN, export_pages, has_groups
    from tasks.prepare_pages import prepare_pages
    from tasks.workspace import open_workspace

    pages = open_workspace().open_pages(prepare_pages.fn(params.dataset).key)
    files = export_pages(pages, folder, kind=to)
    group_pattern = GROUP_PATTERN if to == "paddleocr" and has_groups(pages) else ""
    if as_json:
        print_json({"files": [str(file) for file in files], "group_pattern": group_pattern})
        return
    for file in files:
        typer.echo(file)
    if group_pattern:
        tell("documents", f"are in the images' names: dataset.group_pattern: '{group_pattern}'")


def suspects(
    preset: Preset,
    folder: Annotated[Path, typer.Argument(help="Folder to make: the list, images, labels.")],
    to: Annotated[
        Literal["labelstudio", "ppocrlabel"], typer.Option(help="Tool that opens the labels.")
    ] = "labelstudio",
    split: Annotated[
        Literal["all", "train", "val", "test"], typer.Option(help="Labels to doubt.")
    ] = "all",
    most: Annotated[int, typer.Option(min=1, help="Lines to list, the most suspicious.")] = 200,
    model: Annotated[
        str, typer.Option(help="NAME, NAME@alias or NAME:version; default: the champion.")
    ] = "",
    overrides: Overrides = None,
    store: StoreUri = "",
    as_json: AsJson = False,
) -> None:
    """Read every labelled line and list those whose label the model doubts most.

    Nothing is changed: labels are written as they are, with what was read beside them.
    """
    _refuse_existing(folder)
    params = load_params(preset, overrides=overrides or [])
    settings_for(store)
    from ocr.evaluation.suspects.finding import find_suspects
    from ocr.evaluation.suspects.project import write_project
    from tasks.readers import load_line_reader
    from tasks.workspace import open_workspace

    workspace = open_workspace()
    reader = load_line_reader(workspace, model or params.name)
    snapshot, crops, count = _open(workspace, params, SPLITS if split == "all" else (split,))
    reading = track(crops, "reading", total=count, console=ERR, transient=True)
    found = find_suspects(reading, reader, most=most)
    files = write_project(folder, found, snapshot, tool=to, reader=reader.name)
    if as_json:
        print_json({"suspects": len(found), "files": [str(file) for file in files]})
        return
    print_table(
        f"{len(found)} labels that {reader.name} doubts most",
        ["split", "image", "region", "label", "read", "unknown", "contradiction"],
        [_row(suspect) for suspect in found[:SHOWN]],
    )
    for file in files:
        typer.echo(file)


def _refuse_existing(folder: Path) -> None:
    """Refuse before there is work that would be for nothing."""
    if folder.exists() or folder.is_symlink():
        raise ArtifactExists(f"{folder} is there already, expected a new folder")


def _open(
    workspace: "Workspace", params: ProjectParams, splits: tuple[Split, ...]
) -> "tuple[Snapshot[Any], Iterator[tuple[LabelledCrop, Image]], int]":
    """Find or write the dataset; returns it, its labelled lines and how many they are."""
    from ocr.evaluation.suspects.crops import count_on_pages, crops_of_lines, crops_of_pages

    if isinstance(params, RetrainPagesParams):
        from tasks.prepare_pages import prepare_pages

        pages = workspace.open_pages(prepare_pages.fn(params.dataset).key)
        crops = chain.from_iterable(crops_of_pages(pages, split) for split in splits)
        return pages, crops, sum(count_on_pages(pages, split) for split in splits)
    from tasks.prepare_lines import prepare_lines

    lines = workspace.open_lines(prepare_lines.fn(params.dataset, params.name).key)
    crops = chain.from_iterable(crops_of_lines(lines, split) for split in splits)
    return lines, crops, sum(1 for split in splits for _ in lines.values("text", split))


def _row(suspect: "Suspect") -> list[object]:
    crop = suspect.crop
    name = crop.image or crop.id[:12]
    read = "as labelled" if suspect.read == crop.text else suspect.read
    said = f"{suspect.contradiction:.1f}"
    return [crop.split, name, crop.region or "", crop.text, read, suspect.unknown_codes, said]
