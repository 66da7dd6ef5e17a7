"""A snapshot's manifest: what it holds, and the digest of every file."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ocr.dataset.labels.text_rule import AS_WRITTEN, USUAL, TextRule
from ocr.dataset.quarantine import ReasonCount, Rejection
from ocr.dataset.snapshot.lookalikes import Lookalike
from ocr.errors import BadData

FORMAT = 1
Task = Literal["recognition", "detection"]
"""What a snapshot's samples are: lines with a text, or pages with regions."""


@dataclass(frozen=True)
class SnapshotManifest:
    """What `manifest.json` says.

    Attributes:
        name: Name of the dataset.
        digest: SHA-256 of all the rest but the name.
        counts: rows, accepted, quarantined, train, val and test; where any sample has a group,
            groups and ungrouped, the samples of none; where nobody checked some that were
            accepted, unchecked, their number; of pages also regions, as people labelled them on
            the accepted ones, and ignored_regions.
        quarantine: The table of reasons, with examples.
        charset_size: Number of characters.
        files: SHA-256 of every other file, by relative path.
        task: What the samples are.
        texts: How their texts were written.
        lookalikes: Characters of lines that a person cannot tell apart; no part of the digest.
        test_digest: Names the test split, whatever else changes. Empty in manifests that are older.
        surroundings: Images of the train split go on round their lines, on every side by this share
            of their shorter side.
    """

    name: str
    digest: str
    counts: Mapping[str, int]
    quarantine: tuple[ReasonCount, ...]
    charset_size: int
    files: Mapping[str, str]
    task: Task
    texts: TextRule
    lookalikes: tuple[Lookalike, ...]
    test_digest: str
    surroundings: float

    @classmethod
    def create(
        cls,
        *,
        name: str,
        counts: Mapping[str, int],
        quarantine: Sequence[ReasonCount],
        charset_size: int,
        files: Mapping[str, str],
        task: Task,
        texts: TextRule = USUAL,
        lookalikes: Sequence[Lookalike] = (),
        test_digest: str = "",
        surroundings: float = 0.0,
    ) -> "SnapshotManifest":
        """Make the manifest of a snapshot; its digest follows from its content."""
        content: dict[str, Any] = {
            "format": FORMAT,
            "counts": dict(counts),
            "quarantine": [asdict(reason) for reason in quarantine],
            "charset_size": charset_size,
            "files": dict(files),
        }
        if task != "recognition":  # the digests of lines are older than pages
            content["task"] = task
        if texts != AS_WRITTEN:  # what earlier manifests, which say nothing, mean
            content["texts"] = asdict(texts)
        if test_digest:  # so that no earlier manifest, which cannot say it, is taken for this one
            content["test_digest"] = test_digest
        if surroundings:
            content["surroundings"] = surroundings
        digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
        return cls(
            name,
            digest,
            counts,
            tuple(quarantine),
            charset_size,
            files,
            task,
            texts,
            tuple(lookalikes),
            test_digest,
            surroundings,
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> "SnapshotManifest":
        """Read a manifest.

        Raises:
            BadData: When it is no manifest, or of another format.
        """
        try:
            content = json.loads(data)
            if content["format"] != FORMAT:
                raise BadData(
                    f"snapshot manifest has format {content['format']}, expected {FORMAT}"
                )
            return cls(
                name=content["name"],
                digest=content["digest"],
                counts=content["counts"],
                quarantine=tuple(_read_reason(reason) for reason in content["quarantine"]),
                charset_size=content["charset_size"],
                files=content["files"],
                task=content.get("task", "recognition"),
                texts=TextRule(**content.get("texts", asdict(AS_WRITTEN))),
                lookalikes=tuple(Lookalike(**each) for each in content.get("lookalikes", ())),
                test_digest=content.get("test_digest", ""),
                surroundings=content.get("surroundings", 0.0),
            )
        except (KeyError, TypeError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise BadData(f"not a snapshot manifest: {error!r}") from error

    def to_bytes(self) -> bytes:
        """Indented JSON."""
        content = {"format": FORMAT, **asdict(self)}
        return (json.dumps(content, indent=2, sort_keys=True) + "\n").encode()


def _read_reason(content: Mapping[str, Any]) -> ReasonCount:
    examples = tuple(Rejection(**example) for example in content["examples"])
    return ReasonCount(reason=content["reason"], count=content["count"], examples=examples)
