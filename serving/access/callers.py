"""Who asks: by the token or a key of the request, with what that key may do."""

import hmac
import logging
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ocr.errors import BadInput
from serving.access.key_file import ApiKey, digest, read_keys
from serving.problems import Problem

LOG = logging.getLogger("ocrline.serving")

LOOK_S = 1.0
"""How old what is known of the file may be: a key that is revoked works for so long."""
MINUTE_S = 60.0


@dataclass
class Caller:
    """Who asks, and how much is left of what may be asked in a minute.

    Attributes:
        name: Of the key; empty: nobody has to say who asks.
        models: Which may be asked; none: all.
        per_minute: Requests that read; 0: any number.
    """

    name: str = ""
    models: tuple[str, ...] = ()
    per_minute: int = 0
    _left: float = field(init=False, repr=False, compare=False)
    _at: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._left, self._at = float(self.per_minute), time.monotonic()

    def spend(self) -> None:
        """Take one request off what may be asked.

        Raises:
            Problem: Nothing is left for now.
        """
        if not self.per_minute:
            return
        now = time.monotonic()
        gained = (now - self._at) * self.per_minute / MINUTE_S
        self._left, self._at = min(self.per_minute, self._left + gained), now
        if self._left < 1:
            raise Problem(
                "rate_limited", f"The key {self.name} may ask {self.per_minute} times a minute"
            )
        self._left -= 1

    def admit(self, model: str) -> None:
        """Let a model be asked; none is named: one of those that may be.

        Raises:
            Problem: Not with this key.
        """
        if self.models and model and model not in self.models:
            raise Problem("forbidden", f"The key {self.name} is for {', '.join(self.models)} only")


class Callers:
    """Everybody who may ask; the file of keys is read again when it changes.

    A file that is damaged later changes nothing: those who were known stay known. Where somebody
    had to say who asks, everybody has to, even when the last key is revoked.
    """

    def __init__(self, *, token: str, keys: Path, is_open: bool = True) -> None:
        """Read the keys.

        Args:
            token: One that may ask anything; empty: there is none.
            keys: Their file; it need not be there.
            is_open: Whether anybody may ask as long as there is neither token nor key.

        Raises:
            BadInput: It is damaged.
        """
        self._token = digest(token) if token else ""
        self._path = keys
        self._known: Mapping[str, Caller] = {}
        self._is_open = is_open and not token
        self._stamp = self._look()
        self._take(read_keys(keys))
        self._looked = time.monotonic()

    def find(self, authorization: str) -> Caller | None:
        """Return who sent this header; None: somebody who may not ask."""
        self._refresh()
        if self._is_open:
            return Caller()
        kind, _, given = authorization.partition(" ")
        if kind.lower() != "bearer":
            return None
        found = digest(given.encode("latin-1", "replace").decode("utf-8", "surrogateescape"))
        if self._token and hmac.compare_digest(found, self._token):
            return Caller(name="token")
        return self._known.get(found)

    def _refresh(self) -> None:
        if time.monotonic() - self._looked < LOOK_S:
            return
        self._looked = time.monotonic()
        stamp = self._look()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._take(read_keys(self._path))
        except BadInput as error:
            LOG.error("%s; the keys of before stay", error)

    def _look(self) -> tuple[int, ...]:
        try:
            found = os.stat(self._path)  # noqa: PTH116 - as quick as can be
        except OSError:
            return ()
        return (found.st_mtime_ns, found.st_size, found.st_ino)

    def _take(self, keys: tuple[ApiKey, ...]) -> None:
        """Know these keys; who was known keeps what is left of the minute."""
        known: dict[str, Caller] = {}
        for key in keys:
            caller = Caller(name=key.name, models=key.models, per_minute=key.per_minute)
            before = self._known.get(key.sha256)
            known[key.sha256] = before if before == caller else caller
        self._known = known
        self._is_open = self._is_open and not known
