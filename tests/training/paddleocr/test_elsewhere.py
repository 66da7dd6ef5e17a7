"""What PaddleOCR's own tool writes of lines is read as readings of a system elsewhere."""

import os
import subprocess
from pathlib import Path

from ocr.dataset.lines.snapshot import open_line_snapshot
from ocr.evaluation.elsewhere import read_lines_elsewhere
from tests.paddleocr_tree import find_runtime
from tests.training.recognition.toy_lines import make_line_snapshot

NET = "configs/rec/rec_mv3_none_none_ctc.yml"
TEXTS = {"train": ["12", "345"], "val": ["67"], "test": ["89", "012", "3"]}


def test_what_the_tool_reads_of_each_line_is_found(tmp_path: Path) -> None:
    runtime, snapshot = find_runtime(), make_line_snapshot(tmp_path, texts=TEXTS)
    (tmp_path / "digits.txt").write_text("\n".join("0123456789"))
    told = tmp_path / "out" / "predicts_rec.txt"
    options = {
        "use_gpu": False,
        "distributed": False,
        "pretrained_model": "",
        "character_dict_path": tmp_path / "digits.txt",
        "infer_img": tmp_path / "images",
        "save_res_path": told,
    }

    subprocess.run(
        [runtime.python, f"{runtime.home}/tools/infer_rec.py", "-c", f"{runtime.home}/{NET}", "-o"]
        + [f"Global.{name}={value}" for name, value in options.items()],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": runtime.home},
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    samples = list(open_line_snapshot(tmp_path / "store" / snapshot["snapshot"]).samples())
    found = read_lines_elsewhere(told.read_bytes(), name=str(told), samples=samples)

    read = [found.of(sample) for sample in samples if sample.split == "test"]
    assert len(read) == len(TEXTS["test"])
    for each in read:  # by a net that has learnt nothing
        assert set(each.text) <= set("0123456789")
        assert 0 <= each.confidence < 1
