"""What a stack keeps from start to start, in a file of its home."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from ocr.store.whole import written_whole

FILE = "stack.json"
Port = Annotated[int, Field(ge=0, le=65_535)]


@dataclass(frozen=True)
class StackMemory:
    """What the last start chose.

    Attributes:
        port: Of Prefect's server; 0: there was none. Runs that are under way ask it there, so a
            server that comes back has to have it again.
        database: Where it keeps runs, without a password; empty: there was none.
        has_minio: Whether the store is a MinIO server of this home.
        minio_port: Of that server.
        engines: What runs the nets of each gateway, by the name of its service.
    """

    port: Port = 0
    database: str = ""
    has_minio: bool = False
    minio_port: Port = 0
    engines: dict[str, str] = field(default_factory=dict)


def read_memory(folder: Path) -> StackMemory:
    """Read what a folder of services remembers; of a file that is damaged, nothing."""
    try:
        return TypeAdapter(StackMemory).validate_json((folder / FILE).read_bytes())
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError, ValidationError):
        return StackMemory()


def write_memory(folder: Path, memory: StackMemory) -> None:
    """Replace what a folder remembers, as a whole."""
    with written_whole(folder / FILE) as content:
        content.write(json.dumps(asdict(memory)).encode())
