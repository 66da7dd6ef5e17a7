"""Which of the weights that a training starts from fit its net: none is an error, some a notice."""

from pathlib import Path

from pydantic import BaseModel

from configs.jobs import TrainPaddleOcrJob
from configs.paddleocr import REGISTERED, PaddleOcrParams, PaddleOcrRecogniserParams
from ocr.errors import BadData, TrainingFailed
from ocr.store.whole import make_durable
from training.loop.guards import StopRequest
from training.loop.progress import note, quoted, some
from training.paddleocr.config import Config, started, write_config
from training.paddleocr.distillation import alone, taught, teachers
from training.paddleocr.pretrained.dictionary import find_dictionary
from training.paddleocr.pretrained.fetching import WeightsField, fetch_weights
from training.paddleocr.pretrained.fit_tool import SECOND
from training.paddleocr.pretrained.registered import fetch_registered
from training.paddleocr.shape import PARTS
from training.paddleocr.tool.process import run_aside

TOOL = Path(__file__).parent / "fit_tool.py"


class Fit(BaseModel):
    """What the foreign process found.

    Attributes:
        refused: Why the file is none of weights; empty: it is one.
        fits: Parameters of the net that start from the weights.
        new: Parameters of the net that do not.
        unused: Arrays of the weights that the net has not, or of another shape.
        by_character: Whether it is known which characters the weights know.
        characters: Those of the net that the weights do not know then.
        lost: Those that the weights know and the net does not.
    """

    refused: str = ""
    fits: list[str] = []
    new: list[str] = []
    unused: list[str] = []
    by_character: bool = False
    characters: list[str] = []
    lost: list[str] = []


def start_from_weights(
    job: TrainPaddleOcrJob, folder: Path, *, config: Config, stop: StopRequest
) -> Config:
    """Return the config of a training that starts from the job's weights, and is taught by them.

    Args:
        job: The training.
        folder: The job's; the weights land there.
        config: Of a training from nothing; its dictionary is there.
        stop: Whether SIGTERM arrived.

    Raises:
        BadData: A file holds no weights, or none of them fits the net, or not all of the teacher's.
        OcrError: As `fetch_weights` and `run_aside` say.
    """
    training = job.training
    if training.teacher:
        (teacher,) = teachers(config)
        weights, fit = _fit(job, folder, field="teacher", config=alone(config, teacher), stop=stop)
        _judge_teacher(fit, training.teacher, net=f"the {teacher} of {training.net}")
        config = taught(config, weights)
    if training.pretrained:
        weights, fit = _fit(job, folder, field="pretrained", config=config, stop=stop)
        _judge(fit, training, folder=folder)
        config = started(config, weights)
    return config


def _fit(
    job: TrainPaddleOcrJob,
    folder: Path,
    *,
    field: WeightsField,
    config: Config,
    stop: StopRequest,
) -> tuple[Path, Fit]:
    """Write what of named weights fits the net of a config, once; return that file and what fits.

    Raises:
        BadData: The file holds no weights, or none of them fits.
    """
    source, sha256 = getattr(job.training, field), getattr(job.training, f"{field}_sha256")
    weights, report = folder / f"{field}.pdparams", folder / f"{field}.json"
    if not report.is_file():
        fetched = folder / f"{field}.fetched.pdparams"
        where, known = source, None
        if source.startswith(REGISTERED):
            registered, known = fetch_registered(job, folder)
            where = str(registered)
        elif field == "pretrained":
            known = find_dictionary(job, folder)
        fetch_weights(where, sha256, fetched, field=field, stop=stop)
        _compare(job, fetched, weights, report, known=known, config=config, stop=stop)
    fit = Fit.model_validate_json(report.read_bytes())
    if fit.refused:
        raise BadData(f"training.{field}: {source} holds no weights: {fit.refused}")
    return weights, fit


def _judge(fit: Fit, training: PaddleOcrParams, *, folder: Path) -> None:
    source = training.pretrained
    if not fit.fits:
        raise BadData(
            f"training.pretrained: nothing of {source} fits {training.net}: it has "
            f"{some(fit.unused)}; the net has {some(fit.new)}; they must be of the same net"
        )
    noise = [name for name in fit.new if name.split(".")[0] in PARTS[training.frozen]]
    if noise:
        raise BadData(
            f"training.frozen: {training.frozen} would stay noise where {source} has no weights "
            f"for it: {some(noise)}; expected weights of the same net, or frozen: none"
        )
    whole = len(fit.fits) + len(fit.new)
    if not training.epochs:
        _judge_unchanged(fit, training)
    said = f"{len(fit.fits)} of the net's {whole} parameters start from training.pretrained"
    if fit.new:
        said += f"; new: {some(fit.new)}; not used of it: {some(fit.unused)}"
    if reshaped := [name for name in fit.new if name in fit.unused]:
        said += f"; of another shape there: {some(reshaped)}"
        if isinstance(training, PaddleOcrRecogniserParams):
            said += (
                ", as of other characters; those that it was learnt with are kept where the "
                "net's file names their dictionary, or by their dictionary as dataset.charset_file"
            )
    note(folder, said)
    if fit.characters:
        note(
            folder,
            f"{len(fit.characters)} characters that training.pretrained does not know start from "
            f"the mean of those that it knows: {quoted(fit.characters)}",
        )
    if fit.lost and not training.epochs:
        note(
            folder,
            f"{len(fit.lost)} characters that training.pretrained knows are none of the dataset's "
            f"and read no more: {quoted(fit.lost)}; dataset.charset_file keeps those it has",
        )


def _judge_unchanged(fit: Fit, training: PaddleOcrParams) -> None:
    """Refuse weights that are no whole net: what reads needs no second head."""
    missing = [name for name in fit.new if not SECOND.match(name)]
    if missing:
        raise BadData(
            f"training.epochs: 0 takes {training.pretrained} as it is, and {len(missing)} "
            f"parameters of {training.net} are not in it, or of another shape: {some(missing)}; "
            "give the net that it was learnt with, whose file names its dictionary, or let it learn"
        )
    if isinstance(training, PaddleOcrRecogniserParams) and not fit.by_character:
        raise BadData(
            f"training.epochs: 0 takes {training.pretrained} as it is, and nothing says for which "
            f"characters: name its dictionary in {training.net}, as Global.character_dict_path: "
            "./ppocr/utils/NAME.txt, with use_space_char as it was learnt, or let it learn"
        )
    if fit.characters:
        raise BadData(
            f"training.epochs: 0 takes {training.pretrained} as it is, and it does not know "
            f"{len(fit.characters)} characters of the dataset: {quoted(fit.characters)}; of "
            "lines, name its dictionary as dataset.charset_file; of pages, let it learn"
        )


def _judge_teacher(fit: Fit, source: str, *, net: str) -> None:
    if fit.new:
        whole = len(fit.fits) + len(fit.new)
        raise BadData(
            f"training.teacher: {source} has {len(fit.fits)} of the {whole} parameters of {net}, "
            f"expected all; missing or of another shape: {some(fit.new)}; a recogniser's teacher "
            "has learnt the same characters"
        )


def _compare(
    job: TrainPaddleOcrJob,
    fetched: Path,
    weights: Path,
    report: Path,
    *,
    known: Path | None,
    config: Config,
    stop: StopRequest,
) -> None:
    path, log = report.with_suffix(".yml"), report.with_suffix(".log")
    part = report.with_suffix(".part")
    write_config(path, config)
    home = job.runtime.home
    run_aside(
        job,
        [[str(TOOL), home, *map(str, filter(None, (path, fetched, weights, part, known)))]],
        log=log,
        stop=stop,
    )
    if not part.is_file():
        raise TrainingFailed(f"PaddleOCR did not say which weights fit its net; see {log}")
    for path in (weights, part):
        if path.is_file():
            with path.open("rb") as content:
                make_durable(content)  # before the report, which says what they are, is
    part.replace(report)
