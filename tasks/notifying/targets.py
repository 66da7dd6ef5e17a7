"""Who is told: notifications.yaml, which nobody else may read."""

import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from configs.people.notifications import EventKind, NotificationFile
from configs.settings import Settings, SettingsError, read_variable
from ocr.errors import BadInput
from tasks.notifying.notice import Notice


@dataclass(frozen=True)
class Target:
    """Somebody who is told; the address holds secrets and never shows."""

    name: str
    url: str = field(repr=False)
    events: tuple[EventKind, ...]
    models: tuple[str, ...]

    def wants(self, notice: Notice) -> bool:
        """Say whether it is told of this."""
        return (not self.events or notice.kind in self.events) and (
            not self.models or notice.name in self.models
        )


@dataclass(frozen=True)
class Targets:
    """Everybody who is told, and the address of the Prefect UI as they reach it."""

    every: tuple[Target, ...]
    address: str


class _Loader(yaml.SafeLoader):
    """Safe YAML with secrets by reference."""

    folder: Path


def targets_path(settings: Settings) -> Path:
    """Return the file that says who is told."""
    return Path(settings.notifications or settings.home / "notifications.yaml")


def read_targets(settings: Settings) -> Targets:
    """Read who is told; nobody where there is no file.

    Raises:
        BadInput: The file, or one that it names, can be read by others, or says what is not known;
            no secret is quoted.
        SettingsError: A variable that it names is not set.
    """
    path = targets_path(settings)
    try:
        if not path.exists():
            return Targets((), "")
    except OSError as error:  # a name too long
        raise BadInput(f"OCRLINE_NOTIFICATIONS names no file: {error.strerror}") from None
    content = _load(path)
    try:
        file = NotificationFile.model_validate(content)
    except ValidationError as error:
        said = "; ".join(
            f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()
        )
        raise BadInput(f"{path}: {said}") from None
    return Targets(
        tuple(
            Target(
                name=each.name or f"{number}: {each.url.partition(':')[0]}",
                url=each.url,
                events=tuple(each.events),
                models=tuple(each.models),
            )
            for number, each in enumerate(file.targets, start=1)
        ),
        file.address.rstrip("/"),
    )


def _load(path: Path) -> Any:
    text = _read_private(path)
    try:
        loader = _Loader(text)
        loader.folder = path.parent
        return loader.get_single_data() or {}
    except yaml.MarkedYAMLError as error:  # its text would quote the file
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        raise BadInput(f"{path} is no YAML, see line {line}") from None
    except (BadInput, SettingsError):
        raise
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # of a date, say
        raise BadInput(f"{path} is no YAML: {type(error).__name__}") from None


def _read_private(path: Path) -> str:
    try:
        said = path.stat().st_mode
        mode = stat.S_IMODE(said)
        if not stat.S_ISREG(said):
            raise BadInput(f"{path} is no plain file")
        if mode & 0o077:
            raise BadInput(f"{path} may be read by others (mode {mode:o}): chmod 600 {path}")
        return path.read_text(encoding="utf-8")
    except BadInput:
        raise
    except (OSError, ValueError) as error:  # no UTF-8, or a NUL in its name
        raise BadInput(f"{str(path)!r} cannot be read: {type(error).__name__}") from None


def _file(loader: _Loader, node: yaml.ScalarNode) -> str:
    return _read_private(loader.folder / str(loader.construct_scalar(node))).strip()


def _variable(loader: _Loader, node: yaml.ScalarNode) -> str:
    return read_variable(str(loader.construct_scalar(node)))


_Loader.add_constructor("!file", _file)
_Loader.add_constructor("!env", _variable)
