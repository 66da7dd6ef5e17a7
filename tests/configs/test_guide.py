"""Every project that the guide shows is one that we read."""

import re
from itertools import count
from pathlib import Path

import pytest

from configs.presets import load_project

DOCS = Path(__file__).parents[2] / "docs" / "guide"
BLOCK = re.compile(r"```yaml\n(.*?)```", re.DOTALL)
NO_PROJECT = "targets:"
"""What notifications.yaml has, which a test of its own reads."""
NOT_WRITTEN_OUT = {"5b1d…": "5b1d" * 16}


def shown() -> list[str]:
    pages = sorted(DOCS.glob("*.md"))
    blocks = [block for page in pages for block in BLOCK.findall(page.read_text(encoding="utf-8"))]
    return [block for block in blocks if NO_PROJECT not in block]


@pytest.mark.parametrize("block", shown(), ids=count(1))
def test_a_project_in_the_guide_is_read(tmp_path: Path, block: str) -> None:
    for short, whole in NOT_WRITTEN_OUT.items():
        block = block.replace(short, whole)
    is_part = "extends:" not in block
    path = tmp_path / "project.yaml"
    path.write_text(("extends: plates\n" if is_part else "") + block, encoding="utf-8")

    project = load_project(str(path))

    assert project.params.name
