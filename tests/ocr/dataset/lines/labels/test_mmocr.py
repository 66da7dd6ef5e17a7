import json
from pathlib import Path

import pytest

from ocr.dataset.labels.encoding import Encoding
from ocr.dataset.lines.label import LineRow
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.quarantine import Rejection
from ocr.errors import BadData


def read(root: Path, content: object, *, encoding: Encoding = "utf-8") -> list[LineRow | Rejection]:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    (root / "rec.json").write_bytes(data)
    return list(LineLabelFiles("mmocr", root, "rec.json", encoding=encoding).read())


def item(image: object, *texts: object) -> dict[str, object]:
    return {"img_path": image, "instances": [{"text": text} for text in texts]}


def test_every_item_of_the_data_list_is_a_row(tmp_path: Path) -> None:
    metainfo = {"dataset_type": "TextRecogDataset", "task_name": "textrecog"}
    content = {"metainfo": metainfo, "data_list": [item("a.png", "AB"), item("b/b.png", " 二 ")]}

    rows = [row for row in read(tmp_path, content) if not isinstance(row, Rejection)]

    assert [(row.image, row.label.text, row.where) for row in rows] == [
        ("a.png", "AB", "rec.json image 1"),
        ("b/b.png", "二", "rec.json image 2"),
    ]


def test_only_the_data_list_itself_is_read(tmp_path: Path) -> None:
    inner = {"data_list": [item("no.png", "A")]}
    content = {"metainfo": {"data_list": [1]}, "other": [inner], "data_list": [item("a.png", "B")]}

    rows = read(tmp_path, {**content, "last": inner})

    assert [row.image for row in rows] == ["a.png"]


def test_bad_items_are_rejected_with_their_number(tmp_path: Path) -> None:
    bad = [item("a.png", "A", "B"), item("a.png"), item(1, "A"), item("a.png", 1.5), "a.png", {}]
    bad += [item("", "A"), {"img_path": "a.png", "instances": ["A"]}]

    rows = read(tmp_path, {"data_list": [*bad, item("a.png", "A\tB"), item("good.png", "A")]})

    assert [getattr(row, "reason", "") for row in rows] == [
        *["malformed_row"] * len(bad),
        "tab_in_text",
        "",
    ]
    details = [row.detail for row in rows if isinstance(row, Rejection)]
    assert "2 instances, expected one; of whole pages the task is pages" in details[0]
    assert details[3] == "the text is 1.5, expected a string"


def test_whole_numbers_are_texts(tmp_path: Path) -> None:
    first, true = read(tmp_path, {"data_list": [item("a.png", 123456), item("b.png", True)]})

    assert not isinstance(first, Rejection)
    assert first.label.text == "123456"
    assert isinstance(true, Rejection)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"data_list": [{"img_path"', "rec.json is no JSON in utf-8"),
        (b"a.png\tA\n", "rec.json is no JSON in utf-8"),
        (b"", "rec.json is no JSON in utf-8"),
        (b'{"data_list": []}', "rec.json has no data_list, or an empty one"),
        (b'[{"img_path": "a.png"}]', "rec.json has no data_list"),
        (b'{"data_list": [' + b"[" * 20_000, "rec.json is nested more than 64 deep"),
        (b'{"a": ' + b'{"a": ' * 20_000, "rec.json is nested more than 64 deep"),
        (b'{"data_list": {"item": [{}]}}', "rec.json has no data_list"),
        ('{"data_list": ["'.encode("utf-16"), "rec.json is UTF-16, expected utf-8; save it as"),
        ('{"data_list": ["皖"]}'.encode("gb18030"), "rec.json is no JSON in utf-8"),
    ],
    ids=[
        "cut",
        "labels",
        "empty",
        "no items",
        "list",
        "deep",
        "deep elsewhere",
        "no list",
        "utf-16",
        "gbk",
    ],
)
def test_what_is_no_such_file_is_one_error(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(BadData, match=said):
        read(tmp_path, content)


def test_byte_order_mark_and_gbk_are_read(tmp_path: Path) -> None:
    content = json.dumps({"data_list": [item("a.png", "皖A")]}, ensure_ascii=False)

    for data, encoding in (
        (content.encode("utf-8-sig"), "utf-8"),
        (content.encode("gbk"), "gb18030"),
        (f"\ufeff{content}".encode("gb18030"), "gb18030"),
    ):
        (row,) = read(tmp_path, data, encoding=encoding)  # type: ignore[arg-type]
        assert not isinstance(row, Rejection)
        assert row.label.text == "皖A"


def test_utf8_is_not_read_as_gbk(tmp_path: Path) -> None:
    content = json.dumps({"data_list": [item("a.png", "皖A")]}, ensure_ascii=False).encode()

    with pytest.raises(BadData, match=r"rec\.json is UTF-8, .* set dataset\.encoding=utf-8"):
        read(tmp_path, content, encoding="gb18030")


def test_first_rows_come_before_the_file_is_read_to_its_end(tmp_path: Path) -> None:
    rows = json.dumps({"data_list": [item("a.png", "A")] * 20_000})[:-1]
    (tmp_path / "rec.json").write_text(rows)

    first = next(iter(LineLabelFiles("mmocr", tmp_path, "rec.json").read()))

    assert not isinstance(first, Rejection)


def test_json_lines_are_read_line_by_line(tmp_path: Path) -> None:
    lines = ['{"filename": "a.png", "text": "A"}', "", "{", "[]", '{"filename": "b.png"}']
    (tmp_path / "rec.jsonl").write_text("\n".join(lines))

    rows = list(LineLabelFiles("mmocr", tmp_path, "rec.jsonl").read())

    assert [(row.where, getattr(row, "reason", "")) for row in rows] == [
        ("rec.jsonl:1", ""),
        ("rec.jsonl:3", "malformed_row"),
        ("rec.jsonl:4", "malformed_row"),
        ("rec.jsonl:5", "malformed_row"),
    ]
