"""What of weights from outside a net takes, and what of it is said."""

import json
import pickle
import re
from pathlib import Path
from typing import Literal

import numpy as np
import paddle
import pytest

from configs.jobs import PaddleOcrRuntime, TrainPaddleOcrRecogniserJob
from configs.paddleocr import PaddleOcrRecogniserParams
from configs.training import ResourceParams
from ocr.errors import BadData
from ocr.models.registry import Registry
from ocr.store import open_store
from ocr.store.folder import publish_folder, seal_folder
from ocr.store.whole import sha256_of
from tasks.engine import WEIGHTS
from tests.paddleocr_tree import find_runtime
from tests.training.paddleocr.pretrained.test_fit_tool import Runs
from training.loop.guards import StopRequest
from training.loop.progress import read_events
from training.paddleocr.checkpoint import SPEC
from training.paddleocr.config import JobFiles
from training.paddleocr.pretrained.fit_tool import read_arrays
from training.paddleocr.pretrained.fitting import Fit, _judge, start_from_weights
from training.paddleocr.recognition.config import make_config, read_upstream

NET = "configs/rec/rec_mv3_none_none_ctc.yml"
CTC_BIAS = "head.ctc_head.fc.bias"
BIAS = "head.fc.bias"


@pytest.fixture(scope="module")
def runtime() -> PaddleOcrRuntime:
    return find_runtime()


def start(
    folder: Path,
    runtime: PaddleOcrRuntime,
    weights: Path,
    *,
    net: str = NET,
    frozen: Literal["none", "backbone"] = "none",
    version: str = "",
    store: str = "s",
) -> str:
    """Prepare a training of ten digits that starts from weights; return what it starts from."""
    training = PaddleOcrRecogniserParams(
        net=net,
        pretrained=version or str(weights),
        pretrained_sha256=sha256_of(weights),
        frozen=frozen,
    )
    files = JobFiles.of(folder)
    files.data.mkdir(exist_ok=True)
    files.charset.write_text("".join(f"{digit}\n" for digit in "0123456789"))
    upstream = read_upstream(Path(runtime.home), net)
    job = TrainPaddleOcrRecogniserJob(
        store=store, snapshot="d/0", training=training, resources=ResourceParams(), runtime=runtime
    )
    config = make_config(upstream, training, files=files, lines=9, gpu=False)
    started = start_from_weights(job, folder, config=config, stop=StopRequest())
    return str(started["Global"]["pretrained_model"])


def save(path: Path, arrays: dict[str, paddle.Tensor]) -> Path:
    paddle.save(arrays, str(path))
    return path


def test_weights_of_another_net_are_refused_with_names_of_both(
    runtime: PaddleOcrRuntime, tmp_path: Path
) -> None:
    weights = save(tmp_path / "w", {"their.w": paddle.ones([3]), BIAS: paddle.ones([7])})

    with pytest.raises(
        BadData, match=rf"nothing of {weights} fits {re.escape(NET)}: it has their.w, {BIAS}; the"
    ):
        start(tmp_path, runtime, weights)


def test_what_fits_is_what_the_trainer_gets_and_the_rest_is_said(
    runtime: PaddleOcrRuntime, tmp_path: Path
) -> None:
    weights = save(tmp_path / "w", {"their.w": paddle.ones([3]), BIAS: paddle.ones([11])})

    started = start(tmp_path, runtime, weights)

    with Path(started).open("rb") as file:
        assert list(read_arrays(file)) == [BIAS]
    notices = [event["message"] for event in read_events(tmp_path / "metrics.jsonl")]
    assert len(notices) == 1
    assert re.match(r"1 of the net's \d\d+ parameters start from training.pre", notices[0])
    assert notices[0].endswith("more; not used of it: their.w")


def test_a_head_of_other_characters_is_told_with_what_keeps_it(
    runtime: PaddleOcrRuntime, tmp_path: Path
) -> None:
    head = BIAS.replace("bias", "weight")
    weights = save(tmp_path / "w", {head: paddle.ones([3]), BIAS: paddle.ones([11])})

    start(tmp_path, runtime, weights)

    (notice,) = [event["message"] for event in read_events(tmp_path / "metrics.jsonl")]
    assert f"; of another shape there: {head}, as of other characters" in notice
    assert notice.endswith("their dictionary as dataset.charset_file")


def test_weights_that_fit_whole_are_said_to(runtime: PaddleOcrRuntime, tmp_path: Path) -> None:
    training = PaddleOcrRecogniserParams(net=NET, pretrained="w", pretrained_sha256="0" * 64)

    _judge(Fit(fits=["a", "b"]), training, folder=tmp_path)

    (notice,) = [event["message"] for event in read_events(tmp_path / "metrics.jsonl")]
    assert notice == "2 of the net's 2 parameters start from training.pretrained"


@pytest.mark.parametrize(
    ("fit", "said"),
    [
        (Fit(fits=["a"], new=["b", "head.gtc_head.c"]), f"and 1 parameters of {NET} are not in it"),
        (
            Fit(fits=["a"], by_character=True, characters=[" "]),
            "it does not know 1 characters of the dataset: ' '; of lines, name",
        ),
        (Fit(fits=["a"]), f"nothing says for which characters: name its dictionary in {NET}"),
    ],
    ids=["parts", "characters", "dictionary"],
)
def test_weights_that_are_to_stay_as_they_are_must_be_the_net_s_all(
    fit: Fit, said: str, tmp_path: Path
) -> None:
    training = PaddleOcrRecogniserParams(
        net=NET, pretrained="theirs", pretrained_sha256="0" * 64, epochs=0
    )

    with pytest.raises(
        BadData, match=f"0 takes theirs as it is, {'' if fit.new else 'and '}{said}"
    ):
        _judge(fit, training, folder=tmp_path)

    whole = Fit(fits=["a"], new=["head.gtc_head.c"], by_character=True, lost=[" "])
    _judge(whole, training, folder=tmp_path)
    *_, notice = [event["message"] for event in read_events(tmp_path / "metrics.jsonl")]
    assert "1 characters that training.pretrained knows are none of the dataset's" in notice


def test_weights_from_elsewhere_are_started_from_by_the_dictionary_of_their_net_s_file(
    runtime: PaddleOcrRuntime, tmp_path: Path
) -> None:
    net = "configs/rec/PP-OCRv5/multi_language/en_PP-OCRv5_mobile_rec.yaml"
    home = Path(runtime.home)
    dictionary = (home / "ppocr/utils/dict/ppocrv5_en_dict.txt").read_text("utf-8").split("\n")[:-1]
    known = [*dictionary, " "]  # its file says use_space_char
    weights = save(tmp_path / "w", {CTC_BIAS: paddle.arange(len(known) + 1, dtype="float32")})

    started = start(tmp_path, runtime, weights, net=net)

    with Path(started).open("rb") as file:
        found = read_arrays(file)[CTC_BIAS]
    assert found.tolist() == [0, *(1 + known.index(digit) for digit in "0123456789")]


def test_weights_of_as_many_classes_as_no_dictionary_are_taken_as_they_are(
    runtime: PaddleOcrRuntime, tmp_path: Path
) -> None:
    net = "configs/rec/PP-OCRv5/multi_language/en_PP-OCRv5_mobile_rec.yaml"
    weights = save(tmp_path / "w", {CTC_BIAS: paddle.arange(11, dtype="float32")})

    started = start(tmp_path, runtime, weights, net=net)

    with Path(started).open("rb") as file:
        assert read_arrays(file)[CTC_BIAS].tolist() == list(range(11))


def test_a_frozen_part_without_weights_is_refused(
    runtime: PaddleOcrRuntime, tmp_path: Path
) -> None:
    weights = save(tmp_path / "w", {BIAS: paddle.ones([11])})

    with pytest.raises(
        BadData, match=r"^training.frozen: backbone would stay noise where .*/w has"
    ):
        start(tmp_path, runtime, weights, frozen="backbone")


def test_a_pickle_that_would_run_something_is_refused_over_there(
    runtime: PaddleOcrRuntime, tmp_path: Path
) -> None:
    weights = tmp_path / "w"
    weights.write_bytes(pickle.dumps({"a.w": Runs(tmp_path / "pwned")}))

    with pytest.raises(BadData, match=r"holds no weights: it holds posix.mkdir, expected arrays"):
        start(tmp_path, runtime, weights)

    assert not (tmp_path / "pwned").exists()


def test_a_version_of_other_characters_is_started_from_character_by_character(
    runtime: PaddleOcrRuntime, tmp_path: Path
) -> None:
    store = open_store(f"file://{tmp_path}/store")
    made, bundle = tmp_path / "made", tmp_path / "bundle"
    for folder in (made, bundle):
        folder.mkdir()
    weights = save(made / WEIGHTS, {BIAS: paddle.arange(4, dtype="float32")})
    (made / SPEC).write_text(json.dumps({"charset": ["7", "x", "5"]}), encoding="utf-8")
    seal_folder(made)
    key = publish_folder(store, made, key="checkpoints/c")
    (bundle / "manifest.json").write_text(
        json.dumps({"name": "plates", "version": "v1", "checkpoint": key})
    )
    Registry(store).register("plates", "v1", bundle)

    started = start(tmp_path, runtime, weights, version="model:plates:v1", store=store.uri)

    with Path(started).open("rb") as file:
        found = read_arrays(file)[BIAS]
    np.testing.assert_array_equal(found, [0, 2, 2, 2, 2, 2, 3, 2, 1, 2, 2])
    notices = [event["message"] for event in read_events(tmp_path / "metrics.jsonl")]
    assert notices[1] == (
        "8 characters that training.pretrained does not know start from the mean of those that it "
        "knows: '0', '1', '2' and 5 more"
    )


def test_weights_of_one_net_are_for_the_student_of_several(
    runtime: PaddleOcrRuntime, tmp_path: Path
) -> None:
    weights = save(
        tmp_path / "w", {"their.w": paddle.ones([3]), "head.fc2.bias": paddle.ones([11])}
    )
    net = "configs/rec/ch_PP-OCRv2/ch_PP-OCRv2_rec_distillation.yml"

    started = start(tmp_path, runtime, weights, net=net)

    with Path(started).open("rb") as file:
        assert list(read_arrays(file)) == ["Student.head.fc2.bias"]
    (notice,) = [event["message"] for event in read_events(tmp_path / "metrics.jsonl")]
    assert notice.endswith("more; not used of it: their.w")
