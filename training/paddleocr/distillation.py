"""Nets that learn from each other or from a teacher: of several, the student alone is kept."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

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


def from_nothing(config: Config, name: str) -> Config:
    """Return the config of a distillation whose nets all start from nothing.

    Raises:
        BadInput: One of them does not learn: it would teach noise.
    """
    if not is_distillation(config):
        return config
    changed = deepcopy(config)
    for net, said in changed["Architecture"]["Models"].items():
        if said.get("freeze_params"):
            raise BadInput(
                f"training.net: {name} has a {net} that does not learn, and teaches by weights "
                f"({said.get('pretrained') or 'which it does not name'}) that no parameter gives "
                "yet; take one whose nets learn together, such as "
                "configs/rec/ch_PP-OCRv2/ch_PP-OCRv2_rec_distillation.yml"
            )
        said["pretrained"] = None
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
    return {f"Architecture.Models.{net}.pretrained": (None, "training.pretrained") for net in nets}
