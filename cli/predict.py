"""``ocrline predict``: read images with a model of the registry."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from stat import S_IMODE, S_ISREG
from typing import Annotated, Any

import typer
from rich.progress import track

from cli.options import AsJson, Model, StoreUri
from cli.output import ERR, print_json, print_table, tell, to_json
from cli.reading import LineModel, PageModel, list_files, load_model
from ocr.errors import BadInput
from ocr.store.whole import written_whole


def predict(
    paths: Annotated[list[Path], typer.Argument(help="Images, PDFs, or folders of them.")],
    model: Model = "",
    annotate: Annotated[
        str, typer.Option(help="Image file to draw what was read on; of one page only.")
    ] = "",
    output: Annotated[
        str, typer.Option(help="JSONL file for the rows; folders print them without it.")
    ] = "",
    store: StoreUri = "",
    as_json: AsJson = False,
) -> None:
    """Read pages or single lines, as the model does; of a folder one JSON row a page."""
    reader = load_model(model, store=store)
    if annotate:
        _annotate(reader, paths, Path(annotate))
    elif output or any(path.is_dir() for path in paths):
        _write_rows(reader, list(list_files(paths)), output)
    else:
        _print(reader, [row for path in paths for row in reader.read(path)], as_json=as_json)


def _print(model: LineModel | PageModel, rows: Sequence[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        print_json(rows)
    elif isinstance(model, LineModel):
        print_table(
            model.reader.name, ["image", "text", "confidence"], [list(r.values()) for r in rows]
        )
    else:
        typer.echo("\n\n".join(_tell_page(row, named=len(rows) > 1) for row in rows))


def _tell_page(row: dict[str, Any], *, named: bool) -> str:
    from ocr.proposal.page import show_path

    name = [f"==> {show_path(Path(row['image']))}, page {row['page']} <=="] if named else []
    return "\n".join([*name, *(line["text"] for line in row["lines"])])


def _annotate(model: LineModel | PageModel, paths: Sequence[Path], target: Path) -> None:
    from ocr.image.pixels import encode_png
    from ocr.reading.annotation import annotate_page

    if isinstance(model, LineModel):
        raise BadInput(f"{model.reader.name} reads single lines; --annotate needs a pipeline")
    if len(paths) != 1 or target.suffix != ".png":
        raise BadInput("--annotate draws one page to one .png file")
    if not target.parent.is_dir():
        raise BadInput(f"--annotate {target}: there is no folder {target.parent}")
    if target.exists() and paths[0].exists() and target.samefile(paths[0]):
        raise BadInput(f"--annotate {target} is the page itself; name another file")
    ((_, image, reading), *others) = model.read_pages(paths[0])
    if others:
        raise BadInput(f"{paths[0]} has {1 + len(others)} pages; --annotate draws one")
    target.write_bytes(encode_png(annotate_page(image, reading.lines)))
    typer.echo("\n".join(line.text for line in reading.lines))


def _write_rows(model: LineModel | PageModel, files: Sequence[Path], output: str) -> None:
    """Write a row for every page of every file; name the files that cannot be read."""
    bad = 0
    with _open_output(output) as write:
        for path in track(files, "reading", console=ERR, transient=True):
            try:
                for row in model.read(path):
                    write(to_json(row) + "\n")
            except BadInput as error:
                bad += 1
                tell("[yellow]left out[/]", str(error))
        ERR.print(f"read {len(files) - bad} of {len(files)} files")
        if bad == len(files):
            raise BadInput("nothing could be read; the lines above say why")


@contextmanager
def _open_output(path: str) -> Iterator[Callable[[str], object]]:
    """Yield what writes a row; a file keeps what it held until all is read."""
    if not path:
        yield sys.stdout.write
        return
    try:
        is_new = not Path(path).exists()
        there = Path(path).open("ab")  # noqa: SIM115 - closed below
    except OSError as error:
        raise BadInput(f"--output {path}: {error.strerror}") from None
    with there:
        mode = os.fstat(there.fileno()).st_mode
        if not S_ISREG(mode):  # a pipe or a device
            yield lambda row: there.write(row.encode())
            return
    target = Path(path).resolve()
    if is_new:
        target.unlink()
    with written_whole(target) as file:
        os.fchmod(file.fileno(), S_IMODE(mode))
        yield lambda row: file.write(row.encode())
