"""Every command that a message, a help text or the guide proposes is one that is taken."""

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from cli.main import app

ROOT = Path(__file__).parents[2]
FOLDERS = ("cli", "configs", "deploy", "flows", "ocr", "serving", "tasks", "training")
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs/guide").glob("*.md"))]
PROPOSED = re.compile(r"`(ocrline [^`]+)`")
EXAMPLE = re.compile(r"^Example: (ocrline .*)$")
FENCE = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
IN_FENCE = re.compile(
    r"^ *(?:\$ )?(?:[A-Z_]+=\S+ )*(ocrline (?:[^#\n]*\\\n)*[^#\n]*)", re.MULTILINE
)
FILLED = "7"
"""Whatever a message puts in its place."""
WRITTEN_OUT = (
    (r"\\\n", " "),
    (r"\\?\|[^\s\]]+", ""),  # the first of several
    (r" …(?= |$)", " x"),
    (r"[\[\]…]", ""),
    (r"\b(?:N|C)\b", "1"),
    (r"\bDAYS\b", "30"),
    (r"\bSTAGE\b", "judge"),
)


def proposed_in_code() -> Iterator[str]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for text in texts_of(ast.parse(path.read_text(encoding="utf-8"))):
                yield from PROPOSED.findall(text)
                yield from EXAMPLE.findall(text)


def texts_of(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "" for part in node.values)
            yield "".join(str(part or FILLED) for part in parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def proposed_in_documents() -> Iterator[str]:
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        yield from PROPOSED.findall(FENCE.sub("", text))
        for block in FENCE.findall(text):
            yield from IN_FENCE.findall(block)


def written_out(proposed: str) -> str:
    for short, whole in WRITTEN_OUT:
        proposed = re.sub(short, whole, proposed)
    return " ".join(proposed.split())


def proposals() -> list[str]:
    return sorted({written_out(each) for each in (*proposed_in_code(), *proposed_in_documents())})


@pytest.mark.parametrize("proposed", proposals())
def test_a_proposed_command_is_taken(proposed: str) -> None:
    _, *arguments = shlex.split(proposed)
    command = typer.main.get_command(app)
    while arguments and isinstance(command, typer.core.TyperGroup) and arguments[0][0] != "-":
        command = command.commands[arguments.pop(0)]
    known = {option for each in command.params for option in each.opts} | {"--help"}
    options = {each for each in arguments if each.startswith("--")}

    assert options <= known
    if options != set(arguments):  # more than the name of a command, or of an option
        command.make_context(command.name, arguments)
