"""What names a result: its inputs, whatever their order, and who made it with what."""

from dataclasses import replace

import pytest

from ocr.store import digest
from ocr.store.digest import stage_key
from ocr.store.stages import STAGES


def test_the_order_of_the_inputs_does_not_matter_and_every_value_does() -> None:
    first = stage_key("assemble", seed=1, training={"epochs": 2, "size": "small"})
    again = stage_key("assemble", training={"size": "small", "epochs": 2}, seed=1)
    other = stage_key("assemble", seed=1, training={"epochs": 3, "size": "small"})

    assert first == again
    assert first != other


def test_another_generation_of_a_stage_finds_nothing_of_its_last_and_all_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = (stage_key("train-detector", seed=1), stage_key("train-recogniser", seed=1))
    changed = replace(STAGES["train-detector"], generation=99)
    monkeypatch.setitem(STAGES, "train-detector", changed)

    after = (stage_key("train-detector", seed=1), stage_key("train-recogniser", seed=1))

    assert after[0] != before[0]
    assert after[1] == before[1]


@pytest.mark.parametrize("package", ["ocrline", "paddlepaddle", "numpy", "tesserocr"])
def test_another_version_of_what_decides_the_bytes_gives_another_key(
    monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    before = stage_key("train-detector", packages=["tesserocr"], seed=1)
    monkeypatch.setattr(digest, "version", {"ocrline": "0.1.0", package: "99"}.get)

    assert stage_key("train-detector", packages=["tesserocr"], seed=1) != before


def test_input_that_json_does_not_know_is_refused() -> None:
    with pytest.raises(TypeError, match="object"):
        stage_key("assemble", detector=object())
