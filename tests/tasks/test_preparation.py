"""What is said of a preparation, and what it costs to know."""

import logging
from pathlib import Path

import pytest

from configs.dataset import PageDatasetParams
from ocr.dataset.split import SPLITS
from ocr.models.registry import Registry
from tasks.preparation import show_charset
from tasks.prepare_pages import prepare_pages
from tasks.workspace import open_workspace
from tests.ocr.dataset.pages.sheets import write_pages
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


def test_pages_that_say_what_test_pages_say_are_named_and_kept(
    empty: Registry, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    texts = [f"{n} x {n}.90" for n in range(5)]
    for split, images in (("train", ("second.png", "other.png")), ("test", ("first.png",))):
        said = {image: ["other", *texts[1:]] if image == "other.png" else texts for image in images}
        write_pages(tmp_path / "data", f"det_{split}.txt", said)
    params = PageDatasetParams(
        name="bills", root=str(tmp_path / "data"), val_labels="", test_labels="det_test.txt"
    )

    with caplog.at_level(logging.INFO, logger="tasks.run.narration"):
        counts = prepare_pages.fn(params).counts

    assert (counts["train"] + counts["val"], counts["test"]) == (2, 1)
    (warning,) = (each for each in caplog.messages if "texts of a test page: 1;" in each)
    assert warning.partition("): ")[2] in (f"second.png ({n}) as first.png" for n in SPLITS)
