"""The detector's net: shapes, sizes, and what its fixed convolutions do."""

from typing import Any

import cv2
import numpy as np
import paddle
import pytest

from ocr.models.detector_spec import PageSpec
from training.detection.net import DetectorNetSpec, build_detector_net


@pytest.fixture(scope="module")
def net() -> Any:
    paddle.seed(0)
    return build_detector_net(DetectorNetSpec(PageSpec(256), "small"))


@pytest.mark.filterwarnings("ignore:When training, we now always track")
def test_training_sees_logits_at_half_size_and_use_probabilities_at_full_size(net: Any) -> None:
    x = paddle.randn([2, 3, 64, 96])

    net.train()
    logits = net(x)
    net.eval()
    probabilities = net(x).numpy()

    assert logits.shape == [2, 1, 32, 48]
    assert probabilities.shape == (2, 1, 64, 96)
    assert 0 < probabilities.min() < probabilities.max() < 1


def test_the_map_is_doubled_as_cv2_doubles_pictures(net: Any) -> None:
    x = paddle.randn([1, 3, 64, 96])

    net.eval()
    kernels = paddle.nn.functional.sigmoid(net.logits(x)).numpy()[0, 0]

    expected = cv2.resize(kernels, (96, 64), interpolation=cv2.INTER_LINEAR)
    np.testing.assert_allclose(net(x).numpy()[0, 0], expected, atol=1e-6)
    assert np.ptp(kernels) > 0.1


def test_the_net_sees_grey_as_cv2_does(net: Any) -> None:
    page = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    x = paddle.to_tensor(page.transpose(2, 0, 1)[None].astype(np.float32))

    grey = paddle.nn.functional.conv2d(x, net.grey).numpy()[0, 0]

    np.testing.assert_allclose(grey, cv2.cvtColor(page, cv2.COLOR_BGR2GRAY), atol=0.51)


def test_the_unshuffled_page_is_the_page(net: Any) -> None:
    x = paddle.randn([1, 1, 32, 40])

    apart = paddle.nn.functional.conv2d(x, net.unshuffle, stride=8)

    again = paddle.nn.functional.pixel_shuffle(apart, 8)
    np.testing.assert_array_equal(again.numpy(), x.numpy())


@pytest.mark.parametrize(("size", "least", "most"), [("small", 1e5, 3e5), ("base", 6e5, 8e5)])
def test_sizes_differ_in_parameters(size: Any, least: float, most: float) -> None:
    net = build_detector_net(DetectorNetSpec(PageSpec(256), size))

    assert least < sum(p.size for p in net.parameters() if p.trainable) < most
