"""What was known of versions, on the terminal and for machines."""

import json
import os
import pwd
import socket
from pathlib import Path
from typing import Any

import pytest

from cli.main import run
from cli.models.history import draw_sparkline
from ocr.gate.approval import Answer, approval_key, keep_answer
from tests.ocr.lineage.scenes import CHECKPOINT, NAME, OTHERS, Told
from tests.serving.tiny_bundle import DIGITS
from tests.serving.tiny_pipeline import register_pipeline
from tests.toy_bundle import write_toy_bundle

Out = pytest.CaptureFixture[str]
TEXTS = {"ABC": "ABC", "CAB": "CAB", "BAC": "BAC", "ACB": "ACB", "BCA": "BCA", "CBA": "CBA"}


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Told:
    """Versions v1, replaced by v2, and v3, which was refused."""
    told = Told(tmp_path)
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))
    digest = told.prepare(TEXTS, bad_rows=2).digest
    told.keep_checkpoint()
    for version in ("v1", "v2", "v3"):
        told.add(version, dataset_digest=digest, checkpoint=CHECKPOINT, code_commit="abc")
    told.registry.promote(NAME, "v1", reason="the first")
    key = told.judge("v2", "promote", 10, beside=("v1", 3))
    told.registry.promote(NAME, "v2", reason="reads better", evaluation=key)
    told.judge("v3", "block", 2, beside=("v2", 10))
    return told


def said(out: Out, *arguments: str) -> str:
    assert run(["models", *arguments]) == 0
    return out.readouterr().out


def answer(out: Out, *arguments: str) -> Any:
    return json.loads(said(out, *arguments, "--json"))


def test_show_draws_what_is_online_and_why(told: Told, capsys: Out) -> None:
    shown = said(capsys, "show", NAME)

    for words in (
        "toy:v2  recognition",
        "champion",
        "replaced v1: reads better",
        "decision promote",
        "It was told to promote.",
        "measured beside toy:v1 on 60 samples",
        "evaluation evaluations/v2-10-60\n",
        "report reports/v2/0.html (not in the store any more)",
        f"checkpoint {CHECKPOINT}\n",
        "learnt for 42 s, 512 MiB",
        "python 3.11.7, paddle 3.3.1",
        "code abc",
        "6 from labels.txt",
        "2 of 8 rows quarantined: 2 missing_image",
    ):
        assert words in shown, words


def test_show_tells_whose_weights_were_taken_as_they_came(told: Told, capsys: Out) -> None:
    taken = {"engine": "paddleocr", "epochs": 0, "pretrained": "w", "pretrained_sha256": "ab12"}
    told.add("v4", checkpoint=CHECKPOINT, parameters=taken)

    shown = said(capsys, "show", f"{NAME}:v4")

    assert "job: engine paddleocr, epochs 0, pretrained w, pretrained_sha256 ab12\n" in shown


def test_show_says_that_a_first_champion_taken_back_leaves_none(
    told: Told, tmp_path: Path, capsys: Out
) -> None:
    bundle = write_toy_bundle(tmp_path / "digits", name="digits", version="v1")
    told.registry.register("digits", "v1", bundle)
    state = told.registry.promote("digits", "v1", reason="the first")
    told.registry.undo(state, reason="does not answer")

    shown = said(capsys, "show", "digits:v1")

    assert ", no champion again: does not answer" in shown
    assert "back to" not in shown


def test_show_names_who_approved(told: Told, capsys: Out) -> None:
    told.registry.promote(NAME, "v3", reason="reads better", approval=("Ada", "looked at it"))

    assert "reads better (approved by Ada: looked at it)" in said(capsys, "show", NAME)


def test_show_names_who_promoted_by_hand(told: Told, capsys: Out) -> None:
    user = pwd.getpwuid(os.getuid()).pw_name

    said(capsys, "promote", NAME, "v3", "--reason", "looked at it")

    assert f"looked at it (moved by {user}@{socket.gethostname()})" in said(capsys, "show", NAME)


def test_a_promotion_that_moves_nothing_says_so(told: Told, capsys: Out) -> None:
    shown = said(capsys, "promote", NAME, "v2", "--reason", "looked at it")

    assert shown == "champion of toy is v2 already: nothing moved, and no reason is kept\n"
    assert "looked at it" not in said(capsys, "show", NAME)


def test_show_tells_what_a_person_answered(told: Told, capsys: Out) -> None:
    answer = Answer("reject", "Ada", "reads 8 as B", "2026-11-24T13:00:00+00:00", "toy:v2", "v1")
    key = approval_key("evaluations/v2-10-60", judged_by=(), moves=())
    keep_answer(told.registry.store, key, answer)

    assert "Rejected by Ada: reads 8 as B" in said(capsys, "show", NAME)


def test_show_says_what_is_not_known_any_more(told: Told, capsys: Out) -> None:
    told.add("v4", dataset_digest="e" * 64, checkpoint="checkpoints/gone/0")

    shown = said(capsys, "show", "toy:v4")

    assert "checkpoint checkpoints/gone/0 (not in the store any more" in shown
    assert f"data {'e' * 64} (not in the store any more" in shown
    assert "validation:" not in shown


def test_show_draws_the_parts_of_a_pipeline(told: Told, tmp_path: Path, capsys: Out) -> None:
    register_pipeline(told.registry, tmp_path, version="p1", characters=DIGITS)

    shown = said(capsys, "show", "pages:p1")

    assert "detector pages-detector:p1" in shown
    assert "recogniser pages-recogniser:p1" in shown


def test_show_tells_what_a_pipeline_chose_to_read_with(
    told: Told, tmp_path: Path, capsys: Out
) -> None:
    register_pipeline(told.registry, tmp_path, version="p1", characters=DIGITS, min_confidence=0.9)

    shown = said(capsys, "show", "pages:p1")

    assert "chosen on its validation pages: min_confidence 0.9" in shown


def test_show_tells_machines_the_same(told: Told, capsys: Out) -> None:
    shown = answer(capsys, "show", NAME)

    assert shown["model"]["version"] == "v2"
    assert [move["version"] for move in shown["history"]] == ["v1", "v2"]
    lineage = shown["lineage"]
    assert lineage["training"]["environment"]["paddle"] == "3.3.1"
    assert lineage["data"]["counts"]["rows"] == 8
    assert lineage["decisions"][0]["metrics"]["accuracy"]["value"] == 0.9


def test_compare_says_how_sure_the_change_is(told: Told, capsys: Out) -> None:
    shown = said(capsys, "compare", "toy:v1", "toy@champion")

    assert "toy:v2 beside toy:v1 on the same 60 samples: +23.3 points, 95% bounds" in shown
    assert "data: the same" in shown


def test_compare_says_which_samples_differ(told: Told, capsys: Out) -> None:
    told.add("v4")
    told.judge("v4", "hold", 10, texts=OTHERS)

    shown = said(capsys, "compare", "toy:v2", "toy:v4")

    assert "not compared pairwise: they read other test samples: toy:v2 read 60" in shown
    assert "one of the snapshots is not in the store any more" in shown


def test_compare_tells_machines_the_same(told: Told, capsys: Out) -> None:
    found = answer(capsys, "compare", "toy:v1", "toy:v2")

    assert found["change"]["kind"] == "paired"
    assert found["first"]["reference"] == "toy:v1"


def test_history_lists_every_version_with_its_trend(told: Told, capsys: Out) -> None:
    shown = said(capsys, "history", NAME, "--metric", "accuracy")

    for words in ("was champion", "refused", "It was told to block.", "0.6667", "0.9000", "0.5000"):
        assert words in shown, words
    assert "▄█▁  0.6667 → 0.5000" in shown


def test_history_tells_machines_the_same(told: Told, capsys: Out) -> None:
    found = answer(capsys, "history", NAME)

    assert [row["fate"] for row in found["versions"]] == ["was champion", "champion", "refused"]
    assert found["trends"]["accuracy"]["v3"]["value"] == 0.5


def test_history_writes_a_page(told: Told, tmp_path: Path, capsys: Out) -> None:
    said(capsys, "history", NAME, "--html", str(tmp_path / "trend.html"))

    assert "History of toy" in (tmp_path / "trend.html").read_text(encoding="utf-8")


def test_a_metric_that_nobody_measured_is_refused_with_those_that_are_known(
    told: Told, capsys: Out
) -> None:
    assert run(["models", "history", NAME, "--metric", "speed"]) == 2
    assert "measured by 'speed'; known: accuracy" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("values", "drawn"),
    [
        ([0.0, 0.5, 1.0], "▁▅█"),
        ([0.97, None, 0.98], "▁·█"),
        ([0.5, 0.5], "▁▁"),
        ([None], "·"),
        ([], ""),
    ],
)
def test_a_sparkline_goes_from_the_least_to_the_most(
    values: list[float | None], drawn: str
) -> None:
    assert draw_sparkline(values) == drawn
