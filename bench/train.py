"""Training beside a plain Paddle loop, and two ranks beside one: `python -m bench.train`.

Both loops train the same net on the same crops. The plain one is the shortest that does: batches
prepared beforehand, no augmentation, no averages, logs or checkpoints. Each side runs in processes
of its own, in turn; the better run counts. Two ranks need two free cores; what two trainings at
once that have nothing to do with each other reach together tells what the machine allows.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import harmonic_mean
from typing import Any

import cv2
import numpy as np

from configs.dataset import MAX_PIXELS
from configs.jobs import TrainRecogniserJob
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.limits import LineLimits
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.split import SplitRule
from ocr.store import open_store

CROPS, BATCH = 640, 16
WIDTH, HEIGHT = 94, 24
ALPHABET = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"
SIDES = ("plain loop", "one rank", "two ranks", "two apart")
WARM_STEPS = 10
PREBUILT = 20


def main() -> None:
    """Make the crops, time each side, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=6, help="Passes over 640 crops per run")
    parser.add_argument("--rounds", type=int, default=2, help="Runs of each side")
    parser.add_argument("--plain", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.plain:
        print(time_plain_loop(arguments.plain))
    else:
        compare(epochs=arguments.epochs, rounds=arguments.rounds)


def compare(*, epochs: int, rounds: int) -> None:
    """Time the sides in turn and print images/s and the ratios."""
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the start")
    with tempfile.TemporaryDirectory(prefix="bench-train-") as folder:
        snapshot = make_snapshot(Path(folder))
        runs: dict[str, list[float]] = {side: [] for side in SIDES}
        for number in range(rounds):
            for side in SIDES:
                work = Path(folder) / f"{number} {side}"
                work.mkdir()
                runs[side].append(run_side(side, work, snapshot, epochs))
    best = {side: max(speeds) for side, speeds in runs.items()}
    for side, speed in best.items():
        print(f"{side:<12}{speed:8.1f} images/s")
    print(f"one rank / plain loop  {best['one rank'] / best['plain loop']:.2f}")
    print(f"two ranks / one rank   {best['two ranks'] / best['one rank']:.2f}")
    print(f"two apart / one rank   {best['two apart'] / best['one rank']:.2f}")


def run_side(side: str, folder: Path, snapshot: dict[str, str], epochs: int) -> float:
    """Run one side in a folder of its own and return its images/s."""
    if side == "plain loop":
        return start_plain_loop(write_job(folder / "job", snapshot, epochs, 1))
    if side == "two apart":
        jobs = [write_job(folder / name, snapshot, epochs, 1) for name in "ab"]
        with ThreadPoolExecutor() as pool:
            return sum(pool.map(start_training, jobs))
    ranks = 2 if side == "two ranks" else 1
    return start_training(write_job(folder / "job", snapshot, epochs, ranks))


def make_snapshot(folder: Path) -> dict[str, str]:
    """Draw noisy seven-character crops, and prepare them; return the job's keys for it."""
    rng = np.random.default_rng(0)
    rows = []
    for number in range(CROPS + 2 * BATCH):
        text = "".join(rng.choice(list(ALPHABET), 7))
        image = rng.integers(0, 60, (HEIGHT, WIDTH, 3), dtype=np.uint8)
        cv2.putText(image, text, (4, 17), cv2.FONT_HERSHEY_PLAIN, 1.0, (220, 220, 220), 1)
        cv2.imwrite(str(folder / f"{number}.png"), image)
        rows.append(f"{number}.png\t{text}\n")
    (folder / "train.txt").write_text("".join(rows[:CROPS]), encoding="utf-8")
    (folder / "val.txt").write_text("".join(rows[CROPS:-BATCH]), encoding="utf-8")
    (folder / "test.txt").write_text("".join(rows[-BATCH:]), encoding="utf-8")
    store = str(folder / "store")
    reference = prepare_lines(
        open_store(store),
        name="bench",
        labels=LineLabelFiles(
            "paddleocr", folder, train="train.txt", val="val.txt", test="test.txt"
        ),
        limits=LineLimits(
            min_side_px=8, max_pixels=MAX_PIXELS, max_text_length=80, max_bad_share=0.1
        ),
        split=SplitRule(val_share=0.1, test_share=0.1, seed=0),
        near_duplicate_bits=24,
    )
    return {"store": store, "snapshot": reference.key}


def write_job(folder: Path, snapshot: dict[str, str], epochs: int, devices: int) -> Path:
    """Write the job of one run; two ranks get two epochs for one, so as to run as long."""
    training: dict[str, Any] = {"layout": "fixed", "batch_size": BATCH, "epochs": epochs * devices}
    training["evaluations"] = 1  # after the last step: the plain loop has none
    content: dict[str, Any] = snapshot | {"training": training, "resources": {"devices": devices}}
    folder.mkdir()
    path = folder / "job.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def start_training(job: Path) -> float:
    """Run a training and return its images/s, start-up and first steps aside."""
    subprocess.run([sys.executable, "-m", "training", "train-recogniser", str(job)], check=True)
    lines = (job.parent / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line) for line in lines]
    speeds = [e["images_per_s"] for e in events if e["event"] == "step" and e["step"] > WARM_STEPS]
    return float(harmonic_mean(speeds))


def start_plain_loop(job: Path) -> float:
    """Run the plain loop in a process of its own and return its images/s."""
    command = [sys.executable, "-m", "bench.train", "--plain", str(job)]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def time_plain_loop(path: Path) -> float:
    """Train as plainly as possible and return images/s."""
    from training.environment import prepare_environment

    prepare_environment()
    import paddle

    from training.recognition.loss import recognition_loss

    job = TrainRecogniserJob.model_validate_json(path.read_bytes())
    net, batches = prebuild_batches(job, path.parent)
    optimizer = paddle.optimizer.AdamW(
        job.training.learning_rate,
        parameters=net.parameters(),
        weight_decay=job.training.weight_decay,
        grad_clip=paddle.nn.ClipGradByGlobalNorm(job.training.clip_norm),
    )
    steps = job.training.epochs * CROPS // BATCH
    started = 0.0
    for step in range(steps):
        if step == WARM_STEPS:
            started = time.perf_counter()
        batch = batches[step % PREBUILT]
        loss, _ = recognition_loss(net(paddle.to_tensor(batch.images)), batch, guide=0)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
    return BATCH * (steps - WARM_STEPS) / (time.perf_counter() - started)


def prebuild_batches(job: TrainRecogniserJob, folder: Path) -> tuple[Any, list[Any]]:
    """Return the net and some batches as the training makes them."""
    from training.job import fetch_snapshot
    from training.loop.ranks import Ranks
    from training.recognition.trainee import open_recogniser

    fetch_snapshot(job, folder)
    trainee = open_recogniser(job, folder, ranks=Ranks())
    make = trainee.batches()
    return trainee.build_net(), [make(step) for step in range(PREBUILT)]


if __name__ == "__main__":
    main()
