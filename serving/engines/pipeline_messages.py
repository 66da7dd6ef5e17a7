"""The messages of Paddle Serving's pipelines, as far as they are used here.

Made from their fields' numbers: generated code would tie protobuf's version to the generator's.
"""

from typing import Any

from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Field
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

PACKAGE = "baidu.paddle_serving.pipeline_serving"
SERVICE = f"{PACKAGE}.PipelineService"
CALL = "inference"
METHOD = f"/{SERVICE}/{CALL}"
VARINT, DELIMITED = 0, 2
FIXED_BYTES = {1: 8, 5: 4}
"""Of the other wire types that have a value."""
Fields = dict[str, dict[str, tuple[int, int | str, bool]]]
"""Of messages by their names: a field's number, its kind or message, and whether it is a list."""
_FIELDS: Fields = {
    "Tensor": {
        "byte_data": (10, Field.TYPE_BYTES, False),
        "elem_type": (20, Field.TYPE_INT32, False),
        "shape": (21, Field.TYPE_INT32, True),
        "name": (23, Field.TYPE_STRING, False),
    },
    "Request": {
        "key": (1, Field.TYPE_STRING, True),
        "value": (2, Field.TYPE_STRING, True),
        "tensors": (3, "Tensor", True),
        "name": (4, Field.TYPE_STRING, False),
    },
    "Asked": {  # a request of a stranger, whose tensors nobody takes apart
        "key": (1, Field.TYPE_STRING, True),
        "value": (2, Field.TYPE_STRING, True),
        "tensors": (3, Field.TYPE_BYTES, True),
        "name": (4, Field.TYPE_STRING, False),
    },
    "Response": {
        "err_no": (1, Field.TYPE_INT32, False),
        "err_msg": (2, Field.TYPE_STRING, False),
        "key": (3, Field.TYPE_STRING, True),
        "value": (4, Field.TYPE_STRING, True),
        "tensors": (5, "Tensor", True),
    },
}


def has_more_fields(message: bytes, most: int) -> bool:
    """Say whether an encoded message has more than so many fields, whose kinds do not matter.

    It looks at no more of them: a message of empty fields is many times larger once it is parsed.
    One that is damaged is for the parser to refuse.
    """
    at = count = 0
    while at < len(message) and count <= most:
        tag, at = _read_varint(message, at)
        wire_type = tag & 7
        if wire_type == VARINT:
            _, at = _read_varint(message, at)
        elif wire_type == DELIMITED:
            size, at = _read_varint(message, at)
            at += size
        else:
            at += FIXED_BYTES.get(wire_type, 0)
        count += 1
    return count > most


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    """Return a number of up to ten bytes, and where the next one begins."""
    value = shift = 0
    for byte in message[at : at + 10]:
        value |= (byte & 0x7F) << shift
        shift += 7
        at += 1
        if byte < 0x80:
            break
    return value, at


def make_messages(package: str, messages: Fields) -> dict[str, Any]:
    """Return the classes of messages by their names."""
    file = FileDescriptorProto(name=f"{package}.proto", package=package, syntax="proto3")
    for name, fields in messages.items():
        message = file.message_type.add(name=name)
        for field, (number, kind, is_list) in fields.items():
            added = message.field.add(
                name=field,
                number=number,
                type=Field.TYPE_MESSAGE if isinstance(kind, str) else kind,
                label=Field.LABEL_REPEATED if is_list else Field.LABEL_OPTIONAL,
            )
            if isinstance(kind, str):
                added.type_name = f".{package}.{kind}"
    pool = DescriptorPool()
    pool.Add(file)
    return {
        name: GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}")) for name in messages
    }


_MESSAGES = make_messages(PACKAGE, _FIELDS)
Request, Response, Asked = (_MESSAGES[name] for name in ("Request", "Response", "Asked"))
