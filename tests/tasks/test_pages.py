"""The stages of pages without training: assembled, measured, judged, found again."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from configs.dataset import PageDatasetParams
from configs.evaluation import PageEvaluationParams
from configs.gate import PageGateParams
from ocr.dataset.preparation import SnapshotRef
from ocr.models.golden import read_golden_pages
from ocr.models.pipeline import read_pipeline, write_pipeline
from ocr.models.registry import Registry
from ocr.reading.cores import Cores
from tasks.assembling.assemble import assemble_pipeline
from tasks.evaluate import evaluate_pages
from tasks.judging.pages import judge_pages
from tasks.prepare_pages import crop_pages, prepare_pages
from tasks.readers import load_detector, load_pipeline, load_recogniser
from tasks.references import CascadeRef, JudgementRef, ModelRef
from tasks.workspace import Workspace, open_workspace
from tests.serving.tiny_pipeline import make_detector

PARAMS = PageEvaluationParams(resamples=200)


def assemble(
    pages: SnapshotRef,
    recogniser: str = "r1",
    detector: str = "d1",
    cascade: CascadeRef | None = None,
) -> ModelRef:
    return assemble_pipeline.fn(
        "pages",
        ModelRef("pages-detector", detector, checkpoints=("checkpoints/d",)),
        ModelRef("pages-recogniser", recogniser, checkpoints=("checkpoints/r",)),
        pages,
        cascade,
    )


def judge(pipeline: ModelRef, pages: SnapshotRef, gate: PageGateParams) -> JudgementRef:
    return judge_pages.fn(evaluate_pages.fn(pipeline, pages, PARAMS), gate)


def test_lines_are_cut_out_of_the_pages_once(
    pages: SnapshotRef, dataset: PageDatasetParams, capsys: pytest.CaptureFixture[str]
) -> None:
    first = crop_pages.fn(pages, dataset, "pages-recogniser")
    again = crop_pages.fn(pages, dataset, "pages-recogniser")

    assert (first.cached, again.cached) == (False, True)
    assert first.key == again.key
    assert first.key.startswith("datasets/bars-lines/")
    assert first.counts["accepted"] == pages.counts["regions"]


def test_a_pipeline_names_its_parts_and_proves_what_they_read(
    registry: Registry, pages: SnapshotRef
) -> None:
    made = assemble(pages)
    again = assemble(pages)

    assert again == made
    folder = open_workspace().fetch_bundle(registry.version("pages", made.version))
    manifest = read_pipeline(folder)
    assert (manifest.detector, manifest.recogniser) == ("pages-detector:d1", "pages-recogniser:r1")
    assert manifest.metrics["recognition_accuracy"] == 1.0
    golden = {line.text for page in read_golden_pages(folder) for line in page.lines}
    assert golden
    assert all(text.isdecimal() for text in golden)
    assert not list((open_workspace().home / "jobs").glob("*"))


def test_a_pipeline_is_assembled_on_all_cores(
    pages: SnapshotRef, monkeypatch: pytest.MonkeyPatch
) -> None:
    lent: list[Cores] = []

    def note(load: Callable[..., Any]) -> Callable[..., Any]:
        def loading(workspace: Workspace, reference: str, *, cores: Cores) -> Any:
            lent.append(cores)
            return load(workspace, reference, cores=cores)

        return loading

    monkeypatch.setattr("tasks.assembling.assemble.count_processors", lambda: 3)
    monkeypatch.setattr("tasks.assembling.assemble.load_detector", note(load_detector))
    monkeypatch.setattr("tasks.assembling.assemble.load_recogniser", note(load_recogniser))

    assemble(pages)

    assert [cores.count for cores in lent] == [3, 3]
    assert lent[0] is lent[1]


def test_pages_are_read_on_all_cores(pages: SnapshotRef, monkeypatch: pytest.MonkeyPatch) -> None:
    lent: list[int] = []

    def load(workspace: Workspace, reference: str, *, threads: int) -> Any:
        lent.append(threads)
        return load_pipeline(workspace, reference, threads=threads)

    monkeypatch.setattr("tasks.evaluate.count_processors", lambda: 3)
    monkeypatch.setattr("tasks.readers.load_pipeline", load)

    evaluate_pages.fn(assemble(pages), pages, PARAMS)

    assert lent == [3]


def test_another_recogniser_makes_another_version(pages: SnapshotRef) -> None:
    assert assemble(pages, "r1").version != assemble(pages, "r2").version


def test_two_machines_at_once_assemble_one_version(
    registry: Registry, pages: SnapshotRef, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    others: list[ModelRef] = []

    written: list[Path] = []

    def write(folder: Path, *args: Any, **named: Any) -> None:
        write_pipeline(folder, *args, **named)
        written.append(folder)
        if len(written) == 1:  # another machine starts and ends before this one registers
            with monkeypatch.context() as other:
                other.setenv("OCRLINE_HOME", str(tmp_path / "other"))
                others.append(assemble(pages))

    monkeypatch.setattr("tasks.assembling.assemble.write_pipeline", write)

    assert [assemble(pages)] == others
    assert registry.versions("pages") == [others[0].version]


def test_first_pipeline_is_accepted_with_a_report(registry: Registry, pages: SnapshotRef) -> None:
    judgement = judge(assemble(pages), pages, PageGateParams())

    assert judgement.accepted
    assert "<html" in Path(judgement.report).read_text(encoding="utf-8")[:200]


def test_pipeline_below_the_floor_is_not_accepted(registry: Registry, pages: SnapshotRef) -> None:
    judgement = judge(assemble(pages, "r2"), pages, PageGateParams(min_hmean=0.5))

    assert (judgement.verdict, judgement.accepted) == ("block", False)


def test_pipeline_that_reads_worse_than_the_champion_is_not_accepted(
    registry: Registry, pages: SnapshotRef
) -> None:
    registry.promote("pages", assemble(pages, "r1").version, reason="first")

    evaluation = evaluate_pages.fn(assemble(pages, "r2"), pages, PARAMS)
    judgement = judge_pages.fn(evaluation, PageGateParams())

    assert evaluation.opponent == assemble(pages, "r1").reference
    assert not judgement.accepted
    assert judgement.reasons[0] == "It reads nothing of the test right."
    assert "e2e Hmean 0.0% against 100.0%" in judgement.reasons[1]


def test_same_pages_are_measured_once(registry: Registry, pages: SnapshotRef) -> None:
    pipeline = assemble(pages)

    first = evaluate_pages.fn(pipeline, pages, PARAMS)
    measured = list(registry.store.list("evaluations"))
    again = evaluate_pages.fn(pipeline, pages, PARAMS)

    assert again.key == first.key
    assert list(registry.store.list("evaluations")) == measured


def test_a_champion_whose_detector_learnt_pages_of_the_test_is_said_to_have(
    registry: Registry,
    pages: SnapshotRef,
    dataset: PageDatasetParams,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    swapped = {"train_labels": "det_test.txt", "test_labels": "det_train.txt"}
    theirs = prepare_pages.fn(dataset.model_copy(update={"name": "of-last-year", **swapped}))
    detector = make_detector(
        tmp_path / "d0", name="pages-detector", version="d0", dataset_digest=theirs.digest
    )
    registry.register("pages-detector", "d0", detector)
    champion = assemble(pages, detector="d0")
    registry.promote("pages", champion.version, reason="first")

    judge(assemble(pages), pages, PageGateParams())

    said = (
        f"{champion.reference} was trained on 2 of the 2 pages of the test (test0.png, test1.png)"
    )
    assert said in capsys.readouterr().err
