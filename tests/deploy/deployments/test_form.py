"""What Prefect's server says of a value that a project's form does not take."""

from typing import Any

import pytest
from prefect import Flow
from prefect.utilities.schema_tools.validation import ValidationError, validate

from configs.presets import load_params
from deploy.deployments.form import require_said
from flows.retrain_lines import retrain_lines
from flows.retrain_pages import retrain_pages

FLOWS: dict[str, Flow[..., Any]] = {"lines": retrain_lines, "pages": retrain_pages}


@pytest.mark.parametrize(
    ("preset", "kind", "training"),
    [
        ("plates", "lines", "training"),
        ("plates-ppocr", "lines", "training"),
        ("receipts-ppocr", "pages", "detector"),
        ("receipts-ppocr", "pages", "recogniser"),
    ],
)
def test_a_wrong_value_of_a_training_is_named_by_its_own_field(
    preset: str, kind: str, training: str
) -> None:
    said: dict[str, Any] = {"params": load_params(preset).model_dump(mode="json")}
    form = require_said(FLOWS[kind].parameters.model_dump(), said)

    validate(said, form, raise_on_error=True)
    said["params"][training]["epochs"] = -1
    with pytest.raises(ValidationError, match=rf"'params\.{training}\.epochs'\. .* -1 is less"):
        validate(said, form, raise_on_error=True)
