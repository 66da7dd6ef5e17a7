"""Further sets of pages: a pipeline that reads its domain better but forgot others is held."""

from pathlib import Path

import pytest

from configs.dataset import PageDatasetParams, TextParams
from configs.evaluation import PageEvaluationParams
from configs.further import FurtherPagesParams
from configs.gate import PageGateParams
from ocr.errors import BadData
from ocr.models.registry import Registry
from tasks.assembling.assemble import assemble_pipeline
from tasks.evaluate import evaluate_pages
from tasks.judging.pages import judge_pages
from tasks.prepare_pages import prepare_further_pages, prepare_pages
from tasks.references import JudgementRef, ModelRef
from tasks.workspace import open_workspace
from tests.serving.tiny_pipeline import label_page, page_png
from tests.tasks.bars import READS_ALL, READS_DOMAIN, READS_GENERAL, register_parts

PAGES = 10


@pytest.fixture
def registry(tmp_path: Path, empty: Registry) -> Registry:
    register_parts(empty, tmp_path, r1=READS_GENERAL, r2=READS_DOMAIN, r3=READS_ALL)
    return empty


def write_pages(root: Path, digits: str, *splits: str) -> str:
    """Write pages of two lines over some digits; returns their folder."""
    root.mkdir(exist_ok=True)
    for place, split in enumerate(splits):
        rows = []
        for number in range(PAGES):
            texts = [_text(digits, 5 + number + 11 * place), _text(digits, 91 - number - 7 * place)]
            (root / f"{split}{number}.png").write_bytes(page_png(*texts))
            rows.append(f"{split}{number}.png\t{label_page(texts)}\n")
        (root / f"{split}.txt").write_text("".join(rows))
    return str(root)


def _text(digits: str, number: int) -> str:
    return "".join(digits[number // 5**place % 5] for place in range(3))


def judge(folder: Path, recogniser: str, **changes: object) -> JudgementRef:
    """Judge the pipeline with a recogniser beside the champion, the one with r1."""
    dataset = PageDatasetParams(
        name="bars",
        root=write_pages(folder / "domain", "01234", "train", "val", "test"),
        train_labels="train.txt",
        val_labels="val.txt",
        test_labels="test.txt",
    )
    root = write_pages(folder / "general", "56789", "labels")
    given = {"name": "last-year", "root": root, "labels": "labels.txt", **changes}
    sets = [FurtherPagesParams.model_validate(given)]
    pages, further = prepare_pages.fn(dataset), prepare_further_pages.fn(sets, TextParams())
    old, new = (
        assemble_pipeline.fn(
            "pages",
            ModelRef("pages-detector", "d1", checkpoints=("checkpoints/d",)),
            ModelRef("pages-recogniser", version, checkpoints=("checkpoints/r",)),
            pages,
        )
        for version in ("r1", recogniser)
    )
    open_workspace().registry.promote("pages", old.version, reason="first")
    params = PageEvaluationParams(further=sets, resamples=200)
    evaluation = evaluate_pages.fn(new, pages, params, further)
    return judge_pages.fn(evaluation, PageGateParams(margin=0.2), sets)


def test_a_pipeline_that_forgot_other_pages_is_held(registry: Registry, tmp_path: Path) -> None:
    judgement = judge(tmp_path, "r2")

    assert judgement.verdict == "hold"
    (reason,) = judgement.reasons
    assert reason.startswith("It is provably worse on the further set “last-year”: e2e Hmean 0.0% ")
    html = Path(judgement.report).read_text(encoding="utf-8")
    for shown in ("Further sets", "worst 4 of 10 pages", "reader-of-last-year-1"):
        assert shown in html


def test_a_pipeline_that_forgot_nothing_is_promoted(registry: Registry, tmp_path: Path) -> None:
    judgement = judge(tmp_path, "r3", min_hmean=0.9)

    assert judgement.accepted


def test_a_pipeline_below_the_floor_of_a_set_is_blocked(
    registry: Registry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judgement = judge(tmp_path, "r2", min_hmean=0.5, margin=0.999, max_pages=6)

    assert judgement.verdict == "block"
    assert "further set last-year: block: e2e Hmean 0.0% on 6 pages" in capsys.readouterr().err


@pytest.mark.parametrize("regions", ["[]", label_page(["###", "###"])])
def test_further_pages_without_a_line_to_read_are_refused(
    registry: Registry, tmp_path: Path, regions: str
) -> None:
    (tmp_path / "blank.png").write_bytes(page_png("01", "23"))
    (tmp_path / "blank.txt").write_text(f"blank.png\t{regions}\n")
    blank = FurtherPagesParams(name="blank", root=str(tmp_path), labels="blank.txt")

    with pytest.raises(BadData, match=r"'blank': none of its 1 pages has a line to read"):
        prepare_further_pages.fn([blank], TextParams())
