"""Which characters weights from elsewhere know is read where the tree says it, and nowhere else."""

import json
from pathlib import Path

import pytest
import yaml

from configs.jobs import PaddleOcrRuntime, TrainPaddleOcrRecogniserJob
from configs.paddleocr import PaddleOcrRecogniserParams
from configs.training import ResourceParams
from ocr.errors import BadInput
from tests.paddleocr_tree import find_runtime
from training.paddleocr.pretrained.dictionary import find_dictionary

NET = "configs/rec/rec_mv3_none_none_ctc.yml"


def job_of(home: Path, **said: object) -> TrainPaddleOcrRecogniserJob:
    """Return a job for a tree whose net names a dictionary."""
    real = find_runtime()
    config = yaml.safe_load((Path(real.home) / NET).read_text(encoding="utf-8"))
    config["Global"] |= said
    (home / NET).parent.mkdir(parents=True)
    (home / NET).write_text(yaml.safe_dump(config), encoding="utf-8")
    (home / "ppocr").mkdir()
    return TrainPaddleOcrRecogniserJob(
        store="s",
        snapshot="d/0",
        training=PaddleOcrRecogniserParams(net=NET),
        resources=ResourceParams(),
        runtime=PaddleOcrRuntime(home=str(home), python="p", tree="t", packages="p"),
    )


@pytest.mark.parametrize(("space", "more"), [(False, []), (True, [" "])])
def test_a_dictionary_is_read_as_paddleocr_reads_it(
    space: bool, more: list[str], tmp_path: Path
) -> None:
    job = job_of(tmp_path / "tree", character_dict_path="./ppocr/d.txt", use_space_char=space)
    (tmp_path / "tree/ppocr/d.txt").write_bytes("a\r\n \n🇩🇪\n永".encode())

    found = find_dictionary(job, tmp_path)

    assert found
    assert json.loads(found.read_bytes()) == ["a", " ", "🇩🇪", "永", *more]


@pytest.mark.parametrize(
    "path", [None, "", "ours.txt", "ppocr/../ours.txt", "ppocr/d.dict", "/etc/passwd"]
)
def test_what_no_key_names_is_not_read(path: str | None, tmp_path: Path) -> None:
    job = job_of(tmp_path / "tree", character_dict_path=path)
    for name in ("ours.txt", "ppocr/d.dict"):
        (tmp_path / "tree" / name).write_text("a\n")

    assert find_dictionary(job, tmp_path) is None


@pytest.mark.parametrize("content", [None, b"\xff\n"])
def test_a_dictionary_that_cannot_be_read_is_named(content: bytes | None, tmp_path: Path) -> None:
    job = job_of(tmp_path / "tree", character_dict_path="ppocr/d.txt")
    if content:
        (tmp_path / "tree/ppocr/d.txt").write_bytes(content)

    with pytest.raises(
        BadInput, match=rf"training.net: {NET} names the dictionary .*/ppocr/d.txt:"
    ):
        find_dictionary(job, tmp_path)
