"""The gateway's parameters, read from the environment in one place."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from ocr.errors import BadInput
from ocr.store import S3Credentials

Engine = Literal["onnxruntime", "paddle"]

MEBIBYTE = 2**20


class ServingSettings(BaseModel):
    """What one gateway serves, where, and within which limits.

    Each field is the environment variable OCRLINE_<FIELD>, the S3 ones MINIO_<FIELD>.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    home: Path = Field(
        Path(".ocrline"), description="Folder of this machine; bundles are kept here"
    )
    store: str = Field("", description="Where the registry is; empty: the store under home")
    models: tuple[str, ...] = Field((), description="Serve only these, comma-separated")
    engine: Engine = Field("onnxruntime", description="What runs the models")
    threads: int = Field(1, ge=1, le=256, description="Threads inside one inference")
    host: str = Field("127.0.0.1", min_length=1, description="Address to listen on")
    port: int = Field(8868, ge=1, le=65535, description="Port to listen on")
    token: str = Field("", repr=False, description="Bearer token to ask for; empty: none")
    poll_s: float = Field(0.4, gt=0, le=60, description="Seconds between looks at the champions")
    concurrency: int = Field(
        os.cpu_count() or 1, ge=1, le=256, description="Requests recognised at the same time"
    )
    queue: int = Field(32, ge=0, le=10_000, description="Requests waiting; more get a 503")
    max_body_mb: float = Field(16, gt=0, le=1024, description="Largest request body")
    max_images: int = Field(256, ge=1, le=10_000, description="Most images in one request")
    max_pixels: int = Field(
        20_000_000, ge=1, le=500_000_000, description="Most pixels of one image"
    )
    max_request_pixels: int = Field(
        60_000_000, ge=1, le=2_000_000_000, description="Most pixels of one request's images"
    )
    max_pages: int = Field(20, ge=1, le=1000, description="Most pages of one document")
    pages_timeout_s: float = Field(
        60, gt=0, le=3600, description="Seconds to read the pages of one document in"
    )
    body_timeout_s: float = Field(30, gt=0, le=3600, description="Seconds to receive a body in")
    drain_s: int = Field(20, ge=0, le=3600, description="Seconds a stopping gateway may finish in")
    s3_endpoint: str = Field("", description="HOST:PORT of the S3 server")
    s3_access_key: str = Field("", description="Its access key")
    s3_secret_key: str = Field("", repr=False, description="Its secret key")
    s3_region: str = Field("us-east-1", description="Its region")
    s3_secure: bool = Field(False, description="Whether it is reached over TLS")

    @field_validator("models", mode="before")
    @classmethod
    def _split_names(cls, value: object) -> object:
        return tuple(re.findall(r"[^,\s]+", value)) if isinstance(value, str) else value

    @property
    def store_uri(self) -> str:
        """The store of the registry."""
        return self.store or f"file://{self.home.resolve() / 'store'}"

    @property
    def s3(self) -> S3Credentials | None:
        """How to reach the S3 server, if one is named."""
        return S3Credentials.of(self) if self.s3_endpoint else None

    @property
    def max_body_bytes(self) -> int:
        """Largest request body."""
        return int(self.max_body_mb * MEBIBYTE)


def read_settings(environment: Mapping[str, str] = os.environ) -> ServingSettings:
    """Read the settings; an empty variable is an unset one.

    Raises:
        BadInput: A variable has a value that is not allowed; the message names each.
    """
    variables = {field: variable_of(field) for field in ServingSettings.model_fields}
    given = {
        field: environment[variable]
        for field, variable in variables.items()
        if environment.get(variable)
    }
    try:
        return ServingSettings.model_validate(given)
    except ValidationError as error:
        lines = [
            f"{variables[str(item['loc'][0])]}={item['input']!r}: {item['msg']}"
            for item in error.errors()
        ]
        raise BadInput("; ".join(lines)) from None


def variable_of(field: str) -> str:
    """Return the environment variable that sets a field."""
    if field.startswith("s3_"):
        return f"MINIO_{field.removeprefix('s3_').upper()}"
    return f"OCRLINE_{field.upper()}"
