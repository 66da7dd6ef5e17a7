"""The model registry: immutable versions, and a champion alias that moves with its history."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from ocr.errors import AliasMoved, ArtifactExists, ArtifactNotFound, BadInput, StoreUnavailable
from ocr.models.alias import AliasState, Promotion, format_history, now, parse_history, parse_object
from ocr.models.expected import ANY, check_expected, moved_meanwhile
from ocr.models.key import NAME, alias_key, model_key, version_key
from ocr.store.folder import (
    check_manifest,
    download_published,
    find_published,
    mark_used,
    publish_folder,
)
from ocr.store.protocol import Store

CHAMPION: Final = "champion"


@dataclass(frozen=True)
class ModelVersion:
    """One registered bundle; `manifest` is its manifest.json, `key` the folder that holds it."""

    name: str
    version: str
    key: str
    manifest: Mapping[str, Any]

    @property
    def reference(self) -> str:
        """The reference that resolves to this version, whatever happens to the aliases."""
        return f"{self.name}:{self.version}"

    @property
    def task(self) -> str:
        """What it does: recognition, detection, or both as a pipeline."""
        return str(self.manifest.get("task") or "")

    @property
    def parts(self) -> Mapping[str, str]:
        """NAME:VERSION of what a pipeline is made of, by what each does; of other models none."""
        roles = ("detector", "recogniser", "second_recogniser")
        named = {role: self.manifest.get(role) for role in roles}
        return {role: str(reference) for role, reference in named.items() if reference}

    @property
    def created(self) -> str:
        """When the bundle was made (ISO 8601)."""
        return str(self.manifest.get("created") or "")

    @property
    def metrics(self) -> Mapping[str, Any]:
        """What the bundle scored when it was made."""
        return dict(self.manifest.get("metrics") or {})


class Registry:
    """Models by name in a store, below `models/<name>/`; aliases are moved ``by`` somebody."""

    def __init__(self, store: Store, *, by: str = "") -> None:
        self.store = store
        self._by = by
        self._manifests: dict[tuple[str, str], ModelVersion] = {}  # immutable, so never stale

    def register(self, name: str, version: str, folder: Path) -> ModelVersion:
        """Upload a bundle folder, its manifest last; again for the same content does nothing.

        Raises:
            BadInput: The folder's manifest names another model or version.
            ArtifactExists: The version exists with other content.
        """
        manifest = parse_object(
            (folder / "manifest.json").read_bytes(), source=f"{folder}/manifest.json"
        )
        found = (manifest.get("name"), manifest.get("version"))
        if found != (name, version):
            raise BadInput(f"{folder} is {found[0]}:{found[1]}, expected {name}:{version}")
        publish_folder(self.store, folder, key=version_key(name, version))
        model = self.version(name, version)
        if model.manifest != manifest:
            raise ArtifactExists(f"{model.reference} exists in {self.store.uri} with other content")
        return model

    def download(self, model: ModelVersion, folder: Path) -> Path:
        """Copy a version's bundle to `folder`, complete and verified or not at all."""
        return download_published(self.store, prefix=model.key, folder=folder)

    def names(self) -> list[str]:
        """List the models that have a version."""
        folders = filter(NAME.match, self.store.folders("models"))
        return [name for name in folders if self.versions(name)]

    def versions(self, name: str) -> list[str]:
        """List the complete versions of a model, oldest first."""
        folders = filter(NAME.match, self.store.folders(model_key(name)))
        models = [self._read_version(name, version) for version in folders if version != "aliases"]
        found = sorted((model.created, model.version) for model in models if model)
        return [version for _, version in found]

    def version(self, name: str, version: str) -> ModelVersion:
        """Read one version of a model.

        Raises:
            ArtifactNotFound: There is none; the message lists what there is.
        """
        model = self._read_version(name, version)
        if model is None:
            known = ", ".join(self.versions(name)) or "none"
            raise ArtifactNotFound(
                f"No version {version!r} of {name!r} in the store; known: {known}"
            )
        return model

    def has_version(self, name: str, version: str) -> bool:
        """Say whether a version of a model is complete."""
        return self._read_version(name, version) is not None

    def resolve(self, reference: str) -> ModelVersion:
        """Find the version behind NAME, NAME@ALIAS or NAME:VERSION (or a clear start of it).

        Raises:
            BadInput: The reference is malformed, or its version could be several.
            ArtifactNotFound: There is no such model, alias or version.
            BadData: Its manifest was changed since it was stored.
        """
        model = self._resolve(reference)
        check_manifest(self.store, prefix=model.key)
        return model

    def _resolve(self, reference: str) -> ModelVersion:
        name, separator, rest = re.fullmatch(r"(?s)([^@:]*)([@:]?)(.*)", reference).groups()  # type: ignore[union-attr]
        if separator == ":":
            return self._resolve_version(name, rest)
        alias = rest if separator else CHAMPION
        state = self.read_alias(name, alias)
        if state is None or not state.version:
            known = self._tell_known(name, alias)
            raise ArtifactNotFound(f"Nothing is {reference!r} in {self.store.uri}; {known}")
        return self.version(name, state.version)

    def champion(self, name: str) -> AliasState | None:
        """Read where the champion alias points; None where it points at no version."""
        state = self.read_alias(name)
        return state if state and state.version else None

    def history(self, name: str) -> list[Promotion]:
        """List every move of the champion alias, oldest first."""
        state = self.read_alias(name)
        return list(state.history) if state else []

    def read_alias(self, name: str, alias: str = CHAMPION) -> AliasState | None:
        """Read an alias, also one that points at no version any more; None: it never moved."""
        key = alias_key(name, alias)
        try:
            data, tag = self.store.read_tagged(key, most=AliasState.MOST_BYTES)
        except ArtifactNotFound:
            return None
        history = parse_history(data, source=f"{self.store.uri}/{key}")
        return AliasState(name=name, alias=alias, history=history, tag=tag)

    def promote(
        self,
        name: str,
        version: str,
        *,
        reason: str,
        evaluation: str = "",
        judged_by: Sequence[str] = (),
        approval: tuple[str, str] = ("", ""),
        expected: str | None = ANY,
    ) -> AliasState:
        """Make a version the champion; it stays so when it is already.

        Args:
            name: The model.
            version: A registered version of it.
            reason: Why, for the history.
            evaluation: Key or URI of the report that says so.
            judged_by: Keys of what else it was judged by, which stays with it.
            approval: Who was asked and said yes, and why.
            expected: The version that the caller saw as champion, None if there was none.

        Raises:
            AliasMoved: The champion is not (or no longer) the expected one.
            ArtifactNotFound: The version is not registered.
            BadInput: The reason is too long, or there is no room for another move.
        """
        self.version(name, version)
        mark_used(self.store, prefix=version_key(name, version))
        state = self.read_alias(name)
        if state and state.version == version:
            return state
        check_expected(state, name=name, expected=expected)
        move = Promotion(
            alias=CHAMPION,
            version=version,
            previous=(state.version or None) if state else None,
            at=now(),
            reason=reason,
            evaluation=evaluation,
            judged_by=tuple(judged_by),
            approved_by=approval[0],
            approval_reason=approval[1],
        )
        return self._write_alias(name, state, move)

    def undo(self, promoted: AliasState, *, reason: str) -> AliasState:
        """Take back a promotion, where nobody moved the alias since; the first leaves no champion.

        Args:
            promoted: What :meth:`promote` returned.
            reason: Why, for the history.

        Raises:
            AliasMoved: Somebody moved the alias since, be it away and back.
        """
        last = promoted.history[-1]
        move = Promotion(
            alias=promoted.alias,
            version=last.previous,
            previous=last.version,
            at=now(),
            reason=reason,
            action="undo",
        )
        return self._write_alias(promoted.name, promoted, move)

    def rollback(self, name: str, *, reason: str, expected: str | None = ANY) -> AliasState:
        """Bring back the champion before this one; a second rollback goes one further back.

        Raises:
            AliasMoved: The champion is not (or no longer) the expected one.
            BadInput: There is no champion before; else as `promote`.
            ArtifactNotFound: It is not registered any more.
        """
        state = self.champion(name)
        check_expected(state, name=name, expected=expected)
        if state is None or state.previous is None:
            raise BadInput(f"{name!r} has no earlier champion to go back to")
        self.version(name, state.previous)
        move = Promotion(
            alias=CHAMPION,
            version=state.previous,
            previous=state.version,
            at=now(),
            reason=reason,
            action="rollback",
        )
        return self._write_alias(name, state, move)

    def _tell_known(self, name: str, alias: str) -> str:
        if versions := self.versions(name):
            newest = f"{name}:{versions[-1]}"
            return f"no version of {name} is its {alias}, the newest of {len(versions)} is {newest}"
        return f"models there: {', '.join(self.names()) or 'none'}"

    def _resolve_version(self, name: str, version: str) -> ModelVersion:
        exact = self._read_version(name, version)
        if exact:
            return exact
        matches = [known for known in self.versions(name) if known.startswith(version)]
        if len(matches) > 1:
            raise BadInput(f"'{name}:{version}' could be any of {', '.join(matches)}")
        return self.version(name, matches[0] if matches else version)

    def _read_version(self, name: str, version: str) -> ModelVersion | None:
        if known := self._manifests.get((name, version)):
            return known
        folder = version_key(name, version)
        key = find_published(self.store, key=folder)
        if key is None or not key.startswith(f"{folder}/"):  # what is copied names where it was
            return None
        manifest = parse_object(self.store.read_bytes(f"{key}/manifest.json"), source=key)
        model = ModelVersion(name=name, version=version, key=key, manifest=manifest)
        return self._manifests.setdefault((name, version), model)

    def _write_alias(self, name: str, state: AliasState | None, move: Promotion) -> AliasState:
        history = (*(state.history if state else ()), replace(move, by=self._by))
        key, expected = alias_key(name, move.alias), state.tag if state else None
        try:
            tag = self.store.compare_and_swap(key, format_history(history), expected=expected)
        except AliasMoved as error:
            raise moved_meanwhile(name) from error
        except StoreUnavailable:
            found = self.read_alias(name, move.alias)  # the answer was lost, not always the move
            if found is None or found.history != history:
                raise
            tag = found.tag
        return AliasState(name=name, alias=move.alias, history=history, tag=tag, has_moved=True)
