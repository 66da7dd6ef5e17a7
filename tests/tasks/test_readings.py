"""A test set is read once by each reader, and found whatever else changes."""

from collections.abc import Callable, Mapping
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from configs.evaluation import LineEvaluationParams
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.preparation import SnapshotRef
from ocr.dataset.split import SplitRule
from ocr.errors import BadData
from ocr.evaluation.lines.evaluate import evaluate_lines
from ocr.evaluation.lines.report import LinesReport
from ocr.image.pixels import encode_png
from ocr.reading.recognition.recogniser import OnnxRecogniser
from tasks.measuring.readings import read_alone
from tasks.readers import load_recogniser
from tasks.workspace import Workspace, open_workspace
from tests.ocr.dataset.rules import LINE_LIMITS
from tests.ocr.evaluation.lines.scenes import ScriptedRecogniser
from tests.tasks.conftest import ToyProject
from tests.toy_bundle import draw, write_toy_bundle

PARAMS = LineEvaluationParams(resamples=200)
LEARNT = {"BA": "BA"}
TESTED = {"AB": "AB", "BC": "BC", "CA": "CA"}


def read_report(key: str) -> LinesReport:
    return LinesReport.from_json(open_workspace().store.read_bytes(f"{key}/report.json"))


def test_a_champion_that_read_the_test_as_candidate_does_not_read_it_again(
    project: ToyProject, loaded: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    project.evaluate(project.add("v1"))
    project.promote("v1")

    evaluation = project.evaluate(project.add("v2"))

    assert loaded == ["toy:v1", "toy:v2"]
    said = capsys.readouterr().err
    assert f"test split ({project.dataset.counts['test']}) with toy:v1: found" in said
    report = read_report(evaluation.key)
    assert report.opponent
    assert (report.candidate.name, report.opponent.name) == ("toy:v2", "toy:v1")
    assert report.comparison
    assert report.comparison.n == project.dataset.counts["test"]


def test_what_one_of_two_read_is_kept_where_the_other_fails(
    project: ToyProject, loaded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project.add("v1")
    project.promote("v1")
    model = project.add("v2")
    with monkeypatch.context() as broken:
        broken.setattr("tasks.readers.load_recogniser", _failing_on("toy:v1", loaded))
        with pytest.raises(BadData, match="damaged"):
            project.evaluate(model)

    project.evaluate(model)

    assert loaded == ["toy:v2", "toy:v1"]


def _failing_on(broken: str, loaded: list[str]) -> Callable[..., OnnxRecogniser]:
    def load(workspace: Workspace, reference: str, **more: Any) -> OnnxRecogniser:
        if reference == broken:
            raise BadData(f"{reference} is damaged")
        loaded.append(reference)
        return load_recogniser(workspace, reference, **more)

    return load


def test_a_damaged_reading_is_named_with_the_fix(project: ToyProject, loaded: list[str]) -> None:
    project.evaluate(project.add("v1"))
    project.promote("v1")
    damaged = []
    for key in project.registry.store.list("evaluations"):
        path = Path(project.registry.store.uri.removeprefix("file://"), key)
        path.write_bytes(path.read_bytes()[:99])
        damaged.append(path)

    with pytest.raises(BadData, match=r"report\.json is damaged .*; remove it, and") as refused:
        project.evaluate(project.add("v2"))

    (named,) = [path for path in damaged if str(path) in str(refused.value)]
    named.unlink()
    project.evaluate(project.add("v3"))
    assert loaded == ["toy:v1", "toy:v2", "toy:v3", "toy:v1"]


def prepare(
    folder: Path, learnt: Mapping[str, str] = LEARNT, tested: Mapping[str, str] = TESTED
) -> SnapshotRef:
    """Prepare lines: some to learn from, some to test on, each of a text and its label."""
    folder.mkdir()
    splits = {"train": learnt, "val": {"BCA": "BCA"}, "test": tested}
    for text in chain(*splits.values()):
        (folder / f"{text}.png").write_bytes(encode_png(draw(text)))
    for file, labels in splits.items():
        rows = "".join(f"{text}.png\t{label}\n" for text, label in labels.items())
        (folder / f"{file}.txt").write_text(rows, encoding="utf-8")
    return prepare_lines(
        open_workspace().store,
        name="toy",
        labels=LineLabelFiles(
            "paddleocr", folder, train="train.txt", val="val.txt", test="test.txt"
        ),
        limits=LINE_LIMITS,
        split=SplitRule(val_share=0, test_share=0, seed=0),
        near_duplicate_bits=0,
    )


class Reads:
    """Reads a test set, and counts how often it has to."""

    def __init__(self) -> None:
        self.measured = 0

    def __call__(
        self,
        dataset: SnapshotRef,
        reader: str = "toy:v1",
        *,
        params: LineEvaluationParams = PARAMS,
        most: int = 9,
    ) -> str:
        workspace = open_workspace()

        def load() -> ScriptedRecogniser:
            self.measured += 1
            return ScriptedRecogniser(reader, lambda _: ("AB", 0.9))

        return read_alone(
            workspace,
            "evaluate-lines",
            reader,
            params,
            labels=workspace.open_lines(dataset.key),
            most=most,
            what="some",
            load=load,
            measure=evaluate_lines,
        )


@pytest.fixture
def read(project: ToyProject) -> Reads:
    """Two versions may read."""
    project.add("v1")
    project.add("v2")
    return Reads()


@pytest.mark.parametrize("reader", ["toy:v1", "rapidocr"])
def test_more_lines_to_learn_from_change_nothing(read: Reads, tmp_path: Path, reader: str) -> None:
    before, after = prepare(tmp_path / "a"), prepare(tmp_path / "b", {**LEARNT, "AC": "AC"})

    assert before.digest != after.digest
    assert read(before, reader) == read(after, reader)
    assert read.measured == 1


def test_a_baseline_reads_again_where_labels_have_new_characters(
    read: Reads, tmp_path: Path
) -> None:
    before, after = prepare(tmp_path / "a"), prepare(tmp_path / "b", {**LEARNT, "AC": "AD"})

    assert read(before) == read(after)
    assert read(before, "rapidocr") != read(after, "rapidocr")
    assert read.measured == 3


def test_another_release_of_a_baseline_reads_anew(
    read: Reads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = prepare(tmp_path / "a")
    before = read(dataset, "rapidocr")

    def version_of(package: str) -> str:
        return "next" if package == "rapidocr" else version(package)

    monkeypatch.setattr("ocr.store.digest.version", version_of)

    assert read(dataset, "rapidocr") != before


def test_a_version_that_was_made_again_under_its_name_reads_anew(
    project: ToyProject, read: Reads, tmp_path: Path
) -> None:
    dataset = prepare(tmp_path / "a")
    before = read(dataset)
    store = project.registry.store
    for key in list(store.list("models")):
        store.remove(key)
    bundle = project.folder / "v1"
    write_toy_bundle(bundle, name="toy", version="v1", created="2026-01-01T00:00:00+00:00")
    open_workspace().registry.register("toy", "v1", bundle)

    assert read(dataset) != before


@pytest.mark.parametrize("tested", [{**TESTED, "AB": "AC"}, {**TESTED, "AC": "AC"}])
def test_other_labels_and_more_samples_are_read_anew(
    read: Reads, tmp_path: Path, tested: Mapping[str, str]
) -> None:
    before, after = prepare(tmp_path / "a"), prepare(tmp_path / "b", tested=tested)

    assert read(before) != read(after)
    assert read.measured == 2


def test_other_readers_fewer_samples_and_other_draws_are_read_anew(
    read: Reads, tmp_path: Path
) -> None:
    dataset = prepare(tmp_path / "a")
    seed, draws = (PARAMS.model_copy(update=change) for change in ({"seed": 1}, {"resamples": 9}))

    keys = [read(dataset), read(dataset, "toy:v2"), read(dataset, most=2)]
    keys += [read(dataset, params=seed), read(dataset, params=draws), read(dataset)]

    assert read.measured == len(set(keys)) == 5
    assert read_report(keys[2]).candidate.metrics.n == 2
