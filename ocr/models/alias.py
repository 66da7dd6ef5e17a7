"""An alias of a model: where it points and every move that brought it there."""

import json
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Final, Literal, get_args

from ocr.errors import BadData, BadInput
from ocr.models.key import NAME

Action = Literal["promote", "rollback", "undo"]
LATER_FIELDS = ("judged_by", "approved_by", "approval_reason")
MOST_REASON: Final = 10_000
TAKE_BACK_BYTES: Final = 2**20
"""Of the room of an alias a promotion leaves so much, for it to be taken back."""


@dataclass(frozen=True)
class Promotion:
    """One move of an alias, from `previous` to `version`; None: from nothing, to nothing.

    A person rolls back; a deployment undoes its own promotion that it could not prove.

    Attributes:
        evaluation: Key of the evaluation that decided.
        judged_by: Keys of what else did: snapshots of further test sets, and their evaluations.
        approved_by: Who was asked and said yes, with the ``approval_reason``; empty: nobody was.
        by: The user whose process moved it, on which machine, and its run; empty: not kept.
    """

    alias: str
    version: str | None
    previous: str | None
    at: str
    reason: str
    evaluation: str = ""
    action: Action = "promote"
    judged_by: tuple[str, ...] = ()
    approved_by: str = ""
    approval_reason: str = ""
    by: str = ""


@dataclass(frozen=True)
class AliasState:
    """Where an alias points, and every move that brought it there, oldest first.

    ``has_moved`` says whether the call that returned it wrote its last move.
    """

    MOST_BYTES: ClassVar[int] = 8 * 2**20  # of some 500 a move

    name: str
    alias: str
    history: tuple[Promotion, ...]
    tag: str
    has_moved: bool = field(default=False, compare=False)

    @property
    def version(self) -> str:
        """The version it points at; empty when its first promotion was undone."""
        return self.history[-1].version or ""

    @property
    def previous(self) -> str | None:
        """The version that a rollback would bring back."""
        return self.standing[-2] if len(self.standing) > 1 else None

    @property
    def standing(self) -> tuple[str, ...]:
        """What rollbacks would walk back through, the current version last."""
        standing: list[str] = []
        for move in self.history:
            if move.action == "promote" and move.version:
                standing.append(move.version)
            elif standing:
                standing.pop()
        return tuple(standing)

    @property
    def moves(self) -> tuple[str, ...]:
        """The versions it was moved to, one after another; a move that was undone was none."""
        return tuple(move.version or "" for move in self._not_undone())

    def opponent_of(self, version: str) -> str | None:
        """The version to measure this one beside; None where there is none.

        It is the one that the alias points at; for that one itself, the one that it replaced when
        it was last promoted.
        """
        if version != self.version:
            return self.version
        moves = [m for m in self.history if m.version == version and m.action == "promote"]
        return moves[-1].previous if moves else None

    def was_rolled_back(self, version: str, alike: Collection[str] = ()) -> bool:
        """Say whether a person who took it back moved it last.

        Of a version that never moved those decide that are alike. A move that a failed deployment
        undid was none.
        """
        fates = list(self._fates())
        own = [is_back for moved, is_back in fates if moved == version]
        others = [is_back for moved, is_back in fates if moved in alike]
        return next(iter((own or others)[-1:]), False)

    def _fates(self) -> Iterator[tuple[str, bool]]:
        """Yield each version that was moved, one after another, and whether it was taken back."""
        for move in self._not_undone():
            yield move.version or "", False
            if move.action == "rollback":
                yield move.previous or "", True

    def _not_undone(self) -> list[Promotion]:
        moves: list[Promotion] = []
        for move in self.history:
            if move.action == "undo":
                del moves[-1:]
            else:
                moves.append(move)
        return moves


def format_history(history: tuple[Promotion, ...]) -> bytes:
    """Write the alias object: where it points now, and the moves, oldest first.

    Raises:
        BadInput: The last reason is too long, or there is no room for another move.
    """
    last = history[-1]
    if len(last.reason) > MOST_REASON:
        raise BadInput(
            f"A reason of {len(last.reason):,} characters is too long; expected at most "
            f"{MOST_REASON:,}: say where the rest is written"
        )
    content: dict[str, Any] = {
        "alias": last.alias,
        "version": last.version,
        "history": [_to_json(move) for move in history],
    }
    if any(move.by for move in history):
        content["moved_by"] = [move.by for move in history]  # releases before pass over it here
    data = json.dumps(content, indent=1, ensure_ascii=False).encode()
    most = AliasState.MOST_BYTES - (TAKE_BACK_BYTES if last.action == "promote" else 0)
    if len(data) > most:
        raise BadInput(
            f"The history of {len(history) - 1:,} moves has no room for another: it would have "
            f"{len(data):,} bytes, expected at most {most:,}. It stays as it is: go on with the "
            "model under another name"
        )
    return data


def parse_history(data: bytes, *, source: str) -> tuple[Promotion, ...]:
    """Read the moves back from an alias object.

    Raises:
        BadData: It is no alias object.
    """
    content = parse_object(data, source=source)
    try:
        moves = content["history"]
        by = _whole(content.get("moved_by"), moves=len(moves))
        history = tuple(_from_json(move, by=each) for move, each in zip(moves, by, strict=True))
        is_consistent = history[-1].version == content["version"]
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise BadData(f"{source} is no alias of a model: {error!r}") from error
    if not is_consistent:
        raise BadData(f"{source} points at {content['version']!r}, its history elsewhere")
    return history


def parse_object(data: bytes, *, source: str) -> dict[str, Any]:
    """Parse a JSON object; BadData names the source of anything else."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadData(f"{source} is no JSON: {error}") from error
    if not isinstance(content, dict):
        raise BadData(f"{source} holds a {type(content).__name__}, expected a JSON object")
    return content


def now() -> str:
    """Return the time as the history has it (ISO 8601)."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def after(last: str, at: str) -> str:
    """Return the time `at`; where a clock was set back since, a second after the `last` one."""
    if at > last:
        return at
    return (datetime.fromisoformat(last) + timedelta(seconds=1)).isoformat(timespec="seconds")


def _to_json(move: Promotion) -> dict[str, Any]:
    content = asdict(move)
    del content["by"]
    for field_ in LATER_FIELDS:  # which releases before them cannot read
        if not content[field_]:
            del content[field_]
    return content


def _whole(moved_by: Any, *, moves: int) -> list[str]:
    """Return who made each move; nobody where it is not told of all: it decides nothing."""
    is_whole = isinstance(moved_by, list) and len(moved_by) == moves
    return moved_by if is_whole and all(isinstance(e, str) for e in moved_by) else [""] * moves


def _from_json(content: dict[str, Any], *, by: str) -> Promotion:
    move = Promotion(**{**content, "judged_by": tuple(content.get("judged_by", ())), "by": by})
    if move.action not in get_args(Action):
        raise ValueError(f"{move.action!r} is no move")
    for version in (move.version, move.previous):
        if version not in (None, "") and not NAME.match(version):
            raise ValueError(f"{version!r} is no version")
    texts = (move.alias, move.at, move.reason, move.evaluation, *move.judged_by)
    for said in (*texts, move.approved_by, move.approval_reason):
        if not isinstance(said, str):
            raise TypeError(f"{said!r} is no text")
        said.encode()  # half a character is none
    return move
