"""``ocrline annotate``: unlabelled pages to a folder of proposed labels, for a person to check.

Or, with ``--sure``, of labels that a model learns from unchecked.
"""

import json
import os
import shlex
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer
from rich.markup import escape
from rich.progress import track

from cli.options import AsJson, StoreUri
from cli.output import ERR, print_json, print_table, tell
from cli.reading import OFF_THE_SHELF, list_files, load_page_reader
from configs.dataset import MAX_PIXELS
from ocr.errors import ArtifactExists, BadInput

if TYPE_CHECKING:
    from ocr.proposal.folder import Proposal
    from ocr.proposal.suggestion import Suggestion
    from ocr.proposal.unchecked import UncheckedLabels

TO_CHECK = 100
_COLUMNS = ("page", "of", "chosen", "doubt", "novelty", "lines", "least sure of")
_THEN: Final[Mapping[str, str]] = {
    "ppocrlabel": "open the folder with PPOCRLabel, correct and confirm page after page, and train "
    "on its Label.txt (source: ppocrlabel)",
    "labelstudio": "make a project with labelstudio.xml, let it use predictions to prelabel tasks, "
    "import labelstudio.json, correct and submit task after task, and train on the export (source: "
    "labelstudio)",
}


def annotate(
    folder: Annotated[Path, typer.Argument(help="Folder of images and PDFs nobody has labelled.")],
    to: Annotated[
        Literal["ppocrlabel", "labelstudio"],
        typer.Option(help="The tool that the pages are checked with."),
    ],
    model: Annotated[
        str,
        typer.Option(
            help=f"NAME, NAME@alias, NAME:version or {OFF_THE_SHELF}; default: the only champion "
            f"that reads pages, {OFF_THE_SHELF} where there is none."
        ),
    ] = "",
    budget: Annotated[
        int | None, typer.Option(min=1, help="Most pages to write; default: 100, with --sure all.")
    ] = None,
    sure: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Write labels for another model to learn unchecked, --to ppocrlabel: lines read "
            "with this confidence or more; others are ignored.",
        ),
    ] = None,
    output: Annotated[
        str,
        typer.Option(help="Folder to make; default: FOLDER's name and -to-check, or -read."),
    ] = "",
    after: Annotated[
        list[Path] | None,
        typer.Option(help="Folder of an earlier call: its pages are not written; repeatable."),
    ] = None,
    store: StoreUri = "",
    as_json: AsJson = False,
) -> None:
    """Read pages and write those to check first with their texts, for a person to correct.

    Every other page is useful, with many unsure lines and unlike those before it; the others are
    drawn at random. With --sure, what is read surely on any page is a label for another model to
    learn, and nobody checks it.
    """
    if sure is not None and to != "ppocrlabel":
        raise BadInput(f"--to {to} with --sure, expected --to ppocrlabel")
    ending = "to-check" if sure is None else "read"
    source = Path(os.path.realpath(folder))  # resolve() fails at links that go in a circle
    target = Path(output or f"{source.name}-{ending}")
    if Path(os.path.realpath(target)).is_relative_to(source):
        raise BadInput(f"{target} lies in {folder}, whose pages are read; name another --output")
    if target.exists():
        raise ArtifactExists(
            f"{target} is there already and may hold what somebody checked; name another --output, "
            f"with --after {target} to leave its pages out"
        )
    files = list(list_files([folder]))
    reading = track(files, "reading", console=ERR, transient=True)
    from ocr.proposal.folder import propose_labels
    from ocr.proposal.suggestion import read_known
    from ocr.proposal.unchecked import label_unchecked

    known = read_known(after or [])
    reader = load_page_reader(model, store=store)
    made: Proposal | UncheckedLabels
    if sure is None:
        made = propose_labels(
            reading,
            target,
            kind=to,
            reader=reader,
            budget=budget or TO_CHECK,
            max_pixels=MAX_PIXELS,
            known=known,
        )
    else:
        made = label_unchecked(
            reading,
            target,
            within=folder if folder.is_dir() else folder.parent,
            reader=reader,
            sure=sure,
            max_pixels=MAX_PIXELS,
            budget=budget,
            known=known,
        )
    if as_json:
        print_json({"model": reader.name, "folder": str(target), **asdict(made)})
    else:
        _print(made, target, reader.name, source=folder, then=_THEN[to])


def _print(
    made: "Proposal | UncheckedLabels", target: Path, model: str, *, source: Path, then: str
) -> None:
    from ocr.proposal.folder import Proposal

    for each in made.left_out:
        tell("[yellow]left out[/]", f"{each.name}: {each.why}")
    if isinstance(made, Proposal):
        _print_proposal(made, target, model, source=source, then=then)
    else:
        _print_unchecked(made, target, model)


def _print_proposal(
    proposal: "Proposal", target: Path, model: str, *, source: Path, then: str
) -> None:
    rows = [_row(page, source) for page in proposal.suggestions]
    print_table(f"{target}, read by {model}", _COLUMNS, rows)
    drawn = sum(page.chosen == "random" for page in proposal.suggestions)
    ERR.print(
        f"wrote {len(proposal.suggestions)} of {proposal.read} pages, {drawn} of them drawn at "
        f"random; {escape(then)}",
        soft_wrap=True,
    )


def _print_unchecked(made: "UncheckedLabels", target: Path, model: str) -> None:
    learn = [{"labels": f"{target.resolve().name}/Label.txt", "checked": False}]
    change = f"dataset.more_labels={json.dumps(learn, ensure_ascii=False)}"
    ERR.print(
        f"{escape(str(target))}, read by {escape(model)}: {made.pages} pages, {made.labels} of "
        f"their {made.lines} lines are labels, the others are ignored; with the folder in "
        f"dataset.root, train with --set {escape(shlex.quote(change))}",
        soft_wrap=True,
    )


def _row(page: "Suggestion", source: Path) -> tuple[object, ...]:
    """Describe a page; its file as it is called within the folder that was read."""
    file = os.path.relpath(page.file, source if source.is_dir() else source.parent)
    least = f"{page.least_confidence:.2f} {page.least_text}" if page.lines else "nothing was read"
    return (
        page.image,
        f"{file} page {page.page}" if page.page > 1 else file,
        page.chosen,
        f"{page.doubt:.1f}",
        f"{page.novelty:.2f}",
        page.lines,
        least,
    )
