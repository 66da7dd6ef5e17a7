"""What the versions that stay were made of and judged by."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from ocr.models.alias import Promotion, parse_object
from ocr.models.key import NAME
from ocr.models.registry import ModelVersion, Registry
from ocr.retention.things import kind_of


@dataclass(frozen=True)
class Lineage:
    """What stays because of the registry. Versions are NAME:VERSION, a snapshot is its digest.

    Attributes:
        known: All versions; what else lies there as one does was copied by somebody.
        champions: Versions that an alias points at or ever pointed at.
        versions: All that stay, with what they are made of or were fine-tuned from.
        pipelines: All that are made of other versions.
        snapshots: What those learned from; ``tests``: further ones that a champion was judged by.
        checkpoints: Keys of what those were exported from.
        unnamed: Versions among them that do not say which checkpoint they came from.
        evaluations: Keys of what a move of an alias was decided by, and of what the gate decided by
            on a champion, whoever promoted it.
    """

    known: frozenset[str]
    champions: frozenset[str]
    versions: frozenset[str]
    pipelines: frozenset[str]
    snapshots: frozenset[str]
    tests: frozenset[str]
    checkpoints: frozenset[str]
    unnamed: frozenset[str]
    evaluations: frozenset[str]


def read_lineage(registry: Registry, *, old: Collection[str]) -> Lineage:
    """Read what stays.

    Args:
        registry: The models of a store.
        old: Versions that go unless they were champion, or one that stays needs them.

    Raises:
        BadData: What the store says of a version, an alias or a decision is damaged.
    """
    names = registry.names()
    models = {
        model.reference: model
        for name in names
        for model in (registry.version(name, version) for version in registry.versions(name))
    }
    moves = [(name, move) for name in names for move in _moves(registry, name)]
    champions = {
        f"{name}:{version}" for name, move in moves for version in (move.version, move.previous)
    }
    kept = _with_parts(models, champions & models.keys() | models.keys() - set(old))
    judged_by = {key for _, move in moves for key in (move.evaluation, *move.judged_by)}
    judged_by |= {key for each in champions for key in _decided_by(registry, each)}
    nets = [models[each] for each in kept if not models[each].parts]
    return Lineage(
        known=frozenset(models),
        champions=frozenset(champions),
        versions=frozenset(kept),
        pipelines=frozenset(name for name, model in models.items() if model.parts),
        snapshots=frozenset(str(models[each].manifest.get("dataset_digest")) for each in kept),
        tests=frozenset(
            PurePosixPath(key).name for key in judged_by if key.startswith("datasets/")
        ),
        checkpoints=frozenset(_checkpoint(net) for net in nets),
        unnamed=frozenset(net.reference for net in nets if not _checkpoint(net)),
        evaluations=frozenset(judged_by),
    )


def _moves(registry: Registry, name: str) -> Iterator[Promotion]:
    """Yield every move of every alias of a model."""
    keys = registry.store.list(f"models/{name}/aliases")
    for key in (key for key in keys if kind_of(key) == "alias"):
        state = registry.read_alias(name, PurePosixPath(key).stem)
        yield from state.history if state else ()


def _decided_by(registry: Registry, reference: str) -> Iterator[str]:
    """Yield the evaluations of all decisions on a version; an alias may name what is none."""
    name, _, version = reference.partition(":")
    if not NAME.match(version):
        return
    for key in registry.store.list(f"decisions/{name}/{version}"):
        decision = parse_object(registry.store.read_bytes(key), source=key)
        yield str(decision.get("evaluation"))


def _with_parts(models: Mapping[str, ModelVersion], kept: Collection[str]) -> set[str]:
    """Add what versions are made of and were fine-tuned from, and what that was."""
    found, ahead = set[str](), list(kept)
    while ahead:
        reference = ahead.pop()
        if reference in models and reference not in found:
            found.add(reference)
            model = models[reference]
            ahead += [*model.parts.values(), f"{model.name}:{model.manifest.get('parent')}"]
    return found


def _checkpoint(model: ModelVersion) -> str:
    """Return `checkpoints/<digest>` of the key that a manifest names; empty: it names none."""
    return "/".join(str(model.manifest.get("checkpoint") or "").split("/")[:2])
