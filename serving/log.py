"""What the gateway and its workers say of themselves, with the zone of the times."""

import asyncio
import logging


def begin_log() -> None:
    """Write what is logged to stderr, a line each, its time as ISO 8601."""
    logging.basicConfig(
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(name)s %(message)s",
        datefmt="%Y-%m-%dT%H:%M:%S%z",
    )
    # What clients do wrong is in the access log.
    logging.getLogger("python_multipart").setLevel(logging.CRITICAL)
    logging.getLogger("uvicorn.error").addFilter(_is_no_cut)


def _is_no_cut(record: logging.LogRecord) -> bool:
    """Whether this is not of a request that a stop cut off: a trace for each, and the edge told."""
    return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))
