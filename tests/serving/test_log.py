"""What the gateway says of itself."""

import re

from tests.serving.conftest import Shelf
from tests.serving.gateway import running_gateway
from tests.serving.tiny_bundle import DIGITS


def test_the_log_tells_the_zone_of_its_times(shelf: Shelf) -> None:
    shelf.add("v1", DIGITS)
    shelf.registry.promote("bars", "v1", reason="first")

    with running_gateway(shelf.folder / "home", store=shelf.store, TZ="Asia/Shanghai") as gateway:
        gateway.wait_ready()

    log = gateway.log.read_text()
    assert re.search(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0800 INFO .* serving bars:v1", log, re.M)
