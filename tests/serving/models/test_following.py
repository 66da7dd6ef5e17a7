"""What the gateway does when champions appear, break, or their store goes away."""

import signal
import socket
from collections.abc import Iterator
from pathlib import Path

from tests.serving.conftest import Shelf
from tests.serving.gateway import running_gateway, wait_until
from tests.serving.tiny_bundle import DIGITS, LETTERS, make_bundle, png, reading


def test_champion_whose_golden_answers_differ_never_serves(shelf: Shelf) -> None:
    shelf.add("v1", DIGITS)
    shelf.add("v3", LETTERS)
    broken = make_bundle(
        shelf.folder / "v2", version="v2", characters=LETTERS, golden_characters=DIGITS
    )
    shelf.registry.register("bars", "v2", broken)
    shelf.registry.promote("bars", "v1", reason="first")

    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        gateway.wait_ready()
        shelf.registry.promote("bars", "v2", reason="broken")
        wait_until(lambda: gateway.model()["last_error"], log=gateway.log)

        refused = gateway.model()
        assert (refused["version"], refused["champion"]) == ("v1", "v2")
        assert "reads 'ABCDEFGHIJ' instead of '0123456789'" in refused["last_error"]
        assert gateway.read(png("77")) == ("77", "v1")
        assert gateway.get("/health/ready").status_code == 200
        assert gateway.metric('ocrline_model_behind{model="bars"}') == 1
        assert gateway.metric('ocrline_model_load_errors_total{model="bars"}') == 1

        shelf.registry.promote("bars", "v3", reason="repaired")
        gateway.wait_for("v3")

        assert gateway.model()["last_error"] is None
        assert gateway.metric('ocrline_model_behind{model="bars"}') == 0


def test_rollback_of_a_broken_champion_clears_its_error(shelf: Shelf) -> None:
    shelf.add("v1", DIGITS)
    junk = make_bundle(shelf.folder / "v2", version="v2", characters=LETTERS, model=b"junk")
    shelf.registry.register("bars", "v2", junk)
    shelf.registry.promote("bars", "v1", reason="first")

    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        gateway.wait_ready()
        shelf.registry.promote("bars", "v2", reason="broken")
        wait_until(lambda: gateway.model()["last_error"], log=gateway.log)
        assert str(shelf.folder) not in gateway.model()["last_error"]

        shelf.registry.rollback("bars", reason="broken")
        wait_until(lambda: gateway.model()["last_error"] is None, log=gateway.log)

        assert gateway.read(png("8")) == ("8", "v1")


def test_a_first_champion_that_was_undone_is_taken_out_of_service(shelf: Shelf) -> None:
    shelf.add("v1", DIGITS)
    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        promoted = shelf.registry.promote("bars", "v1", reason="first")
        gateway.wait_for("v1")

        shelf.registry.undo(promoted, reason="deployment failed")
        wait_until(lambda: not gateway.get("/v1/models").json()["models"], log=gateway.log)

        assert gateway.metric("ocrline_store_up") == 1
        shelf.registry.promote("bars", "v1", reason="once more")
        gateway.wait_for("v1")


def test_damaged_file_in_the_store_is_refused_and_healed_by_a_new_version(shelf: Shelf) -> None:
    shelf.add("v1", DIGITS)
    (damaged,) = Path(shelf.store).glob("models/bars/v1/**/onnx/model.onnx")
    damaged.write_bytes(damaged.read_bytes()[:-10])
    shelf.registry.promote("bars", "v1", reason="first")

    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        wait_until(lambda: gateway.model()["last_error"], log=gateway.log)
        not_ready = gateway.get("/health/ready")
        asked = gateway.post(content=png("1"), headers={"content-type": "image/png"})

        assert not_ready.status_code == 503
        assert "damaged" in not_ready.json()["reason"]
        assert asked.status_code == 503
        assert asked.json()["error"]["code"] == "not_ready"
        assert asked.headers["retry-after"] == "1"

        shelf.add("v2", LETTERS)
        shelf.registry.promote("bars", "v2", reason="whole")
        gateway.wait_ready()

        assert gateway.read(png("1")) == (reading("1", LETTERS), "v2")


def test_gateway_waits_for_the_first_champion_and_takes_new_models(shelf: Shelf) -> None:
    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        assert gateway.get("/health/live").status_code == 200
        empty = gateway.get("/health/ready")
        assert (empty.status_code, empty.json()["reason"]) == (503, "no model has a champion yet")

        shelf.add("v1", DIGITS)
        shelf.registry.promote("bars", "v1", reason="first")
        gateway.wait_ready()
        other = make_bundle(shelf.folder / "o", name="other", version="o1", characters=LETTERS)
        shelf.registry.register("other", "o1", other)
        shelf.registry.promote("other", "o1", reason="first")
        gateway.wait_for("o1", name="other")

        assert gateway.read(png("12"), model="other") == ("BC", "o1")
        assert gateway.read(png("12"), model="bars") == ("12", "v1")
        ambiguous = gateway.post(content=png("1"), headers={"content-type": "image/png"})
        assert ambiguous.json()["error"]["code"] == "model_required"
        assert "bars, other" in ambiguous.json()["error"]["message"]


def test_named_gateway_serves_nothing_else_and_is_ready_with_all(shelf: Shelf) -> None:
    shelf.add("v1", DIGITS)
    shelf.registry.promote("bars", "v1", reason="first")
    other = make_bundle(shelf.folder / "o", name="other", version="o1", characters=LETTERS)
    shelf.registry.register("other", "o1", other)

    with running_gateway(
        shelf.folder / "home", store=shelf.store, OCRLINE_MODELS="other"
    ) as gateway:
        wait_until(lambda: "champion" in gateway.get("/health/ready").text, log=gateway.log)
        assert gateway.get("/health/ready").status_code == 503

        shelf.registry.promote("other", "o1", reason="first")
        gateway.wait_ready()

        assert [model["name"] for model in gateway.get("/v1/models").json()["models"]] == ["other"]
        assert gateway.read(png("3")) == ("D", "o1")


def test_store_outage_keeps_serving_and_promotions_follow_when_it_is_back(shelf: Shelf) -> None:
    shelf.add("v1", DIGITS)
    shelf.add("v2", LETTERS)
    shelf.registry.promote("bars", "v1", reason="first")
    store, hidden = Path(shelf.store), shelf.folder / "hidden"

    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        gateway.wait_ready()
        store.rename(hidden)
        wait_until(lambda: gateway.metric("ocrline_store_up") == 0, log=gateway.log)

        ready = gateway.get("/health/ready")
        assert ready.status_code == 200
        assert "bars" in ready.json()["warning"]
        assert gateway.read(png("64")) == ("64", "v1")

        hidden.rename(store)
        shelf.registry.promote("bars", "v2", reason="after the outage")
        gateway.wait_for("v2")

        assert gateway.metric("ocrline_store_up") == 1
        assert "warning" not in gateway.get("/health/ready").json()


def test_sigterm_answers_what_is_inside_and_leaves_with_0(shelf: Shelf) -> None:
    shelf.add("v1", DIGITS)
    shelf.registry.promote("bars", "v1", reason="first")

    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        gateway.wait_ready()

        def slow_body() -> Iterator[bytes]:
            image = png("2026")
            yield image[:20]
            wait_until(lambda: gateway.metric("ocrline_body_bytes") == 20, log=gateway.log)
            gateway.process.send_signal(signal.SIGTERM)
            wait_until(lambda: not accepts(gateway.port), log=gateway.log)
            yield image[20:]

        reply = gateway.post(content=slow_body(), headers={"content-type": "image/png"})

        assert reply.json()["results"][0]["text"] == "2026"
        assert gateway.process.wait(timeout=60) == 0


def accepts(port: int) -> bool:
    """Whether anything takes a new connection."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0
