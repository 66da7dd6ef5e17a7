"""What our processes read from the environment: OCRLINE_*, MINIO_* and PADDLEOCR_HOME."""

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, AliasGenerator, Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


_INSTALLED = Path(__file__).resolve().parents[1]
"""Where `make` was called, which need not be where a command is."""


KEYS_IN_ADDRESS = (
    "An address of a store or dataset holds keys or an @: leave them out; "
    "MINIO_ACCESS_KEY and MINIO_SECRET_KEY hold the keys, MINIO_ENDPOINT the server"
)
_FOLLOWS = "default_factory_not_called"
"""Of a field whose default is made of another one, which is wrong."""
_DENIED = (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR)


class SettingsError(ValueError):
    """Variables that cannot be used; names each with its value and what is allowed."""

    exit_code = 2


def variable_of(field: str) -> str:
    """Return the environment variable that sets a field."""
    if field.startswith("s3_"):
        return f"MINIO_{field.removeprefix('s3_').upper()}"
    if field == "paddleocr_home":
        return "PADDLEOCR_HOME"
    return f"OCRLINE_{field.upper()}"


def read_variable(name: str) -> str:
    """Return a variable that a file of ours names, which keeps a secret out of it.

    Raises:
        SettingsError: It is not set, or no shell could set it: services would not inherit it.
    """
    if not (name.isascii() and name.isidentifier()):
        said = "expected letters, digits and _ of a variable that notifications.yaml asks for"
        raise SettingsError(f"{name!r}: {said}")
    value = os.environ.get(name, "")
    if not value:
        raise SettingsError(f"{name} is not set, and notifications.yaml asks for it")
    return value


def _resolve(path: Path) -> Path:
    try:
        found = path.resolve()
    except RuntimeError:
        raise ValueError("its links lead in a circle, expected a folder") from None
    if os.path.lexists(found) and not found.is_dir():
        raise ValueError("it is no folder; name another one")
    return found


def _refuse_keys(store: str) -> str:
    _, separator, rest = store.partition("://")
    place = rest.partition("/")[0]
    if separator and ("@" in place or (":" in place and "@" in rest)):  # a key may hold a slash
        raise ValueError(KEYS_IN_ADDRESS)
    return store


def _default_store(fields: dict[str, Any]) -> str:
    return f"file://{fields['home'] / 'store'}"


class Settings(BaseSettings):
    """Where this machine keeps things, how it reaches the store, and the gateway's token.

    Each field is the environment variable OCRLINE_<FIELD>, the S3 ones MINIO_<FIELD>; an empty
    variable is an unset one.

    Raises:
        SettingsError: A variable has a value that is not allowed.
    """

    model_config = SettingsConfigDict(
        frozen=True,
        case_sensitive=True,
        env_ignore_empty=True,
        alias_generator=AliasGenerator(validation_alias=variable_of),
    )

    home: Annotated[Path, AfterValidator(_resolve)] = Field(
        Path(".ocrline"), description="Folder of this machine: jobs, copies, services"
    )
    store: Annotated[str, AfterValidator(_refuse_keys)] = Field(
        default_factory=_default_store, description="URI of the store; unset: a folder under home"
    )
    mlflow: str = Field(
        "",
        pattern=r"^(|local|https?://[^@\s]+)$",
        description="Where runs are kept beside each other: local, or http(s)://HOST:PORT of an "
        "MLflow server, without keys; empty: nowhere",
    )
    paddleocr_home: str = Field("", description="PaddleOCR's source tree; empty: there is none")
    paddleocr_python: Annotated[Path, AfterValidator(Path.absolute)] = Field(
        _INSTALLED / ".venv-paddleocr/bin/python",
        description="Interpreter that runs PaddleOCR's tools; unset: that of make "
        "paddleocr-runtime",
    )
    paddle_serving_python: Annotated[Path, AfterValidator(Path.absolute)] = Field(
        _INSTALLED / ".venv-serving/bin/python",
        description="Interpreter that has Paddle Serving; unset: what make serving-runtime made",
    )
    notifications: str = Field(
        "", description="File that says who is told; empty: notifications.yaml under home"
    )
    node_rank: int = Field(
        0, ge=0, description="Which machine of a training on several this is, from 0"
    )
    cpu_runs: int = Field(
        1, ge=1, description="How many runs of the queue cpu, most of them trainings, go on at once"
    )
    engine: Literal["onnxruntime", "paddle", "paddle-serving"] = Field(
        "onnxruntime",
        description="What the gateway runs models with; any other one reads float32 alone",
    )
    database: str = Field(
        "",
        description="Prefect's database: postgresql+asyncpg://USER@HOST:PORT/DATABASE, or sqlite, "
        "the one under home; empty: as at the last start",
    )
    database_password: str = Field("", repr=False, description="Its password; kept under home")
    when_busy: Literal["ENQUEUE", "CANCEL_NEW"] = Field(
        "ENQUEUE",
        description="What a run does while another of this machine trains its model: ENQUEUE, it "
        "waits; CANCEL_NEW, it gives up. Set by what starts runs, as the project says",
    )
    token: str = Field("", repr=False, description="Bearer token of the gateway; empty: none")
    token_for: str = Field(
        "",
        description="Addresses of gateways elsewhere that runs may send the token to, "
        "comma-separated; those of this machine always get it",
    )
    s3_endpoint: str = Field("", description="HOST:PORT of the S3 server")
    s3_access_key: str = Field("", description="Its access key")
    s3_secret_key: str = Field("", repr=False, description="Its secret key")
    s3_region: str = Field("us-east-1", description="Its region")
    s3_secure: bool = Field(False, description="Whether it is reached over TLS")

    def __init__(self) -> None:
        try:
            super().__init__()
        except ValidationError as error:
            faults = [each for each in error.errors() if each["type"] != _FOLLOWS]
            raise SettingsError("; ".join(map(_tell, faults))) from None

    @property
    def has_store_at_home(self) -> bool:
        """Whether the store is a folder of the home: without the one there is not the other."""
        return self.store.startswith(f"file://{self.home}/")


def _tell(fault: "ErrorDetails") -> str:
    name = str(fault["loc"][0])  # a default's is its field's
    variable = name if name.isupper() else variable_of(name)
    before, at, rest = repr(fault["input"]).rpartition("@")  # what stands before it may be keys
    shown = f"…{at}{rest}" if before else rest
    return f"{variable}={shown}: {fault['msg'].removeprefix('Value error, ')}"


def tell_of_home(error: OSError) -> str:
    """Say that the home may not be used as it has to be; nothing: the fault is of another place."""
    if error.errno not in _DENIED or not isinstance(error.filename, str | os.PathLike):
        return ""
    try:
        home, place = Settings().home, Path(error.filename).absolute()
    except SettingsError:
        return ""
    is_there = os.path.exists(home)  # noqa: PTH110 - which raises where nobody may look
    if not place.is_relative_to(home) and (is_there or place not in home.parents):
        return ""
    if error.errno == errno.EROFS:
        fault = f"written ({error.strerror})"
    else:  # it may be for reading
        fault = f"used ({error.strerror}: {place})"
    return f"OCRLINE_HOME {home} cannot be {fault}; name another one"
