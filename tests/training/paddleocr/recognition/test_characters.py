"""PaddleOCR's own loader gives every character the class that our charset gives it."""

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from ocr.models.charset import Charset
from tests.paddleocr_tree import find_runtime
from training.paddleocr.config import JobFiles
from training.paddleocr.recognition.data import write_files
from training.paddleocr.tool.process import foreign_environment

TEXTS = [
    " 1 a ",  # spaces at both ends
    "\u00a01\u3000\u2003",  # no-break, ideographic, em
    "a\u2028b\u2029d\x0be\x0cf\x1cg\x1dh\x1ei",  # what str.splitlines takes for line ends
    "１Ａ％",  # full width
    "\u200b\ufeff\u00ad",  # invisible
    "e\u0301é",  # the same to the eye
    "\U0001f600\u0660",
    "'\"#-: [null]~|>&*!%@`{}",  # YAML's own
]
ASKED = """
import json, logging, sys
sys.path.insert(0, sys.argv[1])
from ppocr.data.simple_dataset import SimpleDataSet
from ppocr.postprocess.rec_postprocess import CTCLabelDecode
data, labels, charset = sys.argv[2:]
steps = {
    "label": [{"CTCLabelEncode": None}, {"KeepKeys": {"keep_keys": ["label", "length"]}}],
    "label_ctc": [
        {"MultiLabelEncode": {"gtc_encode": "NRTRLabelEncode"}},
        {"KeepKeys": {"keep_keys": ["label_ctc", "length"]}},
    ],
}
found = {"characters": CTCLabelDecode(charset).character}
for name, transforms in steps.items():
    lines = {"data_dir": data, "label_file_list": [labels], "transforms": transforms}
    config = {
        "Global": {
            "character_dict_path": charset, "max_text_length": 40, "use_space_char": False
        },
        "Eval": {"dataset": lines, "loader": {"shuffle": False}},
    }
    loaded = SimpleDataSet(config, "Eval", logging.getLogger())
    found[name] = [loaded[n][0][: int(loaded[n][1])].tolist() for n in range(len(loaded))]
print("FOUND" + json.dumps(found))
"""


def test_classes_are_those_of_our_charset_whatever_the_characters(tmp_path: Path) -> None:
    runtime = find_runtime()
    charset = Charset.from_texts(TEXTS)
    image = np.zeros((4, 4, 3), np.uint8)
    lines = [(SimpleNamespace(text=text), image) for text in TEXTS]
    snapshot: Any = SimpleNamespace(charset=charset, images=lambda _: lines)
    files = JobFiles.of(tmp_path)
    write_files(snapshot, files)

    run = subprocess.run(
        [runtime.python, "-c", ASKED, runtime.home, files.data, files.val, files.charset],
        env=foreign_environment({}),
        capture_output=True,
        text=True,
        check=True,
    )

    found = json.loads(run.stdout.partition("FOUND")[2])
    assert found["characters"] == ["blank", *charset.characters]
    assert found["label"] == found["label_ctc"] == [charset.encode(text) for text in TEXTS]
    assert Charset.read(files.charset) == charset
