"""Asks a gateway which version it serves, and whether it reads as the bundle promised."""

import asyncio
import base64
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from ocr.errors import OcrError, ParityFailed, StoreUnavailable
from ocr.http_answer import AGAIN, PLAIN, parse_answer, take_answer
from ocr.models.golden import prove_lines, prove_pages
from ocr.models.page_line import PageLine

POLL_S = 0.2
BATCH = 8
REQUEST_TIMEOUT_S = 30
GLANCE_S = 5
MOST_TOLD = 4 << 20
"""Bytes of an answer."""
MOST_SHOWN = 100
BUSY_S = 60.0
"""How long a gateway is asked again that says when to come back."""
BUSY = (httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE)
STRANGER = (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN)


class GatewayUnavailable(StoreUnavailable):
    """A gateway that does not answer, or not with the version it should."""


class NotServedThere(OcrError, ValueError):
    """A gateway that will never serve a model, as it was started or with this key."""

    exit_code = 2


class TokenRefused(OcrError, PermissionError):
    """A gateway that does not take our token; retrying cannot help."""

    exit_code = 2


class VersionRefused(ParityFailed):
    """A version that the gateway loaded, tried and will not serve."""


class GatewayClient:
    """One gateway at one address; a context manager that closes its connections.

    Args:
        endpoint: Address without a path, ``http://127.0.0.1:8868``.
        token: Bearer token, empty for none.
    """

    def __init__(self, endpoint: str, *, token: str = "") -> None:
        self.endpoint, self._token = endpoint, token
        headers = {**PLAIN, **({"authorization": f"Bearer {token}"} if token else {})}
        self._http = httpx.AsyncClient(
            base_url=endpoint, headers=headers, timeout=REQUEST_TIMEOUT_S, trust_env=False
        )
        self._loop = asyncio.Runner()

    def __enter__(self) -> "GatewayClient":
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.run(self._http.aclose())
        self._loop.close()

    def check_takes(self, name: str) -> bool:
        """Ask, before there is anything to serve, whether it would be served; False: no answer.

        A gateway of an earlier release does not say, or has no such route.

        Raises:
            NotServedThere: It would not.
            TokenRefused: The gateway does not answer to this token.
        """
        try:
            reply = self._get("/v1/capabilities", timeout_s=GLANCE_S)
            only = parse_answer(reply).get("only") if reply.is_success else None
        except (httpx.HTTPError, ValueError, AttributeError):
            return False
        if isinstance(only, list) and name not in only:
            named = ", ".join(repr(name)[:MOST_SHOWN] for name in only[:5])
            others = f"only {named}{', …' * (len(only) > 5)}" if only else "other models"
            raise NotServedThere(
                f"{self.endpoint} serves {others} to this key, not {name!r}: name it where that "
                "gateway is started (ocrline serve --model, OCRLINE_MODELS), use a key that is for "
                "it, or name another deployment.endpoint"
            )
        return reply.is_success or reply.status_code == httpx.codes.NOT_FOUND

    def wait_until_up(self, *, timeout_s: float) -> None:
        """Wait until the gateway lists its models.

        Raises:
            GatewayUnavailable: It does not in time.
            TokenRefused: It does not to this token.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                self._list()
            except (httpx.HTTPError, ValueError) as error:
                if time.monotonic() > deadline:
                    message = f"{self.endpoint} gives no answer after {timeout_s:.0f} s: {error}"
                    raise GatewayUnavailable(message) from None
            else:
                return
            time.sleep(POLL_S)

    def wait_for(self, name: str, version: str, *, timeout_s: float) -> None:
        """Wait until the gateway serves a version of a model.

        Raises:
            VersionRefused: It has tried the version and will not serve it.
            GatewayUnavailable: It does not in time; the message says what it serves instead.
            TokenRefused: It does not take this token any more.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            model, said = self._describe(name)
            if model.get("version") == version:
                return
            if model.get("is_refused") and model.get("champion") == version:
                raise VersionRefused(f"{self.endpoint} does not serve {name}:{version}: {said}")
            if time.monotonic() > deadline:
                raise GatewayUnavailable(
                    f"{self.endpoint} does not serve {name}:{version} "
                    f"after {timeout_s:.0f} s; it says: {said}"
                )
            time.sleep(POLL_S)

    def versions(self) -> dict[str, str]:
        """Return the version of each model that answers; empty: none of it does yet.

        Raises:
            GatewayUnavailable: It does not answer, or as no gateway does.
            TokenRefused: It does not to this token.
        """
        with self._parsing():
            told = self._list(timeout_s=GLANCE_S)
        return {name: str(model["version"] or "") for name, model in told.items()}

    def engine_of(self, name: str) -> str:
        """Return what runs the nets of a model; empty: it does not say."""
        return str(self._describe(name)[0].get("engine") or "")

    def check_engine(self, name: str, *, engine: str) -> None:
        """Compare what runs the nets of a model.

        Raises:
            GatewayUnavailable: It is something else.
        """
        found = self.engine_of(name)
        if found != engine:
            raise GatewayUnavailable(
                f"{self.endpoint} runs {name} with {found}, asked for {engine}: start it with "
                f"OCRLINE_ENGINE={engine}, or choose another deployment.target"
            )

    def check_golden_lines(self, bundle: Path, *, name: str, version: str) -> int:
        """Send a recogniser's golden images and compare every text.

        Returns:
            How many images there were.

        Raises:
            ParityFailed: A text differs from the golden one, or another version gave it.
            GatewayUnavailable: The gateway does not answer.
        """
        with self._naming(name, version):
            return prove_lines(bundle, partial(self.read_lines, name=name, version=version))

    def check_golden_pages(self, pipeline: Path, *, name: str, version: str) -> int:
        """Send a pipeline's golden pages and compare every line.

        Returns:
            How many pages there were.

        Raises:
            ParityFailed: A line differs from the golden one, or another version read the page.
            GatewayUnavailable: The gateway does not answer.
        """
        with self._naming(name, version):
            return prove_pages(pipeline, partial(self.read_page, name=name, version=version))

    def read_lines(self, images: Sequence[bytes], *, name: str, version: str) -> Iterator[str]:
        """Read encoded images of one line each with a version of a model.

        Raises:
            ParityFailed: Another version answered.
            GatewayUnavailable: The gateway does not answer.
        """
        for start in range(0, len(images), BATCH):
            batch = [_base64(image) for image in images[start : start + BATCH]]
            answer = self._ask("/v1/recognize", {"images": batch}, name=name, version=version)
            with self._parsing():
                texts = [result["text"] for result, _ in zip(answer["results"], batch, strict=True)]
            yield from texts

    def read_page(self, image: bytes, *, name: str, version: str) -> list[PageLine]:
        """Read one encoded page with a version of a pipeline.

        Raises:
            ParityFailed: Another version answered.
            GatewayUnavailable: The gateway does not answer.
        """
        answer = self._ask("/v1/ocr", {"document": _base64(image)}, name=name, version=version)
        with self._parsing():
            (page,) = answer["pages"]
            return [PageLine.from_json(line) for line in page["lines"]]

    def _list(self, *, timeout_s: float = REQUEST_TIMEOUT_S) -> dict[str, dict[str, Any]]:
        told = parse_answer(self._get("/v1/models", timeout_s=timeout_s).raise_for_status())
        try:
            return {str(model["name"]): {"version": None, **model} for model in told["models"]}
        except (KeyError, TypeError):
            raise ValueError(f"{str(told)[:MOST_SHOWN]!r} is no list of models") from None

    def _get(self, path: str, *, timeout_s: float = REQUEST_TIMEOUT_S) -> httpx.Response:
        reply = self._take("GET", path, timeout_s=timeout_s)
        if reply.status_code in STRANGER:
            given = "another OCRLINE_TOKEN than this one" if self._token else "OCRLINE_TOKEN"
            raise TokenRefused(
                f"{self.endpoint} wants {given} ({reply.status_code}): set it to the token of the "
                "gateway, or to a key that `ocrline keys add NAME` prints"
            )
        return reply

    def _take(
        self, method: str, path: str, *, timeout_s: float = REQUEST_TIMEOUT_S, **asked: Any
    ) -> httpx.Response:
        stream = self._http.stream(method, path, **asked)
        return self._loop.run(take_answer(stream, timeout_s=timeout_s, most_bytes=MOST_TOLD))

    def _describe(self, name: str) -> tuple[dict[str, Any], str]:
        """Return what the gateway says of a model, and the same in words."""
        try:
            served = self._list()
        except (httpx.HTTPError, ValueError) as error:
            return {}, f"no answer ({error})"
        if name not in served:
            return {}, f"no model {name!r}, only {sorted(served)}; does it follow another store?"
        model = served[name]
        return model, str(model.get("last_error") or model["version"])

    def _ask(self, path: str, body: dict[str, Any], *, name: str, version: str) -> dict[str, Any]:
        with self._parsing():
            reply = self._post(path, {"model": name}, body)
            answer: dict[str, Any] = parse_answer(reply)
            if "version" not in answer:
                raise ValueError(reply.text[:500])
            answered = answer["version"]
        if answered != version:
            raise ParityFailed(f"Asked {name}:{version}, {name}:{answered} answered")
        return answer

    def _post(self, path: str, query: dict[str, str], body: dict[str, Any]) -> httpx.Response:
        """Ask again while the gateway is busy with its clients, or this one asks too often."""
        until = time.monotonic() + BUSY_S
        while True:
            reply = self._take("POST", path, params=query, json=body)
            wait_s = _wait_s(reply)
            if reply.status_code not in BUSY or time.monotonic() + wait_s > until:
                return reply
            time.sleep(wait_s)

    @contextmanager
    def _parsing(self) -> Iterator[None]:
        try:
            yield
        except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
            raise GatewayUnavailable(f"{self.endpoint} did not answer: {error}") from None

    @contextmanager
    def _naming(self, name: str, version: str) -> Iterator[None]:
        try:
            yield
        except ParityFailed as error:
            raise ParityFailed(f"{name}:{version} at {self.endpoint}: {error}") from None


def _wait_s(reply: httpx.Response) -> float:
    """Return the seconds after which a busy gateway wants to be asked again."""
    given = reply.headers.get(AGAIN, "")
    return float(given) if given.isdecimal() else POLL_S


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
