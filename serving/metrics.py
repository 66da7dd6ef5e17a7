"""What the gateway counts; every label takes values from a closed or configured set."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.process_collector import ProcessCollector

METHODS: Final = ("GET", "HEAD", "OPTIONS", "POST")
SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
SHARES: Final = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0)
AT_HAND: Final = 256
"""Series of one metric that are remembered: looking one up costs as much as counting."""


class ServingMetrics:
    """The metrics of one gateway, in a registry of their own."""

    def __init__(self) -> None:
        # They double the page, and nobody here reads them.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        registry = self._registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._count_requests(registry)
        self._count_readings(registry)
        self._watch_workers(registry)
        self._watch_models(registry)

    def _count_requests(self, registry: CollectorRegistry) -> None:
        self._requests = Counter(
            "ocrline_requests",
            "Answered requests",
            ["route", "method", "status"],
            registry=registry,
        )
        self._problems = Counter(
            "ocrline_problems", "Requests that got an error", ["route", "code"], registry=registry
        )
        self._seconds = Histogram(
            "ocrline_request_seconds",
            "From the first byte of a request to the last of its answer",
            ["route"],
            buckets=SECONDS,
            registry=registry,
        )
        self._requests_of = lru_cache(AT_HAND)(self._requests.labels)
        self._seconds_of = lru_cache(AT_HAND)(self._seconds.labels)
        self.in_flight = Gauge(
            "ocrline_requests_in_flight", "Recognition requests inside", registry=registry
        )
        self.pixels = Gauge(
            "ocrline_pixels", "Pixels of the images of all requests", registry=registry
        )
        self.body_bytes = Gauge(
            "ocrline_body_bytes", "Bytes of the bodies of all requests", registry=registry
        )
        self.answer_bytes = Gauge(
            "ocrline_answer_bytes", "Bytes of all answers on their way", registry=registry
        )

    def _count_readings(self, registry: CollectorRegistry) -> None:
        images = Counter("ocrline_images", "Recognised images", ["model"], registry=registry)
        confidence = Histogram(
            "ocrline_confidence",
            "Confidence of the recognised texts",
            ["model"],
            buckets=SHARES,
            registry=registry,
        )
        self._images_of = lru_cache(AT_HAND)(images.labels)
        self._confidence_of = lru_cache(AT_HAND)(confidence.labels)
        self.inference_seconds = Histogram(
            "ocrline_inference_seconds",
            "Decoding and reading one batch of images",
            ["model"],
            buckets=SECONDS,
            registry=registry,
        )
        self.pages = Counter("ocrline_pages", "Pages read", ["model"], registry=registry)
        self.lines = Counter("ocrline_lines", "Lines found on pages", ["model"], registry=registry)
        self.reread_lines = Counter(
            "ocrline_reread_lines",
            "Lines of pages that a cascade's second recogniser read",
            ["model"],
            registry=registry,
        )
        self.stage_seconds = Histogram(
            "ocrline_stage_seconds",
            "One stage of reading one page",
            ["model", "stage"],
            buckets=SECONDS,
            registry=registry,
        )

    def _watch_workers(self, registry: CollectorRegistry) -> None:
        self.workers = Gauge("ocrline_workers", "Processes that read", registry=registry)
        self.worker_losses = Counter(
            "ocrline_worker_losses", "Processes that ended and were replaced", registry=registry
        )
        self.batch_crops = Histogram(
            "ocrline_batch_images",
            "Images that were read together",
            buckets=range(1, 9),
            registry=registry,
        )
        self.queue_seconds = Histogram(
            "ocrline_queue_seconds",
            "From a request for its image to the batch that has it",
            buckets=SECONDS,
            registry=registry,
        )

    def _watch_models(self, registry: CollectorRegistry) -> None:
        self.model_info = Gauge(
            "ocrline_model_info",
            "1 for what is served",
            ["model", "version", "engine"],
            registry=registry,
        )
        self.model_behind = Gauge(
            "ocrline_model_behind",
            "1 while the champion is not (yet) the served version",
            ["model"],
            registry=registry,
        )
        self.swaps = Counter(
            "ocrline_model_swaps", "Versions put in service", ["model"], registry=registry
        )
        self.load_errors = Counter(
            "ocrline_model_load_errors", "Versions refused at loading", ["model"], registry=registry
        )
        self.store_up = Gauge(
            "ocrline_store_up", "0 while the store does not answer", registry=registry
        )
        self.store_errors = Counter(
            "ocrline_store_errors", "Failed looks at the store", registry=registry
        )

    def observe(
        self, *, route: str, method: str, status: int, seconds: float, code: str = ""
    ) -> None:
        """Count one answered request; `route` is a template, not a path."""
        known = method if method in METHODS else "other"
        self._requests_of(route, known, status).inc()
        self._seconds_of(route).observe(seconds)
        if code:
            self._problems.labels(route, code).inc()

    def observe_crops(self, model: str, confidences: Sequence[float]) -> None:
        """Count images that were read, by their confidence."""
        self.observe_texts(model, confidences)
        self._images_of(model).inc(len(confidences))

    def observe_texts(self, model: str, confidences: Iterable[float]) -> None:
        """Count texts, by their confidence."""
        observe = self._confidence_of(model).observe
        for confidence in confidences:
            observe(confidence)

    def render(self) -> bytes:
        """Write everything in Prometheus' text format."""
        return generate_latest(self._registry)
