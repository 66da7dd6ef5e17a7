"""The registry: versions never change, the champion moves, its history only grows."""

import json
import shutil
from pathlib import Path

import pytest

from ocr.errors import AliasMoved, ArtifactExists, ArtifactNotFound, BadData, BadInput
from ocr.models.registry import Registry
from ocr.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store"))


@pytest.fixture
def registry(store: Store) -> Registry:
    return Registry(store)


@pytest.fixture
def three(registry: Registry, tmp_path: Path) -> Registry:
    """A registry with versions c, b, a: c the oldest."""
    for day, version in enumerate("cba", start=1):
        bundle = write_bundle(tmp_path, version, created=f"2026-11-0{day}")
        registry.register("plates", version, bundle)
    return registry


def write_bundle(
    folder: Path, version: str, *, created: str = "2026-11-01", parent: str = "", text: str = "x"
) -> Path:
    bundle = folder / f"bundle-{version}"
    bundle.mkdir(exist_ok=True)
    (bundle / "card.md").write_text(text)
    manifest = {
        "name": "plates",
        "version": version,
        "created": created,
        "task": "recognition",
        "parent": parent,
        "metrics": {"accuracy": 0.9},
    }
    (bundle / "manifest.json").write_text(json.dumps(manifest))
    return bundle


def test_a_registered_version_tells_its_manifest(registry: Registry, tmp_path: Path) -> None:
    model = registry.register("plates", "a", write_bundle(tmp_path, "a"))

    assert (model.name, model.version, model.reference) == ("plates", "a", "plates:a")
    assert model.key.startswith("models/plates/a/")
    assert (model.created, model.task) == ("2026-11-01", "recognition")
    assert model.metrics == {"accuracy": 0.9}


def test_registering_again_does_nothing(registry: Registry, tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path, "a")

    first = registry.register("plates", "a", bundle)

    assert registry.register("plates", "a", bundle) == first
    assert registry.versions("plates") == ["a"]


@pytest.mark.parametrize("change", [{"text": "changed"}, {"parent": "b"}], ids=str)
def test_a_version_cannot_change(
    registry: Registry, tmp_path: Path, change: dict[str, str]
) -> None:
    first = registry.register("plates", "a", write_bundle(tmp_path, "a"))

    with pytest.raises(ArtifactExists):
        registry.register("plates", "a", write_bundle(tmp_path, "a", **change))

    assert registry.version("plates", "a") == first


@pytest.mark.parametrize(("name", "version"), [("meters", "a"), ("plates", "b")])
def test_a_bundle_of_another_model_or_version_is_refused(
    registry: Registry, tmp_path: Path, name: str, version: str
) -> None:
    with pytest.raises(BadInput, match=f"is plates:a, expected {name}:{version}"):
        registry.register(name, version, write_bundle(tmp_path, "a"))


def test_a_half_uploaded_version_is_no_version(registry: Registry, store: Store) -> None:
    store.put_bytes("models/plates/a/card.md", b"x")

    assert registry.names() == []
    assert registry.versions("plates") == []
    with pytest.raises(ArtifactNotFound, match="known: none"):
        registry.promote("plates", "a", reason="too early")


def test_folders_that_somebody_copied_there_are_no_models_and_no_versions(
    three: Registry, store: Store
) -> None:
    models = Path(store.uri.removeprefix("file://")) / "models"
    for copy in ("plates copy", "_plates", "plates.bak", "plates/a copy", "plates/a.bak"):
        shutil.copytree(models / "plates" / "a", models / copy / "a")

    assert (three.names(), three.versions("plates")) == (["plates"], ["c", "b", "a"])


def test_versions_are_listed_oldest_first(three: Registry) -> None:
    assert three.versions("plates") == ["c", "b", "a"]
    assert three.names() == ["plates"]


def test_there_is_no_champion_before_the_first_promotion(three: Registry) -> None:
    assert three.champion("plates") is None
    assert three.history("plates") == []
    newest = "the newest of 3 is plates:a"
    with pytest.raises(ArtifactNotFound, match=f"no version of plates is its champion, {newest}"):
        three.resolve("plates")
    with pytest.raises(ArtifactNotFound, match=f"no version of plates is its best, {newest}"):
        three.resolve("plates@best")
    with pytest.raises(ArtifactNotFound, match=r"Nothing is 'plate' in .*; models there: plates$"):
        three.resolve("plate")


def test_a_promotion_is_remembered_with_its_reason(three: Registry) -> None:
    three.promote("plates", "c", reason="first", expected=None)
    state = three.promote("plates", "a", reason="better", evaluation="reports/1", expected="c")

    [first, second] = three.history("plates")
    assert (first.version, first.previous, first.reason) == ("c", None, "first")
    assert (second.version, second.previous, second.reason) == ("a", "c", "better")
    assert (second.alias, second.action, second.evaluation) == ("champion", "promote", "reports/1")
    assert second.at.endswith("+00:00")
    assert state == three.champion("plates")


@pytest.mark.parametrize("expected", [None, "b"])
def test_a_promotion_over_an_unexpected_champion_is_refused(
    three: Registry, expected: str | None
) -> None:
    three.promote("plates", "c", reason="first")

    with pytest.raises(AliasMoved, match="'plates' is c, expected"):
        three.promote("plates", "a", reason="stale", expected=expected)

    assert three.resolve("plates").version == "c"


def test_promoting_the_champion_again_adds_nothing(three: Registry) -> None:
    first = three.promote("plates", "c", reason="first", expected=None)

    again = three.promote("plates", "c", reason="a rerun after a lost answer", expected=None)

    assert again == first
    assert len(three.history("plates")) == 1


def test_an_unknown_version_is_not_promoted(three: Registry) -> None:
    with pytest.raises(ArtifactNotFound, match=r"No version 'z'.*known: c, b, a"):
        three.promote("plates", "z", reason="typo")


def test_each_rollback_goes_one_champion_further_back(three: Registry) -> None:
    for version in "cba":
        three.promote("plates", version, reason="better")

    first = three.rollback("plates", reason="bad")
    second = three.rollback("plates", reason="also bad")

    assert (first.version, second.version) == ("b", "c")
    assert [move.action for move in second.history] == ["promote"] * 3 + ["rollback"] * 2
    with pytest.raises(BadInput, match="no earlier champion"):
        three.rollback("plates", reason="nothing left")


def test_a_rollback_after_a_new_promotion_skips_what_was_rolled_back(three: Registry) -> None:
    three.promote("plates", "c", reason="first")
    three.promote("plates", "b", reason="better")
    three.rollback("plates", reason="bad")
    three.promote("plates", "a", reason="fixed")

    state = three.rollback("plates", reason="bad too")

    assert state.version == "c"


def test_a_rollback_of_what_somebody_replaced_is_refused(three: Registry) -> None:
    for version in "cba":
        three.promote("plates", version, reason="better")

    with pytest.raises(AliasMoved):
        three.rollback("plates", reason="b does not answer", expected="b")

    assert three.resolve("plates").version == "a"


@pytest.mark.parametrize("before", [None, "c"])
def test_an_undone_promotion_leaves_what_was_before_and_its_history(
    three: Registry, before: str | None
) -> None:
    if before:
        three.promote("plates", before, reason="first")
    promoted = three.promote("plates", "b", reason="better")

    three.undo(promoted, reason="does not answer")

    champion, history = three.champion("plates"), three.history("plates")
    assert (champion.version if champion else None) == before
    assert [(m.action, m.version) for m in history][-2:] == [("promote", "b"), ("undo", before)]


@pytest.mark.parametrize("back", [False, True], ids=["away", "away and back"])
def test_a_promotion_that_somebody_moved_since_is_not_undone(three: Registry, back: bool) -> None:
    promoted = three.promote("plates", "b", reason="better")
    three.promote("plates", "a", reason="by hand")
    if back:
        three.promote("plates", "b", reason="by hand")

    with pytest.raises(AliasMoved):
        three.undo(promoted, reason="does not answer")

    assert three.resolve("plates").version == ("b" if back else "a")


def test_only_the_call_that_moved_the_alias_says_so(three: Registry) -> None:
    first = three.promote("plates", "b", reason="better")
    again = three.promote("plates", "b", reason="another run")

    assert (first.has_moved, again.has_moved) == (True, False)


def test_a_model_without_a_champion_again_resolves_to_nothing(three: Registry) -> None:
    three.undo(three.promote("plates", "b", reason="first"), reason="does not answer")

    with pytest.raises(ArtifactNotFound, match="Nothing is 'plates'"):
        three.resolve("plates")
    with pytest.raises(BadInput, match="no earlier champion"):
        three.rollback("plates", reason="nothing left")
    assert three.promote("plates", "a", reason="next", expected=None).version == "a"


@pytest.mark.parametrize("reference", ["plates", "plates@champion", "plates:b"])
def test_a_reference_is_a_name_an_alias_or_a_version(three: Registry, reference: str) -> None:
    three.promote("plates", "b", reason="first")

    assert three.resolve(reference).version == "b"


def test_a_version_may_be_named_by_a_clear_start_of_it(registry: Registry, tmp_path: Path) -> None:
    for version in ("1f3a", "1f4b", "20"):
        registry.register("plates", version, write_bundle(tmp_path, version))

    assert registry.resolve("plates:1f3").version == "1f3a"
    with pytest.raises(BadInput, match="could be any of 1f3a, 1f4b"):
        registry.resolve("plates:1f")
    with pytest.raises(ArtifactNotFound, match="No version '3'"):
        registry.resolve("plates:3")


@pytest.mark.parametrize(
    "reference",
    [
        *("", "@champion", ":a", "plates:", "plates@", "../x", "a/b", "plates:a:b"),
        *("plates:aliases", "plates:a\nb"),
    ],
)
def test_a_malformed_reference_is_refused(three: Registry, reference: str) -> None:
    with pytest.raises(BadInput, match=r"expected letters, digits|may be called"):
        three.resolve(reference)


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"[]", b"{}"),
        b'{"version": "c", "history": []}',
        b'{"version": "c", "history": [{"x": 1}]}',
        b'{"version": "c", "history": 3}',
    ],
)
def test_a_damaged_alias_is_named(three: Registry, store: Store, content: bytes) -> None:
    store.compare_and_swap("models/plates/aliases/champion.json", content, expected=None)

    with pytest.raises(BadData, match=r"aliases/champion\.json"):
        three.champion("plates")


def test_a_second_registry_sees_what_the_first_did(three: Registry, store: Store) -> None:
    other = Registry(store)
    assert other.champion("plates") is None

    three.promote("plates", "b", reason="first")

    assert other.resolve("plates").version == "b"
