"""The maps that a rule is tuned on are those that the net draws when it serves."""

from typing import Any

import numpy as np
import paddle
import pytest

from ocr.models.detector_spec import PageSpec
from tests.toy_bundle import draw_page
from tests.training.detection.ppocr_v6.weights import start
from tests.training.detection.toy_detector import toy_weights
from tests.training.recognition.ppocr_v6.weights import needs_rapidocr
from training.detection.net import DetectorNetSpec, build_detector_net
from training.detection.samples import collect_val_pages
from training.detection.shapes import MapTarget
from training.detection.validation import map_pages
from training.loop.checkpoint import load_weights


def compact() -> tuple[Any, MapTarget]:
    net = build_detector_net(DetectorNetSpec(PageSpec(320), "small"))
    load_weights(net, toy_weights(net))
    return net, DetectorNetSpec.target


def pretrained() -> tuple[Any, MapTarget]:
    begun = start()
    return begun.build(), begun.spec.target


@pytest.mark.parametrize("make", [compact, pytest.param(pretrained, marks=needs_rapidocr)])
def test_the_map_of_a_page_is_that_of_the_net(make: Any) -> None:
    net, target = make()
    net.eval()
    image = draw_page({(40, 37): "ABC", (111, 120): "CBA"})
    (page,) = collect_val_pages([(image, ())], spec=PageSpec(320))

    (found,) = map_pages(net, [page], target=target, beat=lambda: None)

    expected = net(paddle.to_tensor(page.to_input())).numpy()[0, 0]
    assert found.kernels.shape == (192 // target.map_px, 320 // target.map_px)
    assert expected.shape == (192, 320)
    assert np.ptp(expected) > 0.5  # it sees the words
    np.testing.assert_allclose(found.probabilities, expected, atol=1e-6)
