"""What composition gains: plates and meters trained with and without it.

``python -m bench.composition --plates FOLDER``; the folder holds rec_{train,val,test}.txt. Each
training is a process of its own on one rank, with the parameters of the preset of its set but for
`--epochs`; its net then reads the test split. What is done is kept in `--json`, so that a command
that was interrupted goes on where it was.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, stdev

from configs.jobs import TrainRecogniserJob
from configs.presets import load_params
from configs.retrain import RetrainLinesParams
from configs.settings import Settings
from configs.training import CompositionParams, ResourceParams

SETS = ("plates", "meters")
FEW_METERS = [
    "dataset.synthesis.count=1200",
    "dataset.split.val_share=0.1",
    "dataset.split.test_share=0.65",
]
"""Leaves 300 to learn from, as few as anybody labels, and enough to tell two nets apart."""


@dataclass(frozen=True)
class Outcome:
    """What one training came to.

    Attributes:
        accuracy: Share of the test split read exactly.
        ned: Mean of 1 - normalised edit distance on it.
        cpu_s: Of the training and the test together.
        notice: Why nothing was composed, or "".
    """

    accuracy: float
    ned: float
    cpu_s: float
    notice: str


Outcomes = dict[str, Outcome]
"""By "set seed side epochs"."""


def main() -> None:
    """Train what the JSON file lacks, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plates", type=Path, help="Folder of labelled plates")
    parser.add_argument("--epochs", type=int, default=60, help="Passes over the train split")
    parser.add_argument("--seeds", type=int, default=3, help="Trainings of each kind")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--json", type=Path, help="Where results are kept as they come")
    parser.add_argument("--job", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.job:
        print(json.dumps(asdict(train(arguments.job))))
        return
    done = read_outcomes(arguments.json) if arguments.json else {}
    with tempfile.TemporaryDirectory(prefix="bench-composition-") as folder:
        for name in arguments.sets:
            keys = prepare(name, Path(folder), arguments.plates)
            for seed in range(arguments.seeds):
                for side in ("with", "without"):
                    key = name_training(name, seed, side, arguments.epochs)
                    if key not in done:
                        job = make_job(name, keys, arguments.epochs, seed, composed=side == "with")
                        done[key] = start_training(Path(folder, key), job)
                        print(key, done[key], flush=True)
                    if arguments.json:
                        write_outcomes(arguments.json, done)
    print(f"{arguments.epochs} epochs, one rank; test split")
    for name in arguments.sets:
        show(name, done, seeds=arguments.seeds, epochs=arguments.epochs)


def name_training(name: str, seed: int, side: str, epochs: int) -> str:
    """Return the key of an outcome."""
    return f"{name} {seed} {side} {epochs}"


def show(name: str, done: Outcomes, *, seeds: int, epochs: int) -> None:
    """Print one set: seed by seed, then the mean gain with its standard deviation."""
    print(f"\n{name:<8}{'accuracy':>20}{'ned':>20}{'CPU seconds':>20}")
    print(f"{'seed':<8}" + 3 * f"{'without':>12}{'with':>8}")
    pairs = [
        (
            done[name_training(name, seed, "without", epochs)],
            done[name_training(name, seed, "with", epochs)],
        )
        for seed in range(seeds)
    ]
    for seed, (a, b) in enumerate(pairs):
        shares = f"{a.accuracy:>12.3f}{b.accuracy:>8.3f}{a.ned:>12.3f}{b.ned:>8.3f}"
        print(f"{seed:<8}{shares}{a.cpu_s:>12.0f}{b.cpu_s:>8.0f}  {b.notice}")
    for measure, digits in (("accuracy", 3), ("ned", 3), ("cpu_s", 0)):
        gains = [getattr(b, measure) - getattr(a, measure) for a, b in pairs]
        spread = f" ± {stdev(gains):.{digits}f}" if seeds > 1 else ""
        print(f"gain of {measure}: {mean(gains):+.{digits}f}{spread} (mean ± standard deviation)")


def prepare(name: str, folder: Path, plates: Path | None) -> dict[str, str]:
    """Prepare a set as its preset does; returns the job's keys for the snapshot."""
    if name == "plates" and plates is None:
        raise SystemExit("--plates: the folder of labelled plates is missing")
    os.environ["OCRLINE_HOME"] = str(folder)
    from tasks.prepare_lines import prepare_lines

    snapshot = prepare_lines.fn(load_lines(name, plates).dataset, name)
    return {"store": Settings().store, "snapshot": snapshot.key}


def load_lines(name: str, plates: Path | None) -> RetrainLinesParams:
    """Return the parameters of a set: its preset's, with its changes."""
    changes = [f"dataset.root={plates}"] if name == "plates" else FEW_METERS
    params = load_params(name, overrides=changes)
    if not isinstance(params, RetrainLinesParams):
        raise TypeError(f"{name} is no preset for lines")
    return params


def make_job(
    name: str, keys: dict[str, str], epochs: int, seed: int, *, composed: bool
) -> TrainRecogniserJob:
    """Return the job of one training."""
    training = load_lines(name, None).training
    changes = {"epochs": epochs, "seed": seed, "composition": CompositionParams(enabled=composed)}
    return TrainRecogniserJob(
        training=training.model_copy(update=changes), resources=ResourceParams(), **keys
    )


def start_training(folder: Path, job: TrainRecogniserJob) -> Outcome:
    """Train in a process of its own, on one thread."""
    folder.mkdir()
    (folder / "job.json").write_text(job.model_dump_json(), encoding="utf-8")
    command = [sys.executable, "-m", "bench.composition", "--job", str(folder / "job.json")]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return Outcome(**json.loads(run.stdout.splitlines()[-1]))


def train(path: Path) -> Outcome:
    """Train here, and read the test split with the net that was left."""
    from training.environment import prepare_environment

    prepare_environment()
    from ocr.dataset.lines.snapshot import open_line_snapshot
    from training.job import SNAPSHOT
    from training.loop.progress import read_events
    from training.recognition.checkpoint import load_recogniser
    from training.recognition.samples import Line, collect_crops
    from training.recognition.validation import validate
    from training.train import train_model

    job, folder = TrainRecogniserJob.model_validate_json(path.read_bytes()), path.parent
    result = train_model(job, folder)
    net, net_spec = load_recogniser(folder / result.checkpoint)
    snapshot, spec = open_line_snapshot(folder / SNAPSHOT), net_spec.input
    lines = (Line(line.text, image) for line, image in snapshot.images("test"))
    crops = collect_crops(lines, split="test", charset=snapshot.charset, spec=spec)
    metrics = validate(
        net, crops, spec=spec, charset=net_spec.charset, limit=len(crops), beat=lambda: None
    ).metrics
    usage = resource.getrusage(resource.RUSAGE_SELF)
    events = read_events(folder / "metrics.jsonl")
    return Outcome(
        accuracy=metrics["accuracy"],
        ned=metrics["ned"],
        cpu_s=usage.ru_utime + usage.ru_stime,
        notice=" ".join(str(e["message"]) for e in events if e["event"] == "notice"),
    )


def read_outcomes(path: Path) -> Outcomes:
    """Read what was done before."""
    if not path.exists():
        return {}
    content = json.loads(path.read_text(encoding="utf-8"))
    return {key: Outcome(**values) for key, values in content.items()}


def write_outcomes(path: Path, done: Outcomes) -> None:
    """Keep what is done."""
    content = {key: asdict(outcome) for key, outcome in done.items()}
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
