"""Links of the documents lead to a file that is there, and to a heading of it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^()\s]*)\)")
NO_LETTER = re.compile(r"[^\w\- ]")
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


def read(path: Path) -> str:
    """Return a document without its blocks of code."""
    return FENCE.sub("", path.read_text(encoding="utf-8"))


def anchors(path: Path) -> set[str]:
    """Return the anchors of its headings, as GitHub writes them."""
    found = HEADING.findall(read(path))
    return {NO_LETTER.sub("", heading.lower()).replace(" ", "-") for heading in found}


def links(path: Path) -> Iterator[tuple[Path, str]]:
    """Yield where links lead that lead to no other site, and to which heading."""
    for link in LINK.findall(read(path)):
        if "://" not in link:
            file, _, anchor = link.partition("#")
            yield (path.parent / file if file else path), anchor


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_to_what_is_there(path: Path) -> None:
    broken = [
        f"{file.name}#{anchor}"
        for file, anchor in links(path)
        if not file.exists() or (anchor and anchor not in anchors(file))
    ]

    assert broken == []


def test_every_page_of_the_guide_is_named_in_the_readme() -> None:
    named = {file.resolve() for file, _ in links(ROOT / "README.md")}

    assert set((ROOT / "docs/guide").glob("*.md")) <= named
