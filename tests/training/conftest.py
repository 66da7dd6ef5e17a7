"""Paddle for the tests of training: imported once, its import warnings aside."""

import warnings

from training.environment import prepare_environment

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    prepare_environment()
    import paddle

paddle.set_device("cpu")
