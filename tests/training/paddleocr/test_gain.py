"""What compiling a net gains, by a stand-in for PaddleOCR's trainer, and which nets it compiles."""

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from configs.jobs import PaddleOcrRuntime, TrainPaddleOcrDetectorJob
from configs.paddleocr import PaddleOcrDetectorParams, PaddleOcrRecogniserParams
from configs.training import ResourceParams
from ocr.errors import BadInput
from tests.paddleocr_tree import find_tree
from tests.training.paddleocr.changes import changes
from training.loop.guards import StopRequest
from training.loop.progress import read_events
from training.paddleocr.config import Config, JobFiles
from training.paddleocr.detection import config as detection
from training.paddleocr.measured import measure_uncompiled, report_gain
from training.paddleocr.recognition import config as recognition

FILES = JobFiles.of(Path("/job"))
STEPS = """
import itertools, sys, time
for step in itertools.count(1):
    print(f"epoch: [1/2], global_step: {step}, lr: 0.1, loss: 1.0, avg_reader_cost: 0.1 s, "
          f"avg_batch_cost: 0.1 s, avg_samples: 4, ips: {1 if step == 1 else 16} samples/s")
    sys.stdout.flush()
    time.sleep(0.01)
"""


@pytest.fixture(scope="module")
def tree() -> Path:
    return find_tree()


def make_detector(tree: Path, net: str, *, to_static: bool) -> Config:
    params = PaddleOcrDetectorParams(net=net, to_static=to_static, crop_height_px=96)
    upstream = detection.read_upstream(tree, net)
    return detection.make_config(upstream, params, files=FILES, pages=100, gpu=False)


def make_recogniser(tree: Path, net: str, **training: Any) -> Config:
    params = PaddleOcrRecogniserParams(net=net, **training)
    upstream = recognition.read_upstream(tree, net)
    return recognition.make_config(upstream, params, files=FILES, lines=100, gpu=False)


def test_the_speed_without_compiling_is_that_of_a_few_steps_after_the_first(
    tmp_path: Path,
) -> None:
    folder, tree = tmp_path / "job", tmp_path / "tree"
    (tree / "tools").mkdir(parents=True)
    (tree / "tools/train.py").write_text(STEPS)
    folder.mkdir()
    job = TrainPaddleOcrDetectorJob(
        store="file:///none",
        snapshot="datasets/d/0",
        training=PaddleOcrDetectorParams(to_static=True),
        resources=ResourceParams(),
        runtime=PaddleOcrRuntime(home=str(tree), python=sys.executable, tree="t", packages="p"),
    )
    config = {"Global": {"to_static": True, "save_model_dir": "output", "epoch_num": 2}}

    measure_uncompiled(job, folder, config=config, stop=StopRequest())

    probed = yaml.safe_load((folder / "uncompiled.yml").read_text())["Global"]
    assert (probed["to_static"], probed["epoch_num"]) == (False, 2)
    found = report_gain(folder, {"images_per_s": 24.0})
    assert found == {"images_per_s_uncompiled": 16.0, "compiling_gain": 1.5}
    (event,) = read_events(folder / "metrics.jsonl")
    assert "it learnt 24 images/s, compiling included; without, 10 steps" in event["message"]


def test_no_gain_is_reported_where_nothing_was_compiled(tmp_path: Path) -> None:
    assert report_gain(tmp_path, {"images_per_s": 24.0}) == {}
    assert read_events(tmp_path / "metrics.jsonl") == []


@pytest.mark.parametrize("net", ["configs/det/det_mv3_db.yml", "pp-ocrv5-mobile"])
def test_a_detector_is_compiled_for_its_crops(tree: Path, net: str) -> None:
    off, on = (make_detector(tree, net, to_static=chosen) for chosen in (False, True))

    assert changes(off, on)["Global.to_static"] is True
    assert on["Global"]["d2s_train_image_shape"] == [3, 96, 640]


def test_a_recogniser_is_compiled_for_its_lines(tree: Path) -> None:
    on = make_recogniser(tree, "pp-ocrv3-mobile", to_static=True, width_px=480)

    assert on["Global"]["to_static"] is True
    assert on["Global"]["d2s_train_image_shape"] == [3, 48, 480]


def test_a_net_that_paddleocr_does_not_compile_is_refused(tree: Path) -> None:
    net = "configs/rec/rec_mv3_none_none_ctc.yml"

    with pytest.raises(BadInput) as refused:
        make_recogniser(tree, net, to_static=True)

    assert str(refused.value) == (
        f"training.to_static: true is not allowed with {net}, which is Rosetta; PaddleOCR "
        "compiles DB, SVTR_HGNet, SVTR_LCNet alone; switch it off"
    )
