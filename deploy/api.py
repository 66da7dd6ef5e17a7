"""Asks the local Prefect server over REST: importing Prefect's client takes seconds."""

import time
from collections.abc import Mapping
from typing import Any

import httpx

TIMEOUT_S = 20
AGAIN = 10
PAUSE_S = 0.5


class PrefectApi:
    """A Prefect server and who asks it.

    Attributes:
        url: Of the server, without ``/api``.
    """

    def __init__(self, url: str, password: str) -> None:
        """Ask the server at an address; ``password`` is ``user:password``."""
        self.url = url
        user, _, secret = password.partition(":")
        self._client = httpx.Client(
            base_url=f"{url}/api", auth=(user, secret), timeout=TIMEOUT_S, trust_env=False
        )

    def get(self, path: str) -> Any:
        """Return the answer to a GET.

        Raises:
            httpx.HTTPError: There was none, or not one of success.
        """
        return self._ask("GET", path, None)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Return the answer to a POST of JSON.

        Raises:
            httpx.HTTPError: There was none, or not one of success.
        """
        return self._ask("POST", path, body)

    def patch(self, path: str, body: Mapping[str, Any]) -> None:
        """Change what is at a path.

        Raises:
            httpx.HTTPError: It was not.
        """
        self._reply("PATCH", path, body)

    def close(self) -> None:
        """Let go of the server."""
        self._client.close()

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        return self._reply(method, path, body).json()

    def _reply(self, method: str, path: str, body: Mapping[str, Any] | None) -> httpx.Response:
        reply = self._client.request(method, path, json=body)
        for _ in range(AGAIN):
            if reply.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                break
            time.sleep(PAUSE_S)  # SQLite was locked: the server asks for another try
            reply = self._client.request(method, path, json=body)
        return reply.raise_for_status()
