"""Nets that learn from each other or from a teacher: of several, the student alone is kept."""

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from configs.paddleocr import PaddleOcrParams
from ocr.errors import BadInput

STUDENT = "Student"
ALONE = {
    "DistillationCTCLabelDecode": "CTCLabelDecode",
    "DistillationDBPostProcess": "DBPostProcess",
}
"""What reads the answers of several nets, and what reads those of one."""

Config = dict[str, Any]


def is_distillation(config: Mapping[str, Any]) -> bool:
    """Say whether several nets learn together."""
    architecture = config.get("Architecture")
    return isinstance(architecture, dict) and architecture.get("algorithm") == "Distillation"


def alone(config: Config, name: str = STUDENT) -> Config:
    """Return the config of one of the nets as if it learnt alone; of one net, it as it is.

    Args:
        config: Of a training.
        name: The net.

    Raises:
        BadInput: It has no such net, or is read otherwise than by one of ALONE.
    """
    if not is_distillation(config):
        return config
    post, metric = config["PostProcess"], config["Metric"]
    nets = config["Architecture"].get("Models")
    if not isinstance(nets, dict) or not all(isinstance(net, dict) for net in nets.values()):
        raise BadInput("training.net: this distillation has no Architecture.Models")
    if name not in nets:
        raise BadInput(
            f"training.net: this distillation has no {name}: {', '.join(map(str, nets))}"
        )
    reader = ALONE.get(str(post.get("name")))
    if reader is None or metric.get("key") != STUDENT:
        raise BadInput(
            f"training.net: this distillation is read by {post.get('name')} and chosen by "
            f"{metric.get('key')}; expected one of {', '.join(ALONE)}, and {STUDENT}"
        )
    single = deepcopy(config)
    net = single["Architecture"]["Models"][name]
    for key in ("pretrained", "freeze_params", "return_all_feats"):
        net.pop(key, None)
    single["Architecture"] = net
    single["PostProcess"]["name"] = reader
    for key in ("model_name", "key", "multi_head"):
        single["PostProcess"].pop(key, None)
    single["Metric"]["name"] = single["Metric"].pop("base_metric_name", None)
    single["Metric"].pop("key")
    return single


def from_nothing(config: Config, training: PaddleOcrParams) -> Config:
    """Return the config of a distillation whose nets all start from nothing.

    Raises:
        BadInput: It has a net that does not learn and the job no weights of it, which would teach
            noise, or the other way round.
    """
    taught = teachers(config)
    if training.teacher and len(taught) != 1:
        raise BadInput(
            f"training.teacher: {training.net} has {len(taught)} nets that teach and do not learn, "
            "expected one; leave it empty, or take a distillation with a Teacher"
        )
    if taught and not training.teacher:
        raise BadInput(
            f"training.net: {training.net} has a {taught[0]} that does not learn and teaches by "
            "its weights; give them as training.teacher and training.teacher_sha256"
        )
    if not is_distillation(config):
        return config
    changed = deepcopy(config)
    for said in changed["Architecture"]["Models"].values():
        said["pretrained"] = None
    return changed


def teachers(config: Mapping[str, Any]) -> list[str]:
    """Return the names of the nets that do not learn."""
    nets = config["Architecture"].get("Models", {}) if is_distillation(config) else {}
    return [name for name, net in nets.items() if net.get("freeze_params")]


def taught(config: Config, weights: Path) -> Config:
    """Return the config of a distillation whose one teacher has its weights."""
    changed = deepcopy(config)
    (teacher,) = teachers(config)
    changed["Architecture"]["Models"][teacher]["pretrained"] = str(weights)
    return changed


def as_learnt(config: Config) -> Config:
    """Return the config that the trainer is given: a model's name would stand for its nets' names.

    Args:
        config: Of a training; of one net, it is returned as it is.
    """
    if not is_distillation(config):
        return config
    said = {key: value for key, value in config["Global"].items() if key != "model_name"}
    return {**config, "Global": said}


def own_weights(config: Mapping[str, Any]) -> dict[str, tuple[None, str]]:
    """Return the keys that name weights of each net, and what sets them."""
    nets = config["Architecture"].get("Models", {}) if is_distillation(config) else {}
    frozen = teachers(config)
    return {
        f"Architecture.Models.{net}.pretrained": (
            None,
            f"training.{'teacher' if net in frozen else 'pretrained'}",
        )
        for net in nets
    }
