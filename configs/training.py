"""How a recogniser or a detector is trained, and on what."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, model_validator

from configs.base import Params

# How often to save, when to give up and what the export adds change nothing in what is learnt; the
# engine is named by the kind of the job, and where weights come from does not matter.
OPERATIONAL = frozenset(
    {
        "checkpoint_every_s",
        "engine",
        "int8",
        "no_progress_timeout_s",
        "pretrained",
        "teacher",
        "text_model",
    }
)
# Of what a job runs on: the number of ranks and the kind of device; all else bounds or finds it.
DECIDING_RESOURCES = frozenset({"device", "devices"})

TEMPLATE_NAMES = ("small", "medium", "large", "multi-node")
"""From the smallest to the largest; each is a file in `configs/templates/`."""

HEIGHTS_PER_CROP = 3
"""The width of a usual line in heights: `batch_size` counts lines as wide as this."""

RecogniserNet = Literal["compact", "ppocr-v6-small"]
DetectorNet = Literal["compact", "ppocr-v6-small"]
Int8 = Annotated[
    bool,
    Field(
        description="Serve the net in 8 bits, in about half the time, if the validation split is "
        "read as well so; the gate judges what is served. Not with deployment.target: "
        "paddle-serving, which reads float32"
    ),
]


class CompositionParams(Params):
    """New crops composed from labelled ones by swapping characters at aligned positions."""

    enabled: bool = Field(
        False, description="Compose crops; for short texts of one layout (plates, meters, dates)"
    )
    start_share: float = Field(
        0.12, ge=0, lt=1, description="Share of the run after which positions are aligned"
    )
    untouched_share: float = Field(
        0.3, ge=0, le=1, description="Share of crops left as they are once composition runs"
    )
    swap_share: float = Field(
        0.6, ge=0, le=1, description="Chance of each character of a composed crop to be swapped"
    )


class ResourceParams(Params):
    """What the job runs on."""

    model_config = ConfigDict(title="Resources")

    template: str = Field(
        "",
        max_length=512,
        description="A kind of machine: small, medium, large, multi-node, or your own YAML file "
        "that extends one. It gives what is left at its default below, batch size and precision "
        "too; `ocrline templates` shows them. Empty: none",
        json_schema_extra={"enum": ["", *TEMPLATE_NAMES]},
    )
    device: Literal["cpu", "gpu"] = Field("cpu", description="Kind of device")
    devices: int = Field(
        1, ge=1, le=64, description="Data-parallel processes of each machine, one per device"
    )
    nodes: int = Field(
        1, ge=1, le=64, description="Machines, each with as many devices and all with one folder"
    )
    rendezvous: str = Field(
        "",
        pattern=r"^([A-Za-z0-9.-]{1,253}:[1-9]\d{0,4})?$",
        description="HOST:PORT of the first machine, where the ranks of several meet",
    )
    gpu: str = Field(
        "",
        max_length=64,
        description="Part of the GPU's name as nvidia-smi prints it (A100, RTX 4090); empty: any",
    )
    cpus: float = Field(
        0, ge=0, le=4096, allow_inf_nan=False, description="Processor cores it may use; 0: all"
    )
    memory_gib: float = Field(
        0, ge=0, le=65536, allow_inf_nan=False, description="Most memory, GiB; 0: no limit"
    )
    shared_memory_gib: float = Field(
        0,
        ge=0,
        le=65536,
        allow_inf_nan=False,
        description="Shared memory, GiB; 0: what the machine or the container runtime gives",
    )
    open_files: int = Field(
        0, ge=0, le=2**30, description="Files open at once (ulimit -n); 0: as it is"
    )
    time_limit_h: float = Field(
        0,
        ge=0,
        le=8760,
        allow_inf_nan=False,
        description="Hours after which a job is ended and its work kept; 0: none",
    )
    runtime: Literal["process", "container"] = Field(
        "process", description="process: on this machine as it is; container: in the image"
    )
    image: str = Field(
        "",
        max_length=512,
        pattern=r"^([^\s-]\S*)?$",
        description="Container image, NAME:TAG or NAME@sha256:DIGEST; runtime container",
    )

    @property
    def ranks(self) -> int:
        """Processes of all machines."""
        return self.nodes * self.devices

    @model_validator(mode="after")
    def _check_together(self) -> "ResourceParams":
        if self.runtime == "container" and not self.image:
            raise ValueError("runtime: container needs image: NAME:TAG")
        if self.runtime == "process" and self.image:
            raise ValueError(f"image: {self.image!r} needs runtime: container")
        if self.nodes > 1 and not self.rendezvous:
            raise ValueError(
                f"nodes: {self.nodes} needs rendezvous: HOST:PORT, a free port of the first machine"
            )
        if self.rendezvous and not int(self.rendezvous.rpartition(":")[2]) + self.ranks <= 65536:
            raise ValueError(f"rendezvous: {self.rendezvous!r} has a port that is too large")
        if self.gpu and self.device != "gpu":
            raise ValueError(f"gpu: {self.gpu!r} needs device: gpu")
        return self


class LoopParams(Params):
    """What the training of every net needs: how long, how fast, how safe."""

    epochs: int = Field(20, ge=1, description="Passes over the train split")
    batch_size: int = Field(16, ge=1, le=4096, description="Crops per step and device")
    learning_rate: float = Field(3e-3, gt=0, le=1, description="Peak learning rate of AdamW")
    weight_decay: float = Field(0.02, ge=0, le=1, description="Decay of weights (not of biases)")
    warmup_steps: int = Field(50, ge=0, description="Steps of linear warm-up before the cosine")
    clip_norm: float = Field(5.0, gt=0, description="Largest global gradient norm")
    ema_decay: float = Field(
        0.999, ge=0, lt=1, description="Decay of the averaged weights that are kept; 0: none"
    )
    augmentation: float = Field(
        0.75, ge=0, le=1, description="Strength of geometric and photometric augmentation"
    )
    amp: Literal["off", "O1", "O2"] = Field("off", description="Mixed precision, GPU only")
    evaluations: int = Field(10, ge=1, le=1000, description="Validations over the whole run")
    patience: int = Field(
        0, ge=0, description="Validations without progress before stopping early; 0: never"
    )
    checkpoint_every_s: float = Field(20, gt=0, description="Seconds between checkpoints")
    no_progress_timeout_s: float = Field(
        300, gt=0, description="Seconds without a finished step before the job gives up"
    )
    seed: int = Field(
        0, ge=0, le=2**32 - 1, description="Seed of weights, batches and augmentation"
    )
    int8: Int8 = False


class RecogniserTrainingParams(LoopParams):
    """The embedded recogniser and its schedule."""

    engine: Literal["embedded"] = Field("embedded", description="Our own trainer")
    net: RecogniserNet = Field(
        "compact",
        description="compact: small and learnt from nothing; ppocr-v6-small: PP-OCRv6's small "
        "recogniser learnt on, more accurate and some ten times slower",
    )
    keep_charset: bool = Field(
        False,
        description="Read all characters of PP-OCRv6, not only the dataset's; net ppocr-v6-small",
    )
    layout: Literal["fixed", "line"] = Field(
        "line", description="fixed: crops resized to one size; line: lines of any width"
    )
    height_px: int = Field(32, ge=16, le=96, multiple_of=8, description="Input height, pixels")
    width_px: int = Field(
        128,
        ge=32,
        le=4096,
        multiple_of=16,
        description="Input width; of a line: what PaddleOCR pads to",
    )
    size: Literal["small", "base", "large"] = Field("base", description="Size of the network")
    gray: bool = Field(False, description="Ignore colour")
    guide_weight: float = Field(
        6.0, ge=0, description="Weight of the loss at expected character centres, decaying to 0"
    )
    guide_share: float = Field(
        0.4, ge=0, le=1, description="Share of the run over which the guide decays"
    )
    text_model: bool = Field(
        True,
        description="Read with a model of the training texts (character n-grams that know digits "
        "only as digits) where it helps on the validation split",
    )
    composition: CompositionParams = Field(
        default=CompositionParams(), description="Crops composed from labelled ones"
    )

    @model_validator(mode="after")
    def _check_composition(self) -> "RecogniserTrainingParams":
        if self.composition.enabled and self.layout != "fixed":
            raise ValueError("composition.enabled needs layout: fixed")
        return self

    @model_validator(mode="after")
    def _check_net(self) -> "RecogniserTrainingParams":
        if self.net == "compact":
            if self.keep_charset:
                raise ValueError("keep_charset needs net: ppocr-v6-small")
            return self
        _ask_of_pretrained(
            ("height_px", "48", self.height_px == 48),
            ("size", "base", self.size == "base"),
            ("gray", "false", not self.gray),
            ("guide_weight", "0", self.guide_weight == 0),
            ("learning_rate", "at most 2e-4", self.learning_rate <= 2e-4),
            ("amp", "off", self.amp == "off"),
        )
        return self


class DetectorTrainingParams(LoopParams):
    """The embedded detector and its schedule."""

    engine: Literal["embedded"] = Field("embedded", description="Our own trainer")
    net: DetectorNet = Field(
        "compact",
        description="compact: small and learnt from nothing; ppocr-v6-small: PP-OCRv6's small "
        "detector learnt on, better where few pages are labelled and some five times slower",
    )
    epochs: int = Field(
        10, ge=1, description="Passes over the train split; each draws a page eight times"
    )
    batch_size: int = Field(4, ge=1, le=1024, description="Crops of pages per step and device")
    weight_decay: float = Field(1e-3, ge=0, le=1, description="Decay of weights (not of biases)")
    ema_decay: float = Field(
        0.95, ge=0, lt=1, description="Decay of the averaged weights that are kept; 0: none"
    )
    augmentation: float = Field(
        1.0, ge=0, le=1, description="Strength of geometric and photometric augmentation"
    )
    size: Literal["small", "base", "large"] = Field("base", description="Size of the network")
    long_side_px: int = Field(
        1280,
        ge=64,
        le=4000,
        multiple_of=32,
        description="Larger pages are reduced to this long side; stock PaddleOCR ends at 4000",
    )
    crop_height_px: int = Field(
        320, ge=64, le=4096, multiple_of=32, description="Height of the crops learnt from"
    )
    crop_width_px: int = Field(
        480, ge=64, le=4096, multiple_of=32, description="Width of the crops learnt from"
    )

    @model_validator(mode="after")
    def _check_net(self) -> "DetectorTrainingParams":
        if self.net != "compact":
            _ask_of_pretrained(
                ("size", "base", self.size == "base"),
                ("learning_rate", "at most 1e-3", self.learning_rate <= 1e-3),
                ("long_side_px", "at most 2560", self.long_side_px <= 2560),
                ("amp", "off", self.amp == "off"),
            )
        return self


def _ask_of_pretrained(*asked: tuple[str, str, bool]) -> None:
    """Raise unless all that a net learnt on needs is given: key, wanted value, whether it is."""
    wrong = [f"{key}: {wanted}" for key, wanted, is_right in asked if not is_right]
    if wrong:
        raise ValueError(f"net: ppocr-v6-small needs {', '.join(wrong)}")
