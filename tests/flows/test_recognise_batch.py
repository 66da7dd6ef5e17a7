"""The flow that reads many files: its form."""

import pytest
from prefect.utilities.callables import parameter_schema
from prefect.utilities.schema_tools.validation import validate
from pydantic import ValidationError

from configs.operation.batch import BatchLimitParams, BatchParams
from flows.recognise_batch import recognise_batch

GIVEN = {"name": "march", "source": "scans", "model": "receipts"}


def test_the_form_has_every_field_described_and_in_its_order() -> None:
    schema = parameter_schema(recognise_batch.fn)

    assert list(schema.properties) == ["params"]
    for model in (BatchParams, BatchLimitParams):
        fields = schema.definitions[model.__name__]["properties"]
        assert sorted(fields, key=lambda name: fields[name]["position"]) == list(model.model_fields)
        assert all(field["description"] for field in fields.values())


def test_the_form_takes_what_is_given_and_no_batch_without_a_source() -> None:
    schema = recognise_batch.parameters.model_dump()

    assert validate({"params": GIVEN}, schema) == []
    assert validate({"params": GIVEN | {"source": ""}}, schema)
    assert validate({"params": {"name": "march", "model": "receipts"}}, schema)


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", "March 2026"), ("source", "a\0b"), ("files_per_shard", 0), ("pages", 3)],
)
def test_what_no_batch_can_be_is_refused(field: str, value: object) -> None:
    with pytest.raises(ValidationError, match=field):
        BatchParams.model_validate(GIVEN | {field: value})
