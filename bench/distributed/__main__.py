"""Trainings on several processes beside one, by both engines: `python -m bench.distributed`.

All learn the same crops in the same batches, which the ranks share, in turn; the embedded engine on
a fixed layout, PaddleOCR's (where PADDLEOCR_HOME names its tree) a small net of its configs.
Images/s are those of the steps, the first ones aside; `loss` is the mean of the last quarter, over
all ranks. Ranks need a free core each. What is printed of GPUs and of several
machines is reckoned, not measured.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import harmonic_mean, mean

from bench.distributed.prediction import print_prediction
from bench.train import WARM_STEPS, make_snapshot
from configs.jobs import TrainJob, TrainPaddleOcrRecogniserJob, TrainRecogniserJob, TrainResult
from configs.paddleocr import PaddleOcrRecogniserParams
from configs.training import RecogniserTrainingParams, ResourceParams
from tasks.engine import find_runtime
from training.loop.progress import read_events

BATCH = 16
NET = "configs/rec/rec_mv3_none_none_ctc.yml"


@dataclass(frozen=True)
class Run:
    """One training."""

    images_per_s: float
    loss: float
    accuracy: float


def main() -> None:
    """Print what was measured here, then what is reckoned."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--epochs", type=int, default=4, help="Passes over 640 crops per run")
    parser.add_argument("--rounds", type=int, default=2, help="Runs of each; the fastest counts")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2], help="Beginning with 1")
    parser.add_argument("--step", type=float, default=0.2, help="Seconds of a step on one GPU")
    arguments = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the start")
    print(
        f"{'engine':<12}{'ranks':>6}{'images/s':>10}{'efficiency':>12}{'loss':>8}{'accuracy':>10}"
    )
    with tempfile.TemporaryDirectory(prefix="bench-distributed-") as name:
        snapshot = make_snapshot(Path(name))
        for engine in ("embedded", "paddleocr"):
            alone = 0.0
            for ranks in arguments.ranks:
                work = Path(name, f"{engine}-{ranks}")
                runs = [
                    run_training(engine, snapshot, work / str(n), ranks, arguments.epochs)
                    for n in range(arguments.rounds)
                ]
                best = max(runs, key=lambda run: run.images_per_s)
                alone = alone or best.images_per_s / ranks
                efficiency = best.images_per_s / (alone * ranks)
                print(
                    f"{engine:<12}{ranks:>6}{best.images_per_s:>10.1f}{efficiency:>12.2f}"
                    f"{best.loss:>8.3f}{best.accuracy:>10.3f}",
                    flush=True,
                )
    print_prediction(arguments.step)


def run_training(
    engine: str, snapshot: dict[str, str], folder: Path, ranks: int, epochs: int
) -> Run:
    """Run one job and read what it left."""
    folder.mkdir(parents=True)
    job = make_job(engine, snapshot, ranks, epochs)
    path = folder / "job.json"
    path.write_text(job.model_dump_json(), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "training", job.kind, str(path)], check=True)
    events = [event for event in read_events(folder / "metrics.jsonl") if event["event"] == "step"]
    result = TrainResult.model_validate_json((folder / "result.json").read_bytes())
    return Run(
        harmonic_mean([one["images_per_s"] for one in events if one["step"] > WARM_STEPS]),
        last_quarter([one["loss"] for one in events]),
        result.metrics["accuracy"],
    )


def make_job(engine: str, snapshot: dict[str, str], ranks: int, epochs: int) -> TrainJob:
    """Return the job of one run; a step learns BATCH crops on any number of ranks."""
    resources = ResourceParams(devices=ranks)
    if engine == "embedded":
        own = RecogniserTrainingParams(
            layout="fixed", batch_size=BATCH // ranks, epochs=epochs, evaluations=1
        )
        return TrainRecogniserJob(**snapshot, training=own, resources=resources)
    theirs = PaddleOcrRecogniserParams(
        net=NET, batch_size=BATCH, epochs=epochs, evaluations=1, width_px=128
    )
    return TrainPaddleOcrRecogniserJob(
        **snapshot, training=theirs, resources=resources, runtime=find_runtime()
    )


def last_quarter(losses: Sequence[float]) -> float:
    """Return the mean of the last quarter, of one loss at least."""
    return mean(losses[-max(1, len(losses) // 4) :])


if __name__ == "__main__":
    main()
