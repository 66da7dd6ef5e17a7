"""The bench of suspects: labels broken on purpose, and where a list has them."""

from pathlib import Path

import pytest
from rich.console import Console

from bench.broken_labels import KINDS, Kind, break_label_files
from bench.suspects import compare
from ocr.evaluation.suspects.suspect import LabelledCrop, Suspect

TEXTS = [f"{number:03}" for number in range(40)]


@pytest.fixture
def broken(tmp_path: Path) -> dict[str, Kind]:
    source = tmp_path / "source"
    source.mkdir()
    for split in ("train", "val", "test"):
        rows = [f"{split}-{text}.jpg\t{text}\n" for text in TEXTS]
        (source / f"rec_{split}.txt").write_text("".join(rows))
        for text in TEXTS:
            (source / f"{split}-{text}.jpg").write_bytes(b"a picture")
    return break_label_files(source, tmp_path / "target", share=0.2, seed=0)


def test_a_share_of_each_split_is_broken_and_nothing_else(
    tmp_path: Path, broken: dict[str, Kind]
) -> None:
    for split in ("train", "val", "test"):
        rows = (tmp_path / "target" / f"rec_{split}.txt").read_text().splitlines()
        wrong = {row.split("\t")[0] for row in rows if f"{split}-{row.split()[1]}.jpg" not in row}
        assert wrong == {image for image in broken if image.startswith(split)}
        assert len(wrong) == 8
    assert [list(broken.values()).count(kind) for kind in KINDS] == [6] * 4


def test_what_the_first_tenth_holds_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    kinds: dict[str, Kind] = {"00": "dropped", "01": "swapped", "39": "transposed"}
    lines = [
        Suspect(
            LabelledCrop(text, text, 0, "test", "test.txt", text),
            read=f"{text}?" if number < 3 else text,
            confidence=0.9,
            contradiction=max(0.0, 3.0 - number),
            doubt=40.0 - number,
        )
        for number, text in enumerate(f"{number:02}" for number in range(40))
    ]

    Console(width=200).print(compare(lines, kinds))

    printed = capsys.readouterr().out
    row = next(row for row in printed.splitlines() if "as ocrline suspects" in row)
    cells = [cell.strip() for cell in row.split("│")[1:-1]]
    assert "3 of 40 labels broken, 1 of them read as labelled" in printed
    assert cells[1:5] == ["2 of 3", "2", "1 of 1", "1 of 1"]
