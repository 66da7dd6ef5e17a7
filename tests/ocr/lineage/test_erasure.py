"""Documents that are erased: all of them, nothing else, and whenever it is interrupted."""

import json
from contextlib import suppress
from itertools import product
from typing import NamedTuple

import pyarrow.parquet as pq
import pytest

from ocr.errors import AliasMoved, BadData, StoreUnavailable
from ocr.lineage.documents import LEARNT_FROM, Holding
from ocr.lineage.erasure import erase, name_hindrances, plan_erasure, read_erasures
from ocr.models.registry import Registry
from ocr.retention.removal import remove_thing
from ocr.retention.things import Thing
from ocr.store import Store
from tests.ocr.lineage.scenes import NAME, Told
from tests.ocr.retention.filled import register

DRAWN = [*map("".join, product("ABC", repeat=3))]
OTHERS = [*map("".join, product("ABC", repeat=2))]
DOCUMENT = "CAB.png"


class Made(NamedTuple):
    """A store with two snapshots, only one of which has the document, and what became of them."""

    told: Told
    digest: str

    @property
    def registry(self) -> Registry:
        return Registry(self.told.registry.store)  # which remembers no version that is gone

    @property
    def store(self) -> Store:
        return self.registry.store


@pytest.fixture
def made(told: Told) -> Made:
    clean = told.prepare({drawn: drawn for drawn in OTHERS})
    snapshot = told.prepare({drawn: drawn for drawn in DRAWN})
    told.add("v1", dataset_digest=snapshot.digest, checkpoint="checkpoints/c1/0")
    told.add("v2", dataset_digest=clean.digest, checkpoint="checkpoints/c2/0")
    parts = {"detector": f"{NAME}:v2", "recogniser": f"{NAME}:v1"}
    register(
        told.registry.store, told.folder / "pages", "pages:v3", dataset_digest="0" * 64, **parts
    )
    samples = pq.read_table(told.copy_tables(snapshot.key) / "samples.parquet").to_pydict()
    read = samples["id"][samples["image"].index(DOCUMENT)]
    for name, of, candidate in (("e1", "f" * 64, "v1"), ("e2", "f" * 64, "v2"), ("e3", read, "v2")):
        report = {"candidate": {"name": f"{NAME}:{candidate}"}, "lines": [{"id": of}]}
        told.registry.store.put_bytes(
            f"evaluations/{name}/report.json", json.dumps(report).encode()
        )
        told.registry.store.put_bytes(f"reports/{name}/0.html", b"<html>")
    for name, learnt in (("c1", ""), ("c2", clean.key), ("c3", snapshot.key)):
        told.registry.store.put_bytes(f"checkpoints/{name}/0/model.npz", b"weights")
        told.registry.store.put_bytes(f"checkpoints/{name}/published.json", b"{}")
        if learnt:
            told.registry.store.put_bytes(f"checkpoints/{name}/0/{LEARNT_FROM}", learnt.encode())
    return Made(told, snapshot.digest)


def plan(made: Made) -> list[Holding]:
    return [*plan_erasure(made.registry, [DOCUMENT]).things]


def whys(made: Made) -> dict[str, str]:
    return {each.prefix: each.why for each in plan(made)}


def test_all_that_was_made_of_it_is_found(made: Made) -> None:
    found = whys(made)

    of_data = {prefix for prefix in found if prefix.startswith("datasets/")}
    assert {f"datasets/{NAME}/{made.digest}"} <= of_data
    assert {prefix: why for prefix, why in found.items() if prefix not in of_data} == {
        f"models/{NAME}/v1": f"learnt from {made.digest[:16]}",
        "models/pages/v3": f"is made of {NAME}:v1",
        "checkpoints/c1": f"{NAME}:v1 was exported from it",
        "checkpoints/c3": f"learnt from {made.digest[:16]}",
        "reports/e1/0.html": f"shows what {NAME}:v1 learnt",
        "evaluations/e3": "what was read of them",
        "reports/e3/0.html": "what was read of them",
    }


def test_that_is_gone_then_and_nothing_else(made: Made) -> None:
    prefixes = tuple(each.prefix for each in plan(made))
    others = [key for key in made.store.list("") if not key.startswith(prefixes)]

    erase(made.registry, plan(made), by="Li Wei")

    assert [key for key in made.store.list("") if not key.startswith("prunes/")] == others
    assert plan(made) == []


def test_the_record_says_who_and_what_and_names_no_document(made: Made) -> None:
    things = plan(made)

    erase(made.registry, things, by="Li Wei")

    (record,) = read_erasures(made.store)
    begun, _ = made.store.list("prunes")
    assert (record.by, record.things, record.is_done) == ("Li Wei", tuple(things), True)
    assert DOCUMENT.encode() not in made.store.read_bytes(begun)


def test_what_is_online_is_in_the_way(made: Made) -> None:
    made.registry.promote(NAME, "v1", reason="better")
    made.registry.promote("pages", "v3", reason="better")

    assert name_hindrances(made.registry, plan(made)) == [
        "pages@champion is pages:v3",
        f"pages@champion is pages:v3, made of {NAME}:v1",
        f"{NAME}@champion is {NAME}:v1",
    ]


def test_a_former_champion_is_not(made: Made) -> None:
    for version in ("v1", "v2"):
        made.registry.promote(NAME, version, reason="better")

    assert name_hindrances(made.registry, plan(made)) == []


def test_what_is_promoted_meanwhile_stays(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    def promote(store: Store, thing: Thing, *, before: float) -> bool:
        gone = remove_thing(store, thing, before=before)
        if thing.prefix.endswith("/v3"):
            made.registry.promote(NAME, "v1", reason="by hand")
        return gone

    monkeypatch.setattr("ocr.lineage.erasure.remove_thing", promote)
    with pytest.raises(AliasMoved, match=f"{NAME}@champion is {NAME}:v1 by now"):
        erase(made.registry, plan(made), by="Li Wei")

    assert made.registry.has_version(NAME, "v1")


def test_interrupted_anywhere_the_next_one_has_the_rest(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefixes = tuple(whys(made))
    others = {key for key in made.store.list("") if not key.startswith(prefixes)}
    remove, left = made.store.remove, iter(range(1, 1000))

    def remove_two(store: Store, key: str) -> None:
        if next(left) % 3 == 0:
            raise StoreUnavailable("the power is gone")
        remove(key)

    monkeypatch.setattr(type(made.store), "remove", remove_two)
    times = 0
    while things := plan(made):
        times += 1
        with suppress(StoreUnavailable):
            erase(made.registry, things, by="Li Wei")
    monkeypatch.undo()

    assert times > 10
    assert all(each.is_done for each in read_erasures(made.store))
    assert {key for key in made.store.list("") if not key.startswith("prunes/")} == others


def test_a_store_that_cannot_keep_who_did_it_keeps_all(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, things = list(made.store.list("")), plan(made)

    def refuse(*_: object) -> None:
        raise StoreUnavailable("No space left on device")

    monkeypatch.setattr(type(made.store), "put_bytes", refuse)
    with pytest.raises(StoreUnavailable):
        erase(made.registry, things, by="Li Wei")

    assert list(made.store.list("")) == before


def begin(made: Made, *prefixes: str) -> list[Holding]:
    """Erase something else up to the first removal; return what was to go."""
    things = [Holding("evaluation", prefix, "what was read of them") for prefix in prefixes]

    def die(*_: object, **__: object) -> bool:
        raise StoreUnavailable("the power is gone")

    with pytest.MonkeyPatch.context() as patch, suppress(StoreUnavailable):
        patch.setattr("ocr.lineage.erasure.remove_thing", die)
        erase(made.registry, things, by="Zhang Wei")
    return things


def test_what_two_others_left_goes_with_the_next_one(made: Made) -> None:
    begin(made, "evaluations/e1")
    begin(made, "evaluations/e2")

    planned = plan_erasure(made.registry, ["nothing.png"])
    erase(made.registry, planned.things, by="Li Wei")

    assert [each.prefix for each in planned.left] == ["evaluations/e1", "evaluations/e2"]
    assert planned.left[0].why.startswith("was to be erased at 2")
    assert "evaluations/e1/report.json" not in made.store.list("evaluations")
    assert [each.is_done for each in read_erasures(made.store)] == [True] * 3


def test_one_that_goes_on_elsewhere_is_not_said_to_be_done(made: Made) -> None:
    things = plan(made)
    begin(made, "evaluations/e2")

    erase(made.registry, things, by="Li Wei")

    done = {each.by: each.is_done for each in read_erasures(made.store)}
    assert done == {"Li Wei": True, "Zhang Wei": False}


def test_what_others_left_online_hinders_nobody(made: Made) -> None:
    thing = Holding("version", f"models/{NAME}/v2", "learnt")
    with suppress(AliasMoved):
        made.registry.promote(NAME, "v2", reason="better")
        erase(made.registry, [thing], by="Zhang Wei")

    planned = plan_erasure(made.registry, [DOCUMENT])

    assert (planned.hindrances, planned.left) == ((), ())


def test_what_a_run_made_of_it_meanwhile_is_found_by_the_next_plan(made: Made) -> None:
    erase(made.registry, plan(made), by="Li Wei")
    made.told.add("v4", dataset_digest=made.digest)
    made.store.put_bytes(f"checkpoints/c4/0/{LEARNT_FROM}", f"datasets/x/{made.digest}".encode())

    assert whys(made) == {
        f"models/{NAME}/v4": f"learnt from {made.digest[:16]}",
        "checkpoints/c4": f"learnt from {made.digest[:16]}",
    }


def test_what_is_there_again_with_right_is_none_of_another_document(made: Made) -> None:
    tables = {key: made.store.read_bytes(key) for key in made.store.list("datasets")}
    erase(made.registry, plan(made), by="Li Wei")
    for key, content in tables.items():
        if not made.store.exists(key):
            made.store.put_bytes(key, content)
    made.told.add("v4", dataset_digest=made.digest)
    made.registry.promote(NAME, "v4", reason="better")

    planned = plan_erasure(made.registry, ["nothing.png"])

    assert (planned.things, planned.hindrances) == ((), ())


@pytest.mark.parametrize(
    ("kind", "prefix"),
    [
        ("alias", f"models/{NAME}/aliases/champion.json"),
        ("version", f"models/{NAME}/aliases/champion.json"),
        ("version", f"models/{NAME}"),
        ("snapshot", f"datasets/{NAME}"),
        ("version", "models"),
        ("unknown", "team/inventory.parquet"),
        ("version", "models/../../etc"),
    ],
)
def test_no_record_makes_anything_else_go(made: Made, kind: str, prefix: str) -> None:
    thing = {"kind": kind, "prefix": prefix, "why": ""}
    record = {"name": "erased-0", "at": "2026-11-29", "by": "?", "things": [thing]}
    made.store.put_bytes("prunes/erased-0-begun.json", json.dumps(record).encode())

    with pytest.raises(BadData, match=rf"{prefix!r} is no {kind} of a store"):
        plan(made)


def test_a_damaged_record_is_named(made: Made) -> None:
    made.store.put_bytes("prunes/erased-0-begun.json", b"{}")

    with pytest.raises(BadData, match=r"prunes/erased-0-begun\.json is damaged"):
        plan(made)
