"""Paddle for the tests of training: imported once, its import warnings aside."""

import warnings

import pytest

from tests.training.toy_job import make_snapshot, random_texts
from training.environment import prepare_environment

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    prepare_environment()
    import paddle

paddle.set_device("cpu")


@pytest.fixture(scope="session")
def digits(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A snapshot of four-digit crops: 48 to train, 8 to validate, 8 to test."""
    counts = {"train": 48, "val": 8, "test": 8}
    texts = {
        split: random_texts(count, lengths=(4, 4), seed=seed)
        for seed, (split, count) in enumerate(counts.items())
    }
    return make_snapshot(tmp_path_factory.mktemp("digits"), texts=texts)


@pytest.fixture(scope="session")
def many_digits(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A snapshot of four-digit crops, enough to learn to read from."""
    counts = {"train": 240, "val": 24, "test": 8}
    texts = {
        split: random_texts(count, lengths=(4, 4), seed=seed)
        for seed, (split, count) in enumerate(counts.items())
    }
    return make_snapshot(tmp_path_factory.mktemp("many"), texts=texts)


@pytest.fixture(scope="session")
def digit_lines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A snapshot of lines of three to seven digits."""
    counts = {"train": 200, "val": 24, "test": 8}
    texts = {
        split: random_texts(count, lengths=(3, 7), seed=seed)
        for seed, (split, count) in enumerate(counts.items())
    }
    return make_snapshot(tmp_path_factory.mktemp("lines"), texts=texts)
