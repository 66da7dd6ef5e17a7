"""What a training will take of a machine: from what one like it took, else from a model.

The model's numbers of memory were measured on two cores of an EPYC (Paddle 3.3.1, Python 3.11),
busy with other work: trainings of rendered meter readings and invoices, each net with two batch
sizes (`large` and rec_mv3: with one; `small`: taken to be as `base`). The resident memory of all
processes of a job was read every 0.3 s; the line through both peaks gives that of a process and of
a megapixel. Runs of detectors and of PaddleOCR's nets were ended 15 s after their first steps, so
that a later peak is not in it. Speed of the compact nets and memory of their processes are of
`make demo`, which trains both at once on two cores that nobody else used, to the end. Other speeds
are reckoned from the times in docs/guide/; those of `small`, `large` and det_mv3, and
all numbers of parameters, are taken, not measured. Nothing was measured on a GPU.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

MEGAPIXEL = 1e6
VIEWS_OF_A_PAGE = 8
"""Which the embedded detector draws of each page in an epoch."""
RANKS_EFFICIENCY = 0.9
"""Speed of each further rank; 1.84 times the speed was measured of two on processors."""
GPU_CORES = 30.0
"""Cores whose speed one GPU is taken to have. Not measured, and low for a large one."""
GPU_PROCESS_MIB = 4096.0
"""Host memory of a process that uses a GPU: CUDA's libraries and loaders. Not measured."""
GPU_CONTEXT_MIB = 600.0
"""What CUDA and its libraries hold of a GPU before the first tensor. Not measured."""
AMP_SHARE = 0.6
"""Activations with mixed precision, of those without; from reports, not measured."""
LAUNCHER_MIB = 280.0
"""What starts several ranks and waits for them; measured once."""
START_S = 30.0
"""Loading before the first step and measuring after the last."""
LOADERS_SHARED_MIB = 2048.0
"""Of /dev/shm where processes load batches for a GPU; the floor that `limits` asks for."""


@dataclass(frozen=True)
class Training:
    """What decides what a training takes.

    Attributes:
        net: Engine, kind and net, as `embedded recogniser compact base`; of one that learns lines
            of any width, LINES behind it.
        device: cpu or gpu; ``devices``: how many ranks.
        batch_size: Images per step, of all ranks together.
        pixels: Of an image as it is learnt from.
        images: Of an epoch, views of a page each for itself; 0: unknown.
        epochs: At most.
        mixed: Whether activations are of half the size.
        loaders: Processes that load batches.
    """

    net: str
    device: str
    devices: int
    batch_size: int
    pixels: int
    images: int
    epochs: float
    mixed: bool = False
    loaders: int = 0

    @property
    def megapixels(self) -> float:
        """Of a step of one rank."""
        return self.batch_size / self.devices * self.pixels / MEGAPIXEL


@dataclass(frozen=True)
class Took:
    """What a training took that ran.

    Attributes:
        key: Of its checkpoint.
        training: What it was; ``epochs`` as many as it came to.
        memory_mib, shared_memory_mib, device_memory_mib: The most at a time; 0: not seen.
        train_s: Of learning; 0: not said. ``other_s``: of its start and its end.
        beside: Other trainings that shared the machine with it meanwhile.
    """

    key: str
    training: Training
    memory_mib: float
    shared_memory_mib: float
    device_memory_mib: float
    train_s: float
    other_s: float
    beside: int = 0


@dataclass(frozen=True)
class Needs:
    """What a training is expected to take.

    Attributes:
        memory_mib: Of all its processes.
        shared_memory_mib: Of /dev/shm.
        device_memory_mib: Of each GPU; 0: it uses none.
        seconds: 0: unknown, as the size of the set is.
        beside: Other trainings that share the machine in these seconds.
        basis: Where the numbers come from, and which of them were never measured.
    """

    memory_mib: float
    shared_memory_mib: float
    device_memory_mib: float
    seconds: float
    basis: str
    beside: int = 0


@dataclass(frozen=True)
class Measured:
    """What was measured of a net on processors.

    Attributes:
        process_mib: Of a rank before its first batch.
        megapixel_mib: For each megapixel of a batch.
        megapixels_per_s: Learnt from by a core.
        parameters: Of the net, rounded.
    """

    process_mib: float
    megapixel_mib: float
    megapixels_per_s: float
    parameters: float


LINES = " lines"
"""Behind a net whose `pixels` are those of a usual line, as a batch counts it."""
MEASURED = {
    "embedded recogniser compact small": Measured(630, 320, 2.0, 0.2e6),
    "embedded recogniser compact base": Measured(630, 320, 1.2, 0.5e6),
    "embedded recogniser compact large": Measured(630, 550, 0.57, 1.5e6),
    "embedded recogniser ppocr-v6-small base": Measured(850, 1650, 0.21, 5e6),
    "embedded detector ppocr-v6-small base": Measured(590, 1130, 0.25, 5e6),
    "embedded detector compact small": Measured(710, 130, 2.8, 0.3e6),
    "embedded detector compact base": Measured(710, 130, 2.8, 0.5e6),
    "paddleocr recogniser configs/rec/rec_mv3_none_none_ctc.yml": Measured(1150, 500, 0.27, 1e6),
    "paddleocr detector configs/det/det_mv3_db.yml": Measured(1150, 1050, 0.27, 3e6),
}


def predict(training: Training, earlier: Sequence[Took]) -> Needs:
    """Reckon from the nearest of earlier trainings of the same net, else from the model."""
    alike = [each for each in earlier if each.training.net == training.net]
    alike = [each for each in alike if each.training.device == training.device]
    if not alike:
        return _from_model(training)
    nearest = min(alike, key=lambda each: _distance(each.training, training))
    return _from_run(training, nearest)


def _from_run(training: Training, run: Took) -> Needs:
    """Scale what a run took: memory by the batch of a rank, time by the images and their size.

    What of it was not seen is of the model.
    """
    ran, needs, unseen = run.training, _from_model(training), []
    memory_mib, device_memory_mib, seconds = run.memory_mib, run.device_memory_mib, 0.0
    if memory_mib:
        needs = replace(needs, memory_mib=_memory(training, ran, memory_mib / ran.devices))
    else:
        unseen.append("memory")
    if training.device == "gpu" and device_memory_mib:
        each_mib = _device_memory(training, ran, device_memory_mib / ran.devices)
        needs = replace(needs, device_memory_mib=each_mib)
    elif training.device == "gpu":
        unseen.append("memory of GPUs")
    if (learnt := ran.images * ran.epochs * ran.pixels) and run.train_s:
        per_pixel_s = run.train_s / learnt * _ranks_speed(ran) / _ranks_speed(training)
        seconds = run.other_s + training.images * training.epochs * training.pixels * per_pixel_s
        needs = replace(needs, seconds=seconds if training.images else 0.0, beside=run.beside)
    else:
        unseen.append("time")
    unknown = f"; its {', '.join(unseen)} unknown, so of a model" if unseen else ""
    basis = f"checkpoint {run.key.rpartition('/')[2][:12]}, scaled{unknown}"
    return replace(needs, shared_memory_mib=run.shared_memory_mib, basis=basis)


def _memory(training: Training, ran: Training, took_mib: float) -> float:
    """Scale the memory of a rank's process to all ranks of another training."""
    measured = measured_of(training.net)
    grown = (training.megapixels - ran.megapixels) * measured.megapixel_mib
    memory = took_mib if training.device == "gpu" else took_mib + grown
    return max(memory, min(took_mib, measured.process_mib)) * training.devices


def _device_memory(training: Training, ran: Training, took_mib: float) -> float:
    """Scale the memory of a GPU to the batch and the precision of another training."""
    fixed = min(took_mib, _fixed_on_gpu(training))
    of_ran = (took_mib - fixed) / _precision(ran)
    grown = (training.megapixels - ran.megapixels) * measured_of(training.net).megapixel_mib
    return fixed + max(of_ran + grown, 0.0) * _precision(training)


def _from_model(training: Training) -> Needs:
    measured = measured_of(training.net)
    on_gpu = training.device == "gpu"
    activations = training.megapixels * measured.megapixel_mib
    speed = measured.megapixels_per_s * _ranks_speed(training) * (GPU_CORES if on_gpu else 1)
    pixels = training.images * training.epochs * training.pixels
    device_memory = _fixed_on_gpu(training) + activations * _precision(training)
    known = training.net.removesuffix(LINES) in MEASURED
    like = (
        "" if known else "; this net was never measured, the worst of all that were stands for it"
    )
    where = "; never measured on a GPU" if on_gpu else ""
    rank_mib = GPU_PROCESS_MIB if on_gpu else measured.process_mib + activations
    return Needs(
        memory_mib=training.devices * rank_mib + LAUNCHER_MIB * (training.devices > 1),
        shared_memory_mib=LOADERS_SHARED_MIB if training.loaders else 0.0,
        device_memory_mib=device_memory if on_gpu else 0.0,
        seconds=START_S + pixels / MEGAPIXEL / speed if training.images else 0.0,
        basis=f"a model: no run of it is kept{like}{where}",
    )


def _fixed_on_gpu(training: Training) -> float:
    """Return the MiB of a GPU that no batch changes: weights, gradients, AdamW's two moments."""
    return GPU_CONTEXT_MIB + measured_of(training.net).parameters * 4 * 4 / 2**20


def measured_of(net: str) -> Measured:
    """Return what was measured of a net; of one that was not, the worst of all."""
    every = MEASURED.values()
    return MEASURED.get(net.removesuffix(LINES)) or Measured(
        process_mib=max(each.process_mib for each in every),
        megapixel_mib=max(each.megapixel_mib for each in every),
        megapixels_per_s=min(each.megapixels_per_s for each in every),
        parameters=max(each.parameters for each in every),
    )


def _distance(ran: Training, wanted: Training) -> float:
    """Say how far a run is from what is wanted: in ranks and precision, then in a step's size."""
    ratio = ran.megapixels / wanted.megapixels
    others = (ran.devices != wanted.devices) + (ran.mixed != wanted.mixed)
    return 10 * others + max(ratio, 1 / ratio)


def _precision(training: Training) -> float:
    return AMP_SHARE if training.mixed else 1.0


def _ranks_speed(training: Training) -> float:
    return 1 + (training.devices - 1) * RANKS_EFFICIENCY
