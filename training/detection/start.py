"""A detector's training that starts from noise."""

from configs.training import DetectorTrainingParams
from ocr.models.detector_spec import PageSpec
from training.detection.net import DetectorNetSpec, build_detector_net
from training.start import Start


def start_compact(training: DetectorTrainingParams) -> Start:
    """Start from noise."""
    spec = DetectorNetSpec(PageSpec(training.long_side_px), training.size)
    return Start(spec=spec, build=lambda: build_detector_net(spec))
