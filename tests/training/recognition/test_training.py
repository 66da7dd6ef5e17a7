"""A recogniser trained by `python -m training train-recogniser`: both layouts learn to read."""

from pathlib import Path

from configs.jobs import TrainResult
from ocr.models.provenance import name_code
from tests.training.recognition.toy_lines import make_line_snapshot, write_recogniser_job
from tests.training.running import run
from training.loop.progress import read_events


def test_fixed_crops_are_learnt(many_digits: dict[str, str], tmp_path: Path) -> None:
    job = write_recogniser_job(tmp_path, many_digits, epochs=10, augmentation=0.1)

    code, errors = run(job)

    assert code == 0, errors
    assert read_ned(tmp_path) > 0.8
    assert read_result(tmp_path).environment["code"] == name_code()


def test_lines_of_any_width_are_learnt(digit_lines: dict[str, str], tmp_path: Path) -> None:
    job = write_recogniser_job(tmp_path, digit_lines, layout="line", epochs=20, augmentation=0.1)

    code, errors = run(job)

    assert code == 0, errors
    assert read_ned(tmp_path) > 0.8


def test_a_text_that_is_too_long_for_the_net_is_named(tmp_path: Path) -> None:
    texts = {"train": ["12", "123456789012"], "val": ["56"], "test": ["34"]}
    job = write_recogniser_job(
        tmp_path / "job", make_line_snapshot(tmp_path / "data", texts=texts), width_px=32
    )

    code, errors = run(job)

    assert code == 3
    assert "such as '123456789012': 32 px give 8 frames; raise width_px" in errors


def test_lines_without_room_for_their_texts_are_told_when_they_are_left_out(tmp_path: Path) -> None:
    texts = {"train": ["12", "34", "56", "78", "2468"], "val": ["90"], "test": ["21"]}
    snapshot = make_line_snapshot(tmp_path / "data", texts=texts, upright="2468")
    job = write_recogniser_job(tmp_path / "job", snapshot, layout="line", epochs=1, evaluations=1)

    code, errors = run(job)

    assert code == 0, errors
    events = read_events(tmp_path / "job" / "metrics.jsonl")
    [notice] = [each["message"] for each in events if each["event"] == "notice"]
    assert notice == (
        "1 of 5 texts of the train split are too long for their width, such as '2468': "
        "left out; the compact net has room for more with a larger training.height_px"
    )


def read_ned(folder: Path) -> float:
    return read_result(folder).metrics["ned"]


def read_result(folder: Path) -> TrainResult:
    return TrainResult.model_validate_json((folder / "result.json").read_bytes())
