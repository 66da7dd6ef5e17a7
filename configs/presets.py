"""Layered YAML presets: base, then domain, then project, then the command line's --set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from reprlib import Repr
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from configs.base import Params, hide_keys
from configs.layers import ConfigError as ConfigError
from configs.layers import lay_over, merge, read_layers, read_yaml
from configs.operation.project import OperationParams
from configs.paddleocr import ENGINE_NAMES, ENGINES
from configs.retrain import HAS_TEMPLATE, RetrainLinesParams, RetrainPagesParams
from configs.templates import lay_under

ProjectParams = RetrainLinesParams | RetrainPagesParams

TASKS: dict[str, type[ProjectParams]] = {
    "recognition": RetrainLinesParams,
    "pages": RetrainPagesParams,
}
PRESETS = Path(__file__).parent / "presets"
SHOWN = 60
SHORT = Repr()
"""Of what was given as much as fits a line, however deep or long it is."""
SHORT.maxlevel, SHORT.maxstring, SHORT.maxother = 2, SHOWN, SHOWN
ModelT = TypeVar("ModelT", bound=Params)


@dataclass(frozen=True)
class Project:
    """What a YAML file says: what a run is told, and when runs start."""

    params: ProjectParams
    operation: OperationParams


class _Operated(Params):
    """The part of a YAML file that no run is told."""

    operation: OperationParams = OperationParams()


def load_params(source: str, *, overrides: Sequence[str] = ()) -> ProjectParams:
    """Read what a run of a project is told; arguments and errors are those of `load_project`."""
    return load_project(source, overrides=overrides).params


def load_project(source: str, *, overrides: Sequence[str] = ()) -> Project:
    """Read a preset by name, or a YAML file by path, and apply ``a.b=c`` overrides.

    Args:
        source: Name of a preset (``demo``) or path of a YAML file; its ``extends`` key names
            the layer below it, its ``task`` key what it reads: recognition or pages, its
            ``resources.template`` what gives the resources that none of them states, its
            ``operation`` when runs start.
        overrides: ``key.path=value`` pairs; values are read as YAML.

    Raises:
        ConfigError: The file is missing or not a mapping, or a key is unknown, of the wrong type
            or out of range.
    """
    given: dict[str, Any] = {}
    for override in overrides:
        try:
            given = merge(given, parse_override(override))
        except RecursionError:
            raise ConfigError(f"--set {override[:SHOWN]!r}: nested too deep") from None
    values = lay_over(read_layers(source, PRESETS), given)
    task = values.pop("task", "recognition")
    if not isinstance(task, str) or task not in TASKS:
        raise ConfigError(f"task: {task!r} is not allowed; expected one of {', '.join(TASKS)}")
    operated = {key: values.pop(key) for key in _Operated.model_fields if key in values}
    operation = _validate(_Operated, operated).operation
    values = lay_under(values, TASKS[task].model_fields, defaults_are_stated=True)
    return Project(_validate(TASKS[task], values), operation)


def _validate(model: type[ModelT], values: dict[str, Any]) -> ModelT:
    try:
        return model.model_validate(values, context=HAS_TEMPLATE)
    except ValidationError as error:
        said = [describe(item) + _suggest(item, model) for item in error.errors()]
        raise ConfigError("\n".join(said)) from None


def describe(error: ErrorDetails) -> str:
    """Say in one line which key is wrong, what it held and what is allowed."""
    path = ".".join(_named(error))
    if error["type"] in ("union_tag_invalid", "union_tag_not_found"):
        given = error["ctx"].get("tag")  # not found: it was null
        return f"{path}.engine: {given!r} is not allowed; expected one of {', '.join(ENGINE_NAMES)}"
    if error["type"] == "value_error" and isinstance(error["input"], Mapping):
        return f"{path}: {error['ctx']['error']}" if path else str(error["ctx"]["error"])
    path = path or "the file"
    if error["type"] == "extra_forbidden":
        return f"{path}: unknown key"
    if error["type"] == "missing":
        return f"{path}: missing"
    given = error["input"]
    shown = SHORT.repr(hide_keys(given) if isinstance(given, str) else given)
    said = _lower_first(error["msg"].removeprefix("Value error, "))
    return f"{path}: {shown} is not allowed; {said}"


def _suggest(error: ErrorDetails, model: type[BaseModel]) -> str:
    """Say which key may have been meant by an unknown one."""
    if error["type"] != "extra_forbidden":
        return ""
    engines: Mapping[str, type[BaseModel]] = {}
    for part in map(str, error["loc"][:-1]):
        if part.isdigit():
            continue
        if part in engines:
            model = engines[part]
            continue
        engines = ENGINES.get(part, {})
        annotation = model.model_fields[part].annotation
        each = (annotation, *get_args(annotation))  # of a list: its items
        models = (one for one in each if isinstance(one, type) and issubclass(one, BaseModel))
        model = next(models, model)  # of an engine: the next part says which
    *parents, wrong = _named(error)
    close = get_close_matches(wrong, model.model_fields, n=1)
    if close:
        return f"; did you mean {'.'.join([*parents, close[0]])}?"
    return f"; allowed here: {', '.join(model.model_fields)}"


def _named(error: ErrorDetails) -> list[str]:
    """Return the parts of a key's path as a user writes it: an engine is none of them."""
    path = [str(part) for part in error["loc"]]
    unknown = [path.pop()] if error["type"] == "extra_forbidden" else []  # as the user spelt it
    return [*path[:1], *(part for part in path[1:] if part not in ENGINE_NAMES), *unknown]


def _lower_first(message: str) -> str:
    return message[0].lower() + message[1:]


def parse_override(override: str) -> dict[str, Any]:
    """Read `key.path=value`, as `--set` takes it, to nested keys.

    Raises:
        ConfigError: It is none.
    """
    path, separator, text = override.partition("=")
    if not separator or not path.strip("."):
        raise ConfigError(f"--set {override!r}: expected key.path=value")
    try:
        value = read_yaml(text) if text else ""
    except yaml.YAMLError:
        value = text
    except ValueError as error:
        raise ConfigError(f"--set {override[:SHOWN]!r}: {error}") from None
    *parents, key = path.split(".")
    values: dict[str, Any] = {key: value}
    for parent in reversed(parents):
        values = {parent: values}
    return values
