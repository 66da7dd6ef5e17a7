"""Both layouts learn a toy set from scratch, in seconds."""

from pathlib import Path

from configs.jobs import TrainResult
from tests.training.toy_job import run, write_job


def test_fixed_crops_are_learnt(many_digits: dict[str, str], tmp_path: Path) -> None:
    job = write_job(tmp_path, many_digits, epochs=10, augmentation=0.1)

    code, errors = run(job)

    assert code == 0, errors
    assert read_ned(tmp_path) > 0.8


def test_lines_of_any_width_are_learnt(digit_lines: dict[str, str], tmp_path: Path) -> None:
    job = write_job(tmp_path, digit_lines, layout="line", epochs=20, augmentation=0.1)

    code, errors = run(job)

    assert code == 0, errors
    assert read_ned(tmp_path) > 0.8


def read_ned(folder: Path) -> float:
    return TrainResult.model_validate_json((folder / "result.json").read_bytes()).metrics["ned"]
