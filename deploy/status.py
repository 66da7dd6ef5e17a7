"""What of the local stack is up, what runs and waits, and which versions answer."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import httpx
import psutil

from configs.settings import Settings
from deploy.api import PrefectApi
from deploy.background import Service, find_service
from deploy.deployments.memory import read_refused
from deploy.parts import minio, server
from deploy.parts.database import find_database, show_address
from deploy.parts.release import find_of_others, name_release
from deploy.password import read_private
from deploy.runs import Queue, read_queues
from deploy.services import (
    GATEWAYS,
    KEEPER,
    WORKER,
    password_file,
    remembered_endpoint,
    services_folder,
)
from deploy.web import answers
from ocr.errors import OcrError, StoreUnavailable
from ocr.machine.owner import find_owner_at, is_listening
from ocr.store import open_store
from ocr.store.protocol import ASKED_TIMEOUT_S
from ocr.store.state import check_home, meet_store
from tasks.gateway_address import LOOPBACK, may_have_token

PartState = Literal["up", "starting", "down"]
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Part:
    """A part of the stack.

    Attributes:
        name: What it is.
        state: Whether it answers, only lives, or neither.
        address: Where it is; empty: it has none.
        pid: Of its process; 0: it has none.
        started: Seconds since 1970 when that was started; 0: it was not.
    """

    name: str
    state: PartState
    address: str = ""
    pid: int = 0
    started: float = 0.0


@dataclass(frozen=True)
class Model:
    """A model: its champion in the registry, and what a gateway answers with; empty: none.

    Of gateways that do not agree all is ``served``, as in ``v1, v2``. Of a store that is down every
    champion is UNKNOWN.
    """

    name: str
    champion: str
    served: str


@dataclass(frozen=True)
class StackStatus:
    """All that is known of the stack of a home; ``login`` is the file of the UI's password.

    ``warnings`` say why champions are unknown of a store that is up, and of each gateway that is up
    but does not tell, as to our token, why nothing served is known of it.
    """

    home: Path
    parts: list[Part]
    queues: list[Queue]
    models: list[Model]
    login: Path
    warnings: list[str]


def read_status(settings: Settings) -> StackStatus:
    """Look at every part; one that does not answer is said to be down, not waited for.

    Raises:
        OSError: There is no home with the store in it, and none can be made.
    """
    if settings.has_store_at_home and not settings.home.exists():
        services_folder(settings)
    parts = list(read_parts(settings))
    ui = next(part for part in parts if part.name == "Prefect")
    # What answers at the address of one that is down is another home's.
    ours = [part.address for part in parts if part.name == "gateway" and part.state == "up"]
    told = [_ask(settings, address) for address in ours]
    champions, why_unknown = _read_champions(settings, parts[0])
    return StackStatus(
        home=settings.home,
        parts=parts,
        queues=_read_queues(settings, ui),
        models=list(_list_models(champions, (served for served, _ in told))),
        login=password_file(settings),
        warnings=list(
            dict.fromkeys(
                filter(
                    None,
                    (
                        *_warn_of_home(settings.home),
                        *_warn_of_others(settings.home / "services"),
                        *warn_of_refused(settings.home),
                        why_unknown,
                        *(why for _, why in told),
                    ),
                )
            )
        ),
    )


def _warn_of_home(home: Path) -> Iterator[str]:
    try:
        check_home(home)
    except OcrError as error:
        yield str(error)


def _warn_of_others(folder: Path) -> Iterator[str]:
    this = name_release()
    if names := find_of_others(folder, this):
        said = f"{', '.join(names)}: started by another release or other code than {this}"
        yield f"{said}; `ocrline up` starts them anew"


def warn_of_refused(home: Path) -> Iterator[str]:
    """Yield why each project is refused whose deployments stay as they are, in a line."""
    for why in read_refused(home):
        said = f"refused, its deployments stay as they are: {why}"
        yield f"{said}; mend it, then: ocrline deployments apply"


def read_parts(settings: Settings) -> Iterator[Part]:
    """Yield the store, Prefect's server and its database, the worker, gateways and the keeper."""
    folder = settings.home / "services"  # which whoever only looks does not make
    yield _store(settings, folder)
    found = find_service(folder, server.NAME)
    password = read_private(password_file(settings))
    yield _part(
        "Prefect",
        found,
        is_up=bool(found and answers(f"{found.url}/api/admin/version", password=password)),
    )
    database = find_database(settings, folder)
    if database != "sqlite":
        yield Part("database", "up" if found else "down", show_address(database))
    worker = find_service(folder, WORKER)
    yield _part("worker", worker, is_up=worker is not None)
    yield from _gateways(settings, folder)
    keeper = find_service(folder, KEEPER)
    yield _part("keeper", keeper, is_up=keeper is not None)


def _store(settings: Settings, folder: Path) -> Part:
    if minio.is_store(folder, store=settings.store, endpoint=settings.s3_endpoint):
        found = find_service(folder, minio.NAME)
        url = f"{settings.store} at http://{settings.s3_endpoint}"
        up = bool(found and answers(f"{found.url}/minio/health/live"))
        return _part("store", found, is_up=up, address=url)
    return Part("store", "up" if _is_there(settings) else "down", settings.store)


def _is_there(settings: Settings) -> bool:
    """Say whether the store answers anything; a folder is there, or will be made."""
    if not settings.store.startswith("s3://"):
        try:
            meet_store(settings.home, open_store(settings.store))
        except OcrError as error:  # what else there is its champions' line says
            return not isinstance(error, StoreUnavailable)  # its disk is not mounted
        return True
    scheme = "https" if settings.s3_secure else "http"
    try:  # whose certificate it has, the store itself looks at
        address = f"{scheme}://{settings.s3_endpoint}/"
        with httpx.stream("GET", address, timeout=2, trust_env=False, verify=False):  # noqa: S501
            return True
    except (httpx.HTTPError, httpx.InvalidURL):
        return False


def _gateways(settings: Settings, folder: Path) -> Iterator[Part]:
    names = sorted(path.stem for path in folder.glob(f"{GATEWAYS}.json"))
    for name in names:
        found = find_service(folder, name)
        port = int(name.rpartition("-")[2])
        up = bool(found and is_listening(found.pid, port) and answers(f"{found.url}/health/live"))
        yield _part("gateway", found, is_up=up, address=found.url if found else "")
    if not names:
        address = remembered_endpoint(settings)
        yield Part("gateway", "up" if _serves_us(settings, address) else "down", address)


def _serves_us(settings: Settings, address: str) -> bool:
    """Say whether a gateway that this home did not start itself answers, and not for another's."""
    is_here = urlsplit(address).hostname in LOOPBACK
    if is_here and find_owner_at(address, home=settings.home) is None:
        return False
    return bool(address) and answers(f"{address}/health/live")


def _part(name: str, found: Service | None, *, is_up: bool, address: str = "") -> Part:
    if found is None:
        return Part(name, "down", address)
    started = psutil.boot_time() + found.started
    return Part(name, "up" if is_up else "starting", address or found.url, found.pid, started)


def _read_queues(settings: Settings, ui: Part) -> list[Queue]:
    if ui.state != "up":
        return []
    api = PrefectApi(ui.address, read_private(password_file(settings)))
    try:
        return read_queues(api)
    except httpx.HTTPError:
        return []  # it went down while it was asked
    finally:
        api.close()


def _read_champions(settings: Settings, store: Part) -> tuple[dict[str, str] | None, str]:
    """Return the champion of each model; None where they are unknown, and what hinders if said."""
    from tasks.workspace import open_workspace  # it brings half a second of imports

    if store.state != "up" and settings.store.startswith("s3://"):
        return None, ""
    try:
        registry = open_workspace(settings, read_timeout_s=ASKED_TIMEOUT_S).registry
        found = {name: registry.champion(name) for name in registry.names()}
    except (OcrError, OSError) as error:
        return None, str(error)
    return {name: champion.version if champion else "" for name, champion in found.items()}, ""


def _list_models(
    champions: dict[str, str] | None, told: Iterable[dict[str, str]]
) -> Iterator[Model]:
    served: dict[str, list[str]] = {}
    for name, version in (each for models in told for each in models.items()):
        served.setdefault(name, []).append(version)
    otherwise = UNKNOWN if champions is None else ""
    for name in sorted((champions or {}).keys() | served.keys()):
        first, *others = dict.fromkeys(served.get(name, [""]))
        shown = ", ".join(each or "none" for each in (first, *others)) if others else first
        yield Model(name, (champions or {}).get(name, otherwise), shown)


def _ask(settings: Settings, address: str) -> tuple[dict[str, str], str]:
    """Return the version of each model that a gateway serves, and what hinders to know."""
    from tasks.gateway_client import GatewayClient, GatewayUnavailable, TokenRefused  # as above

    token = settings.token if may_have_token(address, settings) else ""
    with GatewayClient(address, token=token) as gateway:
        try:
            return gateway.versions(), ""
        except (GatewayUnavailable, TokenRefused) as error:
            return {}, str(error)
