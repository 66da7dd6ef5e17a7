"""What a person answered about a comparison; the store keeps it beside the report.

An answer is for the comparison that was shown: this candidate, measured so, over this champion.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any, Final, Literal

from ocr.errors import ArtifactExists, ArtifactNotFound, BadData
from ocr.models.alias import after, parse_object
from ocr.store.protocol import Store

Choice = Literal["approve", "reject", "time-out"]

MOST_NAME: Final = 80
MOST_REASON: Final = 500
PLAIN: Final = (
    r"^[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]*"
    r"[^\x00-\x20\x7f-\xa0\u2028-\u202e\u2066-\u2069]"
    r"[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]*$"
)
"""One line with something in it, and nothing that a terminal or a reader would take otherwise."""


@dataclass(frozen=True)
class Answer:
    """Who said what, why and when (ISO 8601); of a time-out nobody did.

    Attributes:
        choice: What was said.
        by: Their name; empty: nobody.
        reason: Their words.
        at: When.
        model: NAME:VERSION that was asked about.
        champion: The version that it was to replace; empty: none.
    """

    choice: Choice
    by: str
    reason: str
    at: str
    model: str
    champion: str

    @property
    def is_yes(self) -> bool:
        """Whether the candidate may go online."""
        return self.choice == "approve"

    def describe(self) -> str:
        """Say it in a sentence."""
        if self.choice == "time-out":
            return f"Nobody answered: {self.reason}"
        said = "Approved" if self.is_yes else "Rejected"
        return f"{said} by {self.by}: {self.reason}"


def approval_key(evaluation: str, *, judged_by: Sequence[str], moves: Sequence[str]) -> str:
    """Return where the answer about a comparison lies.

    Another measurement, another further set or a champion that was moved since, be it there and
    back, is another comparison. What the gate asks of it is not: its rules only say who is shown.

    Args:
        evaluation: Key of the evaluation.
        judged_by: Keys of what else was measured.
        moves: The champions so far, one after another, also those of rollbacks.
    """
    compared = json.dumps([evaluation, *judged_by, list(moves)])
    digest = sha256(compared.encode()).hexdigest()[:16]
    return f"reports/{evaluation.rpartition('/')[2]}/approval-{digest}.json"


def find_answer(store: Store, key: str) -> Answer | None:
    """Read what a person answered; None: nobody was asked, or nobody answered.

    Raises:
        BadData: It is no answer.
    """
    try:
        content = parse_object(store.read_bytes(key), source=f"{store.uri}/{key}")
    except ArtifactNotFound:
        return None
    return _parse(content, source=f"{store.uri}/{key}")


def read_answers(store: Store, evaluation: str) -> list[Answer]:
    """Read what people answered when they were asked about an evaluation, oldest first."""
    keys = store.list(f"reports/{evaluation.rpartition('/')[2]}")
    asked = (key for key in keys if "/approval-" in key or "/time-out-" in key)
    found = (find_answer(store, key) for key in asked)
    return sorted((answer for answer in found if answer), key=lambda answer: answer.at)


def keep_answer(store: Store, key: str, answer: Answer) -> Answer:
    """Keep an answer and return what is kept: of several the first one counts.

    That nobody answered is kept beside it, and asked again the next time. It is later than what was
    answered about the same evaluation before, also where the clock was set back since.
    """
    known: list[Answer] = []
    with suppress(BadData):  # of another one
        known = read_answers(store, key.rpartition("/")[0])
    if known and answer not in known:
        answer = replace(answer, at=after(known[-1].at, answer.at))
    data = json.dumps(asdict(answer), indent=1, ensure_ascii=False).encode()
    if answer.choice == "time-out":
        stamp = answer.at.translate(str.maketrans("", "", "-:+"))
        store.put_bytes(key.replace("/approval-", f"/time-out-{stamp}-"), data)
        return answer
    try:
        store.put_bytes(key, data)
    except ArtifactExists:
        return find_answer(store, key) or answer
    return answer


def _parse(content: dict[str, Any], *, source: str) -> Answer:
    try:
        return Answer(**content)
    except TypeError as error:
        raise BadData(f"{source} is no answer of a person: {error}") from error
