"""``make demo``: the question can be copied, its answer parsed and compared with the truth."""

import json
import shlex
from pathlib import Path

import httpx
import pytest

from cli import demo
from ocr.dataset.pages.region import Region
from ocr.models.registry import Registry
from ocr.store import open_store
from tests.serving.conftest import Shelf
from tests.serving.gateway import running_gateway
from tests.serving.tiny_bundle import DIGITS
from tests.serving.tiny_pipeline import draw_page, register_pipeline


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
    register_pipeline(shelf.registry, home / "made", version="v1", characters=DIGITS)
    shelf.registry.promote("pages", "v1", reason="first")
    box = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))
    truth = [Region(polygon=box, text=text) for text in ("2026", "[a1]")]

    with running_gateway(home / "g", store=shelf.store, OCRLINE_TOKEN="hush") as gateway:
        gateway.wait_ready()
        demo.show_answer(gateway.url, "pages", draw_page(["2026", "42"]), truth)

    _, question, *lines, summary = capsys.readouterr().out.splitlines()
    words = shlex.split(question)
    assert words[:3] == ["curl", "--data-binary", f"@{home / 'demo.png'}"]
    assert words[-1] == f"{gateway.url}/v1/ocr?model=pages"
    assert "Bearer $OCRLINE_TOKEN" in question
    assert "hush" not in question
    assert [json.loads(line)["text"] for line in lines] == ["2026", "42"]
    assert summary.startswith("pages:v1 read 1 of the 2 texts on the page exactly")


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
