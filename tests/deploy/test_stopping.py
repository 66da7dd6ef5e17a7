"""Who is stopped may finish: a gateway as long as it was told when it was started."""

import sys
from pathlib import Path

import pytest

from deploy.background import start_service, stop_service

FINISHES = """
import signal, sys, time
from pathlib import Path
def finish(*_):
    time.sleep(1)
    Path("{folder}/finished").touch()
    sys.exit()
signal.signal(signal.SIGTERM, finish)
Path("{folder}/begun").touch()
time.sleep(600)
"""


def test_a_gateway_has_its_own_time_to_finish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deploy.background.STOP_S", 0.1)
    start_service(
        tmp_path,
        "gateway-1",
        command=[sys.executable, "-c", FINISHES.format(folder=tmp_path), "serving"],
        url="",
        environment={"OCRLINE_DRAIN_S": "60"},
        is_up=(tmp_path / "begun").exists,
    )

    stopped = stop_service(tmp_path, "gateway-1")

    assert stopped
    assert (tmp_path / "finished").exists()
