"""Several tools in one process: which of them failed, or hangs."""

import sys
from pathlib import Path

import pytest

from configs.jobs import PaddleOcrRuntime
from ocr.errors import TrainingFailed
from training.loop.guards import StopRequest
from training.paddleocr.tool.process import run_tools


def run(folder: Path, *scripts: str, timeout_s: float = 60) -> None:
    """Run scripts one after another: the first is one of ours, the others are of the tree."""
    (folder / "tools").mkdir()
    tools = [str(folder / "ours.py"), "tools/second.py", "tools/third.py"][: len(scripts)]
    for tool, script in zip(tools, scripts, strict=True):
        (folder / tool).write_text(script)
    run_tools(
        [[tool, "settings.yml"] for tool in tools],
        runtime=PaddleOcrRuntime(home=str(folder), python=sys.executable, tree="t", packages="p"),
        folder=folder,
        log=folder / "log",
        timeout_s=timeout_s,
        limit="a limit",
        stop=StopRequest(),
        listen=lambda _: False,
    )


@pytest.mark.parametrize("number", range(3))
def test_the_tool_that_failed_is_named(tmp_path: Path, number: int) -> None:
    scripts = ["print('no line', end='')"] * 3
    scripts[number] = "raise SystemExit('a reason')"

    name = ("ours", "tools/second.py", "tools/third.py")[number]
    with pytest.raises(TrainingFailed, match=f"PaddleOCR's {name} ended with status 1: a reason;"):
        run(tmp_path, *scripts)


def test_a_tool_that_says_again_and_again_that_another_begins_has_no_more_time(
    tmp_path: Path,
) -> None:
    talk = "import itertools, time\nfor n in itertools.cycle((1, 99)):\n"
    talk += "    print(f'ocrline: tool {n}', flush=True)\n    time.sleep(0.1)"

    with pytest.raises(TrainingFailed, match=r"tools/second.py made no progress for 2 s"):
        run(tmp_path, "print('done')", talk, timeout_s=2)


def test_the_tool_that_hangs_is_named_and_each_has_its_time(tmp_path: Path) -> None:
    sleep = "import time; time.sleep({})".format

    with pytest.raises(TrainingFailed, match=r"tools/third.py made no progress for 3 s"):
        run(tmp_path, sleep(1.6), sleep(1.6), sleep(600), timeout_s=3)
