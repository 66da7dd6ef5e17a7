"""Paddle for the tests of training: imported once, its import warnings aside."""

import warnings
from pathlib import Path

import pytest

from tests.training.recognition.toy_lines import make_line_snapshot, random_texts
from training.environment import prepare_environment

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    prepare_environment()
    import paddle

paddle.set_device("cpu")


@pytest.fixture(scope="session")
def digits(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A snapshot of four-digit crops: 48 to train, 8 to validate, 8 to test."""
    return make_digits(tmp_path_factory.mktemp("digits"), train=48, val=8, lengths=(4, 4))


@pytest.fixture(scope="session")
def many_digits(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A snapshot of four-digit crops, enough to learn to read from."""
    return make_digits(tmp_path_factory.mktemp("many"), train=240, val=24, lengths=(4, 4))


@pytest.fixture(scope="session")
def digit_lines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A snapshot of lines of three to seven digits."""
    return make_digits(tmp_path_factory.mktemp("lines"), train=200, val=24, lengths=(3, 7))


def make_digits(folder: Path, *, train: int, val: int, lengths: tuple[int, int]) -> dict[str, str]:
    counts = {"train": train, "val": val, "test": 8}
    texts = {
        split: random_texts(count, lengths=lengths, seed=seed)
        for seed, (split, count) in enumerate(counts.items())
    }
    return make_line_snapshot(folder, texts=texts)
