"""The Paddle Serving config: the official converter's text."""

from training.forms.serving_config import Variable, format_serving_config

# What paddle_serving_client 0.9.0 writes for a model with these tensors.
OFFICIAL = """\
feed_var {
  name: "x"
  alias_name: "x"
  is_lod_tensor: false
  feed_type: 1
  shape: 3
  shape: 32
  shape: 128
}
fetch_var {
  name: "softmax_0.tmp_0"
  alias_name: "probabilities"
  is_lod_tensor: false
  fetch_type: 1
  shape: 32
  shape: 14
}
"""


def test_the_text_is_the_official_converters() -> None:
    feed = Variable(name="x", alias="x", dtype="float32", shape=(-1, 3, 32, 128))
    fetch = Variable("softmax_0.tmp_0", "probabilities", "float32", (-1, 32, 14))

    assert format_serving_config(feed=feed, fetch=fetch) == OFFICIAL
