"""PaddleOCR's source tree and runtime, where this machine has them."""

import os
import shutil
from pathlib import Path

import pytest
import yaml

from configs.jobs import PaddleOcrRuntime
from ocr.errors import BadInput
from ocr.source_tree import find_home, find_source_tree

ROOT = Path(__file__).resolve().parents[1]
BESIDE = ROOT.parent / "shared" / "peers" / "PaddleOCR"
RUNTIME = ROOT / ".venv-paddleocr" / "bin" / "python"


def find_tree() -> Path:
    """Return the source tree, or skip the test and say how to get it."""
    try:
        return find_home(os.environ.get("PADDLEOCR_HOME") or (str(BESIDE) * BESIDE.is_dir()))
    except BadInput as error:
        pytest.skip(str(error))


def find_runtime() -> PaddleOcrRuntime:
    """Return tree and interpreter, or skip the test and say how to get them."""
    python = Path(os.environ.get("OCRLINE_PADDLEOCR_PYTHON") or RUNTIME)
    try:
        found = find_source_tree(str(find_tree()), python)
    except BadInput as error:
        pytest.skip(str(error))
    return PaddleOcrRuntime(
        home=str(found.home), python=str(found.python), tree=found.tree, packages=found.packages
    )


def copy_tree(folder: Path, net: str, *, dictionary: str = "", **said: object) -> PaddleOcrRuntime:
    """Copy the tree, with a net's file that says more under `Global`; return it, with the net.

    A dictionary's characters are those of `ppocr/utils/ours.txt`.
    """
    found, home = find_runtime(), folder / "PaddleOCR"
    for part in ("ppocr", "tools"):
        shutil.copytree(Path(found.home) / part, home / part)
    config = yaml.safe_load((Path(found.home) / net).read_text(encoding="utf-8"))
    (home / "ppocr/utils/ours.txt").write_text("".join(f"{each}\n" for each in dictionary))
    config["Global"] |= said
    (home / net).parent.mkdir(parents=True)
    (home / net).write_text(yaml.safe_dump(config), encoding="utf-8")
    tree = find_source_tree(str(home), Path(found.python), config=net).tree
    return found.model_copy(update={"home": str(home), "config": net, "tree": tree})
