import pytest

from ocr.evaluation.slices import script_of


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("皖A12", "Han + Latin"),
        ("0123", "no letters"),
        ("Straße", "Latin"),
        ("カナかな", "Kana"),
        ("Привет", "Cyrillic"),
        ("", "no letters"),
    ],
)
def test_script_is_named_by_its_letters(text: str, script: str) -> None:
    assert script_of(text) == script
