"""``ocrline serve``: what it hands to the gateway's process."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from unittest.mock import patch

import pytest

from cli.main import run
from serving.settings import ServingSettings


@pytest.fixture
def handed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment that the gateway gets."""
    handed: dict[str, str] = {}

    def replace_process(_: str, __: Sequence[str], environment: Mapping[str, str]) -> None:
        handed.update(environment)

    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))
    monkeypatch.setattr(os, "execve", replace_process)
    return handed


def served_with(environment: Mapping[str, str]) -> ServingSettings:
    with patch.dict(os.environ, environment, clear=True):
        return ServingSettings()


def test_variables_say_where_and_how_to_serve(
    handed: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCRLINE_HOST", "0.0.0.0")
    monkeypatch.setenv("OCRLINE_PORT", "9001")
    monkeypatch.setenv("OCRLINE_ENGINE", "paddle")
    monkeypatch.setenv("OCRLINE_MODELS", "plates,meters")

    code = run(["serve"])

    served = served_with(handed)
    assert code == 0
    assert (served.host, served.port, served.engine) == ("0.0.0.0", 9001, "paddle")
    assert served.models == ("plates", "meters")


def test_options_come_before_variables(
    handed: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCRLINE_PORT", "9001")
    monkeypatch.setenv("OCRLINE_MODELS", "plates")

    run(["serve", "--port", "9002", "--engine", "onnxruntime", "--model", "a", "--model", "b"])

    served = served_with(handed)
    assert (served.port, served.engine, served.models) == (9002, "onnxruntime", ("a", "b"))


@pytest.mark.parametrize("variable", ["OCRLINE_HOST", "OCRLINE_PORT", "OCRLINE_ENGINE"])
def test_an_empty_variable_is_an_unset_one(
    variable: str, handed: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "")

    code = run(["serve"])

    served = served_with(handed)
    assert code == 0
    assert (served.host, served.port, served.engine) == ("127.0.0.1", 8868, "onnxruntime")


def test_the_gateway_is_ours_and_not_a_file_of_the_current_folder(handed: dict[str, str]) -> None:
    run(["serve"])

    assert handed["PYTHONSAFEPATH"] == "1"
