"""What a job runs on: which of it decides what is learnt, and what does not go together."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from configs.jobs import TrainRecogniserJob, what_decides
from configs.presets import ConfigError, load_params
from configs.training import RecogniserTrainingParams, ResourceParams

GIVEN: dict[str, Any] = {
    "template": "large",
    "gpu": "A100",
    "cpus": 8,
    "memory_gib": 64,
    "shared_memory_gib": 8,
    "open_files": 65536,
    "time_limit_h": 12,
    "runtime": "container",
    "image": "ocrline/training:2.0",
    "rendezvous": "10.0.0.1:6170",
}


def decides(**resources: Any) -> dict[str, Any]:
    job = TrainRecogniserJob(
        store="s",
        snapshot="datasets/plates/0",
        training=RecogniserTrainingParams(),
        resources=ResourceParams(device="gpu", devices=2, **resources),
    )
    return what_decides(job)


def test_what_bounds_a_job_is_not_in_its_key() -> None:
    bare = decides()

    assert bare["resources"] == {"device": "gpu", "devices": 2}  # as before there were bounds
    assert decides(**GIVEN) == bare


def test_several_machines_learn_something_else_than_one() -> None:
    several = decides(nodes=2, rendezvous="10.0.0.1:6170")

    assert several["resources"] == {"device": "gpu", "devices": 2, "nodes": 2}


def test_every_bound_is_given_here() -> None:
    assert ResourceParams.model_fields.keys() == {"device", "devices", "nodes", *GIVEN}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("{runtime: container}", "resources: runtime: container needs image: NAME:TAG"),
        ("{image: 'a:1'}", "resources: image: 'a:1' needs runtime: container"),
        ("{nodes: 2}", "resources: nodes: 2 needs rendezvous: HOST:PORT, a free port"),
        ("{rendezvous: '10.0.0.1'}", "resources.rendezvous: '10.0.0.1' is not allowed"),
        ("{rendezvous: '10.0.0.1:65536'}", "rendezvous: '10.0.0.1:65536' has a port"),
        ("{gpu: A100}", "resources: gpu: 'A100' needs device: gpu"),
        ("{runtime: container, image: '--privileged'}", "resources.image: '--privileged' is not"),
        ("{memory_gib: -1}", "resources.memory_gib: -1 is not allowed"),
        ("{cpus: .nan}", "resources.cpus: nan is not allowed"),
        ("{time_limit_h: .inf}", "resources.time_limit_h: inf is not allowed"),
        ("{shm_gib: 8}", "resources.shm_gib: unknown key"),
    ],
)
def test_what_does_not_go_together_is_named(given: str, said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load_params("smoke", overrides=[f"resources={given}"])

    assert said in str(refused.value)


def test_a_job_holds_its_resources_as_they_were_given() -> None:
    resources = ResourceParams(device="gpu", **GIVEN)

    assert ResourceParams.model_validate_json(resources.model_dump_json()) == resources
    with pytest.raises(ValidationError):
        ResourceParams.model_validate_json(json.dumps(GIVEN))
