"""Asks a gateway which version it serves, and whether it reads as the bundle promised."""

import base64
import time
from pathlib import Path
from typing import Any

import httpx

from ocr.errors import ParityFailed, StoreUnavailable
from ocr.models.golden_outputs import read_golden_outputs
from ocr.models.golden_pages import compare_page
from ocr.models.page_line import PageLine
from ocr.models.pipeline import read_golden_pages

POLL_S = 0.2
BATCH = 8
REQUEST_TIMEOUT_S = 30
BUSY_TRIES = 50


class GatewayUnavailable(StoreUnavailable):
    """A gateway that does not answer, or not with the version it should."""


class VersionRefused(ParityFailed):
    """A version that the gateway loaded, tried and will not serve."""


class GatewayClient:
    """One gateway at one address; a context manager that closes its connections.

    Args:
        endpoint: Address without a path, ``http://127.0.0.1:8868``.
        token: Bearer token, empty for none.
    """

    def __init__(self, endpoint: str, *, token: str = "") -> None:
        self._endpoint = endpoint
        headers = {"authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.Client(
            base_url=endpoint, headers=headers, timeout=REQUEST_TIMEOUT_S, trust_env=False
        )

    def __enter__(self) -> "GatewayClient":
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def wait_for(self, name: str, version: str, *, timeout_s: float) -> None:
        """Wait until the gateway serves a version of a model.

        Raises:
            VersionRefused: It has tried the version and will not serve it.
            GatewayUnavailable: It does not in time; the message says what it serves instead.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            model, said = self._describe(name)
            if model.get("version") == version:
                return
            if model.get("is_refused") and model.get("champion") == version:
                raise VersionRefused(f"{self._endpoint} does not serve {name}:{version}: {said}")
            if time.monotonic() > deadline:
                raise GatewayUnavailable(
                    f"{self._endpoint} does not serve {name}:{version} "
                    f"after {timeout_s:.0f} s; it says: {said}"
                )
            time.sleep(POLL_S)

    def check_golden(self, bundle: Path, *, name: str, version: str) -> int:
        """Send a bundle's golden images and compare every answer; return how many there were.

        Raises:
            ParityFailed: An answer differs from the golden one, or another version gave it.
            GatewayUnavailable: The gateway does not answer.
        """
        golden = read_golden_outputs(bundle)
        for start in range(0, len(golden), BATCH):
            batch = golden[start : start + BATCH]
            answer = self._recognise(name, [one.image.read_bytes() for one in batch])
            _check_version(answer, name=name, version=version)
            for one, result in zip(batch, answer["results"], strict=True):
                if result["text"] != one.text:
                    raise ParityFailed(
                        f"{name}:{version} was exported reading {one.text!r}, "
                        f"but {self._endpoint} reads {result['text']!r}"
                    )
        return len(golden)

    def check_golden_pages(self, pipeline: Path, *, name: str, version: str) -> int:
        """Send a pipeline's golden pages and compare every line; return how many pages there were.

        Raises:
            ParityFailed: A line differs from the golden one, or another version read the page.
            GatewayUnavailable: The gateway does not answer.
        """
        golden = read_golden_pages(pipeline)
        for page in golden:
            found = self.read_page(page.image.read_bytes(), name=name, version=version)
            try:
                compare_page(page, found)
            except ParityFailed as error:
                raise ParityFailed(f"{name}:{version} at {self._endpoint}: {error}") from None
        return len(golden)

    def read_page(self, image: bytes, *, name: str, version: str) -> list[PageLine]:
        """Read one encoded image with a version of a pipeline.

        Raises:
            ParityFailed: Another version answered.
            GatewayUnavailable: The gateway does not answer.
        """
        answer = self._ask("/v1/ocr", {"model": name}, {"document": _base64(image)})
        _check_version(answer, name=name, version=version)
        try:
            (page,) = answer["pages"]
            return [
                PageLine(
                    polygon=tuple((float(x), float(y)) for x, y in line["polygon"]),
                    text=line["text"],
                    confidence=line["confidence"],
                )
                for line in page["lines"]
            ]
        except (ValueError, KeyError, TypeError) as error:
            raise GatewayUnavailable(f"{self._endpoint} did not answer: {error!r}") from None

    def _describe(self, name: str) -> tuple[dict[str, Any], str]:
        """Return what the gateway says of a model, and the same in words."""
        try:
            models = self._http.get("/v1/models").raise_for_status().json()
            served = {model["name"]: model for model in models["models"]}
        except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
            return {}, f"no answer ({error})"
        if name not in served:
            return {}, f"no model {name!r}, only {sorted(served)}"
        model = served[name]
        return model, str(model.get("last_error") or model["version"])

    def _recognise(self, name: str, images: list[bytes]) -> dict[str, Any]:
        answer = self._ask(
            "/v1/recognize", {"model": name}, {"images": [_base64(image) for image in images]}
        )
        if len(answer.get("results", ())) != len(images):
            raise GatewayUnavailable(f"{self._endpoint} gave an answer of another form")
        return answer

    def _ask(self, path: str, query: dict[str, str], body: dict[str, Any]) -> dict[str, Any]:
        try:
            reply = self._post(path, query, body)
            answer: dict[str, Any] = reply.json()
            if "version" not in answer:
                raise ValueError(reply.text[:500])
        except (httpx.HTTPError, ValueError, TypeError) as error:
            raise GatewayUnavailable(f"{self._endpoint} did not answer: {error}") from None
        return answer

    def _post(self, path: str, query: dict[str, str], body: dict[str, Any]) -> httpx.Response:
        """Ask again while the gateway is busy with its clients."""
        for _ in range(BUSY_TRIES):
            reply = self._http.post(path, params=query, json=body)
            if reply.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                break
            time.sleep(POLL_S)
        return reply


def _check_version(answer: dict[str, Any], *, name: str, version: str) -> None:
    if answer["version"] != version:
        raise ParityFailed(f"Asked {name}:{version}, {name}:{answer['version']} answered")


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
