"""One request that is asked again and again, each time with a tag, and which answer is right."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from bench.serve.raw_client import post

CONFIDENCE: Final = 1e-3
"""Further apart are two readings of one image: a batch rounds as its size has it."""

Reading = tuple[tuple[str, float], ...]
"""Text and confidence of every line."""


@dataclass(frozen=True)
class Question:
    """One image, asked as it is.

    Attributes:
        path: Of the URL, with its query.
        body: The image's file.
        kind: Its media type.
        readings: By version, what it reads.
    """

    path: str
    body: bytes
    kind: str = "image/jpeg"
    readings: Mapping[str, Reading] = field(default_factory=dict)

    def head(self, *, key: str = "") -> bytes:
        """Write the head of the request as far as its tag, with an API key if there is one."""
        more = {"Authorization": f"Bearer {key}"} if key else {}
        head = post(self.path, length=len(self.body), kind=self.kind, **more)
        return head.removesuffix(b"\r\n") + b"X-Request-ID: "

    def request(self, tag: str, *, head: bytes) -> bytes:
        """Write the whole request."""
        return b"".join((head, tag.encode(), b"\r\n\r\n", self.body))

    def judge(self, body: bytes, *, tag: str) -> tuple[str, str]:
        """Compare the answer to a request with the right one.

        Returns:
            What is wrong, empty if nothing is, and the version that answered.
        """
        try:
            answer = json.loads(body)
            version, given, found = answer["version"], answer["request_id"], reading_of(answer)
        except (ValueError, LookupError, TypeError) as error:
            return f"no answer: {error!r}", ""
        if given != tag:
            return f"the answer to {given}", version
        if version not in self.readings:
            return f"of version {version}", version
        return _compare(found, self.readings[version]), version


def reading_of(answer: Mapping[str, Any]) -> Reading:
    """Take the lines out of the answer of either route."""
    pages = answer.get("pages")
    lines = (
        answer["results"] if pages is None else [line for page in pages for line in page["lines"]]
    )
    return tuple((line["text"], line["confidence"]) for line in lines)


def _compare(found: Reading, right: Reading) -> str:
    is_right = len(found) == len(right) and all(
        text == other and abs(confidence - expected) < CONFIDENCE
        for (text, confidence), (other, expected) in zip(found, right, strict=True)
    )
    return "" if is_right else f"reads {found!r} instead of {right!r}"
