"""A retraining becomes a run in MLflow, and no MLflow whatever hinders a retraining."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from prefect import flow

from configs.settings import Settings, SettingsError
from deploy.ports import pick_port
from tasks.keeping.history import HistoryFailed, keep_history, write_record
from tasks.keeping.record import make_record
from tasks.workspace import open_workspace
from tests.tasks.keeping.conftest import Retraining, ask, curve
from tests.tasks.prefect_server import running_server

pytest.importorskip("mlflow.version", reason="mlflow is not installed: ocrline[history]")


QUIET = {"MLFLOW_DISABLE_TELEMETRY": "true", "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
"""Its server alone, without the twenty processes that would evaluate language models."""


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with running_server(tmp_path_factory.mktemp("machine") / "prefect"):
        yield


@flow
def follow(retraining: Retraining, until: str) -> list[str]:
    with keep_history(retraining.params, until) as history:
        return [stage for stage, _ in history.follow(each for each in retraining.stages)]


@flow
def fail_after(retraining: Retraining, last: str) -> None:
    with keep_history(retraining.params, "deploy") as history:
        for stage, _ in history.follow(each for each in retraining.stages):
            if stage == last:
                raise RuntimeError("the gateway is gone")


def write(retraining: Retraining, *, timeout_s: float = 120) -> None:
    record = make_record(open_workspace(), retraining.params, "toy", retraining.made(), "FINISHED")
    write_record(Settings(), record, timeout_s=timeout_s)


@pytest.mark.usefixtures("harness")
def test_a_retraining_is_one_run_also_when_it_runs_again(
    retraining: Retraining, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCRLINE_MLFLOW", "local")

    first = follow(retraining, "deploy")
    points = ask("SELECT count(*) FROM metrics")
    again = follow(retraining, "deploy")

    assert first == again == [stage for stage, _ in retraining.stages]
    assert ask("SELECT name, status FROM runs") == [("1", "FINISHED")]
    assert ask("SELECT count(*) FROM metrics") == points
    assert curve("step/loss") == [(3, 9.0), (6, 7.0)]
    assert ask("SELECT value FROM tags WHERE key = 'ocrline.decision'") == [("promote",)]
    assert ask("SELECT value FROM params WHERE key = 'training.epochs'") == [("10",)]


@pytest.mark.usefixtures("harness")
def test_a_failed_retraining_is_told_as_failed(
    retraining: Retraining, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCRLINE_MLFLOW", "local")

    with pytest.raises(RuntimeError, match="the gateway is gone"):
        fail_after(retraining, "judge")

    assert ask("SELECT status FROM runs") == [("FAILED",)]


@pytest.mark.usefixtures("harness")
def test_a_dead_mlflow_fails_nothing_and_is_said_once(
    retraining: Retraining, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OCRLINE_MLFLOW", f"http://127.0.0.1:{pick_port(0)}")

    assert follow(retraining, "deploy") == [stage for stage, _ in retraining.stages]

    assert capsys.readouterr().err.count("MLflow was not told of this run") == 1


@pytest.mark.usefixtures("harness")
def test_without_the_setting_nothing_is_written(retraining: Retraining) -> None:
    assert follow(retraining, "deploy") == [stage for stage, _ in retraining.stages]

    assert not (Settings().home / "mlflow").exists()


def test_an_mlflow_that_never_answers_is_given_up_in_time(
    retraining: Retraining, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setenv("OCRLINE_MLFLOW", address)

        with pytest.raises(HistoryFailed, match=f"{address} took longer than 2 s"):
            write(retraining, timeout_s=2)


def test_a_server_keeps_a_run_once(
    retraining: Retraining, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with running_mlflow(tmp_path) as (address, database):
        monkeypatch.setenv("OCRLINE_MLFLOW", address)
        write(retraining)
        points = ask("SELECT count(*) FROM metrics", database)
        write(retraining)

    assert ask("SELECT name, status FROM runs", database) == [("1", "FINISHED")]
    assert ask("SELECT count(*) FROM metrics", database) == points
    assert curve("step/loss", database) == [(3, 9.0), (6, 7.0)]


@pytest.mark.parametrize("address", ["yes", "file:///x", "http://me:hush@host", "sqlite:///x"])
def test_an_address_that_is_none_or_holds_keys_is_refused(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("OCRLINE_MLFLOW", address)

    with pytest.raises(SettingsError, match="OCRLINE_MLFLOW"):
        Settings()


@pytest.mark.parametrize("module", ["cli.main", "flows.retrain_pages", "flows.retrain_lines"])
def test_who_does_not_use_mlflow_never_imports_it(module: str) -> None:
    said = f"import sys, {module}; sys.exit('mlflow' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", said], check=False).returncode == 0


class running_mlflow:  # noqa: N801 - a context, as `closing` is
    """MLflow's own server, on loopback."""

    def __init__(self, folder: Path) -> None:
        self._database = folder / "server.db"
        self._address = f"http://127.0.0.1:{(port := pick_port(0))}"
        where = ["--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
        store = ["--backend-store-uri", f"sqlite:///{self._database}"]
        self._log = (folder / "mlflow.log").open("wb")
        self._server = subprocess.Popen(
            [sys.executable, "-m", "mlflow", "server", *where, *store],
            cwd=folder,
            env={**os.environ, **QUIET},
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
        )

    def __enter__(self) -> tuple[str, Path]:
        while self._server.poll() is None:
            try:
                if httpx.get(f"{self._address}/health", trust_env=False).is_success:
                    return self._address, self._database
            except httpx.TransportError:
                time.sleep(0.1)
        pytest.fail(f"mlflow ended at start with {self._server.returncode}")

    def __exit__(self, *_: object) -> None:
        os.killpg(self._server.pid, 15)
        self._server.wait()
        self._log.close()
