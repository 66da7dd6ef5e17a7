"""Further sets of lines: prepared whole, read once by each version, and what is said of them."""

from pathlib import Path

import pytest

from configs.dataset import LineLimitParams, TextParams
from configs.evaluation import LineEvaluationParams
from configs.further import FurtherLinesParams
from configs.gate import LineGateParams
from ocr.dataset.preparation import SnapshotRef
from ocr.errors import ArtifactNotFound, BadData, BadInput
from tasks.evaluate import evaluate_lines
from tasks.judging.lines import judge_lines
from tasks.prepare_lines import prepare_further_lines, prepare_lines
from tasks.references import EvaluationRef, JudgementRef, ModelRef
from tasks.workspace import open_workspace
from tests.serving.tiny_bundle import png
from tests.tasks.bars import (
    LINES,
    READS_ALL,
    READS_DOMAIN,
    READS_GENERAL,
    add_version,
    describe_project,
    write_lines,
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))


def general(folder: Path, **changes: object) -> FurtherLinesParams:
    write_lines(folder / "general", "56789")
    given = {"name": "general", "root": str(folder / "general"), "labels": "labels.txt", **changes}
    return FurtherLinesParams.model_validate(given)


def prepare(*sets: FurtherLinesParams) -> dict[str, SnapshotRef]:
    return prepare_further_lines.fn(sets, TextParams())


def measure(folder: Path, model: ModelRef, *sets: FurtherLinesParams) -> EvaluationRef:
    dataset = prepare_lines.fn(describe_project(folder).dataset, "bars")
    params = LineEvaluationParams(further=list(sets), resamples=200)
    return evaluate_lines.fn(model, dataset, params, prepare(*sets))


def judge(folder: Path, model: ModelRef, *sets: FurtherLinesParams) -> JudgementRef:
    return judge_lines.fn(measure(folder, model, *sets), LineGateParams(margin=0.2), sets)


def test_all_of_a_set_is_test(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_ = general(tmp_path)

    snapshot = prepare(set_)["general"]

    assert snapshot.counts["test"] == snapshot.counts["rows"] == LINES
    assert "60 test, 0 of 60 rows quarantined (further lines)" in capsys.readouterr().err
    assert prepare(set_)["general"].cached


def test_a_folder_is_a_set_whatever_its_subfolders_are_called(tmp_path: Path) -> None:
    for place, text in {"train": "1", "val": "2", "test": "3", ".": "4"}.items():
        (tmp_path / "images" / place).mkdir(parents=True, exist_ok=True)
        (tmp_path / "images" / place / f"{text}.png").write_bytes(png(text))

    found = prepare(FurtherLinesParams(source="folder", root=str(tmp_path / "images")))

    assert found["general"].counts["test"] == 4


def test_bad_rows_are_quarantined_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_ = general(tmp_path)
    with (tmp_path / "general" / "labels.txt").open("a") as file:
        file.write("gone.png\t12\n")

    snapshot = prepare(set_)["general"]

    assert snapshot.counts["quarantined"] == 1
    assert "missing_image" in capsys.readouterr().err


def test_a_set_without_rows_is_one_clear_error(tmp_path: Path) -> None:
    set_ = general(tmp_path)
    (tmp_path / "general" / "labels.txt").write_text("")

    with pytest.raises(BadData, match=r"further, the set 'general': the test split is empty: no"):
        prepare(set_)


def test_a_label_file_that_is_not_there_is_named_with_its_set(tmp_path: Path) -> None:
    with pytest.raises(ArtifactNotFound) as missing:
        prepare(general(tmp_path), general(tmp_path, name="last-year", labels="label.txt"))

    path = tmp_path / "general" / "label.txt"
    said = (
        f"evaluation.further, the set 'last-year': no label file {path}; did you mean labels.txt?"
    )
    assert str(missing.value) == said


def test_a_set_of_bad_rows_alone_says_to_add_some(tmp_path: Path) -> None:
    set_ = general(tmp_path, limits=LineLimitParams(max_text_length=1, max_bad_share=1))

    with pytest.raises(BadData, match="60 rows were rejected and 0 accepted; add rows"):
        prepare(set_)


def test_one_set_under_two_names_is_refused(tmp_path: Path) -> None:
    set_ = general(tmp_path)
    write_lines(tmp_path / "again", "56789")
    again = set_.model_copy(update={"name": "again", "root": str(tmp_path / "again")})

    with pytest.raises(BadInput, match="'general' and 'again' hold the same lines"):
        prepare(set_, again)


def test_a_champion_that_read_a_set_as_candidate_does_not_read_it_again(
    tmp_path: Path, loaded: list[str]
) -> None:
    set_ = general(tmp_path)
    old = add_version(tmp_path, "old", READS_GENERAL)
    measure(tmp_path, old, set_)
    open_workspace().registry.promote("bars", "old", reason="first")
    loaded.clear()

    evaluation = measure(tmp_path, add_version(tmp_path, "new", READS_ALL), set_)

    assert loaded == ["bars:new", "bars:new"]  # the dataset's own test, and the further set
    assert len(evaluation.further[0].evaluations) == 2


def test_another_further_set_measures_nothing_else_anew(tmp_path: Path) -> None:
    model, set_ = add_version(tmp_path, "v1", READS_ALL), general(tmp_path)
    write_lines(tmp_path / "last-year", "01")
    last_year = set_.model_copy(update={"name": "last-year", "root": str(tmp_path / "last-year")})

    one, two = measure(tmp_path, model, set_), measure(tmp_path, model, set_, last_year)

    assert two.key == one.key
    assert two.further[0] == one.further[0]


def test_no_more_lines_are_read_than_were_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judge(tmp_path, add_version(tmp_path, "v1", READS_ALL), general(tmp_path, max_lines=20))

    said = capsys.readouterr().err
    assert "20 of 60 of further set general with bars:v1: read in" in said
    assert "further set general: promote: accuracy 100.0% on 20 lines" in said


def test_a_first_model_meets_the_floors_of_a_set_alone(tmp_path: Path) -> None:
    model = add_version(tmp_path, "v1", READS_DOMAIN)

    without = judge(tmp_path, model, general(tmp_path))
    with_floor = judge(tmp_path, model, general(tmp_path, min_accuracy=0.5))

    assert without.accepted
    assert with_floor.verdict == "block"
    assert "accuracy 0.0% on the further set “general” is below" in with_floor.reasons[0]


def test_versions_that_learnt_from_a_set_are_said_to_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_ = general(tmp_path)
    learnt = describe_project(tmp_path).dataset.model_copy(
        update={"name": "learnt", "root": set_.root, "test_labels": "", "train_labels": set_.labels}
    )
    theirs = prepare_lines.fn(learnt, "bars")
    for version in ("old", "new"):
        add_version(tmp_path, version, READS_ALL, dataset_digest=theirs.digest)
    open_workspace().registry.promote("bars", "old", reason="first")

    judgement = judge(tmp_path, ModelRef("bars", "new", ("checkpoints/new",)), set_)

    said = capsys.readouterr().err
    seen = f"was trained on {theirs.counts['train']} of the 60 lines of the further set “general”"
    assert f"bars:new {seen}" in said
    assert f"bars:old {seen}" in said
    assert judgement.accepted
