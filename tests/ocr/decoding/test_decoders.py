"""Decoders that are shared: what was sent is no other client's, and no end of them lasts."""

import os
import resource
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest

from ocr.decoding.decoder import DecoderFailed, Document
from ocr.decoding.decoders import Decoders
from ocr.image.pdf import BadDocument
from ocr.image.pixels import BadImage, encode_png
from tests.ocr.image.documents import tiff
from tests.serving.tiny_pipeline import draw_page

MAX_PIXELS = 10**6
PAGE = draw_page(["2026"])


@contextmanager
def started(count: int = 1) -> Iterator[Decoders]:
    decoders = Decoders(count, max_pixels=MAX_PIXELS, timeout_s=20)
    decoders.start()
    try:
        yield decoders
    finally:
        decoders.close()


def document(content: bytes) -> Document:
    return Document(content, max_pixels=MAX_PIXELS, max_pages=9)


def processes() -> list[psutil.Process]:
    children = psutil.Process().children()
    alive = [child for child in children if child.status() != psutil.STATUS_ZOMBIE]
    return [child for child in alive if "ocr.decoding.child" in child.cmdline()]


def kill(*victims: psutil.Process) -> None:
    for victim in victims:
        victim.kill()
        os.waitid(os.P_PID, victim.pid, os.WEXITED | os.WNOWAIT)


@contextmanager
def ended_in_use(number: signal.Signals) -> Iterator[None]:
    """Let the decoder begin with nothing of what it is asked meanwhile, and then end."""
    (victim,) = processes()
    victim.suspend()

    def end() -> None:
        victim.send_signal(number)
        victim.resume()

    timer = threading.Timer(0.3, end)
    timer.start()
    try:
        yield
    finally:
        timer.join()


@contextmanager
def no_descriptor_left() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_empty_document_shows_nothing_of_the_one_that_was_given_up_before_it() -> None:
    with started() as decoders:
        page = decoders.decode(document(tiff([PAGE] * 3)))  # and its client has left

        empty = decoders.decode(document(b""))

    assert page.pages == 3
    assert isinstance(empty.outcome, BadImage)


def test_decoder_that_cannot_be_replaced_for_a_moment_is_replaced_afterwards() -> None:
    with started() as decoders:
        decoders.decode(document(encode_png(PAGE)))
        kill(*processes())

        with no_descriptor_left():
            for _ in range(2):
                with pytest.raises(DecoderFailed, match="does not start"):
                    decoders.decode(document(encode_png(PAGE)))

        assert decoders.decode(document(encode_png(PAGE))).pages == 1
        assert len(processes()) == 1


def test_page_whose_decoder_is_killed_from_outside_is_decoded_by_another() -> None:
    with started() as decoders:
        decoders.decode(document(encode_png(PAGE)))

        with ended_in_use(signal.SIGKILL):
            assert decoders.decode(document(encode_png(PAGE))).pages == 1


def test_page_over_which_its_decoder_crashes_is_not_tried_again() -> None:
    with started() as decoders:
        decoders.decode(document(encode_png(PAGE)))

        with ended_in_use(signal.SIGSEGV), pytest.raises(BadDocument, match="SIGSEGV"):
            decoders.decode(document(encode_png(PAGE)))


def test_page_that_nobody_waits_for_is_given_up_and_the_decoder_replaced() -> None:
    with started() as decoders:
        decoders.decode(document(encode_png(PAGE)))
        (before,) = processes()
        before.suspend()
        unwanted = document(encode_png(PAGE))
        timer = threading.Timer(0.3, decoders.interrupt, [unwanted])
        timer.start()

        with pytest.raises(BadDocument, match="SIGKILL"):
            decoders.decode(unwanted)

        timer.join()
        assert decoders.decode(document(encode_png(PAGE))).pages == 1
        assert before not in processes()


def test_page_that_is_not_being_decoded_is_no_reason_to_end_a_decoder() -> None:
    with started() as decoders:
        pages = document(tiff([PAGE] * 3))
        decoders.decode(pages)
        before = processes()

        decoders.interrupt(pages)

        assert decoders.decode(pages, 1).pages == 3

        assert processes() == before
