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
    """Read OCRLINE_* and MINIO_* from the environment."""
    home = Path(os.environ.get("OCRLINE_HOME", ".ocrline")).resolve()
    return Settings(
        home=home,
        store=os.environ.get("OCRLINE_STORE", f"file://{home / 'store'}"),
        s3_endpoint=os.environ.get("MINIO_ENDPOINT", ""),
        s3_access_key=os.environ.get("MINIO_ACCESS_KEY", ""),
        s3_secret_key=os.environ.get("MINIO_SECRET_KEY", ""),
        s3_region=os.environ.get("MINIO_REGION", "us-east-1"),
        s3_secure=os.environ.get("MINIO_SECURE", "false").lower() == "true",
        token=os.environ.get("OCRLINE_TOKEN", ""),
    )
