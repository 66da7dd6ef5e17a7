"""The house as docs/house.md draws it: small rooms, short files, reading orders that are true."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("bench", "cli", "configs", "deploy", "flows", "ocr", "serving", "tasks", "training")
PACKAGES = sorted(init.parent for room in ROOMS for init in (ROOT / room).rglob("__init__.py"))
MOST_MODULES = 15
MOST_LINES = 300
MOST_ENTRIES = 12
OPAQUE = ["tests/upgrades/state-eb25c8a.tar.xz"]
"""A state that an earlier release wrote, as it wrote it."""

each_package = pytest.mark.parametrize(
    "package", PACKAGES, ids=[package.relative_to(ROOT).as_posix() for package in PACKAGES]
)


def reading_order(package: Path) -> str:
    tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    return ast.get_docstring(tree) or ""


def contents(package: Path) -> set[str]:
    """Return the names of a package's modules and of its packages."""
    modules = {path.stem for path in package.glob("*.py") if not path.stem.startswith("__")}
    return modules | {init.parent.name for init in package.glob("*/__init__.py")}


@each_package
def test_reading_order_names_every_file_and_nothing_else(package: Path) -> None:
    order = reading_order(package)
    entries = re.findall(r"^(?:-|\d+\.) (.*?)(?: – |: )", order, flags=re.MULTILINE)

    named = {name.rstrip("/") for name in re.findall(r"`([^`]+)`", order) if " " not in name}

    assert contents(package) <= named
    for entry in entries:
        for name in re.findall(r"`([^`]+)`", entry):
            where = package / name
            assert where.exists() or where.with_suffix(".py").is_file(), name
    assert len(entries) <= MOST_ENTRIES


@each_package
def test_room_is_small(package: Path) -> None:
    assert len(list(package.glob("*.py"))) - 1 <= MOST_MODULES


def test_no_file_is_long() -> None:
    files = [path for room in (*ROOMS, "tests") for path in (ROOT / room).rglob("*.py")]

    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in files}

    assert [path for path, lines in lengths.items() if lines > MOST_LINES] == []


def test_nothing_is_kept_that_nobody_can_read() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("no git checkout: nothing says which files are the project's")
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    files = [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]

    assert [name for name in files if b"\0" in (ROOT / name).read_bytes()] == OPAQUE


def test_walks_name_files_that_are_there() -> None:
    text = (ROOT / "docs" / "house.md").read_text(encoding="utf-8")

    named = re.findall(rf"`((?:{'|'.join(ROOMS)})/[\w/.]+)`", text)

    assert len(named) > 50
    assert [name for name in named if not (ROOT / name).exists()] == []
