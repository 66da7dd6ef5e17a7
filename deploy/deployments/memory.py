"""What was applied on this machine, and what was refused, kept in a file of its home."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from ocr.errors import BadData
from ocr.store.whole import written_whole

FILE = "deployments.json"
MOST_SAID = 1000

Names = Mapping[str, Sequence[str]]
"""The presets and YAML files that were applied, oldest first, and the deployments of each."""


def read_remembered(home: Path) -> Names:
    """Return what was applied.

    Raises:
        BadData: The file that names it is damaged.
    """
    path = home / FILE
    if not path.exists():
        return {}
    try:
        said = json.loads(path.read_text(encoding="utf-8"))["projects"]
        if isinstance(said, list):  # as releases wrote it that did not know which were of whom
            return {str(source): [] for source in said}
        return {source: [str(name) for name in names] for source, names in said.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadData(f"{path} is damaged: {error!r}; remove it, and apply each project") from None


def read_refused(home: Path) -> list[str]:
    """Return why each project that was refused last was; of a damaged file, nothing."""
    try:
        said = json.loads((home / FILE).read_text(encoding="utf-8"))
        return [str(why) for why in said.get("refused", ())]
    except (OSError, ValueError, AttributeError, TypeError):
        return []


def shorten(why: str) -> str:
    """Return a reason as it may be kept and shown: in a line, not too long, without passwords."""
    said = re.sub(r"://[^/@\s]*@", "://…@", " ".join(why.split()))
    return said if len(said) <= MOST_SAID else f"{said[:MOST_SAID]}…"


def remember(home: Path, names: Names, refused: Sequence[str] = ()) -> None:
    """Keep what was applied, and why other projects were refused."""
    with written_whole(home / FILE) as file:
        said = {"projects": names, "refused": [shorten(why) for why in refused]}
        file.write(json.dumps(said, indent=1).encode())
