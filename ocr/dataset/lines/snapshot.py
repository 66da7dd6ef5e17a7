"""A snapshot of lines."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ocr.dataset.snapshot.snapshot import ReadShard, Sample, Snapshot, open_snapshot
from ocr.dataset.split import Split
from ocr.image.cropping import trim
from ocr.image.pixels import Image


@dataclass(frozen=True, slots=True, kw_only=True)
class LineSample(Sample):
    """One accepted line and what it reads."""

    text: str


@dataclass(frozen=True)
class LineSnapshot(Snapshot[LineSample]):
    """A snapshot of lines; an image is of the line alone but where surroundings are asked for."""

    def image(self, sample: LineSample) -> Image:
        """Decode the image of a sample: (H, W, 3) BGR."""
        return trim(super().image(sample), self._surroundings_px(sample))

    def images(self, split: Split) -> Iterator[tuple[LineSample, Image]]:
        """Samples of a split with their images, read in blocks and decoded one by one."""
        for sample, image, around_px in self.images_with_surroundings(split):
            yield sample, trim(image, around_px)

    def images_with_surroundings(self, split: Split) -> Iterator[tuple[LineSample, Image, int]]:
        """Samples of a split with their images, and how many pixels these go on round the lines."""
        for sample, image in super().images(split):
            yield sample, image, self._surroundings_px(sample)

    def _surroundings_px(self, sample: LineSample) -> int:
        share = self.manifest.surroundings if sample.split == "train" else 0.0
        return round(share * min(sample.height, sample.width))


def open_line_snapshot(folder: Path, read: ReadShard | None = None) -> LineSnapshot:
    """Open a snapshot of lines; arguments and errors are those of `open_snapshot`."""
    opened = open_snapshot(folder, task="recognition", to_sample=LineSample, read=read)
    return LineSnapshot(
        opened.folder, opened.manifest, opened.charset, opened.to_sample, opened.read
    )
