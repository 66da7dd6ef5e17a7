"""Which code a part is of: `up` replaces what is of other code, `status` says so."""

from pathlib import Path

import pytest

from cli.main import run
from configs.settings import Settings
from deploy.background import Service, find_service
from deploy.parts.release import name_release
from deploy.ports import pick_port
from deploy.services import ensure_gateway, ensure_gateways, ensure_server, services_folder
from deploy.status import read_status


def write_tree(root: Path) -> Path:
    (root / "ocr" / "__pycache__").mkdir(parents=True)
    (root / "ocr" / "gate.py").write_text("accepted = True\n")
    return root


def test_code_is_known_by_its_files_and_its_folder(tmp_path: Path) -> None:
    root, other = write_tree(tmp_path / "a"), write_tree(tmp_path / "b")
    first = name_release(root)
    (root / "ocr" / "__pycache__" / "gate.cpython-313.pyc").write_bytes(b"compiled")
    again = name_release(root)

    (root / "ocr" / "gate.py").write_text("accepted = False\n")

    assert again == first
    assert len({first, name_release(root), name_release(other)}) == 3


def test_the_command_says_which_code_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0

    assert capsys.readouterr().out == f"{name_release()}\n"


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("prefect_tables")
def test_a_start_of_the_stack_replaces_what_is_of_other_code_and_nothing_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    endpoints = [f"http://127.0.0.1:{pick_port(0)}" for _ in range(2)]
    # Not 4200, which the tests beside this one take while its server is away.
    monkeypatch.setattr("deploy.parts.server.PORT", pick_port(0))

    def start(*, replaces: bool) -> list[Service | None]:
        ensure_server(Settings(), replaces=replaces)
        ensure_gateways(Settings(), replaces=replaces)
        for endpoint in endpoints:
            ensure_gateway(Settings(), endpoint, replaces=replaces)
        folder = services_folder(Settings())
        names = ["prefect", *(f"gateway-{each.rpartition(':')[2]}" for each in endpoints)]
        return [find_service(folder, name) for name in names]

    with monkeypatch.context() as before:
        for module in ("server", "variables"):
            before.setattr(f"deploy.parts.{module}.name_release", lambda: "a release of before")
        first = start(replaces=True)
    left, warnings = start(replaces=False), read_status(Settings()).warnings

    replaced, again = start(replaces=True), start(replaces=True)

    assert left == first
    assert again == replaced
    assert None not in replaced
    assert not {service.pid for service in first if service} & {
        service.pid for service in replaced if service
    }
    assert [said for said in warnings if "prefect: started by another release" in said]
    assert not [s for s in read_status(Settings()).warnings if "another release" in s]
