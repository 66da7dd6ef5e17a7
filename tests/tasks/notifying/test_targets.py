"""The file that says who is told."""

import os
from pathlib import Path

import pytest

from configs.settings import Settings, SettingsError
from ocr.errors import BadInput
from tasks.notifying.examples import example
from tasks.notifying.masking import mask, show_url
from tasks.notifying.targets import Targets, read_targets

SECRET = "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path))
    return tmp_path


def write(home: Path, text: str, *, mode: int = 0o600, name: str = "notifications.yaml") -> Path:
    path = home / name
    path.write_text(text)
    path.chmod(mode)
    return path


def read() -> Targets:
    return read_targets(Settings())


def test_without_a_file_nobody_is_told(home: Path) -> None:
    assert read() == Targets((), "")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660])
def test_a_file_that_others_read_is_refused_with_the_fix(home: Path, mode: int) -> None:
    path = write(home, f"targets: [{{url: '{SECRET}'}}]", mode=mode)

    with pytest.raises(BadInput, match=f"chmod 600 {path}") as caught:
        read()
    assert "TIiaj" not in str(caught.value)


def test_a_secret_may_lie_in_a_file_or_a_variable(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEAM_URL", SECRET)
    write(home, f"{SECRET}\n", name="slack.secret")
    write(home, "targets:\n- url: !file slack.secret\n- url: !env TEAM_URL\n")

    assert [target.url for target in read().every] == [SECRET, SECRET]
    assert SECRET not in repr(read())


def test_a_file_of_a_secret_that_others_read_is_refused(home: Path) -> None:
    write(home, SECRET, name="slack.secret", mode=0o644)
    write(home, "targets:\n- url: !file slack.secret\n")

    with pytest.raises(BadInput, match=r"slack\.secret may be read by others"):
        read()


def test_what_is_no_plain_file_is_refused_and_not_waited_for(home: Path) -> None:
    os.mkfifo(home / "notifications.yaml", 0o600)

    with pytest.raises(BadInput, match="is no plain file"):
        read()


def test_a_secret_in_a_file_that_can_have_no_such_name_is_refused(home: Path) -> None:
    write(home, 'targets:\n- url: !file "a\\0b"\n')

    with pytest.raises(BadInput, match="cannot be read: ValueError"):
        read()


def test_a_name_that_no_file_can_have_is_refused(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCRLINE_NOTIFICATIONS", str(home / ("n" * 5000)))

    with pytest.raises(BadInput, match="names no file: File name too long"):
        read()


def test_a_variable_that_is_not_set_is_named(home: Path) -> None:
    write(home, "targets:\n- url: !env OCRLINE_NOBODY_SETS_THIS\n")

    with pytest.raises(SettingsError, match="OCRLINE_NOBODY_SETS_THIS is not set"):
        read()


@pytest.mark.parametrize(
    "text",
    [
        f"targets: [{{url: '{SECRET}', evnts: [hold]}}]",
        f"targets: [{{url: '{SECRET}', events: [holding]}}]",
        f"targets: [{{url: '{SECRET}'",
        f"targets: '{SECRET}'",
        f"targets: [{{url: '{SECRET.removeprefix('slack://')}'}}]",
        f"targets: [{{url: '{SECRET}'}}]\x07",
        f"{'[' * 5000} '{SECRET}'",
        f"targets: [{{url: '{SECRET}', name: 2026-99-99}}]",
        f"- '{SECRET}'",
        f"targets: [{{url: !python/name:os.system '{SECRET}'}}]",
    ],
)
def test_what_is_wrong_in_the_file_is_told_without_what_is_in_it(home: Path, text: str) -> None:
    write(home, text)

    with pytest.raises(BadInput, match=r"notifications\.yaml") as caught:
        read()
    assert "TIiaj" not in str(caught.value)


def test_another_file_may_be_named_in_the_environment(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(home, "targets: [{url: 'json://127.0.0.1/'}]", name="other.yaml")
    monkeypatch.setenv("OCRLINE_NOTIFICATIONS", str(path))

    assert len(read().every) == 1


def test_a_target_hears_of_its_events_and_models_alone(home: Path) -> None:
    write(
        home,
        "targets:\n"
        "- {url: 'json://127.0.0.1/a', events: [promotion]}\n"
        "- {url: 'json://127.0.0.1/b', models: [plates]}\n"
        "- {url: 'json://127.0.0.1/c'}\n",
    )

    promoted, held = example("promotion", id_="1"), example("hold", id_="1")
    heard = [(target.wants(promoted), target.wants(held)) for target in read().every]

    assert heard == [(True, False), (False, False), (True, True)]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (SECRET, "slack://***"),
        ("wecombot://key-1234", "wecombot://***"),
        ("jsons://user:pw@hooks.example.com:8443/secret", "jsons://hooks.example.com:8443/***"),
        ("mailtos://user:pw@smtp.example.com?to=a@b.c", "mailtos://smtp.example.com/***"),
    ],
)
def test_an_address_shows_its_kind_and_a_host_that_is_no_secret(url: str, shown: str) -> None:
    assert show_url(url) == shown


def test_every_spelling_of_a_secret_is_hidden() -> None:
    said = mask("at a%2Fb%20c-secret and a/b c-SECRET", ["json://h/?k=a%2Fb%20c-secret"])

    assert "secret" not in said.lower()
