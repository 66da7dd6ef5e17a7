"""What is pruned of a store, what never is, and what a kill or a run beside it does."""

import os
import time
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from ocr.models.registry import Registry
from ocr.retention.plan import Verdict, plan_removal
from ocr.retention.removal import remove_thing
from ocr.store import S3Credentials, Store
from ocr.store.folder import mark_used, upload_folder
from tests.minio_server import find_minio
from tests.ocr.retention.filled import GOES, OLD, STAYS, fill, register, wait_for_the_next_second
from tests.ocr.store.by_hand import put_by_hand
from tests.ocr.store.conftest import credentials, minio_server, moto_server, store, store_uri

__all__ = ["credentials", "minio_server", "moto_server", "store", "store_uri"]

HOUR_S = 3600


@pytest.fixture(params=["local", "s3"])
def backend(request: pytest.FixtureRequest) -> str:
    """Name the kind of store: of S3 the real one, where there is one."""
    s3 = "minio" if find_minio() or "MINIO_ENDPOINT" in os.environ else "moto"
    return s3 if request.param == "s3" else "local"


@pytest.fixture
def full(store: Store, tmp_path: Path) -> Store:
    fill(store, tmp_path)
    return store


def later() -> float:
    """A moment at which all that was written counts as old."""
    return time.time() + HOUR_S


def plan(store: Store, *, versions_too: bool = False) -> dict[str, Verdict]:
    verdicts = plan_removal(store, before=later(), versions_too=versions_too)
    return {each.thing.prefix: each for each in verdicts if each.thing.kind != "mark of use"}


def going(store: Store, *, versions_too: bool = False) -> dict[str, str]:
    verdicts = plan(store, versions_too=versions_too).values()
    return {each.thing.prefix: each.why for each in verdicts if each.may_go}


def prune(store: Store, *, versions_too: bool = False) -> None:
    for verdict in plan_removal(store, before=later(), versions_too=versions_too):
        if verdict.may_go:
            remove_thing(store, verdict.thing, before=later())


def test_all_that_lies_there_stays_or_goes_for_a_reason(full: Store) -> None:
    verdicts = plan(full)

    assert {prefix: each.why for prefix, each in verdicts.items() if each.may_go} == GOES
    assert {prefix: each.why for prefix, each in verdicts.items() if not each.may_go} == STAYS
    assert all(each.thing.size > 0 for each in verdicts.values())


def test_what_stays_is_untouched(full: Store) -> None:
    kept = [key for key in full.list("") if key.startswith(tuple(STAYS))]

    prune(full)

    assert list(full.list("")) == kept


def test_what_something_else_put_beside_it_hinders_nothing_and_stays(
    full: Store, store_uri: str, credentials: S3Credentials | None
) -> None:
    gone = next(iter(GOES))
    for folder in (gone, "models/plates.bak", "models/plates copy"):
        put_by_hand(store_uri, f"{folder}/a copy", credentials=credentials)

    prune(full)

    assert [key for key in full.list("") if key.startswith(gone)] == [f"{gone}/a copy"]
    assert plan(full)["models/plates copy/a copy"].why == "nothing that ocrline stores today"


def test_what_somebody_copied_beside_a_model_stays(full: Store) -> None:
    for key in list(full.list("models/plates")):
        full.put_bytes(key.replace("plates", "plates copy", 1), full.read_bytes(key))
    alias = full.read_bytes("models/plates/aliases/champion.json")
    full.put_bytes("models/plates/aliases/champion copy.json", alias)
    copies = [key for key in full.list("models") if " copy" in key]

    prune(full, versions_too=True)

    assert len(copies) > 3
    assert [key for key in full.list("models") if " copy" in key] == copies


@pytest.mark.parametrize("copy", ["models/plates-copy/tried", "models/plates/tried-copy"])
def test_a_copy_outlives_the_version_that_it_was_made_of(copy: str, full: Store) -> None:
    for key in list(full.list("models/plates/tried")):
        full.put_bytes(key.replace("models/plates/tried", copy), full.read_bytes(key))

    prune(full, versions_too=True)

    assert (list(full.list("models/plates/tried")), len(list(full.list(copy)))) == ([], 3)
    assert Registry(full).versions("plates") == ["first", "second"]
    assert plan(full)[copy].why == "nothing that ocrline stores today"


def test_version_that_was_never_champion_goes_with_all_it_came_from_when_told(
    full: Store, tmp_path: Path
) -> None:
    assert going(full, versions_too=True).keys() - GOES.keys() == {
        "models/plates/tried",
        "checkpoints/tried",
    }

    prune(full, versions_too=True)

    assert going(full, versions_too=True) == {}


def test_parts_of_a_champion_stay_though_no_alias_names_them(full: Store, tmp_path: Path) -> None:
    stays = plan(full, versions_too=True)

    assert not stays["models/words/part"].may_go
    assert not stays["models/words/second"].may_go
    assert not stays["models/boxes/part"].may_go


def test_what_a_champion_was_fine_tuned_from_stays_back_to_the_first(
    store: Store, tmp_path: Path
) -> None:
    for version, parent in (("a", ""), ("b", "a"), ("c", "b"), ("other", "a")):
        register(store, tmp_path, f"plates:{version}", parent=parent)
    Registry(store).promote("plates", "c", reason="better")

    assert going(store, versions_too=True).keys() == {"models/plates/other"}


def test_pipelines_go_before_their_parts(store: Store, tmp_path: Path) -> None:
    register(store, tmp_path, "boxes:1")
    register(store, tmp_path, "words:1")
    register(store, tmp_path, "pages:1", detector="boxes:1", recogniser="words:1")

    gone = [prefix for prefix in going(store, versions_too=True) if prefix.startswith("models/")]

    assert gone == ["models/pages/1", "models/boxes/1", "models/words/1"]


def test_checkpoints_before_a_version_that_names_none_stay(store: Store, tmp_path: Path) -> None:
    store.put_bytes("checkpoints/first/published.json", b"{}")
    register(store, tmp_path, "plates:unnamed", checkpoint="")
    wait_for_the_next_second()
    store.put_bytes("checkpoints/second/published.json", b"{}")

    assert list(going(store)) == ["checkpoints/second"]


def test_what_is_young_stays(full: Store) -> None:
    verdicts = plan_removal(full, before=time.time() - HOUR_S, versions_too=True)

    assert [each for each in verdicts if each.may_go] == []


def test_what_is_in_use_stays_however_old_it_is(full: Store) -> None:
    time.sleep(2.1)
    moment = time.time() - 1
    for prefix in (OLD, "evaluations/other"):
        mark_used(full, prefix=prefix)

    verdicts = {each.thing.prefix: each for each in plan_removal(full, before=moment)}

    assert not verdicts[OLD].may_go
    assert verdicts["reports/other/0.html"].why == "its evaluation is in use"
    assert verdicts["checkpoints/lost"].may_go


def test_store_without_anything_has_nothing_to_prune(store: Store) -> None:
    assert plan(store) == {}


class Killed(BaseException):
    """The end of a process."""


def kill_at(store: Store, step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prune, and die at the removal of so many objects."""
    steps = count()
    remove = store.remove

    def removing(key: str) -> None:
        if next(steps) == step:
            raise Killed
        remove(key)

    with monkeypatch.context() as killed:
        killed.setattr(store, "remove", removing)
        with suppress(Killed):
            prune(store, versions_too=True)


@pytest.mark.parametrize("step", range(0, 20, 2))
def test_killed_anywhere_nothing_is_found_that_is_not_whole(
    full: Store, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    kill_at(full, step, monkeypatch)

    left = set(full.list(""))
    for found, rest in (
        (f"{OLD}/manifest.json", f"{OLD}/images/0.bin"),
        ("checkpoints/lost/published.json", "checkpoints/lost/0/model.npz"),
        ("models/plates/tried/published.json", "checkpoints/tried/0/model.npz"),
    ):
        assert found not in left or rest in left
    prune(full, versions_too=True)
    assert going(full, versions_too=True) == {}


def test_run_that_finds_it_meanwhile_keeps_it(full: Store) -> None:
    old = plan(full)[OLD].thing
    time.sleep(2.1)
    moment = time.time() - 1
    mark_used(full, prefix=OLD)

    assert not remove_thing(full, old, before=moment)
    assert {entry.key for entry in old.entries} <= set(full.list(""))


def test_run_that_makes_it_again_meanwhile_has_it_whole(
    full: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = plan(full)[OLD].thing
    (tmp_path / "again" / "images").mkdir(parents=True)
    (tmp_path / "again" / "images" / "0.bin").write_bytes(b"images")
    (tmp_path / "again" / "manifest.json").write_bytes(b"{}")
    time.sleep(2.1)
    moment = time.time() - 1
    remove = full.remove

    def remove_and_be_overtaken(key: str) -> None:
        remove(key)
        mark_used(full, prefix=OLD)
        upload_folder(full, tmp_path / "again", prefix=OLD)

    monkeypatch.setattr(full, "remove", remove_and_be_overtaken)

    assert not remove_thing(full, old, before=moment)
    assert {entry.key for entry in old.entries} <= set(full.list(""))
