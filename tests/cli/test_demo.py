"""``make demo``: its question can be copied, its answer parsed and compared with the truth."""

import json
import shlex
from pathlib import Path

import httpx
import pytest

from cli import demo
from configs.presets import load_params
from ocr.models.registry import Registry
from ocr.store import open_store
from tests.serving.conftest import Shelf
from tests.serving.gateway import running_gateway
from tests.serving.tiny_bundle import DIGITS, draw
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

    with running_gateway(home / "g", store=shelf.store, OCRLINE_TOKEN="hush") as gateway:
        gateway.wait_ready()
        demo.show_page(gateway.url, "pages", draw_page(["2026", "42"]), ["2026", "[a1]"])

    _, question, *lines, summary = capsys.readouterr().out.splitlines()
    words = shlex.split(question)
    assert words[:3] == ["curl", "-F", f"image=@{home / 'demo-1.png'}"]
    assert words[-1] == f"{gateway.url}/v1/ocr?model=pages"
    assert "Bearer $OCRLINE_TOKEN" in question
    assert "hush" not in question
    assert [json.loads(line)["text"] for line in lines] == ["2026", "42"]
    assert summary.startswith("pages:v1 read 1 of the 2 texts on the page exactly")


def test_a_gateway_for_lines_is_asked_for_all_of_them_at_once(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf = Shelf(Registry(open_store(str(home / "store"))), home)
    shelf.registry.promote("bars", shelf.add("v1", DIGITS), reason="first")

    with running_gateway(home / "g", store=shelf.store) as gateway:
        gateway.wait_ready()
        demo.show_lines(gateway.url, "bars", [draw("2026"), draw("42")], ["2026", "43"])

    _, question, *lines, summary = capsys.readouterr().out.splitlines()
    assert question.count("image=@") == 2
    assert [json.loads(line)["text"] for line in lines] == ["2026", "42"]
    assert summary == "bars:v1 read 1 of 2 lines exactly: 2026, 43"


@pytest.mark.parametrize("preset", ["demo", "meters-ppocr"])
def test_what_is_asked_for_comes_after_what_was_learnt(preset: str) -> None:
    images, texts = demo.draw_unseen(load_params(preset))

    assert len(images) == {"demo": 1, "meters-ppocr": demo.LINES}[preset]
    assert len(texts) >= len(images)
    assert all(texts)


def test_a_gateway_that_does_not_answer_is_one_line_and_exit_code_5(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse_connection(*_: object) -> None:
        raise httpx.ConnectError("Connection refused")

    monkeypatch.setattr(demo, "run", lambda _: 0)
    monkeypatch.setattr(demo, "show_page", refuse_connection)
    monkeypatch.setattr("sys.argv", ["demo"])

    with pytest.raises(SystemExit) as leave:
        demo.main()

    (line,) = capsys.readouterr().err.splitlines()
    assert leave.value.code == 5
    assert line.endswith("gave no answer: Connection refused")
