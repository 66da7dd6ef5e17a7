"""The gateway: serves every champion of a registry over REST."""

import asyncio
import gc
import logging
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from itertools import chain
from typing import Final

import uvicorn
from fastapi import APIRouter, FastAPI
from starlette.exceptions import HTTPException

from configs.settings import SettingsError
from ocr.decoding.decoders import Decoders
from ocr.errors import ProcessDied, StoreUnavailable
from ocr.models.registry import Registry
from ocr.store import S3Credentials, open_store
from ocr.store.state import check_home, check_store
from serving.access.access_log import AccessLog
from serving.access.callers import Callers
from serving.access.key_file import is_key, read_keys
from serving.decoding.page_feed import PageFeed
from serving.dialects.asking import Asking
from serving.dialects.kserve import SERVER, kserve_routes, refuse_metadata
from serving.dialects.paddle_serving import (
    PREDICTION,
    paddle_serving_routes,
    refuse_prediction,
)
from serving.dialects.paddlex import OCR, paddlex_routes, refuse_ocr
from serving.listening import check_port
from serving.log import begin_log
from serving.metrics import ServingMetrics
from serving.models.champion_follower import ChampionFollower
from serving.models.loading import Loader
from serving.models.model_pool import ModelPool
from serving.problems import Problem
from serving.rest.body import Limits
from serving.rest.budget import Budget
from serving.rest.capacity import Capacity
from serving.rest.crops import CropReader, crop_endpoint, crop_routes
from serving.rest.documents.reader import DocumentReader
from serving.rest.documents.routes import DocumentEndpoint, document_routes
from serving.rest.edge import Edge, Entrance
from serving.rest.fast_path import FastPath
from serving.rest.head import HeadAsGet
from serving.rest.http.connection import ConnectionLimits, limit_connections
from serving.rest.http.server import Server
from serving.rest.inbox import Inbox
from serving.rest.openapi import DescribedApp, name_operation
from serving.rest.refusals import Refusals
from serving.rest.status import status_routes
from serving.settings import MEBIBYTE, ServingSettings
from serving.web.demo_page import demo_routes
from serving.workers.crew import Crew

LOG = logging.getLogger("ocrline.serving")

LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


def create_app(
    settings: ServingSettings, metrics: ServingMetrics, *, stopping: asyncio.Event
) -> tuple[FastAPI, FastPath]:
    """Make the gateway, and its way for most requests for crops.

    It begins to load at start-up and is ready when its models are. At `stopping` it takes no more
    calls over gRPC.
    """
    pool = ModelPool(named=settings.models, metrics=metrics)
    crops, pages = (
        Capacity(
            settings.concurrency + queue,
            limits=f"OCRLINE_CONCURRENCY and {variable}",
            in_flight=metrics.in_flight,
        )
        for variable, queue in (
            ("OCRLINE_CROP_QUEUE", settings.crop_queue),
            ("OCRLINE_QUEUE", settings.queue),
        )
    )
    crew = _crew(settings, metrics=metrics)
    log = AccessLog(settings.access_log)
    decoders = Decoders(
        settings.concurrency, max_pixels=settings.max_pixels, timeout_s=settings.decode_timeout_s
    )
    feed = PageFeed(decoders, workers=settings.concurrency)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        crew.start()
        decoders.start()
        follower = _follow(settings, pool, crew=crew, metrics=metrics)
        try:
            async with _rpc(app, settings, stopping):
                gc.collect()
                gc.freeze()  # what stays until the end is not looked through again and again
                yield
        finally:
            decoders.close()
            feed.close()
            fast.close()
            await crew.close()
            follower.close()
            log.close()

    app = DescribedApp(
        title="ocrline gateway",
        version=version("ocrline"),
        description="Reads pages and text lines with the champions of the registry.",
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=name_operation,
        redirect_slashes=False,  # to an address that a proxy before it may not have
        lifespan=lifespan,
    )
    callers = Callers(token=settings.token, keys=settings.keys, is_open=settings.host in LOOPBACK)
    most_bytes = int(settings.bodies_mb * MEBIBYTE)
    bodies = Budget(most_bytes, unit="bytes of the bodies", held=metrics.body_bytes)
    # Apart: who takes an answer slowly keeps no request out.
    answers = Budget(most_bytes, unit="bytes of the answers", held=metrics.answer_bytes)
    limits = _limits(settings)
    pixels = Budget(settings.held_pixels, unit="pixels", held=metrics.pixels)
    inbox = Inbox(limits=limits, budget=bodies)
    reader = DocumentReader(feed=feed, pixels=pixels, crew=crew, limits=limits, metrics=metrics)
    lines = CropReader(crew=crew, capacity=crops, limits=limits, metrics=metrics)
    asking = Asking(pool, inbox=inbox, pages=pages, crops=lines, reader=reader)
    routers = (
        crop_routes(crop_endpoint(pool, inbox=inbox, reader=lines)),
        document_routes(DocumentEndpoint(pool, inbox, pages, reader)),
        paddle_serving_routes(asking),
        paddlex_routes(asking),
        kserve_routes(pool),
        demo_routes(),
        status_routes(pool, limits=limits, metrics=metrics),
    )
    refusals = _refuse_by_path(app, routers)
    entrance = Entrance(callers=callers, names=settings.names, log=log, metrics=metrics)
    fast = FastPath(pool, entrance=entrance, inbox=inbox, reader=lines, refusals=refusals)
    app.add_middleware(HeadAsGet)
    app.add_middleware(Edge, entrance=entrance, answers=answers, refusals=refusals)  # around it
    for router in routers:
        app.include_router(router)
    return app, fast


def run(settings: ServingSettings) -> None:
    """Serve until SIGTERM or SIGINT; requests inside are answered first.

    Raises:
        SettingsError: It would listen beyond loopback without a token or a key, or cannot.
        BadInput: A newer release wrote the store or the home, or a restore was not finished.
        PortTaken: Another program has one of its ports.
    """
    begin_log()
    has_token = settings.token and not is_key(settings.token)
    if settings.host not in LOOPBACK and not (has_token or read_keys(settings.keys)):
        raise SettingsError(
            f"OCRLINE_HOST={settings.host!r} lets anybody ask who reaches this machine: make a key "
            "with `ocrline keys add NAME`, set OCRLINE_TOKEN to what is no key, or listen on "
            "127.0.0.1"
        )
    if settings.engine == "paddle-serving" and not settings.paddle_serving_python.is_file():
        raise SettingsError(
            f"OCRLINE_PADDLE_SERVING_PYTHON={str(settings.paddle_serving_python)!r} is no "
            "interpreter: run `make serving-runtime`, or name a Python 3.9 with Paddle Serving 0.9"
        )
    check_home(settings.home)
    with suppress(StoreUnavailable):  # it is waited for; only what it holds may end the gateway
        check_store(open_store(settings.store, s3=S3Credentials.of(settings)))
    check_port(settings.host, settings.port)
    if settings.rpc_port == settings.port:
        raise SettingsError(f"OCRLINE_RPC_PORT={settings.port} is OCRLINE_PORT: name another")
    if settings.rpc_port:
        check_port(settings.host, settings.rpc_port, field="rpc_port")
    metrics = ServingMetrics()
    stopping = asyncio.Event()
    app, fast = create_app(settings, metrics, stopping=stopping)
    config = uvicorn.Config(
        app,
        http=limit_connections(_connection_limits(settings), metrics, fast=fast),
        ws="none",
        host=settings.host,
        port=settings.port,
        access_log=False,
        log_config=None,
        log_level="error",  # what clients do wrong is in the access log
        proxy_headers=False,  # anybody on this machine could write them
        server_header=False,
        timeout_keep_alive=settings.keep_alive_s,
        timeout_graceful_shutdown=settings.drain_s,
    )
    server = Server(config, stopping=stopping)
    # uvicorn raises the signal again when it has drained: an ordered stop is no failure.
    signal.signal(signal.SIGTERM, server.stop)
    signal.signal(signal.SIGINT, server.stop)
    LOG.info("listening on http://%s:%d, store %s", settings.host, settings.port, settings.store)
    server.run()


def _refuse_by_path(app: FastAPI, routers: Sequence[APIRouter]) -> Refusals:
    """Have what is raised in an application written as clients of each path expect it."""
    refusals = Refusals(
        routes=[*app.routes, *chain.from_iterable(router.routes for router in routers)],
        writers={OCR: refuse_ocr, PREDICTION: refuse_prediction},
        beneath={SERVER: refuse_metadata},
    )
    app.add_exception_handler(Problem, refusals.answer_problem)
    app.add_exception_handler(HTTPException, refusals.answer_router)
    app.add_exception_handler(ProcessDied, refusals.answer_lost_engine)
    return refusals


@asynccontextmanager
async def _rpc(
    app: FastAPI, settings: ServingSettings, stopping: asyncio.Event
) -> AsyncIterator[None]:
    """Listen for Paddle Serving's RPC clients, where there is a port for them."""
    if not settings.rpc_port:
        yield
        return
    # gRPC takes 20 MB, which most gateways have no use for.
    from serving.dialects.pipeline_rpc import PipelineRpc

    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = f"{host}:{settings.rpc_port}"
    rpc = PipelineRpc(
        app,
        address=address,
        body_bytes=settings.max_body_bytes,
        body_timeout_s=settings.body_timeout_s,
        call_timeout_s=settings.body_timeout_s + settings.pages_timeout_s + settings.send_timeout_s,
    )
    await rpc.start()
    LOG.info("listening for Paddle Serving's RPC clients on %s", address)
    closing = asyncio.create_task(rpc.close_at(stopping, drain_s=settings.drain_s))
    yield
    stopping.set()  # as it is already, unless the port for HTTP was taken
    await closing


def _crew(settings: ServingSettings, *, metrics: ServingMetrics) -> Crew:
    setup = {
        "engine": settings.engine,
        "threads": settings.threads,
        "paddle_serving": str(settings.paddle_serving_python),
    }
    return Crew(
        setup,
        workers=settings.concurrency,
        max_pixels=settings.max_pixels,
        page_timeout_s=settings.pages_timeout_s,
        metrics=metrics,
    )


def _follow(
    settings: ServingSettings, pool: ModelPool, *, crew: Crew, metrics: ServingMetrics
) -> ChampionFollower:
    registry = Registry(open_store(settings.store, s3=S3Credentials.of(settings)))
    follower = ChampionFollower(
        Loader(registry, crew=crew, engine=settings.engine),
        pool,
        named=settings.models,
        cache=settings.home / "serving",
        poll_s=settings.poll_s,
        metrics=metrics,
    )
    follower.start()
    return follower


def _limits(settings: ServingSettings) -> Limits:
    return Limits(
        body_bytes=settings.max_body_bytes,
        body_timeout_s=settings.body_timeout_s,
        images=settings.max_images,
        image_pixels=settings.max_pixels,
        request_pixels=settings.max_request_pixels,
        pages=settings.max_pages,
        pages_timeout_s=settings.pages_timeout_s,
    )


def _connection_limits(settings: ServingSettings) -> ConnectionLimits:
    return ConnectionLimits(
        connections=settings.max_connections,
        header_timeout_s=settings.header_timeout_s,
        send_timeout_s=settings.send_timeout_s,
    )
