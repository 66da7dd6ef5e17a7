"""Asks a gateway which version it serves, and whether it reads as the bundle promised."""

import base64
import time
from pathlib import Path
from typing import Any

import httpx

from ocr.errors import ParityFailed, StoreUnavailable
from ocr.golden_outputs import read_golden_outputs

POLL_S = 0.2
BATCH = 8
REQUEST_TIMEOUT_S = 30
BUSY_TRIES = 50


class GatewayUnavailable(StoreUnavailable):
    """A gateway that does not answer, or not with the version it should."""


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
            GatewayUnavailable: It does not in time; the message says what it serves instead.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            said = self._describe(name)
            if said == version:
                return
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
            if answer["version"] != version:
                raise ParityFailed(f"Asked {name}:{version}, {name}:{answer['version']} answered")
            for one, result in zip(batch, answer["results"], strict=True):
                if result["text"] != one.text:
                    raise ParityFailed(
                        f"{name}:{version} was exported reading {one.text!r}, "
                        f"but {self._endpoint} reads {result['text']!r}"
                    )
        return len(golden)

    def _describe(self, name: str) -> str:
        try:
            models = self._http.get("/v1/models").raise_for_status().json()
            served = {model["name"]: model for model in models["models"]}
        except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
            return f"no answer ({error})"
        if name not in served:
            return f"no model {name!r}, only {sorted(served)}"
        model = served[name]
        return str(model.get("last_error") or model["version"])

    def _recognise(self, name: str, images: list[bytes]) -> dict[str, Any]:
        body = {"images": [base64.b64encode(image).decode() for image in images]}
        try:
            reply = self._post(name, body)
            answer: dict[str, Any] = reply.raise_for_status().json()
            if len(answer["results"]) != len(images) or "version" not in answer:
                raise ValueError("an answer of another form")
        except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
            raise GatewayUnavailable(f"{self._endpoint} did not answer: {error}") from None
        return answer

    def _post(self, name: str, body: dict[str, list[str]]) -> httpx.Response:
        """Ask again while the gateway is busy with its clients."""
        for _ in range(BUSY_TRIES):
            reply = self._http.post("/v1/recognize", params={"model": name}, json=body)
            if reply.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                break
            time.sleep(POLL_S)
        return reply
