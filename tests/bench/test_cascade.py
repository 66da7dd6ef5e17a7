"""The bench of a cascade: from the fast recogniser alone to the accurate one for all."""

from pathlib import Path

from rich.console import Console

from bench.cascade import measure
from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.reading.recognition.recogniser import OnnxRecogniser
from tests.toy_bundle import write_toy_bundle


def test_gain_and_cost_are_printed_by_the_share_that_is_read_again(
    tmp_path: Path, snapshot: LineSnapshot
) -> None:
    greedy = OnnxRecogniser.load(write_toy_bundle(tmp_path / "fast"))
    counted = OnnxRecogniser.load(write_toy_bundle(tmp_path / "accurate", texts=["BC" * 9]))
    console = Console(width=140, record=True)

    console.print(measure(greedy, counted, snapshot))

    rows = [
        [cell.strip() for cell in line.split("│")[1:-1]]
        for line in console.export_text().splitlines()
        if "│" in line
    ]
    assert (rows[0][:2], rows[0][-1]) == (["nothing", "0.5000"], "1.00x")
    assert rows[-1][:2] == ["all", "1.0000"]
    assert rows[-1][2].startswith("+50.00 ")
