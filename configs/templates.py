"""Resource templates: what a kind of machine gives, under what a project says itself."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from configs.base import Params
from configs.layers import ConfigError, merge, read_layers
from configs.paddleocr import ENGINES
from configs.training import ResourceParams

TEMPLATES = Path(__file__).parent / "templates"
BATCH_SIZES = {
    "training": "recogniser_batch_size",
    "recogniser": "recogniser_batch_size",
    "detector": "detector_batch_size",
}


class ResourceTemplate(Params):
    """A kind of machine, and how to train on it where a project does not say."""

    description: str = Field(min_length=1, description="What it stands for, in a line")
    resources: ResourceParams = Field(description="What a job runs on")
    gpu_memory_gib: float = Field(
        ge=0, le=1024, description="Memory that each of its GPUs has at least; 0: it has no GPU"
    )
    recogniser_batch_size: int = Field(ge=1, le=4096, description="Lines per step and device")
    detector_batch_size: int = Field(ge=1, le=1024, description="Crops per step and device")
    amp: Literal["off", "O1"] = Field(description="Mixed precision, where net and device allow it")


def load_template(source: str) -> ResourceTemplate:
    """Read a template by name, or a YAML file by path that may extend one.

    Raises:
        ConfigError: There is none, or a key is unknown, missing or out of range.
    """
    values = read_layers(source, TEMPLATES)
    try:
        return ResourceTemplate.model_validate(values)
    except ValidationError as error:
        said = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()]
        raise ConfigError(f"template {source}: {'; '.join(said)}") from None


def lay_under(
    values: Mapping[str, Any], fields: Collection[str], *, defaults_are_stated: bool
) -> dict[str, Any]:
    """Return a project's values with the template that they name under them.

    Args:
        values: As read from YAML or a form, not yet validated.
        fields: Names of the project's fields.
        defaults_are_stated: Whether a value counts that is its field's default: a form sends all.

    Raises:
        ConfigError: See `load_template`.
    """
    merged = dict(values)
    resources = merged.get("resources")
    name = resources.get("template") if isinstance(resources, Mapping) else None
    if not isinstance(resources, Mapping) or not isinstance(name, str) or not name:
        return merged
    template = load_template(name)
    given = template.resources.model_dump(exclude_unset=True)
    own = resources if defaults_are_stated else _stated(resources, ResourceParams)
    merged["resources"] = found = merge(given, own)
    for field in ENGINES.keys() & set(fields):
        training = merged.get(field, {})
        if isinstance(training, Mapping):
            model = ENGINES[field].get(str(training.get("engine", "embedded")), Params)
            own = training if defaults_are_stated else _stated(training, model)
            merged[field] = {**training, **_how_to_train(template, field, found, training), **own}
    return merged


def _stated(values: Mapping[str, Any], model: type[Params]) -> dict[str, Any]:
    """Return the values that are not their field's default."""
    fields = model.model_fields
    return {k: v for k, v in values.items() if k not in fields or v != fields[k].default}


def _how_to_train(
    template: ResourceTemplate,
    field: str,
    resources: Mapping[str, Any],
    training: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the batch size and the precision of a training that states none."""
    is_foreign = training.get("engine") == "paddleocr"
    size = getattr(template, BATCH_SIZES[field])
    for name in ("devices", "nodes"):
        count = resources.get(name, 1)
        if is_foreign and isinstance(count, int):  # whose batch is that of all devices
            size *= count
    can_be_mixed = is_foreign or training.get("net", "compact") == "compact"
    is_mixed = can_be_mixed and resources.get("device") == "gpu"
    return {"batch_size": size} | ({"amp": template.amp} if is_mixed else {})
