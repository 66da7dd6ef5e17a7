"""What the UI's forms are made of: every field described and in its order."""

from typing import Any, get_args

import pytest
from prefect import Flow
from prefect.utilities.callables import parameter_schema
from prefect.utilities.schema_tools.validation import validate

from configs.base import Params
from configs.operation.batch import BatchParams
from configs.operation.evaluate import EvaluateParams
from configs.operation.promote import PromoteParams
from configs.operation.rollback import RollbackParams
from configs.operation.watch import WatchLinesParams, WatchPagesParams
from configs.retrain import RetrainLinesParams, RetrainPagesParams
from flows.evaluate import evaluate
from flows.promote import promote
from flows.recognise_batch import recognise_batch
from flows.retrain_lines import retrain_lines
from flows.retrain_pages import retrain_pages
from flows.rollback import rollback
from flows.stages import Stage
from flows.watch_lines import watch_lines
from flows.watch_pages import watch_pages

RETRAININGS: dict[type[Params], Flow[..., Any]] = {
    RetrainLinesParams: retrain_lines,
    RetrainPagesParams: retrain_pages,
}
FLOWS: dict[type[Params], Flow[..., Any]] = {
    **RETRAININGS,
    EvaluateParams: evaluate,
    PromoteParams: promote,
    RollbackParams: rollback,
    BatchParams: recognise_batch,
    WatchLinesParams: watch_lines,
    WatchPagesParams: watch_pages,
}
each_retraining = pytest.mark.parametrize(
    ("model", "flow"), RETRAININGS.items(), ids=[flow.name for flow in RETRAININGS.values()]
)

each_flow = pytest.mark.parametrize(
    ("model", "flow"), FLOWS.items(), ids=[flow.name for flow in FLOWS.values()]
)


def fields_of(model: type[Params]) -> dict[str, list[str]]:
    """Return the fields of a model and of every model within, by the model's name."""
    fields = {model.__name__: list(model.model_fields)}
    for field in model.model_fields.values():
        for one in (field.annotation, *get_args(field.annotation)):  # of a list: its items
            each = getattr(one, "__origin__", one)  # an engine's is annotated
            if isinstance(each, type) and issubclass(each, Params):
                fields |= fields_of(each)
    return fields


@each_retraining
def test_a_flow_takes_the_parameters_of_a_project_and_its_last_stage(
    model: type[Params], flow: Flow[..., Any]
) -> None:
    schema = parameter_schema(flow.fn)

    assert flow.parameters == schema
    assert list(schema.properties) == ["params", "until"]
    assert schema.required == ["params"]
    assert schema.properties["params"]["$ref"] == f"#/definitions/{model.__name__}"
    assert schema.properties["until"]["enum"] == list(get_args(Stage))
    assert schema.properties["until"]["default"] == "deploy"
    assert all(field["description"] for field in schema.properties.values())


@each_flow
def test_every_flow_takes_one_described_group_of_parameters(
    model: type[Params], flow: Flow[..., Any]
) -> None:
    schema = parameter_schema(flow.fn)

    assert schema.properties["params"]["$ref"] == f"#/definitions/{model.__name__}"
    assert schema.properties["params"]["description"]
    assert flow.description


@each_flow
def test_no_field_has_a_name_that_prefect_takes_out_of_a_form(
    model: type[Params], flow: Flow[..., Any]
) -> None:
    definitions = parameter_schema(flow.fn).definitions

    # `remove_nested_keys` of its validation forgets a property of this name.
    assert [name for name, each in definitions.items() if "required" in each["properties"]] == []


@each_flow
def test_every_field_of_the_form_has_a_help_text(model: type[Params], flow: Flow[..., Any]) -> None:
    definitions = parameter_schema(flow.fn).definitions

    silent = [
        f"{name}.{field}"
        for name, definition in definitions.items()
        for field, schema in definition["properties"].items()
        if not schema.get("description")
    ]
    assert silent == []


@each_flow
def test_form_keeps_the_order_of_the_fields(model: type[Params], flow: Flow[..., Any]) -> None:
    definitions = parameter_schema(flow.fn).definitions

    positions = {
        name: sorted(
            definition["properties"], key=lambda f: definition["properties"][f]["position"]
        )
        for name, definition in definitions.items()
    }
    assert positions == fields_of(model)


@pytest.mark.parametrize(
    ("further", "said"),
    [
        ({}, "'labels' is a required property"),
        ({"labels": ""}, "should be non-empty"),
        ({"labels": "", "source": "table"}, "should be non-empty"),
        ({"labels": "a.txt", "source": "table"}, ""),
        ({"labels": "", "source": "folder"}, ""),
    ],
)
def test_form_asks_for_the_labels_of_a_further_set_that_has_some(
    further: dict[str, str], said: str
) -> None:
    values = {"params": {"evaluation": {"further": [further]}}}

    errors = validate(values, retrain_lines.parameters.model_dump())

    assert len(errors) == bool(said)
    assert all(said in error.message for error in errors)


@each_flow
def test_a_group_is_titled_in_plain_words(model: type[Params], flow: Flow[..., Any]) -> None:
    titles = [group["title"] for group in flow.parameters.definitions.values()]

    assert titles
    assert not [title for title in titles if "Params" in title or "_" in title]
