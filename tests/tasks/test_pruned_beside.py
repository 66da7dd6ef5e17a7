"""What a run finds, old as it is, is not pruned while the run goes on."""

import os
import shutil
import time

import pytest

from configs.dataset import LineDatasetParams
from ocr.retention.plan import Verdict, plan_removal
from tasks.judging.lines import judge_lines
from tasks.prepare_lines import prepare_lines
from tests.tasks.conftest import NAME, ToyProject
from tests.tasks.judging.test_lines import GATE
from tests.tasks.test_keys import export, made, train

__all__ = ["made"]

WEEK_S = 7 * 24 * 3600
IN_USE = "written or in use since"


@pytest.fixture
def params(project: ToyProject) -> LineDatasetParams:
    root = str(project.folder.parent / "images")
    return LineDatasetParams(name=NAME, source="paddleocr", root=root, train_labels="labels.txt")


def grow_old(project: ToyProject) -> None:
    """Let all that is stored be from long ago."""
    store = project.folder.parent / "store"
    for path in [path for path in store.rglob("*") if path.is_file()]:
        os.utime(path, (0, 0))
    shutil.rmtree(store / "used", ignore_errors=True)  # the marks have the names of other days


def judge(project: ToyProject) -> dict[str, Verdict]:
    store = project.registry.store
    plan = plan_removal(store, before=time.time() - WEEK_S, versions_too=True)
    return {each.thing.prefix: each for each in plan}


def test_snapshot_that_is_found_is_in_use(project: ToyProject, params: LineDatasetParams) -> None:
    snapshot = prepare_lines.fn(params, NAME)
    grow_old(project)
    before = judge(project)[snapshot.key]

    assert prepare_lines.fn(params, NAME).cached
    assert before.why != IN_USE
    assert judge(project)[snapshot.key].why == IN_USE


def test_evaluation_that_is_found_is_in_use(project: ToyProject) -> None:
    model = project.add("a")
    evaluation = project.evaluate(model)
    grow_old(project)
    before = judge(project)[evaluation.key]

    assert project.evaluate(model) == evaluation
    assert before.may_go
    assert judge(project)[evaluation.key].why == IN_USE


def test_report_belongs_to_its_evaluation(project: ToyProject) -> None:
    evaluation = project.evaluate(project.add("a"))
    judge_lines.fn(evaluation, GATE)
    grow_old(project)
    (report,) = project.registry.store.list("reports")
    before = judge(project)[report]

    project.registry.promote(NAME, "a", reason="better", evaluation=evaluation.key)

    assert before.may_go
    assert judge(project)[report].why == "a champion was judged by it"


def test_checkpoint_and_version_that_are_found_are_in_use(
    project: ToyProject, made: list[str]
) -> None:
    checkpoint, version = train(project), export(project)
    grow_old(project)
    prefixes = [checkpoint.key.rpartition("/")[0], f"models/{NAME}/{version.version}"]
    before = judge(project)

    train(project), export(project)

    assert len(made) == 2
    assert IN_USE not in [before[prefix].why for prefix in prefixes]
    assert [judge(project)[prefix].why for prefix in prefixes] == [IN_USE, IN_USE]
