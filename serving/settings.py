"""What the gateway reads from the environment besides what every process of ours does."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator
from pydantic_settings import NoDecode

from configs.settings import Settings, variable_of
from ocr.processors import count_processors

Engine = Literal["onnxruntime", "paddle", "paddle-serving"]

MEBIBYTE = 2**20
PASSED_ON = (
    *("HOME", "LANG", "LC_ALL", "PATH", "TMPDIR", "TZ"),
    # Where Paddle Serving's interpreter is a container.
    *("DOCKER_CONTEXT", "DOCKER_HOST", "OCRLINE_PADDLE_SERVING_IMAGE"),
)
"""Variables that processes of the gateway get: no key and no token is among them."""


def _default_keys(fields: dict[str, Any]) -> Path:
    return Path(fields["home"]) / "keys.json"


class ServingSettings(Settings):
    """What one gateway serves, where, and within which limits."""

    models: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Serve only these, comma-separated"
    )
    keys: Annotated[Path, AfterValidator(Path.absolute)] = Field(
        default_factory=_default_keys, description="File of API keys; unset: keys.json under home"
    )
    access_log: str = Field(
        "", description="File of a JSON line a request; -: standard output; unset: none"
    )
    engine: Engine = Field("onnxruntime", description="What runs the models")
    threads: int = Field(
        default_factory=count_processors,
        ge=1,
        le=256,
        description="Processors that a lone request may use; unset: all",
    )
    host: str = Field("127.0.0.1", min_length=1, description="Address to listen on")
    hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Names that lead here, comma-separated; localhost and addresses always may"
    )
    port: int = Field(8868, ge=1, le=65535, description="Port to listen on")
    rpc_port: int = Field(
        0, ge=0, le=65535, description="Port for Paddle Serving's RPC clients; 0: none"
    )
    poll_s: float = Field(0.4, gt=0, le=60, description="Seconds between looks at the champions")
    concurrency: int = Field(
        default_factory=count_processors,
        ge=1,
        le=256,
        description="Processes that read; unset: one for each processor",
    )
    queue: int = Field(32, ge=0, le=10_000, description="Documents waiting; more get a 503")
    crop_queue: int = Field(
        256, ge=0, le=10_000, description="Requests of lines waiting; more get a 503"
    )
    max_body_mb: float = Field(16, gt=0, le=1024, description="Largest request body")
    bodies_mb: float = Field(
        128,
        gt=0,
        le=65_536,
        description="Most of all bodies together, and of all answers",
    )
    max_connections: int = Field(
        512, ge=1, le=65_536, description="Open connections; more get a 503"
    )
    header_timeout_s: float = Field(10, gt=0, le=3600, description="Seconds to receive headers in")
    send_timeout_s: float = Field(
        30, gt=0, le=3600, description="Seconds after which a client that takes no answer is left"
    )
    keep_alive_s: int = Field(
        120, ge=1, le=3600, description="Seconds to keep an idle connection; longer than clients do"
    )
    max_images: int = Field(256, ge=1, le=10_000, description="Most images in one request")
    max_pixels: int = Field(
        20_000_000, ge=1, le=500_000_000, description="Most pixels of one image"
    )
    max_request_pixels: int = Field(
        60_000_000, ge=1, le=2_000_000_000, description="Most pixels of one request's images"
    )
    held_pixels: int = Field(
        600_000_000, ge=1, description="Most pixels of all requests together, of 3 bytes each"
    )
    max_pages: int = Field(20, ge=1, le=1000, description="Most pages of one document")
    pages_timeout_s: float = Field(
        60, gt=0, le=3600, description="Seconds to answer a request in, once its body is there"
    )
    decode_timeout_s: float = Field(
        20, gt=0, le=3600, description="Seconds to decode one page in; its decoder is killed then"
    )
    body_timeout_s: float = Field(30, gt=0, le=3600, description="Seconds to receive a body in")
    drain_s: int = Field(20, ge=0, le=3600, description="Seconds a stopping gateway may finish in")

    @field_validator("models", "hosts", mode="before")
    @classmethod
    def _split_names(cls, value: object) -> object:
        return tuple(re.findall(r"[^,\s]+", value)) if isinstance(value, str) else value

    @field_validator("hosts")
    @classmethod
    def _hold_names_only(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            if not re.fullmatch(r"[\w.-]+", name):
                raise ValueError(
                    f"{name!r} is no name; a port, a scheme or a path is no part of one"
                )
        return value

    @field_validator("bodies_mb")
    @classmethod
    def _hold_one_body(cls, value: float, info: ValidationInfo) -> float:
        if value < info.data.get("max_body_mb", 0):
            raise ValueError(f"less than OCRLINE_MAX_BODY_MB={info.data['max_body_mb']:g}")
        return value

    @field_validator("held_pixels")
    @classmethod
    def _hold_one_request(cls, value: int, info: ValidationInfo) -> int:
        for variable in ("max_pixels", "max_request_pixels"):
            if value < info.data.get(variable, 0):
                raise ValueError(f"less than {variable_of(variable)}={info.data[variable]}")
        return value

    @property
    def names(self) -> frozenset[str]:
        """Names that lead here, in small letters."""
        return frozenset(name.lower() for name in ("localhost", self.host, *self.hosts))

    @property
    def max_body_bytes(self) -> int:
        """Largest request body."""
        return int(self.max_body_mb * MEBIBYTE)
