"""Whether the opponent was trained on the test: said aloud where it was, or cannot be told."""

from pathlib import Path

import pytest

from configs.gate import LineGateParams
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.preparation import SnapshotRef
from ocr.dataset.split import UNDIVIDED, SplitRule
from ocr.gate.overlap import Overlap
from tasks.judging.lines import judge_lines
from tasks.judging.overlap import find_overlap
from tasks.references import JudgementRef
from tasks.workspace import open_workspace
from tests.ocr.dataset.rules import LINE_LIMITS
from tests.ocr.image.pictures import write_labels
from tests.tasks.conftest import NAME, ToyProject
from tests.toy_bundle import write_toy_bundle


def split_otherwise(project: ToyProject) -> SnapshotRef:
    """Prepare the same images, most of which then are for training."""
    root = project.folder.parent / "images"
    return prepare_lines(
        project.registry.store,
        name="of-last-year",
        labels=LineLabelFiles(kind="paddleocr", root=root, train="labels.txt"),
        limits=LINE_LIMITS,
        split=SplitRule(val_share=0.1, test_share=0.1, seed=1),
        near_duplicate_bits=0,
    )


def add_version(
    project: ToyProject, version: str, *, dataset_digest: str, parent: str = ""
) -> None:
    bundle = write_toy_bundle(
        project.folder / version,
        name=NAME,
        version=version,
        parent=parent,
        dataset_digest=dataset_digest,
    )
    project.registry.register(NAME, version, bundle)


def add_champion(project: ToyProject, dataset_digest: str) -> None:
    add_version(project, "v1", dataset_digest=dataset_digest)
    project.promote("v1")


def judge(project: ToyProject) -> JudgementRef:
    return judge_lines.fn(project.evaluate(project.add("v2")), LineGateParams(margin=0.9))


def test_a_champion_trained_on_lines_of_the_test_is_said_to_be(
    project: ToyProject, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = split_otherwise(project)
    add_champion(project, theirs.digest)
    workspace = open_workspace()
    trained = set(workspace.open_lines(theirs.key).values("id", "train"))
    tested = {
        each.id: each.image for each in workspace.open_lines(project.dataset.key).samples("test")
    }
    seen = sorted(name for id_, name in tested.items() if id_ in trained)
    assert seen

    judgement = judge(project)

    warning = f"toy:v1 was trained on {len(seen)} of the {len(tested)} lines of the test"
    html = Path(judgement.report).read_text(encoding="utf-8")
    for told in (capsys.readouterr().err, html):
        assert warning in told
        assert seen[0] in told


@pytest.mark.parametrize("generations", [1, 3])
def test_a_champion_that_learnt_on_from_one_trained_on_the_test_is_said_to_be(
    project: ToyProject, generations: int
) -> None:
    theirs = split_otherwise(project)
    add_version(project, "v0", dataset_digest=theirs.digest)
    for number in range(1, generations + 1):
        parent = f"v{number - 1}"
        add_version(project, f"v{number}", dataset_digest=project.dataset.digest, parent=parent)
    workspace = open_workspace()
    tested = list(workspace.open_lines(project.dataset.key).samples("test"))

    first, last = (
        find_overlap(workspace, f"{NAME}:v{number}", tested) for number in (0, generations)
    )

    assert first is not None
    assert first.samples
    assert last == first


def test_an_ancestor_that_is_gone_is_said_to_be(project: ToyProject) -> None:
    add_version(project, "v1", dataset_digest=project.dataset.digest, parent="v0")

    overlap = find_overlap(open_workspace(), f"{NAME}:v1", [])

    assert overlap == Overlap((), "No version 'v0' of 'toy' in the store; known: v1")


def test_versions_that_name_each_other_are_asked_once(project: ToyProject) -> None:
    add_version(project, "v1", dataset_digest=project.dataset.digest, parent="v2")
    add_version(project, "v2", dataset_digest=project.dataset.digest, parent="v1")

    assert find_overlap(open_workspace(), f"{NAME}:v2", []) == Overlap((), "")


def test_a_champion_trained_on_the_same_snapshot_saw_nothing_of_the_test(
    project: ToyProject, capsys: pytest.CaptureFixture[str]
) -> None:
    add_champion(project, project.dataset.digest)

    judge(project)

    assert "was trained on" not in capsys.readouterr().err


def prepare_documents(project: ToyProject, name: str, *documents: str) -> SnapshotRef:
    """Prepare documents that share a printed word, in three splits of label files."""
    root = project.folder.parent / name
    for split, document in zip(("train", "val", "test"), documents, strict=True):
        pattern = {f"{document}-0.png": "SUM", f"{document}-1.png": document}
        write_labels(root, f"{split}.txt", pattern)
    return prepare_lines(
        project.registry.store,
        name=name,
        labels=LineLabelFiles(
            "paddleocr", root, "train.txt", "val.txt", "test.txt", group_pattern="(.+)-"
        ),
        limits=LINE_LIMITS,
        split=UNDIVIDED,
        near_duplicate_bits=0,
    )


def test_a_document_with_an_equal_line_is_not_one_that_was_trained_on(project: ToyProject) -> None:
    theirs = prepare_documents(project, "theirs", "INV 1", "INV 2", "INV 3")
    ours = prepare_documents(project, "ours", "INV 4", "INV 5", "INV 6")
    again = prepare_documents(project, "again", "INV 4", "INV 5", "INV 1")
    add_champion(project, theirs.digest)
    workspace = open_workspace()

    other, same = (
        find_overlap(workspace, f"{NAME}:v1", workspace.open_lines(made.key).samples("test"))
        for made in (ours, again)
    )

    assert other == Overlap(samples=(), unknown="")
    assert same == Overlap(samples=("INV 1-0.png", "INV 1-1.png"), unknown="")


def test_a_snapshot_that_is_gone_is_said_to_be(project: ToyProject) -> None:
    add_champion(project, "e" * 64)

    judgement = judge(project)

    html = Path(judgement.report).read_text(encoding="utf-8")
    assert "the snapshot eeeeeeeeeeee that toy:v1 was trained on is gone" in html
    assert judgement.accepted


@pytest.mark.parametrize("opponent", ["none", "number", "rapidocr"])
def test_of_a_baseline_it_is_not_asked(project: ToyProject, opponent: str) -> None:
    assert find_overlap(open_workspace(), opponent, []) is None
