"""What Prefect's UI shows of rejected rows is what their files and labels say."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from configs.dataset import LineDatasetParams, LineLimitParams
from ocr.models.registry import Registry
from tasks.prepare_lines import prepare_lines
from tests.tasks.conftest import ToyProject


def test_names_and_texts_are_no_markdown(
    project: ToyProject,
    empty: Registry,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = f"no|such<b>`x`{'0' * 200}"
    shown: dict[str, str] = {}
    monkeypatch.setattr("tasks.preparation.TaskRunContext", SimpleNamespace(get=lambda: True))
    monkeypatch.setattr(
        "tasks.preparation.create_markdown_artifact", lambda text, key: shown.update({key: text})
    )
    root = tmp_path / "images"
    with (root / "labels.txt").open("a", encoding="utf-8") as labels:
        labels.write(f"{name}.png\t[a](http://b) **c**\n")

    prepare_lines.fn(
        LineDatasetParams(
            name="toys",
            source="paddleocr",
            root=str(root),
            train_labels="labels.txt",
            limits=LineLimitParams(max_bad_share=1),
        ),
        "toys",
    )

    assert f"{name}.png" in capsys.readouterr().err  # a file or a pipe has no width
    (row,) = (line for line in shown["quarantine"].splitlines() if "missing_image" in line)
    assert row.count("|") == 4
    assert not set("`<*[") & set(row)
    assert "&#96;x&#96;" in row
