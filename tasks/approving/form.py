"""What a person fills in to resume a run that asks."""

from typing import Literal

from prefect.input import RunInput
from pydantic import ConfigDict, Field, create_model

from configs.base import keep_field_order
from ocr.gate.approval import MOST_NAME, MOST_REASON, PLAIN

LEFT_AS_IT_IS = "Which comparison this answers; leave it as it is"


class ApprovalForm(RunInput):
    """Yes or no, with a name and a reason that stay in the history."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=keep_field_order)

    decision: Literal["approve", "reject"] = Field(
        description="approve: it goes online; reject: the champion stays"
    )
    name: str = Field(
        min_length=1, max_length=MOST_NAME, pattern=PLAIN, description="Your name, one line"
    )
    reason: str = Field(
        min_length=1, max_length=MOST_REASON, pattern=PLAIN, description="Why, one line"
    )
    question: str = Field(description=LEFT_AS_IT_IS)


def form_of(question: str) -> type[ApprovalForm]:
    """Return the form of one question, which takes no answer to another.

    So whoever has an older one open does not answer a comparison that nobody has seen.
    """
    ours = Field(default=question, pattern=f"^{question}$", description=LEFT_AS_IT_IS)
    return create_model(ApprovalForm.__name__, __base__=ApprovalForm, question=(str, ours))
