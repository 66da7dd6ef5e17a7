"""PaddleOCR's trainer in ocrline beside itself alone: `python -m bench.paddleocr`.

Needs PADDLEOCR_HOME and `make paddleocr-runtime`. Both learn the same crops with the same config,
in turn. Images/s are what the trainer says of its steps, the first ones aside; seconds are those of
the whole process, to which ocrline adds preparing, asking the net, exporting and reading its forms.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import harmonic_mean, mean

import yaml

from bench.train import WARM_STEPS, make_snapshot
from configs.jobs import PaddleOcrRuntime, TrainPaddleOcrRecogniserJob
from configs.paddleocr import PaddleOcrRecogniserParams
from configs.training import ResourceParams
from tasks.engine import find_runtime
from training.loop.progress import read_events
from training.paddleocr.tool.process import TRAIN, foreign_environment
from training.paddleocr.tool.said import Step, understand

BATCH = 16


@dataclass(frozen=True)
class Run:
    """One training: images/s of its steps, and seconds of the whole."""

    images_per_s: float
    seconds: float


def main() -> None:
    """Time both in turn and print them and their ratio."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--net", default="configs/rec/rec_mv3_none_none_ctc.yml")
    parser.add_argument("--epochs", type=int, default=3, help="Passes over 640 crops per run")
    parser.add_argument("--rounds", type=int, default=2, help="Runs of each side")
    arguments = parser.parse_args()
    runtime = find_runtime()
    runs: dict[str, list[Run]] = {"ocrline": [], "tools/train.py": []}
    with tempfile.TemporaryDirectory(prefix="bench-paddleocr-") as name:
        snapshot = make_snapshot(Path(name))
        job = TrainPaddleOcrRecogniserJob(
            **snapshot,
            training=PaddleOcrRecogniserParams(
                net=arguments.net, epochs=arguments.epochs, batch_size=BATCH, width_px=128
            ),
            resources=ResourceParams(),
            runtime=runtime,
        )
        for number in range(arguments.rounds):
            folder = Path(name, f"run-{number}")
            runs["ocrline"].append(time_ours(job, folder))
            runs["tools/train.py"].append(time_bare(runtime, folder))
    for side, found in runs.items():
        speeds = ", ".join(f"{run.images_per_s:.1f}" for run in found)
        print(f"{side:<15}{speeds} images/s, {mean(run.seconds for run in found):.0f} s in all")
    ours, bare = (mean(run.images_per_s for run in found) for found in runs.values())
    print(f"ocrline / tools/train.py {ours / bare:.3f}")


def time_ours(job: TrainPaddleOcrRecogniserJob, folder: Path) -> Run:
    """Run a whole job."""
    folder.mkdir()
    path = folder / "job.json"
    path.write_text(job.model_dump_json(), encoding="utf-8")
    began = time.monotonic()
    subprocess.run([sys.executable, "-m", "training", job.kind, str(path)], check=True)
    seconds = time.monotonic() - began
    events = [event for event in read_events(folder / "metrics.jsonl") if event["event"] == "step"]
    return _run([(event["step"], event["images_per_s"]) for event in events], seconds)


def time_bare(runtime: PaddleOcrRuntime, folder: Path) -> Run:
    """Run the trainer by hand with the config that a job of ours wrote."""
    config = yaml.safe_load((folder / "config.yml").read_text(encoding="utf-8"))
    config["Global"]["save_model_dir"] = str(folder / "bare")
    path = folder / "bare.yml"
    path.write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
    command = [runtime.python, str(Path(runtime.home) / TRAIN), "-c", str(path)]
    began = time.monotonic()
    done = subprocess.run(
        command,
        cwd=folder,
        env=foreign_environment(os.environ),
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    seconds = time.monotonic() - began
    said = [understand(line) for line in done.stdout.splitlines()]
    return _run([(one.step, one.images_per_s) for one in said if isinstance(one, Step)], seconds)


def _run(steps: list[tuple[int, float]], seconds: float) -> Run:
    return Run(harmonic_mean([speed for step, speed in steps if step > WARM_STEPS]), seconds)


if __name__ == "__main__":
    main()
