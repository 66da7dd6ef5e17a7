"""Which characters weights from elsewhere know is read where the tree says it, and nowhere else."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from configs.jobs import TrainPaddleOcrRecogniserJob
from configs.paddleocr import PaddleOcrRecogniserParams
from configs.training import ResourceParams
from ocr.errors import BadInput
from tests.paddleocr_tree import copy_tree
from training.paddleocr.pretrained.dictionary import MOST_BYTES, find_dictionary

NET = "configs/rec/rec_mv3_none_none_ctc.yml"


def job_of(tmp_path: Path, *, epochs: int = 1, **said: Any) -> TrainPaddleOcrRecogniserJob:
    """Return a job for a tree whose net names a dictionary."""
    training = PaddleOcrRecogniserParams(
        net=NET, epochs=epochs, pretrained="/w", pretrained_sha256="0" * 64
    )
    return TrainPaddleOcrRecogniserJob(
        store="s",
        snapshot="d/0",
        training=training,
        resources=ResourceParams(),
        runtime=copy_tree(tmp_path, NET, **said),
    )


@pytest.mark.parametrize(("space", "more"), [(False, []), (True, [" "])])
def test_a_dictionary_is_read_as_paddleocr_reads_it(
    space: bool, more: list[str], tmp_path: Path
) -> None:
    job = job_of(tmp_path, character_dict_path="./ppocr/d.txt", use_space_char=space)
    (tmp_path / "PaddleOCR/ppocr/d.txt").write_bytes("a\r\n \n🇩🇪\n永".encode())

    found = find_dictionary(job, tmp_path)

    assert found
    assert json.loads(found.read_bytes()) == ["a", " ", "🇩🇪", "永", *more]


@pytest.mark.parametrize(
    "path", [None, "", "ours.txt", "ppocr/../ours.txt", "ppocr/d.dict", "/etc/passwd"]
)
def test_what_no_key_names_is_not_read(path: object, tmp_path: Path) -> None:
    job = job_of(tmp_path, character_dict_path=path)
    for name in ("ours.txt", "ppocr/d.dict"):
        (tmp_path / "PaddleOCR" / name).write_text("a\n")
    os.mkfifo(tmp_path / "PaddleOCR/ppocr/pipe.txt")
    (tmp_path / "PaddleOCR/ppocr/folder.txt").mkdir()

    assert find_dictionary(job, tmp_path) is None


@pytest.mark.parametrize("content", [b"\xff\n", b"\n" * (MOST_BYTES + 1)], ids=["encoding", "size"])
def test_a_dictionary_that_is_none_is_named(content: bytes, tmp_path: Path) -> None:
    job = job_of(tmp_path, character_dict_path="ppocr/d.txt")
    (tmp_path / "PaddleOCR/ppocr/d.txt").write_bytes(content)

    with pytest.raises(
        BadInput, match=rf"training.net: {NET} names the dictionary .*/ppocr/d.txt:"
    ):
        find_dictionary(job, tmp_path)


def test_texts_that_paddleocr_turns_around_are_not_read_as_they_are(tmp_path: Path) -> None:
    job = job_of(tmp_path, epochs=0, character_dict_path="ppocr/utils/arabic_dict.txt")

    with pytest.raises(BadInput, match=r"training.epochs: 0: of a dictionary in whose path stands"):
        find_dictionary(job, tmp_path)


def test_a_link_is_read_as_it_is_digested(tmp_path: Path) -> None:
    job = job_of(tmp_path, character_dict_path="ppocr/d.txt")
    (tmp_path / "ours").write_text("a\n")
    (tmp_path / "PaddleOCR/ppocr/d.txt").symlink_to(tmp_path / "ours")

    found = find_dictionary(job, tmp_path)

    assert found
    assert json.loads(found.read_bytes()) == ["a"]
