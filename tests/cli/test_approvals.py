"""``ocrline approvals``, ``approve`` and ``reject``, beside a run that waits."""

import json
from collections.abc import Iterator

import pytest
from prefect import flow

from cli.main import run
from tasks.approving.form import ApprovalForm
from tasks.approving.pause import Question, wait_for_person
from tasks.approving.process import name_process
from tests.tasks.approving.asking import in_background, wait_for_question
from tests.tasks.prefect_server import running_server

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module", autouse=True)
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("machine") / "prefect"
    with running_server(folder) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PREFECT_API_URL", f"{server.url}/api")  # so that no other is started
        yield


@flow(name="ask")
def ask() -> ApprovalForm | None:
    facts = {
        "model": "plates:v2",
        "champion": "v1",
        "reason": "It reads better.",
        "report": "/reports/plates.html",
        "until": "tomorrow",
        "process": name_process(),
    }
    question = Question("**May plates:v2 go online?**", facts, 300)
    return wait_for_person(question, is_outdated=lambda: False, on_wait=lambda _: None, poll_s=0.2)


def run_ask() -> ApprovalForm | None:
    said: ApprovalForm | None = ask()
    return said


@pytest.mark.parametrize(("command", "done"), [("approve", "approved"), ("reject", "rejected")])
def test_what_waits_is_listed_and_answered(
    capsys: pytest.CaptureFixture[str], command: str, done: str
) -> None:
    with in_background(run_ask) as asking:
        waiting = wait_for_question(asking)
        capsys.readouterr()
        codes = [run(["approvals", "--json"])]
        (listed,) = json.loads(capsys.readouterr().out)
        codes += [run(["approvals"])]
        table = capsys.readouterr().out
        codes += [run([command, "plates", "--by", "Li Wei", "--reason", "reads 8 at last"])]
        answered = capsys.readouterr().out
        said = asking.result()

    assert codes == [0, 0, 0]
    assert (listed["model"], listed["run"]) == ("plates:v2", waiting.run)
    assert "plates:v2" in table
    assert f"{done}: plates:v2 over v1; run {waiting.run} goes on" in answered
    assert said is not None
    assert said.model_dump() == {
        "decision": command,
        "name": "Li Wei",
        "reason": "reads 8 at last",
        "question": waiting.question,
    }


def test_an_answer_to_nobody_or_without_a_name_is_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    nobody = run(["approve", "plates", "--by", "Li Wei", "--reason", "yes"])
    unknown = capsys.readouterr().err
    with in_background(run_ask) as asking:
        waiting = wait_for_question(asking)
        capsys.readouterr()
        nameless = run(["approve", "plates", "--by", "", "--reason", "reads\n8"])
        refused = capsys.readouterr().err
        run(["reject", waiting.run[:13], "--by", "Li Wei", "--reason", "no"])
        asking.result()

    assert (nobody, nameless) == (2, 2)
    assert "Nothing waits that is 'plates'; what waits: none" in unknown
    assert "cannot have the name '' and the reason 'reads\\n8'; expected one plain" in refused
    assert "[^" not in refused
