"""A look for new data: beside what it counts, and that it says the same thing once."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from configs.dataset import LineDatasetParams, LineSplitParams
from configs.operation.watch import WatchLinesParams
from ocr.errors import BadInput
from ocr.gate.checks import Verdict
from ocr.models.registry import Registry
from tasks.prepare_lines import prepare_lines
from tasks.starting.events import EventRefused
from tasks.starting.new_data import look_at_lines
from tests.serving.tiny_bundle import png
from tests.tasks.bars import add_version, write_lines
from tests.tasks.starting.verdicts import keep_verdict

pytestmark = pytest.mark.usefixtures("empty")


Decide = Callable[..., None]


class Raised(list[tuple[str, Mapping[str, Any], UUID]]):
    """Events that were raised; a server that is not there takes none."""

    is_there = True

    def take(self, event: str, model: str, payload: Mapping[str, Any], *, identity: UUID) -> None:
        if not self.is_there:
            raise EventRefused("no server")
        self.append((f"{event} {model}", payload, identity))


@pytest.fixture
def raised(monkeypatch: pytest.MonkeyPatch) -> Raised:
    raised = Raised()
    monkeypatch.setattr("tasks.starting.new_data.raise_event", raised.take)
    return raised


@pytest.fixture
def params(tmp_path: Path) -> WatchLinesParams:
    """Twenty labelled lines; ten new ones are enough."""
    write_lines(tmp_path / "domain", "01234", count=20)
    return WatchLinesParams(
        name="bars",
        new_samples=10,
        dataset=LineDatasetParams(
            name="bars",
            root=str(tmp_path / "domain"),
            train_labels="labels.txt",
            split=LineSplitParams(near_duplicate_bits=0),
        ),
    )


def label(params: WatchLinesParams, *texts: str) -> None:
    """Add labelled lines."""
    root = Path(params.dataset.root)
    for text in texts:
        (root / f"{text}.png").write_bytes(png(text))
    with (root / "labels.txt").open("a") as file:
        file.writelines(f"{text}.png\t{text}\n" for text in texts)


def correct(params: WatchLinesParams, count: int) -> None:
    """Label the first lines otherwise."""
    path = Path(params.dataset.root) / "labels.txt"
    rows = [row.split("\t") for row in path.read_text().splitlines()]
    changed = [(image, "4444" if at < count else text) for at, (image, text) in enumerate(rows)]
    path.write_text("".join(f"{image}\t{text}\n" for image, text in changed))


def look(params: WatchLinesParams) -> int:
    return look_at_lines.fn(params)


@pytest.fixture
def learn(params: WatchLinesParams, empty: Registry, tmp_path: Path) -> Callable[[], None]:
    """Lets the champion be made of what is labelled now."""

    def learn() -> None:
        snapshot = prepare_lines.fn(params.dataset, "bars")
        add_version(tmp_path, "v1", "0123456789", dataset_digest=snapshot.digest)
        empty.promote("bars", "v1", reason="first")

    return learn


@pytest.fixture
def decide(empty: Registry, monkeypatch: pytest.MonkeyPatch) -> Decide:
    """Lets a day pass since the last event; the gate decides on a snapshot, in 2100 since then."""
    monkeypatch.setattr("tasks.starting.decided.list_waiting", list)

    def decide(
        snapshot: str,
        *,
        year: int = 2100,
        champion: str = "",
        verdict: Verdict = "block",
    ) -> None:
        keep_verdict(empty.store, verdict, year=year, dataset=snapshot, champion=champion)
        monkeypatch.setattr("tasks.starting.new_data.A_DAY_S", -1.0)

    return decide


def test_all_is_new_to_a_project_that_has_no_snapshot_yet(
    params: WatchLinesParams, raised: Raised
) -> None:
    assert look(params) == 20
    assert [event for event, *_ in raised] == ["ocrline.new-data bars"]
    assert raised[0][1] == {"new": 20, "rows": 20, "dataset": "bars"}


def test_new_and_corrected_lines_count_together_and_start_once(
    params: WatchLinesParams, raised: Raised, learn: Callable[[], None]
) -> None:
    learn()
    nothing = look(params)
    label(params, *(f"56{n}" for n in range(4)))
    correct(params, 5)
    few = look(params)
    label(params, "999")

    enough, again = look(params), look(params)

    assert (nothing, few, enough, again) == (0, 9, 10, 0)
    assert len(raised) == 1


def test_after_an_event_only_what_came_since_counts(
    params: WatchLinesParams, raised: Raised
) -> None:
    look(params)
    label(params, *(f"5{n:02}" for n in range(9)))
    since = look(params)
    label(params, "999")

    assert since == 9
    assert look(params) == 10
    assert len(raised) == 2
    assert raised[0][2] != raised[1][2]


def test_what_is_new_is_new_to_what_the_champion_learnt_from(
    params: WatchLinesParams, raised: Raised, learn: Callable[[], None]
) -> None:
    learn()
    label(params, *(f"5{n:02}" for n in range(10)))
    prepare_lines.fn(params.dataset, "bars")  # a newer snapshot, of a run that failed

    assert look(params) == 10
    assert len(raised) == 1


def test_what_started_one_and_was_taken_out_meanwhile_starts_none_again(
    params: WatchLinesParams, raised: Raised
) -> None:
    labels = Path(params.dataset.root) / "labels.txt"
    before = labels.read_text()
    first, second = ([f"{digit}{n:02}" for n in range(12)] for digit in "78")
    for texts in (first, second):
        labels.write_text(before)
        label(params, *texts)
        look(params)
    label(params, *first)

    assert look(params) == 0
    assert len(raised) == 2


def test_an_event_that_came_to_no_decision_is_raised_again_after_a_day(
    params: WatchLinesParams, raised: Raised, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(params)
    prepare_lines.fn(params.dataset, "bars")  # its run failed later
    looked_soon = look(params)
    monkeypatch.setattr("tasks.starting.new_data.A_DAY_S", -1.0)

    assert looked_soon == 0
    assert look(params) == 20
    assert raised[0][2] != raised[1][2]


@pytest.mark.parametrize("release", ["this", "an earlier one, that kept no rows"])
def test_after_a_decision_an_event_is_not_raised_again(
    release: str, params: WatchLinesParams, raised: Raised, decide: Decide
) -> None:
    look(params)
    snapshot = prepare_lines.fn(params.dataset, "bars").key if release == "this" else "datasets/b/1"
    decide(snapshot)

    assert look(params) == 0
    assert len(raised) == 1


def test_what_was_refused_before_starts_none_nor_does_a_label_saved_again_with_other_spaces(
    params: WatchLinesParams, raised: Raised, learn: Callable[[], None], decide: Decide
) -> None:
    learn()
    labels = Path(params.dataset.root) / "labels.txt"
    written = labels.read_text()
    labels.write_text(written.replace("\t0", "\t0 "))
    snapshot = prepare_lines.fn(params.dataset, "bars")
    decide(snapshot.key, year=2000, champion="v1")
    refused = look(params)
    labels.write_text(written.replace("\t0", "\t0  "))
    saved_again = look(params)

    again = prepare_lines.fn(params.dataset, "bars")  # by the run that was started

    assert (refused, saved_again, again.key) == (0, 20, snapshot.key)
    assert look(params) == 0
    assert len(raised) == 1


def test_what_was_judged_beside_an_earlier_champion_is_new_to_the_one_of_now(
    params: WatchLinesParams, raised: Raised, learn: Callable[[], None], decide: Decide
) -> None:
    first = prepare_lines.fn(params.dataset, "bars")
    labels = Path(params.dataset.root) / "labels.txt"
    right = labels.read_text()
    correct(params, 12)
    learn()  # of labels that were wrong, and are put right
    labels.write_text(right)
    decide(first.key, year=2000)

    assert look(params) == 12
    assert len(raised) == 1


def test_a_decision_of_before_on_what_nobody_kept_says_nothing(
    params: WatchLinesParams, raised: Raised, decide: Decide
) -> None:
    look(params)
    decide("datasets/b/1", year=2000)

    assert look(params) == 20
    assert len(raised) == 2


def test_a_decision_on_an_older_snapshot_is_none_on_what_came_after_it(
    params: WatchLinesParams, raised: Raised, decide: Decide
) -> None:
    look(params)
    older = prepare_lines.fn(params.dataset, "bars")
    label(params, *(f"5{n:02}" for n in range(10)))
    look(params)  # its run is given up beside that of the older snapshot, which is refused later
    looked_soon = look(params)
    decide(older.key)

    assert looked_soon == 0
    assert look(params) == 10
    assert len(raised) == 3
    assert raised[1][2] != raised[2][2]


def test_what_was_accepted_and_came_to_nothing_starts_one_again_a_day_later(
    params: WatchLinesParams, raised: Raised, decide: Decide, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(params)
    snapshot = prepare_lines.fn(params.dataset, "bars")
    decide(snapshot.key, year=2000, verdict="promote")

    later = look(params)
    monkeypatch.setattr("tasks.starting.new_data.A_DAY_S", 86400.0)
    soon = look(params)

    assert (later, soon) == (20, 0)
    assert len(raised) == 2


def test_an_event_that_nobody_took_is_raised_again(
    params: WatchLinesParams, raised: Raised
) -> None:
    raised.is_there = False
    with pytest.raises(EventRefused):
        look(params)
    raised.is_there = True

    assert look(params) == 20
    assert len(raised) == 1


def test_what_is_rendered_is_never_new(params: WatchLinesParams) -> None:
    rendered = LineDatasetParams(source="synthetic")

    with pytest.raises(BadInput, match="what is rendered is never new"):
        look(params.model_copy(update={"dataset": rendered}))
