"""Who asks: by the token or a key of the request, with what that key may do."""

import hmac
import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ocr.errors import BadInput
from serving.access.allowance import Allowance
from serving.access.key_file import ApiKey, digest, is_key, read_keys
from serving.problems import Problem

LOG = logging.getLogger("ocrline.serving")

LOOK_S = 1.0
"""How old what is known of the file may be: a key that is revoked works for so long."""
MEGABYTE = 10**6


class Caller:
    """Who asks, and how much is left of what they may in a minute."""

    def __init__(
        self,
        name: str = "",
        models: tuple[str, ...] = (),
        *,
        per_minute: int = 0,
        mb_per_minute: int = 0,
    ) -> None:
        """Begin with a minute's worth.

        Args:
            name: Of the key; empty: nobody has to say who asks.
            models: Which may be asked; none: all.
            per_minute: Requests that read; 0: any number.
            mb_per_minute: Megabytes of their bodies; 0: any number.
        """
        self.name = name
        self.models = models
        self._requests = Allowance(per_minute, what="ask {per_minute} times")
        self._bytes = Allowance(mb_per_minute * MEGABYTE, what="send {per_minute} bytes")

    def may_the_same(self, other: "Caller") -> bool:
        """Whether another has the same name and may do the same."""
        return self._rights() == other._rights()

    def spend(self) -> None:
        """Take one request off what may be asked.

        Raises:
            Problem: Nothing is left for now.
        """
        self._requests.take(1, name=self.name)

    @contextmanager
    def body(self, declared: int, *, most: int) -> Iterator[Callable[[int], None]]:
        """Take a body off what may be sent, before it comes; what does not come is given back.

        Args:
            declared: Its bytes; 0: nobody says, and it is taken for as large as may be.
            most: Bytes of the largest body.

        Yields:
            What is told how much came of it, each time.

        Raises:
            Problem: Too little is left for now; or it has more bytes than a minute's worth, and
                could never be sent, however long it waits. What is yielded raises so as well.
        """
        self._check_body(declared)
        taken = declared or min(most, self._bytes.per_minute)
        self._bytes.take(taken, name=self.name)
        received = 0

        def note(count: int) -> None:
            nonlocal received
            received += count
            self._check_body(received)

        try:
            yield note
        finally:
            self._bytes.give_back(max(taken - received, 0))

    def admit(self, model: str) -> None:
        """Let a model be asked; none is named: one of those that may be.

        Raises:
            Problem: Not with this key.
        """
        if self.models and model and model not in self.models:
            raise Problem("forbidden", f"The key {self.name} is for {', '.join(self.models)} only")

    def describe(self) -> dict[str, object]:
        """Return what whoever asks may know of the key."""
        return {
            "name": self.name,
            "models": list(self.models),
            "per_minute": self._requests.per_minute,
            "mb_per_minute": self._bytes.per_minute // MEGABYTE,
        }

    def _check_body(self, count: int) -> None:
        most = self._bytes.per_minute
        if most and count > most:
            message = f"The key {self.name} may send {most} bytes a minute, and this body has more"
            raise Problem("body_too_large", message)

    def _rights(self) -> tuple[object, ...]:
        return self.name, self.models, self._requests.per_minute, self._bytes.per_minute


class Callers:
    """Everybody who may ask; the file of keys is read again when it changes.

    A file that is damaged later changes nothing: those who were known stay known until it can be
    read, which is tried at each look. Where somebody
    had to say who asks, everybody has to, even when the last key is revoked: an empty file stays.
    """

    def __init__(self, *, token: str, keys: Path, is_open: bool = True) -> None:
        """Read the keys.

        Args:
            token: One that may ask anything, unless it is a key; empty: there is none.
            keys: Their file; it need not be there.
            is_open: Whether anybody may ask as long as there is neither token nor key.

        Raises:
            BadInput: It is damaged.
        """
        self._token = digest(token) if token and not is_key(token) else ""
        self._path = keys
        self._known: Mapping[str, Caller] = {}
        self._anybody = Caller()
        self._is_open = is_open and not token
        self._fault = ""  # of the file, as it was told
        self._stamp = self._look()
        self._take(read_keys(keys))
        self._looked = time.monotonic()

    def find(self, authorization: str) -> Caller | None:
        """Return who sent this header; None: somebody who may not ask."""
        self._refresh()
        if self._is_open:
            return self._anybody
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
        try:
            keys = read_keys(self._path)
        except BadInput as error:
            if str(error) != self._fault:
                LOG.error("%s; the keys of before stay until it can be read", error)
            self._fault = str(error)
            return
        self._fault, self._stamp = "", stamp
        self._take(keys)

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
            caller = Caller(
                key.name, key.models, per_minute=key.per_minute, mb_per_minute=key.mb_per_minute
            )
            before = self._known.get(key.sha256)
            known[key.sha256] = before if before and before.may_the_same(caller) else caller
        self._known = known
        self._is_open = self._is_open and not (known or self._stamp)
