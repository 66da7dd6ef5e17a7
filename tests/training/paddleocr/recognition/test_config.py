"""Our parameters as PaddleOCR's YAML, on its own configs."""

import re
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from configs.paddleocr import PaddleOcrRecogniserParams
from ocr.errors import BadInput
from tests.paddleocr_tree import find_tree
from tests.training.paddleocr.changes import changes, override
from training.paddleocr.config import JobFiles, exported, resumed, started, validated
from training.paddleocr.recognition.config import (
    FAMILIES,
    input_size,
    longest_text,
    make_config,
    read_upstream,
)
from training.paddleocr.recognition.preprocessing import check_preprocessing

GOLDEN = Path(__file__).parent / "golden"
SMALL = "configs/rec/rec_mv3_none_none_ctc.yml"
TWO_NETS = "configs/rec/ch_PP-OCRv2/ch_PP-OCRv2_rec_distillation.yml"
JOB = Path("/job")
FILES = JobFiles(
    data=JOB / "data",
    train=JOB / "data/train.txt",
    val=JOB / "data/val.txt",
    charset=JOB / "data/charset.txt",
    output=JOB / "output",
)


def make(tree: Path, *, gpu: bool = False, lines: int = 1000, **training: Any) -> dict[str, Any]:
    params = PaddleOcrRecogniserParams(**{"net": "pp-ocrv5-mobile"} | training)
    return make_config(read_upstream(tree, params.net), params, files=FILES, lines=lines, gpu=gpu)


@pytest.fixture(scope="module")
def tree() -> Path:
    return find_tree()


@pytest.mark.parametrize("net", [*FAMILIES, SMALL, TWO_NETS])
def test_what_is_changed_of_a_familys_config_is_its_golden_file(tree: Path, net: str) -> None:
    golden = GOLDEN / f"{Path(net).stem}.yaml"

    config = make(
        tree, net=net, epochs=7, batch_size=24, width_px=256, max_text_length=31, evaluations=3
    )

    assert changes(read_upstream(tree, net), config) == yaml.safe_load(golden.read_text())


def test_the_upstream_config_itself_is_left_alone(tree: Path) -> None:
    upstream = read_upstream(tree, "pp-ocrv5-mobile")
    before = deepcopy(upstream)

    make_config(upstream, PaddleOcrRecogniserParams(), files=FILES, lines=100, gpu=True)

    assert upstream == before


def test_input_and_longest_text_are_those_of_the_config(tree: Path) -> None:
    pp_ocr = make(tree, net="pp-ocrv4-mobile", width_px=480)
    small = make(tree, net=SMALL, width_px=128)

    assert (input_size(pp_ocr), longest_text(pp_ocr)) == ((48, 480), 23)
    assert (input_size(small), longest_text(small)) == ((32, 128), 25)


def test_overrides_reach_values_groups_without_content_and_items_of_lists(tree: Path) -> None:
    config = make(
        tree,
        overrides={
            "Optimizer": {"lr": {"warmup_epoch": 0}},
            "Train": {"dataset": {"transforms": {"2": {"RecAug": {"aug_prob": 0.1}}}}},
            "Architecture": {"Head": {"head_list": {0: {"CTCHead": {"Neck": {"dims": 60}}}}}},
        },
    )

    assert config["Optimizer"]["lr"]["warmup_epoch"] == 0
    assert config["Train"]["dataset"]["transforms"][2] == {"RecAug": {"aug_prob": 0.1}}
    assert config["Architecture"]["Head"]["head_list"][0]["CTCHead"]["Neck"]["dims"] == 60


def test_a_run_goes_on_starts_and_exports_by_the_same_config(tree: Path) -> None:
    config = make(tree, net=SMALL)

    assert changes(config, resumed(config, Path("/k/epoch-3"), epochs=3)) == {
        "Global.checkpoints": "/k/epoch-3",
        "Global.seed": 3,
    }
    assert changes(config, started(config, Path("/w.pdparams"))) == {
        "Global.pretrained_model": "/w.pdparams"
    }
    assert changes(config, exported(config, Path("/k/best"), Path("/out"), legacy=True)) == {
        "Global.pretrained_model": "/k/best",
        "Global.save_inference_dir": "/out",
        "Global.export_with_pir": False,
    }


@pytest.mark.parametrize(
    ("epochs", "every", "wanted"),
    [
        (6, 6, [6]),
        (6, 3, [3, 6]),
        (5, 3, [2, 5]),
        (5, 1, [1, 2, 3, 4, 5]),
        (2, 3, [2]),
        (1, 9, [1]),
    ],
)
def test_the_last_epoch_is_validated_and_every_so_many_before(
    epochs: int, every: int, wanted: list[int]
) -> None:
    config = validated({"Global": {}}, epochs=epochs, every=every, epoch_steps=7)

    start, period = config["Global"]["eval_batch_step"]
    steps = range(1, 7 * epochs + 1)
    # As PaddleOCR's tools/program.py asks after every step.
    found = [step for step in steps if step > start and (step - start) % period == 0]
    assert found == [7 * epoch for epoch in wanted]


CENTERS = "configs/rec/ch_PP-OCRv2/ch_PP-OCRv2_rec_enhanced_ctc_loss.yml"
CENTER_LOSS = "Loss.loss_config_list.1.CenterLoss"
BAD: list[tuple[dict[str, Any], str]] = [
    ({"net": "pp-ocrv9-mobile"}, "'pp-ocrv9-mobile' is not allowed; expected one of pp-ocrv3-mobi"),
    ({"net": "../../etc/passwd.yml"}, "is not allowed; expected one of"),
    ({"net": "tools/train.py"}, "is not allowed; expected one of"),
    ({"net": "configs/rec/none.yml"}, "PaddleOCR's tree has no configs/rec/none.yml"),
    ({"net": "configs/det/PP-OCRv5/PP-OCRv5_mobile_det.yml"}, "is DB (det, read by DBPostProcess)"),
    ({"net": "configs/rec/rec_mv3_tps_bilstm_att.yml"}, "read by AttnLabelDecode); expected a rec"),
    ({"net": "configs/rec/rec_svtrnet.yml"}, "does not pad lines of three channels by RecResizeI"),
    (override("Optimizer.lr.warm_epoch", 1), "Optimizer.lr has no such key; did you mean warmup_e"),
    (override("Optimiser.name", "SGD"), "config has no such key; did you mean Optimizer?"),
    (
        override("Train.dataset.transforms.9", 1),
        "Train.dataset.transforms has no such key; there a",
    ),
    (override("Global.epoch_num", 3), "Global.epoch_num is set by training.epochs, and cannot be"),
    (override("Global.character_dict_path", "x"), "dict_path is set by dataset.charset_file, and"),
    (
        {"net": CENTERS, **override(f"{CENTER_LOSS}.center_file_path", "c.pkl")},
        "center_file_path names a file, which no override may: 'c.pkl'",
    ),
    (override("Train.loader.batch_size_per_card", 8), "is set by training.batch_size"),
    (override("Optimizer.lr", 0.1), "Optimizer.lr: 0.1 is not allowed; expected a group of keys"),
    (override("Optimizer.beta1", {"a": 1}), "{'a': 1} is not allowed; expected a value such as"),
    (
        override("Train.dataset.transforms", [{"print('run')": None}]),
        "transforms: a list of groups cannot be replaced; name keys of its items by number, from 0",
    ),
    (
        override("Architecture.Backbone.name", "print('run')"),
        "expected letters, digits and .:+,-_ only, as PaddleOCR evaluates names as Python",
    ),
    (
        override("Train.dataset.transforms.2.RecAug", {"a": ["os.system('run')"]}),
        "expected letters, digits and .:+,-_ only",
    ),
    (override("Train.dataset.label_file_list.0", "x"), "label_file_list is set by the job, and c"),
    (
        override("Architecture.Head.head_list.1.NRTRHead.max_text_length", 9),
        "9 is not allowed; the parameters of the training make it 25",
    ),
    (override("Eval.dataset.transforms.0.DecodeImage.img_mode", "RGB"), "Eval is set by what our"),
    (override("PostProcess.name", "AttnLabelDecode"), "PostProcess is set by what our reader does"),
    (override("Metric.main_indicator", "norm_edit_dis"), "Metric is set by what our accuracy cou"),
    (override("Global.eval_batch_step.1", 7), "eval_batch_step is set by training.evaluations"),
    (override("Global.infer_mode", True), "Global.infer_mode is set by what our reader does, and"),
    (override("Architecture.algorithm", "SRN"), "Architecture.algorithm is set by training.net"),
    (override("Train.dataset.ds_width", True), "Train.dataset.ds_width is set by training.width_"),
    (override("Train.sampler.scales", [[640, 64]]), "scales is set by training.width_px, and cann"),
    (override("Train.sampler.divided_factor", [64, 16]), "divided_factor is set by training.width"),
    *(
        (
            override(f"Train.dataset.transforms.{step}", value),
            f"transforms.{step.split('.')[0]} is s",
        )
        for step, value in (
            ("0.DecodeImage.img_mode", "RGB"),
            ("3.MultiLabelEncode.gtc_encode", "SARLabelEncode"),
            ("4.KeepKeys.keep_keys", ["image", "length"]),
        )
    ),
    (
        override("Train.dataset.transforms.1.RecConAug.image_shape", []),
        "RecConAug.image_shape is set by training.width_px",
    ),
]


def test_a_folder_in_which_it_would_read_backwards_is_refused(tree: Path) -> None:
    files = replace(FILES, charset=Path("/data/arabic/jobs/a/charset.txt"))

    with pytest.raises(BadInput, match=r"/data/arabic/jobs/a/charset\.txt: .* OCRLINE_HOME"):
        make_config(
            read_upstream(tree, SMALL), PaddleOcrRecogniserParams(), files=files, lines=9, gpu=False
        )


@pytest.mark.parametrize(("training", "said"), BAD, ids=[said[:40] for _, said in BAD])
def test_what_cannot_be_trained_is_said_with_what_can(
    tree: Path, training: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadInput, match=re.escape(said)):
        make(tree, **training)


def part(config: dict[str, Any], name: str, step: str) -> dict[str, Any]:
    steps = config[name]["dataset"]["transforms"]
    return next(each[step] for each in steps if step in each)


@pytest.mark.parametrize(
    ("name", "step", "value", "said"),
    [
        ("Train", "DecodeImage", {"img_mode": "RGB"}, "takes RGB, expected BGR"),
        (
            "Train",
            "RecResizeImg",
            {"image_shape": [3, 48, 100]},
            "learns lines of [3, 48, 100] and",
        ),
        ("Eval", "RecResizeImg", {"padding": False}, "does not pad lines of three channels"),
        ("Eval", "KeepKeys", None, "reads after NormalizeImage, which our reader does not do"),
    ],
)
def test_a_config_that_reads_otherwise_than_our_reader_is_refused(
    tree: Path, name: str, step: str, value: dict[str, Any] | None, said: str
) -> None:
    config = read_upstream(tree, SMALL)
    if value is None:
        config["Eval"]["dataset"]["transforms"].insert(1, {"NormalizeImage": None})
    else:
        part(config, name, step).update(value)

    with pytest.raises(BadInput, match=re.escape(said)):
        check_preprocessing(config, SMALL)


def test_wide_lines_are_squeezed_in_validation_too_for_the_loader_would_hang(tree: Path) -> None:
    latin = "configs/rec/PP-OCRv5/multi_language/latin_PP-OCRv5_mobile_rec.yml"
    assert part(read_upstream(tree, latin), "Eval", "RecResizeImg")["eval_mode"]

    config = make(tree, net=latin)

    assert not part(config, "Eval", "RecResizeImg")["eval_mode"]


def test_a_schedule_of_steps_begins_at_the_learning_rate(tree: Path) -> None:
    config = make(tree, net=TWO_NETS, learning_rate=0.01)

    assert config["Optimizer"]["lr"]["values"] == [0.01, pytest.approx(0.001)]
    assert "learning_rate" not in config["Optimizer"]["lr"]


def test_a_schedule_without_a_learning_rate_is_named(tree: Path) -> None:
    upstream = read_upstream(tree, SMALL)
    upstream["Optimizer"]["lr"] = {"name": "Piecewise", "values": ["0.1"]}

    with pytest.raises(BadInput, match="it is Piecewise, which takes no learning_rate"):
        make_config(upstream, PaddleOcrRecogniserParams(), files=FILES, lines=9, gpu=False)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"a: [", "while parsing a flow node"),
        (b"a: \xe9", "'utf-8' codec can't decode byte 0xe9"),
        (b"!!python/object/apply:os.system [id]", "could not determine a constructor for the tag"),
        (b"a: &a\n  b: *a", "Circular reference"),
        (b"[" * 3000, "maximum recursion depth exceeded"),
    ],
)
def test_a_file_that_is_no_config_is_refused_by_name(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs/own.yml").write_bytes(content)

    with pytest.raises(BadInput, match=f"^training.net: configs/own.yml is no YAML .*: {reason}"):
        read_upstream(tmp_path, "configs/own.yml")


def test_a_config_that_links_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs/own.yml").symlink_to("own.yml")

    with pytest.raises(BadInput, match=r"training.net: configs/own.yml is a link to itself"):
        read_upstream(tmp_path, "configs/own.yml")
