"""A detector trained by `python -m training train-detector`: it learns, and goes on when killed."""

import json
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from configs.jobs import TrainDetectorJob, TrainKind, TrainResult
from ocr.dataset.candidate import UNCHECKED
from ocr.dataset.snapshot.snapshot import Snapshot
from ocr.dataset.split import Split
from ocr.errors import BadData
from ocr.models.detector_spec import PageSpec
from tests.training.detection.toy_pages import make_page_snapshot, write_detector_job
from tests.training.running import assert_same_weights, curve, end_at, run
from training.detection.checkpoint import load_detector
from training.detection.net import DetectorNetSpec
from training.detection.trainee import open_detector
from training.job import fetch_snapshot, read_job
from training.loop.progress import read_events
from training.loop.ranks import Ranks

SHORT: dict[str, Any] = {"epochs": 1, "evaluations": 2, "checkpoint_every_s": 0.01}
COMMAND: TrainKind = "train-detector"


@pytest.fixture(scope="module")
def toy_pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    counts = {"train": 12, "val": 4, "test": 2}
    return make_page_snapshot(tmp_path_factory.mktemp("pages"), counts=counts)


@pytest.fixture(scope="module")
def uninterrupted(toy_pages: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("uninterrupted")
    code, errors = run(write_detector_job(folder, toy_pages, **SHORT), command=COMMAND)
    assert code == 0, errors
    return folder


def test_words_are_found_after_seconds(toy_pages: dict[str, str], tmp_path: Path) -> None:
    job = write_detector_job(tmp_path, toy_pages, epochs=10, evaluations=2)

    code, errors = run(job, command=COMMAND)

    assert code == 0, errors
    result = TrainResult.model_validate_json((tmp_path / "result.json").read_bytes())
    assert result.metrics.keys() == {"hmean", "precision", "recall", "loss"}
    assert result.metrics["hmean"] > 0.8


def test_a_killed_training_ends_with_the_same_curve(
    uninterrupted: Path, toy_pages: dict[str, str], tmp_path: Path
) -> None:
    job = write_detector_job(tmp_path, toy_pages, **SHORT)

    end_at(job, step=11, how=signal.SIGKILL, command=COMMAND)
    code, errors = run(job, command=COMMAND)

    assert code == 0, errors
    assert curve(tmp_path) == curve(uninterrupted)
    assert_same_weights(tmp_path, uninterrupted)


def test_validations_say_how_well_text_is_found(uninterrupted: Path) -> None:
    events = read_events(uninterrupted / "metrics.jsonl")

    found = [event for event in events if event["event"] == "validation"]

    assert len(found) == 2
    assert found[0].keys() == {"event", "step", "hmean", "precision", "recall", "loss"}


def test_the_checkpoint_holds_net_and_rule(uninterrupted: Path) -> None:
    net, spec, rule = load_detector(uninterrupted / "checkpoint")

    assert not net.training
    assert spec == DetectorNetSpec(PageSpec(320), "small")
    assert json.loads((uninterrupted / "checkpoint" / "boxes.json").read_text()).keys() == {
        "threshold", "box_threshold", "unclip_ratio", "crop_unclip_ratio",
    }  # fmt: skip
    assert 0 < rule.threshold < 1


@pytest.mark.slow
def test_two_ranks_share_the_work(toy_pages: dict[str, str], tmp_path: Path) -> None:
    job = write_detector_job(tmp_path, toy_pages, devices=2, **SHORT)

    code, errors = run(job, command=COMMAND)

    assert code == 0, errors
    last = read_events(tmp_path / "metrics.jsonl")[-1]
    assert last["step"] == 12  # 12 pages, 8 views each, 4 per rank and step
    assert np.isfinite(last["loss"])


@pytest.fixture
def job(toy_pages: dict[str, str], tmp_path: Path) -> TrainDetectorJob:
    """A job whose snapshot is there."""
    job = read_job(write_detector_job(tmp_path, toy_pages), TrainDetectorJob)
    fetch_snapshot(job, tmp_path)
    return job


def test_pages_without_a_val_split_are_refused(
    job: TrainDetectorJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = Snapshot.images
    only_train = lambda self, split: pages(self, split) if split == "train" else iter(())  # noqa: E731
    monkeypatch.setattr(Snapshot, "images", only_train)

    with pytest.raises(BadData, match="The val split is empty"):
        open_detector(job, tmp_path, ranks=Ranks())


@pytest.mark.parametrize("empty", ["train", "val"])
def test_a_split_of_pages_without_any_text_is_refused(
    empty: str, job: TrainDetectorJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labelled = Snapshot.samples

    def without_text(self: Any, split: Split) -> Iterator[Any]:
        for page in labelled(self, split):
            yield replace(page, regions=()) if split == empty else page

    monkeypatch.setattr(Snapshot, "samples", without_text)

    with pytest.raises(BadData, match=f"None of the .* pages of the {empty} split has a region"):
        open_detector(job, tmp_path, ranks=Ranks())


def test_boxes_that_a_model_drew_are_not_learnt(
    job: TrainDetectorJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labelled = Snapshot.samples

    def mostly_read(self: Any, split: Split) -> Iterator[Any]:
        for number, page in enumerate(labelled(self, split)):
            if split == "train":
                of_model = replace(page, source=f"{page.source}{UNCHECKED}")
                yield of_model if number else replace(page, regions=())
            else:
                yield page

    monkeypatch.setattr(Snapshot, "samples", mostly_read)

    with pytest.raises(BadData, match="None of the 1 pages of the train split has a region"):
        open_detector(job, tmp_path, ranks=Ranks())
