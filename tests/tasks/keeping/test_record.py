"""What MLflow is told of a retraining."""

from dataclasses import replace

from tasks.keeping.record import Made, make_record
from tasks.references import CheckpointRef
from tasks.workspace import open_workspace
from tests.tasks.keeping.conftest import Retraining


def test_a_record_has_parameters_lineage_decision_and_numbers(retraining: Retraining) -> None:
    record = make_record(open_workspace(), retraining.params, "toy", retraining.made(), "FINISHED")

    assert (record.experiment, record.name, record.status) == ("toy", "1", "FINISHED")
    assert record.params["training.epochs"] == "10"
    assert record.params["dataset.synthesis.patterns"] == '["[0-9]{4}"]'
    tags = record.tags
    assert tags["version"] == "toy:1"
    assert tags["dataset"].startswith("datasets/toy/")
    assert (tags["checkpoint"], tags["code"]) == ("checkpoints/c0/0", "abc123")
    assert tags["environment.device"] == "1 x cpu"
    assert (tags["decision"], tags["reasons"]) == ("promote", "It is better.")
    assert tags["promoted.reason"] == "by hand"
    assert tags["report"].startswith(f"{open_workspace().store.uri}/reports/")
    assert record.metrics["validation/accuracy"] == 0.5
    assert {"test/accuracy", "test/accuracy_lower", "test/accuracy_upper"} <= record.metrics.keys()


def test_a_step_that_was_repeated_after_a_kill_counts_once(retraining: Retraining) -> None:
    record = make_record(open_workspace(), retraining.params, "toy", retraining.made(), "RUNNING")

    assert record.curves["step/loss"] == [(3, 9.0), (6, 7.0)]
    assert record.curves["validation/accuracy"] == [(6, 0.5)]
    assert "step/seconds_left" not in record.curves


def test_no_image_is_in_a_record(retraining: Retraining) -> None:
    record = make_record(open_workspace(), retraining.params, "toy", retraining.made(), "RUNNING")

    assert b"a-face" not in record.to_json()
    assert b"base64" not in record.to_json()


def test_other_inputs_are_another_run(retraining: Retraining) -> None:
    made, params = retraining.made(), retraining.params
    other_checkpoint = replace(made, checkpoints=(replace(made.checkpoints[0], key="other"),))
    other_params = params.model_copy(update={"name": "other"})

    def key(params: object, made: Made) -> str:
        return make_record(open_workspace(), params, "toy", made, "RUNNING").key  # type: ignore[arg-type]

    keys = [key(params, made), key(other_params, made), key(params, other_checkpoint)]
    assert len(set(keys)) == 3
    assert key(params, retraining.made()) == keys[0]


def test_nets_of_pages_are_told_apart(retraining: Retraining) -> None:
    made = Made()
    (one,) = retraining.made().checkpoints
    made.add((one, CheckpointRef("checkpoints/c1/0", "c1", {"hmean": 0.25}, code="")))

    record = make_record(open_workspace(), retraining.params, "toy", made, "RUNNING")

    assert record.metrics == {
        "validation.detector/accuracy": 0.5,
        "validation.recogniser/hmean": 0.25,
    }
    assert record.tags["checkpoint.detector"] == "checkpoints/c0/0"
    assert "step.detector/loss" in record.curves
