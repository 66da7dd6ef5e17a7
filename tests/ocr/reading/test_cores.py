import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

from ocr.image.pixels import Image
from ocr.reading.cores import ONE_CORE, Cores
from ocr.reading.detection.detector import OnnxDetector
from ocr.reading.recognition.recogniser import OnnxRecogniser
from serving.settings import ServingSettings
from tests.toy_bundle import write_toy_bundle, write_toy_detection_bundle

WAIT_S = 30


class Together:
    """Work that counts how much of it is done at the same time."""

    def __init__(self, *, expected: int) -> None:
        self._all_are_here = threading.Barrier(expected)
        self._lock = threading.Lock()
        self._now = 0
        self.most = 0

    def __call__(self, item: int) -> int:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        self._all_are_here.wait(WAIT_S)
        with self._lock:
            self._now -= 1
        return item * item


@pytest.mark.parametrize("count", [1, 2, 3])
def test_lone_reading_uses_every_core(count: int) -> None:
    work = Together(expected=count)

    found = dict(Cores(count).each(work, range(count)))

    assert found == {item: item * item for item in range(count)}
    assert work.most == count


def test_many_readings_have_a_core_each() -> None:
    cores = Cores(2)
    work = Together(expected=1)

    with holding_one(cores), holding_one(cores):
        found = dict(cores.each(work, range(9)))

    assert found == {item: item * item for item in range(9)}
    assert work.most == 1


def test_cores_come_back() -> None:
    cores = Cores(3)

    for _ in range(5):
        list(cores.each(str, range(9)))
        with closing(cores.each(str, range(9))) as given_up:
            next(given_up)

    with cores.all_if_idle() as held:
        assert held == 3
        with cores.all_if_idle() as another:
            assert another == 1


def test_failure_on_another_core_is_raised() -> None:
    calling = threading.current_thread()

    def fail_elsewhere(item: int) -> int:
        if threading.current_thread() is calling:
            time.sleep(0.01)  # until another thread has had its turn
            return item
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        list(Cores(2).each(fail_elsewhere, range(99)))


def test_cores_change_no_bit_of_what_is_read(tmp_path: Path) -> None:
    recogniser = write_toy_bundle(tmp_path / "recogniser")
    detector = write_toy_detection_bundle(tmp_path / "detector")
    lines = list(noise(40))
    (page,) = noise(1, size=(300, 200))

    for cores in (ONE_CORE, Cores(2), Cores(4)):
        read = OnnxRecogniser.load(recogniser, cores=cores).probabilities(lines)
        found = OnnxDetector.load(detector, cores=cores).probabilities(page)
        if cores is ONE_CORE:
            expected, expected_map = read, found

        assert [line.tobytes() for line in read] == [line.tobytes() for line in expected]
        assert found.tobytes() == expected_map.tobytes()


def test_lone_request_may_use_as_many_processors_as_requests_by_default() -> None:
    settings = ServingSettings()

    assert settings.threads == settings.concurrency


def noise(count: int, *, size: tuple[int, int] = (32, 400)) -> Iterator[Image]:
    dice = np.random.default_rng(0)
    for number in range(count):
        yield dice.integers(0, 256, (size[0], size[1] - 7 * number, 3), dtype=np.uint8)


@contextmanager
def holding_one(cores: Cores) -> Iterator[None]:
    """One more reading that goes on."""
    reading = cores.each(str, [0])
    next(reading)
    yield
    reading.close()
