"""What a recogniser's training starts from: a net and the characters that it is to read."""

from dataclasses import dataclass

from configs.training import RecogniserTrainingParams
from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from training.recognition.net import RecogniserNetSpec, build_recogniser_net
from training.start import Start


@dataclass(frozen=True, kw_only=True)
class RecogniserStart(Start):
    """A net at the first step.

    Attributes:
        charset: The characters that it is to read.
        new: Those that start from noise, while others are known already.
    """

    charset: Charset
    new: tuple[str, ...] = ()

    @property
    def input(self) -> LineSpec:
        """What the image of a line becomes before the net."""
        found: LineSpec = self.spec.input
        return found


def start_compact(training: RecogniserTrainingParams, charset: Charset) -> RecogniserStart:
    """Start from noise."""
    taken = LineSpec(training.layout, training.height_px, training.width_px)
    spec = RecogniserNetSpec(taken, training.size, training.gray, charset.characters)
    return RecogniserStart(spec=spec, charset=charset, build=lambda: build_recogniser_net(spec))
