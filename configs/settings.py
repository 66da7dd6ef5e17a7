"""The environment of the line's processes, read in one place."""

import os
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """Where this machine keeps things and how it reaches the store."""

    home: Path
    store: str
    s3_endpoint: str
    s3_access_key: str
    s3_secret_key: str = field(repr=False)
    s3_region: str
    s3_secure: bool
    token: str = field(repr=False)


def read_settings() -> Settings:
    """Read OCRLINE_* and MINIO_* from the environment; an empty variable counts as unset."""
    home = Path(_read("OCRLINE_HOME", ".ocrline")).resolve()
    return Settings(
        home=home,
        store=_read("OCRLINE_STORE", f"file://{home / 'store'}"),
        s3_endpoint=_read("MINIO_ENDPOINT", ""),
        s3_access_key=_read("MINIO_ACCESS_KEY", ""),
        s3_secret_key=_read("MINIO_SECRET_KEY", ""),
        s3_region=_read("MINIO_REGION", "us-east-1"),
        s3_secure=_read("MINIO_SECURE", "false").lower() in ("1", "true", "yes", "on"),
        token=_read("OCRLINE_TOKEN", ""),
    )


def _read(name: str, default: str) -> str:
    return os.environ.get(name) or default
