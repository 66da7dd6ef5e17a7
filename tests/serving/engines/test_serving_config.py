"""The config that the exporter writes without Paddle Serving is what Paddle Serving would write."""

import subprocess
from pathlib import Path

import pytest

REWRITE = """
import sys
from google.protobuf import text_format
from paddle_serving_client.proto import general_model_config_pb2
config = general_model_config_pb2.GeneralModelConfig()
text_format.Parse(open(sys.argv[1]).read(), config)
sys.stdout.write(str(config))
"""


@pytest.mark.parametrize("bundle", ["lines", "pages"])
def test_paddle_serving_writes_the_same_to_the_byte(
    bundle: str, python: Path, request: pytest.FixtureRequest
) -> None:
    folder: Path = request.getfixturevalue(bundle)
    for name in ("serving_server_conf.prototxt", "serving_client_conf.prototxt"):
        path = folder / "serving" / name

        rewritten = subprocess.run(
            [str(python), "-c", REWRITE, str(path)], capture_output=True, text=True, check=True
        ).stdout

        assert "fetch_var" in rewritten
        assert rewritten == path.read_text(encoding="utf-8")
