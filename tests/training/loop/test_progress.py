"""The log of a run: no step twice, and one rank that writes."""

from pathlib import Path

from training.loop.progress import MetricsLog, note, read_events


def test_a_log_holds_no_step_twice_after_a_resume(tmp_path: Path) -> None:
    log = MetricsLog(tmp_path, done=0)
    for step in (1, 2, 3):
        log.write("step", step=step, loss=step / 2)
    with (tmp_path / "metrics.jsonl").open("a") as stream:
        stream.write('{"event": "st')

    MetricsLog(tmp_path, done=1)
    MetricsLog(tmp_path, done=1).write("step", step=2, loss=7.0)

    events = [(event["event"], event["step"]) for event in read_events(tmp_path / "metrics.jsonl")]
    assert events == [("step", 1), ("resumed", 1), ("step", 2)]


def test_a_notice_after_half_an_event_is_an_event_of_its_own(tmp_path: Path) -> None:
    MetricsLog(tmp_path).write("step", step=1)
    with (tmp_path / "metrics.jsonl").open("a") as stream:
        stream.write('{"event": "st')

    note(tmp_path, "little memory")

    events = read_events(tmp_path / "metrics.jsonl")
    assert [event["event"] for event in events] == ["step", "notice"]


def test_other_ranks_write_no_log(tmp_path: Path) -> None:
    MetricsLog(None).write("step", step=1)

    assert list(tmp_path.iterdir()) == []
