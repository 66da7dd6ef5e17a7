"""Decoders that are shared: what was sent is no other client's, and no end of them lasts."""

import io
import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial

import numpy as np
import PIL.Image
import psutil
import pytest

from ocr.decoding.decoder import DecoderFailed, Document
from ocr.decoding.decoders import Decoders
from ocr.image.pdf import BadDocument
from ocr.image.pixels import BadImage, decode_image, encode_png
from tests.ocr.image.documents import image_pdf, joined_pdf, tiff
from tests.processes import children_with
from tests.serving.decoding.hostile_files import pdf_of_pattern
from tests.serving.tiny_pipeline import draw_page

MAX_PIXELS = 10**6
BUSY_S = 2.0
PAGE = draw_page(["2026"])


@contextmanager
def started(count: int = 1) -> Iterator[Decoders]:
    decoders = Decoders(count, max_pixels=MAX_PIXELS, timeout_s=200)
    decoders.start()
    try:
        yield decoders
    finally:
        decoders.close()


def document(content: bytes) -> Document:
    return Document(content, max_pixels=MAX_PIXELS, max_pages=9)


def processes() -> list[psutil.Process]:
    return children_with("ocr.decoding.child")


def kill(*victims: psutil.Process) -> None:
    for victim in victims:
        victim.kill()
        os.waitid(os.P_PID, victim.pid, os.WEXITED | os.WNOWAIT)


def busy_decoder(*, after: psutil.Process | None = None) -> psutil.Process:
    """Wait for one that has long been at a page; another than a process."""
    deadline = time.monotonic() + 200
    while time.monotonic() < deadline:
        with suppress(psutil.NoSuchProcess):
            for process in processes():
                if process != after and process.cpu_times().user > BUSY_S:
                    return process
        time.sleep(0.05)
    return pytest.fail("no decoder is busy")


@contextmanager
def once_lent(decoders: Decoders, act: Callable[[], None]) -> Iterator[None]:
    """Act in another thread as soon as a decoder is lent."""

    def wait_and_act() -> None:
        deadline = time.monotonic() + 200
        while not decoders._lent and time.monotonic() < deadline:
            time.sleep(0.01)
        act()

    thread = threading.Thread(target=wait_and_act)
    thread.start()
    try:
        yield
    finally:
        thread.join()


@contextmanager
def ended_in_use(decoders: Decoders, number: signal.Signals) -> Iterator[None]:
    """Let the decoder begin with nothing of what it is asked meanwhile, and then end."""
    (victim,) = processes()
    victim.suspend()

    def end() -> None:
        victim.send_signal(number)
        with suppress(psutil.NoSuchProcess):  # SIGKILL ends a process that is suspended too
            victim.resume()

    with once_lent(decoders, end):
        yield


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

    assert page.pages.wanted == 3
    assert isinstance(empty.outcome, BadImage)


def test_what_pillow_imports_to_convert_is_there_before_files_cannot_be_opened() -> None:
    stream = io.BytesIO()
    PIL.Image.fromarray(PAGE).convert("LAB").save(stream, "TIFF")
    content = stream.getvalue()

    with started() as decoders:
        found = decoders.decode(document(content)).outcome

    assert isinstance(found, np.ndarray)
    assert np.array_equal(found, decode_image(content, max_pixels=MAX_PIXELS))


def test_decoder_that_cannot_be_replaced_for_a_moment_is_replaced_afterwards() -> None:
    with started() as decoders:
        decoders.decode(document(encode_png(PAGE)))
        kill(*processes())

        with no_descriptor_left():
            for _ in range(2):
                with pytest.raises(DecoderFailed, match="does not start"):
                    decoders.decode(document(encode_png(PAGE)))

        assert decoders.decode(document(encode_png(PAGE))).pages.wanted == 1
        assert len(processes()) == 1


def test_page_whose_decoder_is_killed_from_outside_is_decoded_by_another() -> None:
    with started() as decoders:
        decoders.decode(document(encode_png(PAGE)))

        with ended_in_use(decoders, signal.SIGKILL):
            assert decoders.decode(document(encode_png(PAGE))).pages.wanted == 1


def test_page_over_which_decoders_are_killed_again_and_again_is_no_loss_of_the_others() -> None:
    slow = document(joined_pdf([pdf_of_pattern(), image_pdf([PAGE], dpi=200)]))
    with started() as decoders, ThreadPoolExecutor(1) as thread:
        decoding = thread.submit(decoders.decode, slow)
        first_victim = busy_decoder()
        first_victim.kill()
        busy_decoder(after=first_victim).kill()

        first = decoding.result()
        second = decoders.decode(slow, 1)

    assert isinstance(first.outcome, BadDocument)
    assert first.pages.wanted == 2
    assert isinstance(second.outcome, np.ndarray)


def test_page_over_which_its_decoder_crashes_is_not_tried_again() -> None:
    with started() as decoders:
        decoders.decode(document(encode_png(PAGE)))

        with ended_in_use(decoders, signal.SIGSEGV), pytest.raises(BadDocument, match="SIGSEGV"):
            decoders.decode(document(encode_png(PAGE)))


def test_page_over_which_a_decoder_ends_is_named_by_its_number_in_the_document() -> None:
    pages = Document(tiff([PAGE] * 3), max_pixels=MAX_PIXELS, max_pages=9, wanted=[(3, 3)])
    with started() as decoders:
        decoders.decode(document(encode_png(PAGE)))

        with ended_in_use(decoders, signal.SIGSEGV), pytest.raises(BadDocument, match="Page 3 is"):
            decoders.decode(pages)


def test_page_that_nobody_waits_for_is_given_up_and_the_decoder_replaced() -> None:
    with started() as decoders:
        decoders.decode(document(encode_png(PAGE)))
        (before,) = processes()
        before.suspend()
        unwanted = document(encode_png(PAGE))

        with (
            once_lent(decoders, partial(decoders.interrupt, unwanted)),
            pytest.raises(BadDocument, match="SIGKILL"),
        ):
            decoders.decode(unwanted)

        assert decoders.decode(document(encode_png(PAGE))).pages.wanted == 1
        assert before not in processes()


def test_page_that_is_not_being_decoded_is_no_reason_to_end_a_decoder() -> None:
    with started() as decoders:
        pages = document(tiff([PAGE] * 3))
        decoders.decode(pages)
        before = processes()

        decoders.interrupt(pages)

        assert decoders.decode(pages, 1).pages.wanted == 3

        assert processes() == before
