"""What is said of a preparation, and what it costs to know."""

import logging

import pytest

from tasks.preparation import show_charset
from tasks.workspace import open_workspace
from tests.tasks.conftest import NAME, ToyProject


def test_charset_is_compared_without_copying_images_or_a_bundle(
    project: ToyProject, caplog: pytest.LogCaptureFixture
) -> None:
    project.add("v1")
    project.promote("v1")
    workspace = open_workspace()

    with caplog.at_level(logging.INFO, logger="tasks.run.narration"):
        show_charset(workspace, project.dataset, NAME)

    copied = {path.suffix for path in workspace.home.rglob("*") if path.is_file()}
    assert caplog.messages == ["3 characters beside toy:v1"]
    assert copied <= {".json", ".parquet", ".txt"}
