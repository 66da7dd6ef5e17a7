"""A recogniser as PaddleOCR's trainer trains it; see `training.paddleocr.trainee`."""

from pathlib import Path

from configs.jobs import TrainPaddleOcrRecogniserJob
from ocr.dataset.lines.snapshot import LineSnapshot, open_line_snapshot
from training.job import SNAPSHOT, fetch_snapshot
from training.loop.checkpoint import write_json
from training.loop.progress import note
from training.paddleocr.checkpoint import SPEC
from training.paddleocr.config import Config, JobFiles
from training.paddleocr.measured import Measured
from training.paddleocr.overrides import name_replaced
from training.paddleocr.recognition.checkpoint import ExportedRecogniser
from training.paddleocr.recognition.config import (
    input_size,
    longest_text,
    make_config,
    read_upstream,
)
from training.paddleocr.recognition.data import (
    check_frames,
    check_scale,
    check_texts,
    check_widths,
    write_charset,
    write_files,
)
from training.paddleocr.recognition.inspection import find_spec
from training.paddleocr.recognition.validation import validate_exported


class RecogniserTrainee:
    """What is written for the trainer, and what is made of what it leaves."""

    score = "accuracy"

    def __init__(self, job: TrainPaddleOcrRecogniserJob, folder: Path) -> None:
        """Take a job and its folder."""
        self._job = job
        self._folder = folder

    def prepare(self) -> Config:
        """Refuse what cannot be trained, then write all that the trainer reads."""
        job, training = self._job, self._job.training
        gpu = job.resources.device == "gpu"
        upstream = read_upstream(Path(job.runtime.home), training.net)
        files = JobFiles.of(self._folder)
        # Asked before the snapshot is fetched: a wrong key need not wait for a dataset.
        config = make_config(upstream, training, files=files, lines=0, gpu=gpu)
        fetch_snapshot(job, self._folder)
        snapshot = open_line_snapshot(self._folder / SNAPSHOT)
        if training.epochs:
            lines = self._write(snapshot, config)
            config = make_config(upstream, training, files=files, lines=lines, gpu=gpu)
        else:
            write_charset(snapshot, files)
        if said := name_replaced(upstream, config, training):
            note(self._folder, said)
        return config

    def _write(self, snapshot: LineSnapshot, config: Config) -> int:
        """Write what is learnt from, if it can be; return the lines of the train split."""
        training = self._job.training
        lines = check_texts(snapshot, longest=longest_text(config), batch_size=training.batch_size)
        height_px, width_px = input_size(config)
        check_widths(snapshot, height_px=height_px, width_px=width_px)
        write_files(snapshot, JobFiles.of(self._folder))
        return lines

    def check(self, measured: Measured, spec: ExportedRecogniser) -> None:
        """Refuse a scale that is not read at, and lines with fewer frames than texts need."""
        check_scale(measured, spec.input)
        snapshot = open_line_snapshot(self._folder / SNAPSHOT)
        check_frames(snapshot, measured, width_px=self._job.training.width_px)

    def find_spec(self, checkpoint: Path, config: Config) -> ExportedRecogniser:
        """Ask an exported net what it takes."""
        return find_spec(self._job, checkpoint, config)

    def finish(self, checkpoint: Path, config: Config) -> dict[str, float]:
        """Write what the net takes, and read the val split as our reader does."""
        spec = self.find_spec(checkpoint, config)
        write_json(checkpoint / SPEC, spec)
        return validate_exported(checkpoint, spec, open_line_snapshot(self._folder / SNAPSHOT))
