"""``make demo``: the question, its answer and the truth, each on a line that can be copied."""

import json
import shlex
from pathlib import Path

import httpx
import numpy as np
import pytest

from cli import demo
from ocr.image import Image
from ocr.registry import Registry
from ocr.store import open_store
from tests.serving.conftest import Shelf
from tests.serving.gateway import running_gateway
from tests.serving.tiny_bundle import DIGITS

IMAGE: Image = np.full((32, 128, 3), 255, np.uint8)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "a home of a long name with [brackets]"
    home.mkdir()
    monkeypatch.setenv("OCRLINE_HOME", str(home))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    return home


def test_the_question_can_be_pasted_and_the_answer_parsed(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OCRLINE_TOKEN", "hush")
    shelf = Shelf(Registry(open_store(str(home / "store"))), home)
    shelf.add("v1", DIGITS)
    shelf.registry.promote("bars", "v1", reason="first")

    with running_gateway(home / "g", store=shelf.store, OCRLINE_TOKEN="hush") as gateway:
        gateway.wait_ready()
        demo.show_answer(gateway.url, "bars", IMAGE, "[a1]")

    _, question, answer, truth = capsys.readouterr().out.splitlines()
    words = shlex.split(question)
    assert words[:3] == ["curl", "--data-binary", f"@{home / 'demo.png'}"]
    assert words[-1] == f"{gateway.url}/v1/recognize?model=bars"
    assert "Bearer $OCRLINE_TOKEN" in question
    assert "hush" not in question
    assert json.loads(answer)["version"] == "v1"
    assert truth == "written on the image: [a1]"


def test_a_gateway_that_does_not_answer_is_one_line_and_exit_code_5(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse_connection(*_: object) -> None:
        raise httpx.ConnectError("Connection refused")

    monkeypatch.setattr(demo, "run", lambda _: 0)
    monkeypatch.setattr(demo, "show_answer", refuse_connection)

    with pytest.raises(SystemExit) as leave:
        demo.main()

    (line,) = capsys.readouterr().err.splitlines()
    assert leave.value.code == 5
    assert line.endswith("gave no answer: Connection refused")
