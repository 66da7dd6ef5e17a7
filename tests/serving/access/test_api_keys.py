"""API keys at a real gateway: who may ask what, how often, and from when to when."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.main import run
from configs.settings import SettingsError
from serving import app
from serving.access.key_file import add_key, read_keys, revoke_key
from serving.settings import ServingSettings
from tests.serving.conftest import make_shelf, serving_pages
from tests.serving.gateway import Gateway, wait_until
from tests.serving.tiny_bundle import DIGITS, png
from tests.serving.tiny_pipeline import page_png

IMAGE = {"content-type": "image/png"}
RIGHTS = {"boss": (), "carol": ("bars",)}


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    return tmp_path / "keys.json"


@pytest.fixture
def guarded(tmp_path: Path, keys: Path) -> Iterator[tuple[Gateway, str]]:
    """A gateway, and a key that may ask anything."""
    boss = add_key(keys, name="boss", models=(), per_minute=0)
    with serving_pages(tmp_path / "g", OCRLINE_KEYS=str(keys)) as gateway:
        yield gateway, boss


def ask(gateway: Gateway, key: str, path: str = "/v1/recognize?model=bars") -> int:
    image = png("4") if "recognize" in path else page_png("4")
    headers = {"content-type": "image/png"} | ({"authorization": f"Bearer {key}"} if key else {})
    return gateway.post(path, content=image, headers=headers).status_code


def test_only_who_has_a_key_may_ask(guarded: tuple[Gateway, str]) -> None:
    gateway, boss = guarded

    assert ask(gateway, boss) == 200
    assert [ask(gateway, key) for key in ("", "ocr_wrong", boss[:-1], boss + "x")] == [401] * 4
    assert gateway.get("/v1/models").status_code == 401
    assert gateway.get("/health/live").status_code == 200
    assert boss not in gateway.log.read_text()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("", "Expected the header Authorization: Bearer KEY"),
        ("ocr_bare", "Expected the header Authorization: Bearer KEY"),
        ("Bearer", "Expected the header Authorization: Bearer KEY"),
        ("Bearer ocr_wrong", "not known here: misspelt, or revoked"),
    ],
)
def test_a_key_that_is_not_known_is_told_from_one_that_is_missing(
    guarded: tuple[Gateway, str], given: str, told: str
) -> None:
    gateway, _ = guarded

    reply = gateway.get("/v1/models", headers={"authorization": given} if given else {})

    assert reply.status_code == 401
    assert reply.json()["error"]["message"].endswith(told)


def test_a_new_key_works_and_a_revoked_one_does_not_without_a_restart(
    guarded: tuple[Gateway, str], keys: Path
) -> None:
    gateway, boss = guarded
    new = add_key(keys, name="new", models=(), per_minute=0)

    wait_until(lambda: ask(gateway, new) == 200, log=gateway.log)
    revoke_key(keys, "boss")
    wait_until(lambda: ask(gateway, boss) == 401, log=gateway.log)
    revoke_key(keys, "new")
    wait_until(lambda: ask(gateway, new) == 401, log=gateway.log)

    assert ask(gateway, "") == 401  # the last key is gone, and nobody gets in


def test_a_key_for_a_model_reads_and_sees_no_other(
    guarded: tuple[Gateway, str], keys: Path
) -> None:
    gateway, _ = guarded
    lines = add_key(keys, name="lines", models=("bars",), per_minute=0)
    wait_until(lambda: ask(gateway, lines) == 200, log=gateway.log)

    headers = {"authorization": f"Bearer {lines}"}
    data = {"key": ["image"], "value": ["aGk="], "file": "aGk=", "fileType": 1}
    asked = {
        path: gateway.post(path, json=data, headers=headers)
        for path in ("/pages/prediction", "/ocr?model=pages", "/ocr")
    }
    assert [reply.status_code for reply in asked.values()] == [403, 403, 422]
    assert ask(gateway, lines, "/v1/ocr?model=pages") == 403
    assert ask(gateway, lines, "/v1/recognize") == 200  # the only one there is for this key
    told = [
        gateway.get(path, headers=headers)
        for path in ("/v2/models/pages", "/v2/models/pages/ready", "/metrics", "/v1/models")
    ]
    told += [gateway.post("/v1/recognize?model=none", content=b"-", headers=headers | IMAGE)]
    assert [reply.status_code for reply in told] == [403, 404, 403, 200, 403]
    assert "pages" not in told[-1].text
    listed = gateway.get("/v1/models", headers=headers).json()["models"]
    assert [model["name"] for model in listed] == ["bars"]


def test_who_asks_too_often_is_told_so_and_others_are_not_held_up(
    guarded: tuple[Gateway, str], keys: Path
) -> None:
    gateway, boss = guarded
    slow = add_key(keys, name="slow", models=(), per_minute=3)
    wait_until(
        lambda: gateway.get("/v1/models", headers={"authorization": f"Bearer {slow}"}).is_success,
        log=gateway.log,
    )

    said = [ask(gateway, slow) for _ in range(5)]

    assert said == [200, 200, 200, 429, 429]
    reply = gateway.post(content=png("4"), headers={"authorization": f"Bearer {slow}"})
    assert reply.json()["error"]["code"] == "rate_limited"
    assert "The key slow may ask 3 times a minute" in reply.json()["error"]["message"]
    assert int(reply.headers["retry-after"]) > 0
    assert ask(gateway, boss) == 200


def test_who_sends_too_much_is_told_when_to_come_back(
    guarded: tuple[Gateway, str], keys: Path
) -> None:
    gateway, boss = guarded
    small = add_key(keys, name="small", mb_per_minute=1)
    wait_until(lambda: ask(gateway, small) == 200, log=gateway.log)
    headers = {"authorization": f"Bearer {small}"} | IMAGE

    never = gateway.post("/v1/ocr", content=bytes(1_500_000), headers=headers)
    much = gateway.post("/v1/ocr", content=bytes(900_000), headers=headers)
    more = [gateway.post("/v1/ocr", content=bytes(900_000), headers=headers) for _ in range(2)]

    assert never.json()["error"]["code"] == "body_too_large"
    assert much.status_code == 422
    assert [each.json()["error"]["code"] for each in more] == ["rate_limited"] * 2
    assert "The key small may send 1000000 bytes a minute" in more[1].text
    assert all(1 <= int(each.headers["retry-after"]) <= 48 for each in more)
    assert ask(gateway, small) == 200  # what was refused took nothing of what is left
    assert ask(gateway, boss) == 200


def test_a_file_that_is_damaged_later_changes_nothing(
    guarded: tuple[Gateway, str], keys: Path
) -> None:
    gateway, boss = guarded

    keys.write_text('{"keys": [')
    wait_until(
        lambda: ask(gateway, boss) == 200 and "keys of before stay" in gateway.log.read_text(),
        log=gateway.log,
    )

    assert ask(gateway, boss) == 200
    assert ask(gateway, "") == 401


def test_keys_are_made_listed_and_revoked_from_the_terminal(
    keys: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OCRLINE_KEYS", str(keys))
    monkeypatch.setenv("OCRLINE_HOME", str(keys.parent))

    assert run(["keys", "add", "orders", "--model", "receipts", "--per-minute", "60"]) == 0
    key = capsys.readouterr().out.strip()
    assert key.startswith("ocr_")
    assert run(["keys", "add", "orders"]) == 2
    assert "There is a key 'orders'" in capsys.readouterr().err
    assert run(["keys", "add", "Not A Name"]) == 2
    assert "name: 'Not A Name'" in capsys.readouterr().err
    assert run(["keys", "list", "--json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)
    assert (listed["name"], listed["models"]) == ("orders", ["receipts"])
    assert "sha256" not in listed
    assert run(["keys", "revoke", "orders"]) == 0
    assert "no key is left: nobody may ask but by OCRLINE_TOKEN." in capsys.readouterr().err
    assert run(["keys", "revoke", "orders"]) == 2
    assert "There is no key 'orders'; there are: none" in capsys.readouterr().err


def test_a_key_is_printed_whatever_fails_behind_it(
    keys: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setenv("OCRLINE_KEYS", str(keys))
    monkeypatch.setattr("cli.serving.keys.settings_for", fail)

    codes = [
        run(["keys", "add", name, *more]) for name, more in (("a", []), ("b", ["--model", "m"]))
    ]

    assert codes == [0, 0]
    assert capsys.readouterr().out.count("ocr_") == 2


def test_a_key_for_a_model_that_nobody_registered_is_made_with_a_warning(
    keys: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OCRLINE_KEYS", str(keys))
    monkeypatch.setenv("OCRLINE_HOME", str(keys.parent))
    make_shelf(keys.parent).add("v1", DIGITS)

    codes = [run(["keys", "add", "orders", "--model", "bars"])]
    known = capsys.readouterr().err
    codes += [run(["keys", "add", "ghost", "--model", "bars", "--model", "nosuch"])]
    unknown = capsys.readouterr().err

    assert codes == [0, 0]
    assert "warning" not in known
    assert unknown.count("warning: ") == 1
    assert "has no model 'nosuch' by now; there are: bars" in unknown
    assert [key.models for key in read_keys(keys)] == [("bars",), ("bars", "nosuch")]


def test_a_key_in_the_environment_of_a_gateway_is_still_what_its_file_says(
    tmp_path: Path, keys: Path
) -> None:
    boss, carol = (add_key(keys, name=name, models=models) for name, models in RIGHTS.items())

    with serving_pages(tmp_path / "g", OCRLINE_KEYS=str(keys), OCRLINE_TOKEN=carol) as gateway:
        asked = [ask(gateway, key, "/v1/ocr?model=pages") for key in (boss, carol)]
        revoke_key(keys, "carol")
        wait_until(lambda: ask(gateway, carol) == 401, log=gateway.log)

    assert asked == [200, 403]


@pytest.mark.parametrize("token", ["", "ocr_of-another-gateway"])
def test_beyond_loopback_a_key_or_a_token_is_needed(
    token: str, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCRLINE_TOKEN", token)
    monkeypatch.setenv("OCRLINE_KEYS", str(keys))
    monkeypatch.setenv("OCRLINE_HOST", "0.0.0.0")

    with pytest.raises(SettingsError, match="make a key with `ocrline keys add NAME`"):
        app.run(ServingSettings())


def test_a_key_is_told_what_it_may_ask(guarded: tuple[Gateway, str], keys: Path) -> None:
    gateway, boss = guarded
    lines = add_key(keys, name="lines", models=("bars",), per_minute=60, mb_per_minute=5)
    wait_until(lambda: ask(gateway, lines) == 200, log=gateway.log)

    told = [
        gateway.get("/v1/capabilities", headers={"authorization": f"Bearer {key}"}).json()
        for key in (boss, lines)
    ]

    assert [[model["name"] for model in each["models"]] for each in told] == [
        ["bars", "pages"],
        ["bars"],
    ]
    assert [each["only"] for each in told] == [None, ["bars"]]
    assert told[0]["models"][1]["reads"] == ["pages", "lines"]
    assert told[0]["formats"] == ["json", "ndjson", "hocr", "pdf"]
    limits = told[0]["limits"]
    assert (str(limits["pages"]), str(limits["body_bytes"])) == ("3", str(2 * 2**20))
    assert told[1]["key"] == {
        "name": "lines",
        "models": ["bars"],
        "per_minute": 60,
        "mb_per_minute": 5,
    }
    assert gateway.get("/v1/capabilities").status_code == 401
