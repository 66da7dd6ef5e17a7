"""Keys that every store can hold, and what the others are told."""

import pytest

from ocr.errors import BadInput
from ocr.store.key import check_key, check_prefix


@pytest.mark.parametrize(
    "key",
    [
        "card.md",
        "models/plates/v1.2/paddle/inference.pdiparams",
        "datasets/车牌/0f3a/shards/00000.tar",
        "a b/c d.txt",
        "a/archive.tar.gz",
    ],
)
def test_a_well_formed_key_is_itself(key: str) -> None:
    assert check_key(key) == key


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("", "empty part"),
        ("/a.txt", "empty part"),
        ("a//b.txt", "empty part"),
        ("a.txt/", "empty part"),
        ("../a.txt", "'..' may not start with a dot"),
        ("a/./b.txt", "'.' may not start with a dot"),
        (".incoming/a.txt", "'.incoming' may not start with a dot"),
        ("a/.hidden.txt", "'.hidden.txt' may not start with a dot"),
        ("a /b.txt", "'a ' may not"),
        ("a\\b.txt", "backslash"),
        ("a\nb.txt", "control character"),
        ("a\x00.txt", "control character"),
        ("\ud800.txt", "no valid Unicode"),
        ("a" * 252 + ".txt", "longer than 255 bytes"),
        ("字" * 84 + ".txt", "longer than 255 bytes"),
        ("/".join(["a" * 100] * 11) + "/b.txt", "longer than 1024 bytes"),
    ],
)
def test_a_malformed_key_is_refused_with_the_reason(key: str, told: str) -> None:
    with pytest.raises(BadInput) as refusal:
        check_key(key)

    assert told in str(refusal.value)


def test_no_key_can_be_the_folder_of_another() -> None:
    with pytest.raises(BadInput, match="'model' needs a suffix"):
        check_key("models/model")
    with pytest.raises(BadInput, match=r"folder 'model\.onnx' may not end in a suffix"):
        check_key("models/model.onnx/data.bin")


def test_a_prefix_ends_in_a_slash_or_is_the_whole_store() -> None:
    assert check_prefix("models/plates") == "models/plates/"
    assert check_prefix("") == ""


@pytest.mark.parametrize("prefix", ["/", "models/", "../models", "models/card.md"])
def test_a_malformed_prefix_is_refused(prefix: str) -> None:
    with pytest.raises(BadInput):
        check_prefix(prefix)
