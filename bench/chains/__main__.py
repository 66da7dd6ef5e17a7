"""What many retrainings in a row on one frozen test do to the gate: ``python -m bench.chains``.

Simulated: whether a line is read depends on its luck, which all models share, and on chance. Each
candidate is judged beside the champion of then by the rules that a preset of lines begins with.
"""

import argparse
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scipy.stats import norm

from configs.gate import LineGateParams
from ocr.evaluation.bootstrap import Resampling, wilson
from ocr.evaluation.latency import Latency, ReadingTime
from ocr.evaluation.lines.comparison import compare_lines
from ocr.evaluation.ratio import Values
from ocr.gate.checks import Verdict
from ocr.gate.evidence import Evidence
from ocr.gate.judge import judge
from ocr.gate.rules import GateRules

SHARED = 0.8
"""Of what decides whether a line is read, the part that is the line's."""
RESAMPLES = 500
CASES = ((1000, 0.95, 0.0), (1000, 0.85, 0.0), (1000, 0.95, -0.005), (5000, 0.95, -0.005))
"""Lines, true accuracy of the first champion, and what each candidate is truly worse or better."""

RULES = GateRules(**LineGateParams().model_dump())
AT_ONCE = Latency(ReadingTime(1.0, p95_ms=1.0), None, ratio=1.0, images=1, machine="", measured="")


@dataclass(frozen=True)
class Chain:
    """One chain: its verdicts, and the last champion less the first, truly and by the test."""

    verdicts: tuple[Verdict, ...]
    truth: float
    test: float


def main() -> None:
    """Run the chains of every case and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--chains", type=int, default=300)
    parser.add_argument("--retrainings", type=int, default=30)
    arguments = parser.parse_args()
    table = Table(
        *("lines", "accuracy", "each candidate", "blocked, 1st and 12th", "promoted"),
        *("truth of the last champion", "the test says"),
    )
    for lines, accuracy, step in CASES:
        rng = np.random.default_rng(3)
        chains = [
            run_chain(rng, lines, accuracy, step, retrainings=arguments.retrainings)
            for _ in track(
                range(arguments.chains),
                f"{lines} lines",
                console=Console(stderr=True),
                transient=True,
            )
        ]
        table.add_row(
            f"{lines}",
            f"{accuracy:.0%}",
            f"{100 * step:+.1f} points",
            _shares(chains, "block"),
            _shares(chains, "promote"),
            f"{100 * np.mean([chain.truth for chain in chains]):+.2f} points",
            f"{100 * np.mean([chain.test for chain in chains]):+.2f} points",
        )
    Console(width=130).print(table)


def run_chain(
    rng: np.random.Generator, lines: int, accuracy: float, step: float, *, retrainings: int
) -> Chain:
    """Retrain so often on one test; a candidate is truly `step` better than its champion."""
    luck = rng.standard_normal(lines)
    truth, champion = accuracy, _read(rng, luck, accuracy)
    first, verdicts = champion, []
    for _ in range(retrainings):
        candidate = _read(rng, luck, truth + step)
        verdicts.append(_judge(candidate, champion))
        if verdicts[-1] == "promote":
            truth, champion = truth + step, candidate
    return Chain(tuple(verdicts), truth - accuracy, float(champion.mean() - first.mean()))


def _read(rng: np.random.Generator, luck: Values, accuracy: float) -> Values:
    """Return 1.0 for each line (N,) that a model of this accuracy reads, else 0.0."""
    chance = rng.standard_normal(len(luck))
    drawn = np.sqrt(SHARED) * luck + np.sqrt(1 - SHARED) * chance
    return np.where(drawn < norm.ppf(accuracy), 1.0, 0.0)


def _judge(candidate: Values, champion: Values) -> Verdict:
    draws = Resampling(np.arange(len(candidate)), RESAMPLES, 0)
    evidence = Evidence(
        n=len(candidate),
        share=wilson(int(candidate.sum()), len(candidate)),
        comparison=compare_lines(candidate, champion, draws),
        slices=(),
        latency=AT_ONCE,
        size_mb=1.0,
        has_parity=True,
        opponent="the champion",
        is_opponent=False,
        was_rolled_back=False,
        metric="accuracy",
        unit="lines",
        overlap=None,
        second_overlap=None,
        judged_before=0,
        guards={},
    )
    return judge(evidence, RULES).verdict


def _shares(chains: list[Chain], verdict: Verdict) -> str:
    given = np.array([chain.verdicts for chain in chains]) == verdict
    first, twelfth = given[:, [0, 11]].mean(axis=0)
    return f"{first:.0%}, {twelfth:.0%}"


if __name__ == "__main__":
    main()
