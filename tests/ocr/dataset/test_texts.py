"""Look-alike characters in labels: written alike, or named where they stay apart."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ocr.dataset.labels.text_rule import AS_WRITTEN, TextRule, UnicodeForm
from ocr.dataset.lines import preparation as line_preparation
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.dataset.pages import preparation as page_preparation
from ocr.dataset.pages.crops import prepare_crops
from ocr.dataset.pages.labelled_pages import read_labelled_pages
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.preparation import SnapshotRef
from ocr.store import Store, open_store
from tests.ocr.dataset.lines.preparing import LIMITS, fetch
from tests.ocr.dataset.pages.sheets import write_pages
from tests.ocr.dataset.rules import COPIES, NEAR_BITS, PAGE_LIMITS, SPLIT
from tests.ocr.image.pictures import write_labels

# No-break, ideographic and double spaces, an accent apart from its letter, full-width forms.
WRITTEN = ["A\u00a0B", "A\u3000B", "A  B", "A B", "cafe\u0301", "caf\u00e9", "合计，Ａ", "合计,A"]
USUAL_TEXTS = ["A B"] * 4 + ["caf\u00e9"] * 2 + ["合计，Ａ", "合计,A"]
Preparation = Callable[[Store, Path, TextRule, Sequence[str]], SnapshotRef]
RULES = [
    (TextRule(), USUAL_TEXTS),
    (AS_WRITTEN, WRITTEN),
    (TextRule("NFKC", "collapse"), ["A B"] * 4 + ["caf\u00e9"] * 2 + ["合计,A"] * 2),
    (TextRule("none", "collapse"), ["A B"] * 4 + WRITTEN[4:]),
    (TextRule("NFC", "keep"), WRITTEN[:4] + USUAL_TEXTS[4:]),
]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store"))


def lines_of(
    store: Store, root: Path, texts: TextRule, written: Sequence[str] = WRITTEN
) -> SnapshotRef:
    """The texts as lines, in train."""
    write_labels(root, "train.txt", {f"{n}.png": text for n, text in enumerate(written)})
    write_labels(root, "val.txt", {"val.png": "A"})
    write_labels(root, "test.txt", {"test.png": "A"})
    return line_preparation.prepare_lines(
        store,
        name="d",
        labels=LineLabelFiles("paddleocr", root, "train.txt", "val.txt", "test.txt"),
        limits=LIMITS,
        split=SPLIT,
        near_duplicate_bits=NEAR_BITS,
        texts=texts,
    )


def pages_of(
    store: Store, root: Path, texts: TextRule, written: Sequence[str] = WRITTEN
) -> SnapshotRef:
    """The texts as regions of pages of train."""
    write_pages(root, "train.txt", {f"{n}.png": [text, str(n)] for n, text in enumerate(written)})
    write_pages(root, "val.txt", {"val.png": ["A"]})
    write_pages(root, "test.txt", {"test.png": ["A"]})
    labels = PageLabelFiles("paddleocr", root, "train.txt", "val.txt", "test.txt")
    return page_preparation.prepare_pages(
        store, name="p", labels=labels, limits=PAGE_LIMITS, split=SPLIT, copies=COPIES, texts=texts
    )


def crops_of(store: Store, root: Path, texts: TextRule) -> SnapshotRef:
    """These regions, cut out."""
    pages = pages_of(store, root, texts)
    return prepare_crops(
        store, pages_key=pages.key, name="p-lines", limits=PAGE_LIMITS, texts=texts
    )


def texts_of(snapshot: LineSnapshot) -> list[str]:
    rows = [(line.image, line.text) for line in snapshot.samples("train")]
    return [text for _, text in sorted(rows) if not text.isdecimal()]


@pytest.mark.parametrize("prepare", [lines_of, crops_of])
@pytest.mark.parametrize(("texts", "expected"), RULES)
def test_texts_are_stored_as_the_rule_writes_them_and_the_manifest_says_so(
    prepare: Callable[[Store, Path, TextRule], SnapshotRef],
    texts: TextRule,
    expected: list[str],
    store: Store,
    tmp_path: Path,
) -> None:
    made = prepare(store, tmp_path / "data", texts)

    snapshot = fetch(store, made, tmp_path)
    assert texts_of(snapshot) == expected
    assert snapshot.manifest.texts == texts
    assert set("".join(expected)) <= set(snapshot.charset.characters)


def test_another_rule_is_another_snapshot(store: Store, tmp_path: Path) -> None:
    made = [lines_of(store, tmp_path / "data", texts) for texts, _ in RULES]

    assert not any(each.cached for each in made)
    assert len({each.digest for each in made}) == len(made)


def test_characters_that_look_alike_are_named_with_their_counts(
    store: Store, tmp_path: Path
) -> None:
    made = lines_of(store, tmp_path / "data", AS_WRITTEN)

    assert [each.describe() for each in made.lookalikes] == [
        "U+00A0 no-break space once, beside U+0020 3 times",
        "U+0301 combining acute accent once",
        "U+3000 ideographic space once, beside U+0020 3 times",
        "U+FF0C fullwidth comma once, beside U+002C once",
        "U+FF21 fullwidth latin capital letter a once, beside U+0041 7 times",
    ]
    assert lines_of(store, tmp_path / "data", AS_WRITTEN).cached
    assert lines_of(store, tmp_path / "data", AS_WRITTEN).lookalikes == made.lookalikes


# Compatibility ideographs, an accent apart, the ohm and the angstrom sign, full-width forms.
REPLACED = ["\uf979\u723d", "\uf979A", "cafe\u0301", "\u2126", "\u212b", "，Ａ"]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (
            "NFC",
            ["U+2126 as U+03A9 once", "U+212B as U+00C5 once", "U+F979 as U+51C9 2 times"],
        ),
        (
            "NFKC",
            [
                *("U+2126 as U+03A9 once", "U+212B as U+00C5 once", "U+F979 as U+51C9 2 times"),
                *("U+FF0C as U+002C once", "U+FF21 as U+0041 once"),
            ],
        ),
        ("none", []),
    ],
)
@pytest.mark.parametrize("prepare", [lines_of, pages_of])
def test_characters_that_became_others_are_named_with_their_counts(
    prepare: Preparation, form: UnicodeForm, expected: list[str], store: Store, tmp_path: Path
) -> None:
    made = prepare(store, tmp_path / "data", TextRule(form), REPLACED)

    assert [each.describe() for each in made.replaced] == expected


def test_labels_that_are_written_so_already_have_none_replaced(
    store: Store, tmp_path: Path
) -> None:
    before = lines_of(store, tmp_path / "data", TextRule(), REPLACED)
    found = lines_of(store, tmp_path / "data", TextRule(), REPLACED)

    after = lines_of(
        store, tmp_path / "data", TextRule(), [TextRule().apply(each) for each in REPLACED]
    )

    assert (found.cached, found.replaced) == (True, before.replaced)
    assert (before.digest, len(before.replaced)) == (after.digest, 3)
    assert (after.cached, after.replaced) == (False, ())


def test_of_the_usual_rule_only_full_width_forms_stay(store: Store, tmp_path: Path) -> None:
    made = crops_of(store, tmp_path / "data", TextRule())

    assert [each.character for each in made.lookalikes] == ["，", "Ａ"]


@pytest.mark.parametrize(
    ("mark", "rule"),
    [
        ("\u00a0###", TextRule()),
        ("\uff03\uff03\uff03", TextRule("NFKC")),
        ("\uff0a", TextRule("NFKC")),
    ],
)
def test_what_says_dont_care_once_it_is_written_is_no_text_of_a_page(
    mark: str, rule: TextRule, tmp_path: Path
) -> None:
    write_pages(tmp_path, "train.txt", {"0.png": [mark, "A"]})

    (page,), _ = read_labelled_pages(tmp_path / "train.txt", max_pixels=10**6, texts=rule)

    assert [(region.text, region.ignored) for region in page.regions] == [("", True), ("A", False)]


def test_text_that_nobody_learns_is_not_put_into_any_form() -> None:
    """Its accents in a row would take hours."""
    text = "a" + "\u0315\u0300" * 300_000

    assert TextRule().apply(text) == text
