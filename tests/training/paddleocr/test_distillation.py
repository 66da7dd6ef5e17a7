"""PaddleOCR's own distillation configs: which are learnt, and the student that is kept."""

from pathlib import Path

import numpy as np
import paddle
import pytest

from configs.paddleocr import PaddleOcrDetectorParams, PaddleOcrRecogniserParams
from ocr.errors import BadInput
from tests.paddleocr_tree import find_tree
from training.paddleocr.config import Config, JobFiles
from training.paddleocr.detection import config as detection
from training.paddleocr.distillation import alone, as_learnt
from training.paddleocr.foreign.take_weights import main as take_weights
from training.paddleocr.recognition import config as recognition

TEACHER = {"teacher": "/teacher.pdparams", "teacher_sha256": "0" * 64}
FILES = JobFiles.of(Path("/job"))
CRNN = "configs/rec/ch_PP-OCRv2/ch_PP-OCRv2_rec_distillation.yml"
LEARN_TOGETHER = (
    CRNN,
    "configs/rec/PP-OCRv3/PP-OCRv3_mobile_rec_distillation.yml",
    "configs/det/ch_PP-OCRv2/ch_PP-OCRv2_det_dml.yml",
    "configs/det/PP-OCRv3/PP-OCRv3_det_dml.yml",
)
NOT_SIZED = "configs/rec/PP-OCRv4/PP-OCRv4_mobile_rec_distillation.yml"
ARE_TAUGHT = (
    "configs/rec/SVTRv2/ch_SVTRv2_rec_distillation.yml",
    "configs/rec/SVTRv2/ch_SVTRv2_rec_gtc_distill.yml",
    "configs/det/ch_PP-OCRv2/ch_PP-OCRv2_det_cml.yml",
    "configs/det/ch_PP-OCRv2/ch_PP-OCRv2_det_distill.yml",
    "configs/det/PP-OCRv3/PP-OCRv3_det_cml.yml",
    "configs/det/PP-OCRv4/PP-OCRv4_det_cml.yml",
)


@pytest.fixture(scope="module")
def tree() -> Path:
    return find_tree()


def make(tree: Path, net: str, **said: str) -> Config:
    if "/det/" in net:
        return detection.make_config(
            detection.read_upstream(tree, net),
            PaddleOcrDetectorParams(net=net, **said),
            files=FILES,
            pages=100,
            gpu=False,
        )
    return recognition.make_config(
        recognition.read_upstream(tree, net),
        PaddleOcrRecogniserParams(net=net, **said),
        files=FILES,
        lines=100,
        gpu=False,
    )


def test_all_distillations_of_the_tree_are_looked_at(tree: Path) -> None:
    texts = [path for kind in ("det", "rec") for path in (tree / "configs" / kind).rglob("*.y*ml")]
    found = {
        path.relative_to(tree).as_posix()
        for path in texts
        if "algorithm: Distillation" in path.read_text(encoding="utf-8")
    }

    assert found == {*LEARN_TOGETHER, *ARE_TAUGHT, NOT_SIZED}


@pytest.mark.parametrize("net", LEARN_TOGETHER)
def test_nets_that_learn_together_start_from_nothing(tree: Path, net: str) -> None:
    nets = make(tree, net)["Architecture"]["Models"]

    assert len(nets) == 2
    assert {each["pretrained"] for each in nets.values()} == {None}


@pytest.mark.parametrize("net", ARE_TAUGHT)
def test_a_teacher_that_does_not_learn_needs_weights(tree: Path, net: str) -> None:
    with pytest.raises(BadInput, match=r"has a Teacher that .* give them as training.teacher and"):
        make(tree, net)

    nets = make(tree, net, **TEACHER)["Architecture"]["Models"]
    assert {each["pretrained"] for each in nets.values()} == {None}


@pytest.mark.parametrize("net", [CRNN, "configs/rec/rec_mv3_none_none_ctc.yml"])
def test_weights_of_a_teacher_are_for_a_net_that_has_one(tree: Path, net: str) -> None:
    with pytest.raises(BadInput, match=r"^training.teacher: .* has 0 nets that teach and do not"):
        make(tree, net, **TEACHER)


def test_one_that_paddleocr_itself_loads_no_line_of_is_refused(tree: Path) -> None:
    with pytest.raises(
        BadInput, match=r"gives lines that it learns from no size \(Train has no Re"
    ):
        recognition.read_upstream(tree, NOT_SIZED)


def test_a_teacher_that_is_told_to_learn_needs_none(tree: Path) -> None:
    net = "configs/det/PP-OCRv3/PP-OCRv3_det_cml.yml"
    overrides = {"Architecture": {"Models": {"Teacher": {"freeze_params": False}}}}
    params = PaddleOcrDetectorParams(net=net, overrides=overrides)
    upstream = detection.read_upstream(tree, net)

    config = detection.make_config(upstream, params, files=FILES, pages=100, gpu=False)

    assert config["Architecture"]["Models"].keys() == {"Student", "Student2", "Teacher"}


def test_the_weights_of_its_nets_are_no_overrides(tree: Path) -> None:
    overrides = {"Architecture": {"Models": {"Teacher": {"pretrained": "/x"}}}}
    params = PaddleOcrRecogniserParams(net=CRNN, overrides=overrides)
    upstream = recognition.read_upstream(tree, CRNN)

    with pytest.raises(BadInput, match=r"Teacher.pretrained is set by training.pretrained"):
        recognition.make_config(upstream, params, files=FILES, lines=100, gpu=False)


@pytest.mark.parametrize(
    ("net", "reader", "metric"),
    [(CRNN, "CTCLabelDecode", "RecMetric"), (LEARN_TOGETHER[2], "DBPostProcess", "DetMetric")],
)
def test_to_all_else_it_is_the_student_alone(
    tree: Path, net: str, reader: str, metric: str
) -> None:
    whole = make(tree, net)

    single = alone(whole)

    student = whole["Architecture"]["Models"]["Student"]
    assert single["Architecture"]["Backbone"] == student["Backbone"]
    assert (single["PostProcess"]["name"], single["Metric"]["name"]) == (reader, metric)
    assert not {"model_name", "key"} & {*single["PostProcess"], *single["Metric"]}
    assert whole["Architecture"]["algorithm"] == "Distillation"


def test_the_trainer_is_not_told_the_name_of_the_model(tree: Path) -> None:
    whole = make(tree, CRNN)

    learnt = as_learnt(whole)

    assert "model_name" in alone(whole)["Global"]
    assert whole["Global"].keys() - learnt["Global"].keys() == {"model_name"}


def test_the_config_of_one_net_is_left_as_it_is() -> None:
    config = {"Architecture": {"algorithm": "DB"}}

    assert alone(config) is as_learnt(config) is config


@pytest.mark.parametrize("part", ["PostProcess", "Metric"])
def test_one_that_is_read_otherwise_is_refused(tree: Path, part: str) -> None:
    config = recognition.read_upstream(tree, CRNN)
    config[part] |= {"name": "DistillationSARLabelDecode", "key": "Teacher"}

    with pytest.raises(BadInput, match=r"DistillationSARLabelDecode|chosen by Teacher"):
        alone(config)


def test_the_students_weights_are_taken_by_their_own_names(tmp_path: Path) -> None:
    saved = {"Student.fc.w": paddle.ones([2]), "Teacher.fc.w": paddle.zeros([2])}
    paddle.save(saved, str(tmp_path / "a"))

    take_weights(str(tmp_path / "a"), str(tmp_path / "b"), "Student")

    taken = paddle.load(str(tmp_path / "b"))
    assert taken.keys() == {"fc.w"}
    np.testing.assert_array_equal(taken["fc.w"].numpy(), [1, 1])
    with pytest.raises(SystemExit, match="has no weights of Student2"):
        take_weights(str(tmp_path / "a"), str(tmp_path / "b"), "Student2")
