"""Where models, their versions and aliases lie in a store, and what they may be called."""

import re

from ocr.errors import BadInput

NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")


def model_key(name: str) -> str:
    """Return the folder of a model; BadInput where it cannot be called so."""
    return f"models/{_checked(name)}"


def version_key(name: str, version: str) -> str:
    """Return the folder of a version; BadInput where it cannot be called so."""
    if version == "aliases":
        raise BadInput("No version may be called 'aliases'")
    return f"{model_key(name)}/{_checked(version)}"


def alias_key(name: str, alias: str) -> str:
    """Return the object of an alias; BadInput where it cannot be called so."""
    return f"{model_key(name)}/aliases/{_checked(alias)}.json"


def _checked(name: str) -> str:
    if not NAME.match(name):
        expected = "expected letters, digits, '.', '_' and '-'; as in plates@champion"
        raise BadInput(f"Name {name!r}: {expected}")
    return name
