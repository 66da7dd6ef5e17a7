"""Whatever the OpenAPI description allows, and more, gets an answer that it describes: no 5xx."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.serving.gateway import Gateway

CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_schema_conformance,response_headers_conformance"
)
SCHEMATHESIS = str(Path(sys.executable).with_name("schemathesis"))


@pytest.mark.timeout(600)
def test_no_request_breaks_the_gateway_or_its_description(
    page_gateway: Gateway, tmp_path: Path
) -> None:
    found = subprocess.run(
        [
            SCHEMATHESIS,
            *("run", f"{page_gateway.url}/openapi.json", "--checks", CHECKS, "--seed", "1"),
            *("--max-examples", "50", "--no-color"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert found.returncode == 0, found.stdout[-5000:]
    assert "Tested: 15" in found.stdout
