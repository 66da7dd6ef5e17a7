"""The environment of our processes: what its variables mean, and what a wrong one is told."""

import os
from pathlib import Path
from unittest.mock import patch

import pytest

from configs.settings import Settings, SettingsError
from ocr.errors import BadInput
from ocr.store import open_store

ROOT = Path(__file__).resolve().parents[2]


def settings_of(**variables: str) -> Settings:
    with patch.dict(os.environ, variables, clear=True):
        return Settings()


def test_keys_in_what_is_refused_are_not_shown() -> None:
    with pytest.raises(SettingsError, match=r"^OCRLINE_MLFLOW=…@mlflow\.example': ") as refusal:
        settings_of(OCRLINE_MLFLOW="https://bob:hush@mlflow.example")

    assert "hush" not in str(refusal.value)


@pytest.mark.parametrize(
    "store",
    ["s3://key:hush@bucket/a", "s3://key:hush/hush@bucket/a", "https://key:hush@server/bucket/a"],
)
def test_keys_in_the_address_of_the_store_are_refused_and_not_shown(store: str) -> None:
    with pytest.raises(SettingsError, match=r"^OCRLINE_STORE=…@") as refusal:
        settings_of(OCRLINE_STORE=store)
    with pytest.raises(BadInput) as as_of_datasets:
        open_store(store)

    assert "hush" not in str(refusal.value)
    assert str(refusal.value).endswith(f": {as_of_datasets.value}")


@pytest.mark.parametrize("store", ["s3://bucket/a@b", "file:///srv/a:b@c", "a:b@c"])
def test_an_at_sign_elsewhere_in_the_address_of_the_store_is_none_of_keys(store: str) -> None:
    assert settings_of(OCRLINE_STORE=store).store == store


def test_the_store_is_under_home_until_it_is_named(tmp_path: Path) -> None:
    at_home = settings_of(OCRLINE_HOME=str(tmp_path), OCRLINE_STORE="")
    elsewhere = settings_of(OCRLINE_HOME=str(tmp_path), OCRLINE_STORE="s3://bucket/prefix")

    assert at_home.store == f"file://{tmp_path}/store"
    assert elsewhere.store == "s3://bucket/prefix"


def test_runtimes_are_those_that_make_made_wherever_a_command_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    settings = settings_of()

    assert settings.paddleocr_python == ROOT / ".venv-paddleocr/bin/python"
    assert settings.paddle_serving_python == ROOT / ".venv-serving/bin/python"
    named = settings_of(OCRLINE_PADDLEOCR_PYTHON="mine/bin/python")
    assert named.paddleocr_python == tmp_path / "mine/bin/python"


def test_a_home_is_where_it_was_named_wherever_the_process_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert settings_of().home == tmp_path / ".ocrline"
    assert settings_of(OCRLINE_HOME="here").home == tmp_path / "here"


def test_a_home_whose_links_lead_in_a_circle_is_refused_by_name(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.symlink_to(there)
    there.symlink_to(here)

    with pytest.raises(SettingsError, match=f"^OCRLINE_HOME='{here}': its links lead in a circle"):
        settings_of(OCRLINE_HOME=str(here))


def test_a_home_that_is_no_folder_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    for name in ("file", "/dev/null"):
        with pytest.raises(SettingsError, match=f"^OCRLINE_HOME='{tmp_path / name}': it is no"):
            settings_of(OCRLINE_HOME=str(tmp_path / name))
    assert settings_of(OCRLINE_HOME=str(tmp_path / "new")).home == tmp_path / "new"


def test_what_only_follows_from_a_wrong_variable_is_not_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(SettingsError) as error:
        settings_of(OCRLINE_HOME=str(tmp_path / "file"))

    assert str(error.value).count("OCRLINE_") == 1


def test_the_s3_server_has_the_variables_of_minio_and_no_secret_is_shown() -> None:
    settings = settings_of(
        MINIO_ENDPOINT="127.0.0.1:9000",
        MINIO_ACCESS_KEY="reader",
        MINIO_SECRET_KEY="hush",
        MINIO_SECURE="yes",
        OCRLINE_TOKEN="hush",
    )

    assert (settings.s3_endpoint, settings.s3_access_key) == ("127.0.0.1:9000", "reader")
    assert (settings.s3_secret_key, settings.s3_region) == ("hush", "us-east-1")
    assert settings.s3_secure
    assert "hush" not in repr(settings)


def test_a_variable_of_another_spelling_is_not_ours() -> None:
    settings = settings_of(
        OCRLINE_STORE="s3://ours", ocrline_store="s3://theirs", Minio_Region="eu"
    )

    assert (settings.store, settings.s3_region) == ("s3://ours", "us-east-1")


def test_a_wrong_variable_is_named_with_its_value_and_what_is_allowed() -> None:
    with pytest.raises(SettingsError, match=r"^MINIO_SECURE='maybe': .*valid boolean"):
        settings_of(MINIO_SECURE="maybe")
