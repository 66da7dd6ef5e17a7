"""What the UI's form is made of: one parameter, every field described and in its order."""

from typing import Any

import pytest
from prefect import Flow
from prefect.utilities.callables import parameter_schema

from configs.base import Params
from configs.retrain import RetrainParams
from flows.retrain import retrain
from flows.stages import STAGES

FIELDS = {model.__name__: list(model.model_fields) for model in Params.__subclasses__()}

each_stage = pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES)


@each_stage
def test_stage_takes_the_parameters_of_the_whole_line(stage: Flow[..., Any]) -> None:
    schema = parameter_schema(stage.fn)

    assert stage.parameters == schema
    assert list(schema.properties) == schema.required == ["params"]
    assert schema.properties["params"]["$ref"] == f"#/definitions/{RetrainParams.__name__}"
    assert schema.properties["params"]["description"]


@each_stage
def test_every_field_of_the_form_has_a_help_text(stage: Flow[..., Any]) -> None:
    definitions = parameter_schema(stage.fn).definitions

    silent = [
        f"{name}.{field}"
        for name, definition in definitions.items()
        for field, schema in definition["properties"].items()
        if not schema.get("description")
    ]
    assert silent == []


@each_stage
def test_form_keeps_the_order_of_the_fields(stage: Flow[..., Any]) -> None:
    definitions = parameter_schema(stage.fn).definitions

    positions = {
        name: sorted(
            definition["properties"], key=lambda f: definition["properties"][f]["position"]
        )
        for name, definition in definitions.items()
    }
    assert "RetrainParams" in positions
    assert positions == {name: FIELDS[name] for name in positions}


def test_last_stage_is_the_whole_line() -> None:
    assert STAGES["deploy"] is retrain
    assert [stage.name for stage in STAGES.values()][:-1] == list(STAGES)[:-1]
