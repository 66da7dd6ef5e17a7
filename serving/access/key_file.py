"""API keys: random, kept in a file by their digests alone, each with a name and what it may do."""

import hashlib
import json
import os
import secrets
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ocr.errors import BadInput
from ocr.store.whole import written_whole

PREFIX = "ocr_"
BYTES = 32
"""Of randomness: nobody guesses it, so that a plain digest is enough."""
NAME = r"^[a-z0-9][a-z0-9._-]{0,63}$"


class ApiKey(BaseModel):
    """What is kept of a key."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=NAME)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    created: str
    models: tuple[str, ...] = ()
    per_minute: int = Field(0, ge=0, le=1_000_000)
    mb_per_minute: int = Field(0, ge=0, le=1_000_000)


class KeyFile(BaseModel):
    """The content of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    keys: tuple[ApiKey, ...] = ()


def read_keys(path: Path) -> tuple[ApiKey, ...]:
    """Return the keys of a file; none where there is no file.

    Raises:
        BadInput: It is damaged.
    """
    try:
        return KeyFile.model_validate_json(path.read_bytes()).keys
    except FileNotFoundError:
        return ()
    except (OSError, ValidationError) as error:
        why = str(error).splitlines()[0]
        raise BadInput(f"{path} is no file of API keys: {why}; see `ocrline keys --help`") from None


def add_key(
    path: Path,
    *,
    name: str,
    models: tuple[str, ...] = (),
    per_minute: int = 0,
    mb_per_minute: int = 0,
) -> str:
    """Make a key and keep its digest; return the key, which nobody can find again.

    Raises:
        BadInput: The name is taken or none, or the file is damaged.
    """
    key = PREFIX + secrets.token_urlsafe(BYTES)
    try:
        made = ApiKey(
            name=name,
            sha256=digest(key),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            models=models,
            per_minute=per_minute,
            mb_per_minute=mb_per_minute,
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInput(f"{first['loc'][0]}: {first['input']!r}: {first['msg']}") from None
    path = Path(os.path.realpath(path))  # a link stays one
    with _locked(path):
        keys = read_keys(path)
        if name in {each.name for each in keys}:
            raise BadInput(f"There is a key {name!r}; revoke it first, or choose another name")
        _write(path, (*keys, made))
    return key


def revoke_key(path: Path, name: str) -> None:
    """Forget a key.

    Raises:
        BadInput: There is none of this name, or the file is damaged.
    """
    path = Path(os.path.realpath(path))  # a link stays one
    with _locked(path):
        keys = read_keys(path)
        left = tuple(each for each in keys if each.name != name)
        if len(left) == len(keys):
            known = ", ".join(each.name for each in keys) or "none"
            raise BadInput(f"There is no key {name!r}; there are: {known}")
        _write(path, left)


def is_key(token: str) -> bool:
    """Return whether a token is a key of some gateway: what it may ask, that one's file says."""
    return token.startswith(PREFIX)


def digest(key: str) -> str:
    """Return what is kept of a key."""
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def _write(path: Path, keys: tuple[ApiKey, ...]) -> None:
    """Write keys; whose file it was, and who of its group may read it, stays so."""
    content = KeyFile(keys=keys).model_dump(mode="json")
    before = path.stat() if path.exists() else None
    with written_whole(path) as file:
        os.fchmod(file.fileno(), before.st_mode & 0o640 if before else 0o600)
        if before and not os.geteuid():
            os.fchown(file.fileno(), before.st_uid, before.st_gid)
        file.write(json.dumps(content, indent=1).encode())


def _locked(path: Path) -> FileLock:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return FileLock(path.with_name(f".{path.name}.lock"), timeout=10)
