"""What names a result: its inputs, whatever their order, and the release that made it."""

import pytest

from ocr.store import digest
from ocr.store.digest import content_digest


def test_the_order_of_the_inputs_does_not_matter_and_every_value_does() -> None:
    first = content_digest(seed=1, training={"epochs": 2, "size": "small"})
    again = content_digest(training={"size": "small", "epochs": 2}, seed=1)
    other = content_digest(seed=1, training={"epochs": 3, "size": "small"})

    assert first == again
    assert first != other


def test_another_generation_of_stages_finds_nothing_of_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = content_digest(seed=1)
    monkeypatch.setattr(digest, "GENERATION", digest.GENERATION + 1)

    assert content_digest(seed=1) != before
