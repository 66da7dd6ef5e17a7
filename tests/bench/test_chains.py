"""Chains of retrainings on one test, simulated."""

import numpy as np

from bench.chains.__main__ import run_chain


def test_the_truth_moves_with_what_is_promoted_and_no_other_way() -> None:
    rng = np.random.default_rng(3)
    chain = run_chain(rng, 5000, 0.95, -0.005, retrainings=12)

    promoted = chain.verdicts.count("promote")
    assert len(chain.verdicts) == 12
    assert 0 < promoted < 12
    assert np.isclose(chain.truth, -0.005 * promoted)


def test_much_better_candidates_are_promoted_and_much_worse_ones_never() -> None:
    rng = np.random.default_rng(3)
    better = run_chain(rng, 1000, 0.6, 0.06, retrainings=5)
    worse = run_chain(rng, 1000, 0.9, -0.1, retrainings=5)

    assert better.verdicts == ("promote",) * 5
    assert better.test > 0.2
    assert worse.verdicts == ("block",) * 5
    assert (worse.truth, worse.test) == (0.0, 0.0)
