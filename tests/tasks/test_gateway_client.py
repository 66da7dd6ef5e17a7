"""What the client makes of a gateway's answers; the gateway is a real one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ocr.errors import ParityFailed
from serving.access.key_file import add_key
from tasks.gateway_client import (
    GatewayClient,
    GatewayUnavailable,
    NotServedThere,
    TokenRefused,
    VersionRefused,
)
from tests.ocr.store.test_s3_faults import Answer, canned_server
from tests.serving.conftest import Shelf, make_shelf
from tests.serving.gateway import Gateway, running_gateway
from tests.serving.tiny_bundle import DIGITS, LETTERS, png
from tests.serving.tiny_pipeline import page_png

TIMEOUT_S = 60


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    shelf = make_shelf(tmp_path_factory.mktemp("client"))
    shelf.add_pages("p1", DIGITS)
    shelf.registry.promote("pages", "p1", reason="first")
    return shelf


@pytest.fixture(scope="module")
def gateway(shelf: Shelf) -> Iterator[Gateway]:
    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        gateway.wait_ready()
        yield gateway


@pytest.fixture
def client(gateway: Gateway) -> Iterator[GatewayClient]:
    with GatewayClient(gateway.url) as client:
        yield client


def pipeline(shelf: Shelf, version: str) -> Path:
    return shelf.folder / "made" / "pages" / version / "pipeline"


def test_page_is_read_with_its_polygons(client: GatewayClient) -> None:
    (line,) = client.read_page(page_png("2026"), name="pages", version="p1")

    assert line.text == "2026"
    assert line.polygon == ((32, 24), (160, 24), (160, 56), (32, 56))


def test_golden_pages_agree_with_the_version_that_promised_them(
    shelf: Shelf, client: GatewayClient
) -> None:
    assert client.check_golden_pages(pipeline(shelf, "p1"), name="pages", version="p1") == 2


def test_golden_pages_of_another_pipeline_are_told_apart(
    shelf: Shelf, client: GatewayClient
) -> None:
    shelf.add_pages("letters", LETTERS)
    shelf.add_pages("moved", DIGITS, moved_px=2)

    with pytest.raises(ParityFailed, match="line 1 reads '2026' instead of 'CACG'"):
        client.check_golden_pages(pipeline(shelf, "letters"), name="pages", version="p1")
    with pytest.raises(ParityFailed, match=r"lies 2\.0 px from where it was promised"):
        client.check_golden_pages(pipeline(shelf, "moved"), name="pages", version="p1")


def test_answer_of_another_version_is_no_proof(client: GatewayClient) -> None:
    with pytest.raises(ParityFailed, match="Asked pages:p9, pages:p1 answered"):
        client.read_page(page_png("1"), name="pages", version="p9")


def test_refusal_of_a_request_says_why(client: GatewayClient) -> None:
    with pytest.raises(GatewayUnavailable, match="No champion of 'nobody'"):
        client.read_page(page_png("1"), name="nobody", version="p1")


def test_a_gateway_that_does_not_know_the_model_may_follow_another_store(
    client: GatewayClient,
) -> None:
    with pytest.raises(GatewayUnavailable, match=r"only \['pages'\]; does it follow another sto"):
        client.wait_for("nobody", "p1", timeout_s=0)


def test_wait_ends_at_once_when_the_gateway_refuses_the_version(
    shelf: Shelf, gateway: Gateway, client: GatewayClient
) -> None:
    shelf.add_pages("broken", DIGITS, moved_px=5)
    shelf.registry.promote("pages", "broken", reason="nobody looked")

    with pytest.raises(VersionRefused, match=r"broken was refused: golden page 000\.png"):
        client.wait_for("pages", "broken", timeout_s=TIMEOUT_S)
    with pytest.raises(GatewayUnavailable, match="does not serve pages:next after 0 s"):
        client.wait_for("pages", "next", timeout_s=0)  # of which it has not heard yet

    assert gateway.read(png("7"), model="pages") == ("7", "p1")
    shelf.registry.rollback("pages", reason="broken")
    client.wait_for("pages", "p1", timeout_s=TIMEOUT_S)


@pytest.mark.parametrize(
    ("token", "said"),
    [("", "wants OCRLINE_TOKEN "), ("wrong", "wants another OCRLINE_TOKEN than this one ")],
)
def test_a_gateway_that_wants_a_key_is_not_waited_for(shelf: Shelf, token: str, said: str) -> None:
    with (
        running_gateway(shelf.folder / "keyed", store=shelf.store, OCRLINE_TOKEN="hush") as keyed,
        GatewayClient(keyed.url, token=token) as stranger,
        pytest.raises(TokenRefused, match=f"^{keyed.url} {said}.*`ocrline keys add NAME` prints$"),
    ):
        stranger.wait_until_up(timeout_s=TIMEOUT_S)


def test_gateway_that_is_not_there_is_waited_for_until_the_end() -> None:
    with (
        GatewayClient("http://127.0.0.1:9") as nobody,
        pytest.raises(GatewayUnavailable, match="after 0 s; it says: no answer"),
    ):
        nobody.wait_for("pages", "p1", timeout_s=0.3)


def test_a_gateway_says_beforehand_what_it_will_never_serve(shelf: Shelf, gateway: Gateway) -> None:
    home = shelf.folder / "named"
    key = add_key(home / "keys.json", name="cards", models=("cards",))
    named = running_gateway(home, store=shelf.store, OCRLINE_MODELS="pages", OCRLINE_TOKEN="hush")
    with (
        named as named_gateway,
        GatewayClient(named_gateway.url, token="hush") as ours,
        GatewayClient(named_gateway.url, token=key) as theirs,
        GatewayClient(gateway.url) as open_client,
        GatewayClient("http://127.0.0.1:9") as nobody,
    ):
        with pytest.raises(NotServedThere, match="serves only 'pages' to this key, not 'plates'"):
            ours.check_takes("plates")
        with pytest.raises(NotServedThere, match="serves other models to this key, not 'pages'"):
            theirs.check_takes("pages")
        told = [each.check_takes("pages") for each in (ours, open_client, nobody)]

        assert (told, open_client.check_takes("not-yet")) == ([True, True, False], True)


@pytest.mark.parametrize("answer", [b"[" * 100_000, b" " * (5 << 20), b"[1]", b"{"])
def test_an_answer_that_is_none_is_no_answer(answer: bytes) -> None:
    served = canned_server({"GET": Answer(200, answer)})
    with served as endpoint, GatewayClient(f"http://{endpoint}") as client:
        assert client.check_takes("plates") is False
        with pytest.raises(GatewayUnavailable, match="gives no answer after 0 s"):
            client.wait_until_up(timeout_s=0)
