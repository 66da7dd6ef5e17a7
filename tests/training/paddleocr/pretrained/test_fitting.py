"""What of weights from outside a net takes; nothing that a pickle asks for is run."""

import io
import json
import os
import pickle
import re
import subprocess
from pathlib import Path
from typing import Literal

import numpy as np
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
from training.loop.guards import StopRequest
from training.loop.progress import read_events
from training.paddleocr.checkpoint import SPEC
from training.paddleocr.config import JobFiles
from training.paddleocr.pretrained.fit_tool import fit_characters, read_arrays
from training.paddleocr.pretrained.fitting import Fit, _judge, start_from_weights
from training.paddleocr.recognition.config import make_config, read_upstream

NET = "configs/rec/rec_mv3_none_none_ctc.yml"
BIAS = "head.fc.bias"
SAVE = "import paddle, sys; paddle.save({{{}}}, sys.argv[1])"


class Runs:
    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.target),)


@pytest.mark.parametrize("protocol", [2, 4])
def test_arrays_are_read_by_name(protocol: int) -> None:
    weights = {"a.w": np.ones((2, 3), np.float32), "names": {"a.w": "w_0"}, "b": np.ones(2, int)}

    found = read_arrays(io.BytesIO(pickle.dumps(weights, protocol)))

    assert found.keys() == {"a.w"}
    np.testing.assert_array_equal(found["a.w"], weights["a.w"])


def test_what_a_pickle_asks_for_is_not_run(tmp_path: Path) -> None:
    content = pickle.dumps({"a.w": Runs(tmp_path / "pwned")})

    with pytest.raises(pickle.UnpicklingError, match=r"it holds posix.mkdir, expected arrays only"):
        read_arrays(io.BytesIO(content))

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_weights_that_are_no_numbers_are_refused(number: float) -> None:
    content = pickle.dumps({"a.w": np.array([1, number], np.float32)})

    with pytest.raises(pickle.UnpicklingError, match=r"of a.w some numbers are infinite or none"):
        read_arrays(io.BytesIO(content))


def test_what_no_tensor_is_made_of_is_left_out() -> None:
    odd = {"class": np.ndarray, "type": np.dtype("f4"), "wide": np.ones(2, np.longdouble)}

    assert read_arrays(io.BytesIO(pickle.dumps(odd))) == {}


def test_an_array_without_its_numbers_takes_no_memory() -> None:
    class Bomb:
        def __reduce__(self) -> tuple[object, tuple[tuple[int], str]]:
            return np.ndarray, ((1 << 40,), "f8")

    with pytest.raises(pickle.UnpicklingError, match="it is damaged"):
        read_arrays(io.BytesIO(pickle.dumps({"w": Bomb()})))


def test_a_zip_is_said_to_be_none_of_paddles() -> None:
    with pytest.raises(pickle.UnpicklingError, match=r"^it is none of Paddle's, a zip perhaps$"):
        read_arrays(io.BytesIO(b"PK\3\4" + b"0" * 99 + b"\n"))


@pytest.mark.parametrize("content", [b"", b"no pickle", pickle.dumps([1]), pickle.dumps({})[:-1]])
def test_what_is_no_dictionary_of_arrays_is_refused(content: bytes) -> None:
    with pytest.raises(pickle.UnpicklingError):
        read_arrays(io.BytesIO(content))


@pytest.mark.parametrize("name", ["head.fc", "head.ctc_head.fc2"])
def test_each_character_keeps_what_was_learnt_of_it_and_a_new_one_gets_the_mean(name: str) -> None:
    bias = np.array([9, 1, 2, 3], np.float32)  # of the blank, a, b and c
    weight = np.stack([bias, 10 * bias])
    arrays = {f"{name}.bias": bias, f"{name}.weight": weight}

    found = fit_characters(arrays, ["a", "b", "c"], ["c", "x", "a"])

    np.testing.assert_array_equal(found[f"{name}.bias"], [9, 3, 2, 1])
    np.testing.assert_array_equal(found[f"{name}.weight"], [[9, 3, 2, 1], [90, 30, 20, 10]])


def test_layers_that_are_as_large_as_the_charset_by_chance_are_kept() -> None:
    known = [chr(0x4E00 + number) for number in range(62)]
    arrays = {
        "head.ctc_encoder.encoder.conv1.weight": np.ones((64, 60, 1, 3), np.float32),
        "head.fc1.weight": np.ones((96, 64), np.float32),
        "head.fc2.weight": np.ones((64, 63), np.float32),
        "head.scale": np.ones((), np.float32),
    }

    assert fit_characters(arrays, known, known[::-1]).keys() == arrays.keys()


def test_a_second_head_of_other_characters_starts_anew_and_nothing_else() -> None:
    arrays = {
        "head.gtc_head.embedding.weight": np.ones((7, 96), np.float32),
        "head.gtc_head.norm.weight": np.ones(96, np.float32),
        "backbone.conv.weight": np.ones((4, 4), np.float32),
    }

    assert fit_characters(arrays, ["a", "b", "c"], ["a", "b", "d"]).keys() == {
        "head.gtc_head.norm.weight",
        "backbone.conv.weight",
    }
    assert fit_characters(arrays, ["a", "b", "c"], ["a", "b", "c"]) == arrays


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


def save(runtime: PaddleOcrRuntime, path: Path, arrays: str) -> Path:
    command = [runtime.python, "-W", "ignore", "-c", SAVE.format(arrays), str(path)]
    subprocess.run(command, check=True, capture_output=True)
    return path


def test_weights_of_another_net_are_refused_with_names_of_both(
    runtime: PaddleOcrRuntime, tmp_path: Path
) -> None:
    weights = save(
        runtime, tmp_path / "w", f"'their.w': paddle.ones([3]), '{BIAS}': paddle.ones([7])"
    )

    with pytest.raises(
        BadData, match=rf"nothing of {weights} fits {re.escape(NET)}: it has their.w, {BIAS}; the"
    ):
        start(tmp_path, runtime, weights)


def test_what_fits_is_what_the_trainer_gets_and_the_rest_is_said(
    runtime: PaddleOcrRuntime, tmp_path: Path
) -> None:
    weights = save(
        runtime, tmp_path / "w", f"'their.w': paddle.ones([3]), '{BIAS}': paddle.ones([11])"
    )

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
    weights = save(
        runtime, tmp_path / "w", f"'{head}': paddle.ones([3]), '{BIAS}': paddle.ones([11])"
    )

    start(tmp_path, runtime, weights)

    (notice,) = [event["message"] for event in read_events(tmp_path / "metrics.jsonl")]
    assert f"; of another shape there: {head}, as of other characters" in notice
    assert notice.endswith("their dictionary as dataset.charset_file")


def test_weights_that_fit_whole_are_said_to(runtime: PaddleOcrRuntime, tmp_path: Path) -> None:
    training = PaddleOcrRecogniserParams(net=NET, pretrained="w", pretrained_sha256="0" * 64)

    _judge(Fit(fits=["a", "b"]), training, folder=tmp_path)

    (notice,) = [event["message"] for event in read_events(tmp_path / "metrics.jsonl")]
    assert notice == "2 of the net's 2 parameters start from training.pretrained"


def test_a_frozen_part_without_weights_is_refused(
    runtime: PaddleOcrRuntime, tmp_path: Path
) -> None:
    weights = save(runtime, tmp_path / "w", f"'{BIAS}': paddle.ones([11])")

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
    weights = save(runtime, made / WEIGHTS, f"'{BIAS}': paddle.arange(4, dtype='float32')")
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
        "knows: 0, 1, 2 and 5 more"
    )


def test_weights_of_one_net_are_for_the_student_of_several(
    runtime: PaddleOcrRuntime, tmp_path: Path
) -> None:
    weights = save(
        runtime, tmp_path / "w", "'their.w': paddle.ones([3]), 'head.fc2.bias': paddle.ones([11])"
    )
    net = "configs/rec/ch_PP-OCRv2/ch_PP-OCRv2_rec_distillation.yml"

    started = start(tmp_path, runtime, weights, net=net)

    with Path(started).open("rb") as file:
        assert list(read_arrays(file)) == ["Student.head.fc2.bias"]
    (notice,) = [event["message"] for event in read_events(tmp_path / "metrics.jsonl")]
    assert notice.endswith("more; not used of it: their.w")
