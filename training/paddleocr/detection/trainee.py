"""A detector as PaddleOCR's trainer trains it; see `training.paddleocr.trainee`."""

from pathlib import Path

from configs.jobs import TrainPaddleOcrDetectorJob
from ocr.dataset.pages.snapshot import open_page_snapshot
from ocr.models.detector_spec import PageSpec
from training.job import SNAPSHOT, fetch_snapshot
from training.loop.checkpoint import write_json
from training.loop.progress import note
from training.paddleocr.checkpoint import SPEC, load_net
from training.paddleocr.config import Config, JobFiles
from training.paddleocr.detection.checkpoint import ExportedDetector
from training.paddleocr.detection.config import make_config, read_upstream
from training.paddleocr.detection.data import check_pages, write_files
from training.paddleocr.detection.inspection import find_spec
from training.paddleocr.detection.validation import tune_exported
from training.paddleocr.measured import Measured
from training.paddleocr.overrides import name_replaced


class DetectorTrainee:
    """What is written for the trainer, and what is made of what it leaves."""

    score = "hmean"

    def __init__(self, job: TrainPaddleOcrDetectorJob, folder: Path) -> None:
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
        config = make_config(upstream, training, files=files, pages=0, gpu=gpu)
        fetch_snapshot(job, self._folder)
        if not training.epochs:
            return config
        snapshot = open_page_snapshot(self._folder / SNAPSHOT)
        pages = check_pages(snapshot)
        write_files(snapshot, files, spec=PageSpec(training.long_side_px))
        config = make_config(upstream, training, files=files, pages=pages, gpu=gpu)
        if said := name_replaced(upstream, config, training):
            note(self._folder, said)
        return config

    def check(self, measured: Measured, spec: PageSpec) -> None:
        """Refuse nothing: text of any size may be learnt."""

    def find_spec(self, checkpoint: Path, config: Config) -> PageSpec:  # noqa: ARG002
        """Ask an exported net what it takes."""
        return find_spec(self._job, checkpoint)

    def finish(self, checkpoint: Path, config: Config) -> dict[str, float]:
        """Tune the rule on the val split, write it with what the net takes, and measure it."""
        spec = self.find_spec(checkpoint, config)
        snapshot = open_page_snapshot(self._folder / SNAPSHOT)
        rule, metrics = tune_exported(load_net(checkpoint, onednn=True), spec, snapshot)
        job = self._job
        exported = ExportedDetector(job.training.net, job.runtime.tree, input=spec, boxes=rule)
        write_json(checkpoint / SPEC, exported)
        return metrics
