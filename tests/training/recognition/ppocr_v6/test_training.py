"""A training that starts from PP-OCRv6, run by `python -m training train-recogniser`."""

from pathlib import Path
from typing import Any

import pytest

from tests.training.recognition.ppocr_v6.weights import PRETRAINED, needs_rapidocr
from tests.training.recognition.test_training import read_ned
from tests.training.recognition.toy_lines import (
    make_line_snapshot,
    random_texts,
    write_recogniser_job,
)
from tests.training.running import run
from training.loop.progress import read_events
from training.recognition.checkpoint import load_recogniser
from training.recognition.ppocr_v6.net import PretrainedNetSpec

COUNTS = (("train", 48), ("val", 8), ("test", 8))
pytestmark = needs_rapidocr


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Digits, and one line with a character that PP-OCRv6 has not."""
    texts = {split: random_texts(count, lengths=(4, 4), seed=count) for split, count in COUNTS}
    texts["train"].append("0ዕ")
    return make_line_snapshot(tmp_path_factory.mktemp("lines"), texts=texts)


@pytest.mark.parametrize(
    ("devices", "training"),
    [
        (1, {"layout": "fixed", "composition": {"enabled": True, "start_share": 0}}),
        (2, {"layout": "line", "width_px": 32, "keep_charset": True}),
    ],
)
def test_a_few_steps_leave_a_net_that_reads(
    lines: dict[str, str], tmp_path: Path, devices: int, training: dict[str, Any]
) -> None:
    job = write_recogniser_job(
        tmp_path,
        lines,
        devices=devices,
        **(PRETRAINED | {"epochs": 1, "evaluations": 1} | training),
    )

    code, errors = run(job)

    assert code == 0, errors
    assert read_ned(tmp_path) > 0.9
    net, spec = load_recogniser(tmp_path / "checkpoint")
    assert isinstance(spec, PretrainedNetSpec)
    assert net.stem is not None
    assert len(spec.charset) == (18_710 if "keep_charset" in training else 11)
    said = [each.get("message") for each in read_events(tmp_path / "metrics.jsonl")[:1]]
    assert said == ["1 characters that ppocr-v6-small does not know start from noise: 'ዕ'"]
