"""A second recogniser of a pipeline: found, fitted, assembled, judged; or left out."""

from itertools import chain
from pathlib import Path

import pytest

from configs.dataset import PageDatasetParams
from configs.deployment import DeploymentParams
from configs.evaluation import PageEvaluationParams
from configs.further import FurtherPagesParams
from configs.gate import PageGateParams
from configs.retrain import CascadeParams
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.preparation import SnapshotRef
from ocr.errors import ArtifactNotFound, BadInput
from ocr.models.bundle import INT8_MODEL, ONNX_MODEL, read_recogniser_manifest, write_manifest
from ocr.models.pipeline import read_pipeline
from ocr.models.registry import Registry
from tasks.assembling.cascade import find_cascade
from tasks.evaluate import evaluate_pages
from tasks.judging.pages import judge_pages
from tasks.prepare_pages import crop_pages, prepare_further_pages, prepare_pages
from tasks.references import CascadeRef
from tasks.workspace import open_workspace
from tests.ocr.dataset.rules import LINE_LIMITS, SPLIT
from tests.serving.tiny_bundle import DIGITS, make_bundle, png
from tests.tasks.conftest import TEXTS
from tests.tasks.test_pages import assemble, judge
from tests.toy_bundle import write_toy_bundle


@pytest.fixture
def lines(registry: Registry, tmp_path: Path) -> SnapshotRef:
    """Lines that a recogniser of digits reads, as pages are cut into them."""
    root = tmp_path / "lines"
    root.mkdir()
    for split, every in TEXTS.items():
        for text in chain.from_iterable(every):
            (root / f"{text}.png").write_bytes(png(text))
        rows = (f"{text}.png\t{text}\n" for text in chain.from_iterable(every))
        (root / f"{split}.txt").write_text("".join(rows))
    return prepare_lines(
        registry.store,
        name="bars-lines",
        labels=LineLabelFiles("paddleocr", root, "train.txt", "val.txt", "test.txt"),
        limits=LINE_LIMITS,
        split=SPLIT,
        near_duplicate_bits=0,
    )


def find(lines: SnapshotRef, second: str) -> CascadeRef:
    """Find a second recogniser that has time for all lines but wholly sure ones."""
    found = find_cascade(
        CascadeParams(recogniser=second, time_factor=100), lines, DeploymentParams()
    )
    assert found
    return found


def test_a_second_recogniser_reads_what_the_first_misreads(
    registry: Registry,
    pages: SnapshotRef,
    lines: SnapshotRef,
    capsys: pytest.CaptureFixture[str],
) -> None:
    cascade = find(lines, "pages-recogniser:r1")

    made = assemble(pages, "r2", cascade=cascade)
    judgement = judge(made, pages, PageGateParams())

    assert made == assemble(pages, "r2", cascade=cascade) != assemble(pages, "r2")
    manifest = read_pipeline(open_workspace().fetch_bundle(registry.resolve(made.reference)))
    assert manifest.recogniser == "pages-recogniser:r2"
    assert manifest.second_recogniser == "pages-recogniser:r1"
    assert (manifest.metrics["cascade_share"], manifest.metrics["cascade_gain"]) == (1.0, 1.0)
    assert judgement.accepted
    assert "read again by pages-recogniser:r1: 100.0% of the validation lines" in Path(
        judgement.report
    ).read_text(encoding="utf-8")
    assert "+1.0000" in capsys.readouterr().err


def test_a_second_recogniser_that_does_not_help_is_left_out(
    registry: Registry, pages: SnapshotRef, lines: SnapshotRef
) -> None:
    made = assemble(pages, "r1", cascade=find(lines, "pages-recogniser:r2"))

    manifest = read_pipeline(open_workspace().fetch_bundle(registry.resolve(made.reference)))
    assert (manifest.second_recogniser, manifest.reread_below) == (None, None)
    assert manifest.metrics["cascade_gain"] == -1.0


def test_of_a_pipeline_its_recogniser_is_the_second_one(
    registry: Registry, pages: SnapshotRef, lines: SnapshotRef
) -> None:
    registry.promote("pages", assemble(pages, "r1").version, reason="first")

    assert find(lines, "pages").recogniser == "pages-recogniser:r1"


def test_a_second_recogniser_is_missed_before_anything_is_trained(
    registry: Registry, pages: SnapshotRef
) -> None:
    assert find_cascade(CascadeParams(), pages, DeploymentParams()) is None
    with pytest.raises(ArtifactNotFound, match="nobody"):
        find_cascade(CascadeParams(recogniser="nobody"), pages, DeploymentParams())
    with pytest.raises(BadInput, match="does detection, expected recognition"):
        find_cascade(CascadeParams(recogniser="pages-detector:d1"), pages, DeploymentParams())


def test_a_second_recogniser_in_8_bits_is_refused_where_float32_is_served(
    registry: Registry, lines: SnapshotRef, tmp_path: Path
) -> None:
    bundle = write_toy_bundle(tmp_path / "small", name="small", version="1")
    (bundle / INT8_MODEL).write_bytes((bundle / ONNX_MODEL).read_bytes())
    write_manifest(bundle, read_recogniser_manifest(bundle))
    registry.register("small", "1", bundle)

    assert find(lines, "small:1").recogniser == "small:1"
    with pytest.raises(
        BadInput, match=r"small:1 is read in 8 bits, and deployment\.target: paddle"
    ):
        find_cascade(
            CascadeParams(recogniser="small:1"), lines, DeploymentParams(target="paddle-serving")
        )


def add_one_that_learnt_the_test(
    registry: Registry, dataset: PageDatasetParams, folder: Path
) -> None:
    """Register pages-recogniser:r0, which was trained on the pages of det_test.txt."""
    swapped = {"train_labels": "det_test.txt", "test_labels": "det_train.txt"}
    theirs = dataset.model_copy(update={"name": "of-last-year", **swapped})
    learnt = crop_pages.fn(prepare_pages.fn(theirs), theirs, "pages-recogniser")
    register_one_of(registry, learnt, folder, name="pages-recogniser")


def register_one_of(registry: Registry, learnt: SnapshotRef, folder: Path, *, name: str) -> None:
    """Register version r0 of a recogniser that was trained on a snapshot."""
    bundle = make_bundle(
        folder / "r0", name=name, version="r0", characters=DIGITS, dataset_digest=learnt.digest
    )
    registry.register(name, "r0", bundle)


def test_a_second_recogniser_that_learnt_a_further_set_is_said_to_have_whatever_else_is_gone(
    registry: Registry,
    pages: SnapshotRef,
    lines: SnapshotRef,
    dataset: PageDatasetParams,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    add_one_that_learnt_the_test(registry, dataset, tmp_path)
    made = assemble(pages, "r2", cascade=find(lines, "pages-recogniser:r0"))
    sets = [FurtherPagesParams(name="theirs", root=dataset.root, labels="det_test.txt")]
    further = prepare_further_pages.fn(sets, dataset.texts)
    params = PageEvaluationParams(further=sets, resamples=200)

    judge_pages.fn(evaluate_pages.fn(made, pages, params, further), PageGateParams(), sets)

    said = f"{made.reference} was trained on 2 of the 2 pages of the further set “theirs”"
    assert said in capsys.readouterr().err  # the snapshots of the other parts are not there


def test_a_second_recogniser_that_learnt_pages_of_the_test_holds_the_candidate(
    registry: Registry,
    pages: SnapshotRef,
    lines: SnapshotRef,
    dataset: PageDatasetParams,
    tmp_path: Path,
) -> None:
    add_one_that_learnt_the_test(registry, dataset, tmp_path)
    cascade = find(lines, "pages-recogniser:r0")

    judgement = judge(assemble(pages, "r2", cascade=cascade), pages, PageGateParams())

    assert judgement.verdict == "hold"
    assert "second recogniser was trained on 2 of the 2 pages" in judgement.reasons[0]


def test_of_a_second_recogniser_whose_lines_name_no_document_nobody_knows_the_pages(
    registry: Registry, pages: SnapshotRef, lines: SnapshotRef, tmp_path: Path
) -> None:
    register_one_of(registry, lines, tmp_path, name="plates")
    cascade = find(lines, "plates:r0")

    judgement = judge(assemble(pages, "r2", cascade=cascade), pages, PageGateParams())

    assert judgement.accepted
    report = Path(judgement.report).read_text(encoding="utf-8")
    assert "unknown: plates:r0 learnt lines that name no document" in report
