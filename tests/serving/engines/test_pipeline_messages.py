"""How many fields a message has is known before it is taken apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving.engines.pipeline_messages import Request, has_more_fields

texts = st.lists(st.text(max_size=200), max_size=5)


@given(keys=texts, values=texts, shapes=st.lists(st.lists(st.integers(0, 9)), max_size=4))
def test_fields_are_counted_as_they_are_written(
    keys: list[str], values: list[str], shapes: list[list[int]]
) -> None:
    tensors = [{"shape": shape, "name": "x"} for shape in shapes]
    message = Request(key=keys, value=values, tensors=tensors, name="plates").SerializeToString()
    written = len(keys) + len(values) + len(tensors) + 1

    assert not has_more_fields(message, written)
    assert has_more_fields(message, written - 1)


@pytest.mark.parametrize(
    "field",
    [
        b"\x1a\x00",  # an empty tensor
        b"\x1a\x02\x0a\x00",
        b"\x0a\x00",  # an empty key
        b"\x50\x01",  # numbers that we do not know
        b"\x51" + bytes(8),
        b"\x55" + bytes(4),
        b"\x53\x54",  # a group
    ],
)
def test_whatever_a_field_is_it_counts(field: bytes) -> None:
    Request.FromString(field * 1001)

    assert has_more_fields(field * 1001, 1000)
    assert not has_more_fields(field * 400, 1000)


@given(st.binary(max_size=300))
def test_what_is_no_message_is_counted_to_an_end(message: bytes) -> None:
    assert has_more_fields(message, 0) is bool(message)
    assert not has_more_fields(message, len(message))
