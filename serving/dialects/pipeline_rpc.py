"""Paddle Serving's pipelines over gRPC, for their RPC clients.

Each call becomes a request of `POST /NAME/prediction`, so that keys, limits, deadlines, counts and
the access log are the same. The key is the call's metadata `authorization: Bearer KEY`.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final
from urllib.parse import quote

import grpc
import grpc.aio
import httpx
from google.protobuf.message import DecodeError
from starlette.types import ASGIApp

from serving.dialects.paddle_serving import ANY_NAME, error_number
from serving.engines.pipeline_messages import CALL, SERVICE, Asked, Response, has_more_fields
from serving.listening import PortTaken
from serving.problems import STATUS, cut_off
from serving.rest.body import WHITE_SPACE
from serving.rest.exchange import LINGER_S

PASSED_ON: Final = ("authorization", "x-request-id")
MOST_CALLS: Final = 32
"""At once; each may hold a body that gRPC has received and nothing has counted yet."""
MOST_CONNECTIONS: Final = 256
"""With those over HTTP, 512, fewer than the 1,024 files that a process may usually open."""
MOST_GREETING_MS: Final = 10_000
"""From a connection to its first words."""
MOST_AGE_MS: Final = 60_000
"""Of a connection; its client opens another. Nothing else ends a call whose answer is not taken."""
EXPIRED: Final = STATUS["expired"]
AT_ONCE_S: Final = 0.01
"""Of a call's time: where so little is left it is over, here or by its own clock."""
MOST_FIELDS: Final = 1000
MOST_NAMES: Final = 1000
"""Characters of the name and the keys: they come before whoever asks is known."""
ENVELOPE_BYTES: Final = 4096
"""Of a message, besides its image."""
_UNWRAPPED: Final = str.maketrans("", "", WHITE_SPACE.decode())


class PipelineRpc:
    """A gRPC server before the gateway's application."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        address: str,
        body_bytes: int,
        body_timeout_s: float,
        call_timeout_s: float,
    ) -> None:
        """Listen nowhere yet.

        Args:
            app: What answers.
            address: Host and port.
            body_bytes: Largest message.
            body_timeout_s: Seconds from the begin of a call to its whole message.
            call_timeout_s: Seconds to the end of its answer; so long a connection that has its age
                is left for what it has begun.
        """
        logging.getLogger("httpx").setLevel(logging.WARNING)  # it tells each request's address
        logging.getLogger("grpc._cython.cygrpc").addFilter(_is_ours)
        transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=("rpc", 0))
        self._http = httpx.AsyncClient(transport=transport, base_url="http://localhost")
        self._address = address
        self._body_bytes = body_bytes
        self._body_timeout_s = body_timeout_s
        self._call_timeout_s = call_timeout_s
        self._inside: set[asyncio.Timeout] = set()
        self._until: float | None = None  # a time of the loop: no call may last longer

    async def start(self) -> None:
        """Listen.

        Raises:
            PortTaken: Somebody listens there.
        """
        self._server = grpc.aio.server(
            options=[
                ("grpc.max_receive_message_length", self._body_bytes + ENVELOPE_BYTES),
                ("grpc.max_allowed_incoming_connections", MOST_CONNECTIONS),
                ("grpc.server_handshake_timeout_ms", MOST_GREETING_MS),
                ("grpc.max_connection_age_ms", MOST_AGE_MS),
                ("grpc.max_connection_age_grace_ms", int(self._call_timeout_s * 1000)),
                ("grpc.so_reuseport", 0),
            ],
            maximum_concurrent_rpcs=MOST_CALLS,
        )
        answer = grpc.stream_unary_rpc_method_handler(  # of one message, which may never come
            self._answer,  # which takes the message apart, once its fields are counted
            response_serializer=Response.SerializeToString,
        )
        service = grpc.method_handlers_generic_handler(SERVICE, {CALL: answer})
        self._server.add_generic_rpc_handlers((service,))
        try:
            self._server.add_insecure_port(self._address)
        except RuntimeError:
            raise PortTaken(f"OCRLINE_RPC_PORT: {self._address} is taken") from None
        await self._server.start()

    async def close_at(self, stopping: asyncio.Event, *, drain_s: float) -> None:
        """Wait for the stop; then take no more calls, and give those inside so long to end."""
        await stopping.wait()
        self._until = asyncio.get_running_loop().time() + drain_s
        for stay in self._inside:
            stay.reschedule(self._until)
        await self._server.stop(drain_s + LINGER_S)
        await self._http.aclose()

    async def _answer(
        self, messages: AsyncIterator[bytes], context: grpc.aio.ServicerContext[Any, Any]
    ) -> Any:
        try:
            async with asyncio.timeout_at(self._until) as stay:
                self._inside.add(stay)
                try:
                    return await self._receive(messages, context)
                finally:
                    self._inside.discard(stay)
        except TimeoutError:
            if not stay.expired():
                raise
            problem = cut_off()
            return Response(err_no=error_number(problem.status), err_msg=str(problem))

    async def _receive(
        self, messages: AsyncIterator[bytes], context: grpc.aio.ServicerContext[Any, Any]
    ) -> Any:
        try:
            async with asyncio.timeout(self._body_timeout_s):
                message = await anext(messages, b"")
        except TimeoutError:
            said = f"the message was not complete after {self._body_timeout_s:g} s"
            await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, said)
        return await self._ask(message, context)

    async def _ask(self, message: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        if has_more_fields(message, MOST_FIELDS):
            return _refuse(f"a message of more than {MOST_FIELDS} fields")
        try:
            request = Asked.FromString(message)
        except DecodeError:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the message is damaged")
        if sum(map(len, (request.name, *request.key))) > MOST_NAMES:
            return _refuse(f"name and keys of more than {MOST_NAMES} characters")
        values = [value.translate(_UNWRAPPED) for value in request.value]
        if not all(map(str.isprintable, values)):
            return _refuse("a value with what cannot be printed")
        body = {
            "key": list(request.key),
            "value": values,
            "tensors": ["refused"] * len(request.tensors),
        }
        reply = await self._http.post(
            f"/{quote(request.name or ANY_NAME, safe='')}/prediction",
            content=json.dumps(body, ensure_ascii=False).encode(),
            headers=_headers(context),
            timeout=None,
        )
        answer = reply.json()
        left_s = context.time_remaining()
        if reply.status_code == EXPIRED and left_s is not None and left_s < AT_ONCE_S:
            await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, answer["err_msg"])
        if "error" in answer:  # of a name that is none
            number = error_number(reply.status_code)
            error = answer["error"]  # of KServe, where the name begins with v2/, a text
            said = error["message"] if isinstance(error, dict) else error
            answer = {"err_no": number, "err_msg": said}
        return Response(**answer)


def _is_ours(record: logging.LogRecord) -> bool:
    """Whether this is not of a client that left before it took its answer: a trace for each."""
    return "ExecuteBatchError" not in record.getMessage()


def _refuse(said: str) -> Any:
    number = error_number(STATUS["wrong_fields"])
    return Response(err_no=number, err_msg=f"{said}; send one image in base64")


def _headers(context: "grpc.aio.ServicerContext[Any, Any]") -> dict[str, str]:
    given: Sequence[tuple[str, Any]] = context.invocation_metadata() or ()
    headers = {name: str(value) for name, value in given if name in PASSED_ON}
    left_s = context.time_remaining()
    if left_s is not None:
        headers["x-request-timeout"] = f"{min(max(left_s, 1e-3), 86_400):.3f}"
    return headers
