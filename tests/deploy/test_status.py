"""Which versions `ocrline status` says are served: those of gateways of this home alone."""

import os
import socket
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from cli.main import run
from configs.settings import Settings
from deploy import status, web
from deploy.ports import pick_port
from deploy.services import ensure_gateway, remember_endpoint, stop_services
from deploy.status import read_status
from ocr.errors import BadInput
from ocr.store.state import write_home_mark
from serving.app import run as serve
from serving.settings import ServingSettings
from tests.ocr.store.test_s3_faults import Answer, canned_server
from tests.ocr.test_http_answer import dripping_server
from tests.serving.conftest import Shelf, make_shelf
from tests.serving.gateway import running_gateway
from tests.serving.tiny_bundle import DIGITS

pytestmark = pytest.mark.usefixtures("own_home")


def shelf_with_champion(folder: Path) -> Shelf:
    shelf = make_shelf(folder)
    shelf.add("v1", DIGITS)
    shelf.registry.promote("bars", "v1", reason="first")
    return shelf


def test_without_the_token_it_says_what_the_gateway_wants(
    capsys: pytest.CaptureFixture[str],
) -> None:
    os.environ["OCRLINE_TOKEN"] = "hush"
    endpoint = f"http://127.0.0.1:{pick_port(0)}"
    ensure_gateway(Settings(), endpoint)

    known = read_status(Settings()).warnings
    del os.environ["OCRLINE_TOKEN"]
    (warning,) = read_status(Settings()).warnings
    code = run(["status"])

    assert known == []
    assert endpoint in warning
    assert "OCRLINE_TOKEN" in warning
    assert (code, warning in capsys.readouterr().err) == (0, True)


def test_the_gateway_of_another_home_at_the_address_of_ours_is_not_asked(tmp_path: Path) -> None:
    theirs = shelf_with_champion(tmp_path / "theirs")
    with running_gateway(tmp_path / "other home", store=theirs.store) as gateway:
        gateway.wait_ready()
        remember_endpoint(Settings(), gateway.url)

        status = read_status(Settings())

    assert status.models == []


def never_asked(*_: object, **__: object) -> None:
    pytest.fail("it is asked")


@pytest.mark.parametrize("hangs", [False, True])
def test_a_store_that_does_not_answer_is_down_and_not_asked_for_its_champions(
    monkeypatch: pytest.MonkeyPatch, hangs: bool
) -> None:
    ours = shelf_with_champion(Settings().home)
    with running_gateway(Settings().home, store=ours.store) as gateway:
        gateway.wait_ready()
        remember_endpoint(Settings(), gateway.url)
        monkeypatch.setattr(
            "tasks.workspace.open_workspace", lambda *_, **__: pytest.fail("it is asked")
        )
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            if hangs:
                silent.listen()
            for name in ("ENDPOINT", "ACCESS_KEY", "SECRET_KEY"):
                monkeypatch.setenv(f"MINIO_{name}", f"127.0.0.1:{silent.getsockname()[1]}")
            monkeypatch.setenv("OCRLINE_STORE", "s3://away")

            status = read_status(Settings())

    assert {part.state for part in status.parts if part.name == "store"} == {"down"}
    assert [(each.champion, each.served) for each in status.models] == [("unknown", "v1")]


def test_a_store_of_ours_that_hangs_is_not_asked_for_its_champions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OCRLINE_STORE", "s3://ours")
    monkeypatch.setattr(
        "tasks.workspace.open_workspace", lambda *_, **__: pytest.fail("it is asked")
    )
    hanging = status.Part("store", "starting")

    assert status._read_champions(Settings(), hanging) == (None, "")


def test_a_store_that_refuses_our_key_is_up_and_says_why_its_champions_are_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refusal = Answer(403, b"<Error><Code>InvalidAccessKeyId</Code></Error>")
    with canned_server({"GET": refusal}) as endpoint:
        monkeypatch.setenv("MINIO_ENDPOINT", endpoint)
        for name in ("ACCESS_KEY", "SECRET_KEY"):
            monkeypatch.setenv(f"MINIO_{name}", "of-before")
        monkeypatch.setenv("OCRLINE_STORE", "s3://rotated")

        status = read_status(Settings())

    assert (status.parts[0].name, status.parts[0].state) == ("store", "up")
    assert ["refuses access key 'of-before'" in warning for warning in status.warnings] == [True]


def test_a_home_that_is_half_restored_is_told_and_refused_and_may_be_stopped(
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings = Settings()
    ensure_gateway(settings, f"http://127.0.0.1:{pick_port(0)}")
    write_home_mark(settings.home, restoring="/backups/a.tar.zst", store="s3://bucket")

    (warning,) = read_status(settings).warnings
    code = run(["keys", "add", "orders"])
    with pytest.raises(BadInput, match="was not finished"):
        serve(ServingSettings())
    stopped = stop_services(settings)

    assert (
        "was not finished: run `ocrline restore /backups/a.tar.zst --store s3://bucket`" in warning
    )
    assert (code, "was not finished" in capsys.readouterr().err) == (2, True)
    assert len(stopped) == 1


def test_a_gateway_of_this_home_that_a_person_started_is_asked() -> None:
    home = Settings().home
    ours = shelf_with_champion(home)
    os.environ["OCRLINE_STORE"] = ours.store
    with running_gateway(home, store=ours.store) as gateway:
        gateway.wait_ready()
        remember_endpoint(Settings(), gateway.url)

        status = read_status(Settings())

    assert [(part.state, part.address) for part in status.parts if part.name == "gateway"] == [
        ("up", gateway.url)
    ]
    assert [(model.name, model.served) for model in status.models] == [("bars", "v1")]


def test_status_asks_one_elsewhere_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose address a project named, and the home remembers."""
    asked: list[str | None] = []

    class Listens(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.headers["authorization"])
            self.send_response(401)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Keep the tests' output clean."""

    monkeypatch.setenv("OCRLINE_TOKEN", "hush")
    with HTTPServer(("127.0.0.2", 0), Listens) as server:
        Thread(target=server.serve_forever).start()
        address = f"http://127.0.0.2:{server.server_port}"
        status._ask(Settings(), address)
        monkeypatch.setenv("OCRLINE_TOKEN_FOR", address)
        status._ask(Settings(), address)
        server.shutdown()

    assert asked == [None, "Bearer hush"]


@pytest.mark.parametrize("answer", [b"[1]", b'"models"', b"{}", b'{"models": [{"id": "bars"}]}'])
def test_what_answers_as_no_gateway_does_is_told(answer: bytes) -> None:
    with canned_server({"GET": Answer(200, answer)}) as endpoint:
        served, why = status._ask(Settings(), f"http://{endpoint}")

    assert served == {}
    assert f"http://{endpoint} did not answer" in why
    assert "is no list of models" in why


def test_a_model_without_a_version_that_answers_is_served_by_none() -> None:
    answer = b'{"models": [{"name": "bars", "version": null}]}'
    with canned_server({"GET": Answer(200, answer)}) as endpoint:
        assert status._ask(Settings(), f"http://{endpoint}") == ({"bars": ""}, "")


def test_a_gateway_whose_head_has_no_end_is_not_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "TIMEOUT_S", 0.3)
    with dripping_server() as address:
        assert not web.answers(address)


@pytest.mark.parametrize(
    ("told", "served"),
    [
        ([{"bars": "v1"}, {"bars": "v2"}], "v1, v2"),
        ([{"bars": "v1"}, {"bars": "v1"}], "v1"),
        ([{"bars": "v1"}, {"bars": ""}], "v1, none"),
        ([{"bars": ""}, {}], ""),
        ([{}], ""),
    ],
)
def test_of_two_gateways_that_do_not_agree_both_versions_are_shown(
    told: list[dict[str, str]], served: str
) -> None:
    (model,) = status._list_models({"bars": "v2"}, told)

    assert (model.champion, model.served) == ("v2", served)
