"""The code behind every stage, digested: ``python -m tests.generations`` records it.

A stage's code are its modules of `ocr.store.stages` and what these import of ours. Left out is what
decides no result: docstrings and comments, parameter models (their values are in the key), the
store and the errors.
"""

import ast
import json
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from ocr.store.stages import STAGES

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "tests" / "generations.json"
DECIDES_NOTHING = ("configs", "ocr.errors", "ocr.store")

Recorded = dict[str, tuple[int, str]]
"""Generation and digest of the code, by stage."""


def describe_stages() -> Recorded:
    """Return the generation of every stage, and the digest of its code."""
    return {
        name: (stage.generation, digest_code(stage.code)) for name, stage in sorted(STAGES.items())
    }


def read_record() -> Recorded:
    """Read what was recorded last."""
    recorded = json.loads(RECORD.read_text(encoding="utf-8"))
    return {name: (generation, digest) for name, (generation, digest) in recorded.items()}


def digest_code(entries: Sequence[str], root: Path = ROOT) -> str:
    """Digest the modules and all of ours that they import, without docstrings and comments."""
    digest = sha256()
    for module in sorted(find_code(entries, root)):
        tree = _Bare().visit(_parse(module, root))
        digest.update(f"{module}\n{ast.dump(tree)}\n".encode())
    return digest.hexdigest()[:16]


def find_code(entries: Sequence[str], root: Path = ROOT) -> set[str]:
    """Return the modules, and those of ours that they import, wherever in their code."""
    found: set[str] = set()
    left = list(entries)
    while left:
        module = left.pop()
        if module not in found and not _is_under(module, DECIDES_NOTHING):
            found.add(module)
            left += [name for name in _imports(module, root) if _file(name, root)]
    return found


def find_libraries(entries: Sequence[str], root: Path = ROOT) -> set[str]:
    """Return what the code imports that is neither ours nor Python's, by its import name."""
    names = {name for module in find_code(entries, root) for name in _imports(module, root)}
    tops = {name.split(".")[0] for name in names if not _file(name.split(".")[0], root)}
    return tops - sys.stdlib_module_names


class _Bare(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else node


def _imports(module: str, root: Path) -> Iterator[str]:
    for node in ast.walk(_parse(module, root)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if _file(inner, root) else node.module


def _parse(module: str, root: Path) -> ast.Module:
    path = _file(module, root)
    if path is None:
        raise FileNotFoundError(f"ocr/store/stages.py names {module}, which is no module")
    return ast.parse(path.read_text(encoding="utf-8"))


def _file(module: str, root: Path) -> Path | None:
    path = root.joinpath(*module.split("."))
    files = (path / "__init__.py", path.with_suffix(".py"))
    return next((file for file in files if file.is_file()), None)


def _is_under(module: str, rooms: Sequence[str]) -> bool:
    return any(module == room or module.startswith(f"{room}.") for room in rooms)


def main() -> None:
    """Record every stage's generation and code, one line a stage."""
    lines = [f"  {json.dumps(name)}: {json.dumps(it)}" for name, it in describe_stages().items()]
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
