"""Jobs that cannot be run: named in one sentence, and exit code 2."""

import json
from pathlib import Path

import pytest

from tests.training.recognition.toy_lines import write_recogniser_job
from tests.training.running import run


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"training": {"epocs": 3}}, "training.epocs: unknown key"),
        ({"training": {"epochs": 0}}, "training.epochs: 0 is not allowed"),
        ({"kind": "export-recogniser"}, "kind: 'export-recogniser' is not allowed"),
        ({"extra": 1}, "extra: unknown key"),
        ({"training": {"amp": "O1"}}, "training.amp: O1 needs resources.device: gpu"),
        ({"snapshot": "datasets/none"}, "datasets/none"),
    ],
)
def test_a_wrong_job_is_named(
    change: dict[str, object], message: str, digits: dict[str, str], tmp_path: Path
) -> None:
    path = write_recogniser_job(tmp_path, digits)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))

    code, errors = run(path)

    assert code == 2
    assert message in errors
    assert len(errors.strip().splitlines()) == 1


def test_a_job_that_is_not_there_or_no_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "job.json").write_text("{")

    assert run(tmp_path / "none.json")[0] == 2
    assert run(tmp_path / "job.json")[0] == 2
