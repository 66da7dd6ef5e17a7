"""Pages on the command line: predicted, drawn, a folder of them, evaluated, listed."""

import json
import os
from pathlib import Path

import cv2
import pytest

from cli.main import run
from tests.serving.conftest import Shelf, make_shelf
from tests.serving.tiny_bundle import DIGITS, LETTERS
from tests.serving.tiny_pipeline import page_png, register_pipeline

Out = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """A store with a pipeline that has a champion; its parts have none."""
    shelf = make_shelf(tmp_path)
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OCRLINE_STORE", shelf.store)
    register_pipeline(shelf.registry, tmp_path / "made", version="v1", characters=DIGITS)
    shelf.registry.promote("pages", "v1", reason="first")
    return shelf


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.png"
    path.write_bytes(page_png("2026", "42"))
    return path


def test_predict_prints_the_text_in_reading_order_with_the_only_champion(
    page: Path, capsys: Out
) -> None:
    code = run(["predict", str(page)])

    assert code == 0
    assert capsys.readouterr().out == "2026\n42\n"


def test_predict_prints_lines_with_polygons_for_machines(page: Path, capsys: Out) -> None:
    run(["predict", str(page), "--model", "pages", "--json"])

    (row,) = json.loads(capsys.readouterr().out)
    assert (row["image"], row["page"], row["rotation"]) == (str(page), 1, 0)
    assert [line["text"] for line in row["lines"]] == ["2026", "42"]
    assert all(len(line["polygon"]) == 4 for line in row["lines"])


def test_predict_draws_what_it_read(page: Path, tmp_path: Path, capsys: Out) -> None:
    drawn = tmp_path / "drawn.png"

    code = run(["predict", str(page), "--annotate", str(drawn)])

    assert code == 0
    assert capsys.readouterr().out == "2026\n42\n"
    before, after = cv2.imread(str(page)), cv2.imread(str(drawn))
    assert before.shape == after.shape
    assert (before != after).any()


def test_a_page_is_not_drawn_over_itself(page: Path, capsys: Out) -> None:
    before = page.read_bytes()
    linked = page.with_name("linked.png")
    linked.symlink_to(page)

    code = run(["predict", str(page), "--annotate", str(linked)])

    assert (code, page.read_bytes()) == (2, before)
    assert f"--annotate {linked} is the page itself" in capsys.readouterr().err


def test_a_folder_becomes_rows_and_a_bad_file_in_it_is_named(
    page: Path, tmp_path: Path, capsys: Out
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "b.png").write_bytes(page.read_bytes())
    (folder / "a.jpg").write_bytes(b"no image")
    (folder / "notes.txt").write_text("not to be read")
    os.mkfifo(folder / "pipe.png")
    output = tmp_path / "rows.jsonl"

    code = run(["predict", str(folder), "--output", str(output)])

    said = capsys.readouterr()
    (row,) = [json.loads(line) for line in output.read_text().splitlines()]
    assert (code, said.out) == (0, "")
    assert row["image"] == str(folder / "b.png")
    assert "left out" in said.err
    assert "a.jpg" in said.err
    assert f"left out {folder / 'notes.txt'} is called like no image and no PDF\n" in said.err
    assert f"left out {folder / 'pipe.png'} is not a plain file\n" in said.err
    assert "read 1 of 2 files" in said.err


def test_name_that_is_no_utf8_is_in_a_row_as_json_has_it(page: Path, tmp_path: Path) -> None:
    name = os.fsdecode("票 1.png".encode("gbk") + b"\xff")
    (tmp_path / "gbk").mkdir()
    (tmp_path / "gbk" / f"{name}.png").write_bytes(page.read_bytes())
    output = tmp_path / "rows.jsonl"

    assert run(["predict", str(tmp_path / "gbk"), "--output", str(output)]) == 0

    (row,) = [json.loads(line) for line in output.read_text().splitlines()]
    assert row["image"] == str(tmp_path / "gbk" / f"{name}.png")


def test_where_nothing_could_be_read_is_no_success_and_keeps_the_rows_of_before(
    tmp_path: Path, capsys: Out
) -> None:
    output = tmp_path / "rows.jsonl"
    output.write_text("of before")

    code = run(["predict", str(tmp_path / "none.png"), "--output", str(output)])

    assert code == 2
    assert "read 0 of 1 files" in capsys.readouterr().err
    assert output.read_text() == "of before"
    assert list(tmp_path.glob(".*")) == []


def test_rows_go_where_no_file_is_and_through_a_link(page: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(tmp_path / "rows.jsonl")

    codes = [run(["predict", str(page), "--output", str(to)]) for to in ("/dev/null", link)]

    assert codes == [0, 0]
    assert Path("/dev/null").is_char_device()
    assert link.is_symlink()
    assert len((tmp_path / "rows.jsonl").read_text().splitlines()) == 1


def test_rows_go_into_a_pipe(page: Path) -> None:
    reading, writing = os.pipe()

    code = run(["predict", str(page), "--output", f"/dev/fd/{writing}"])

    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as rows:
        assert (code, len(rows.readlines())) == (0, 1)


def test_rows_keep_who_may_read_them(page: Path, tmp_path: Path) -> None:
    output = tmp_path / "rows.jsonl"
    output.touch(mode=0o600)

    code = run(["predict", str(page), "--output", str(output)])

    assert (code, output.stat().st_mode & 0o777) == (0, 0o600)


def test_an_output_whose_links_lead_in_a_circle_is_refused(
    page: Path, tmp_path: Path, capsys: Out
) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(link)

    code = run(["predict", str(page), "--output", str(link)])

    assert code == 2
    assert f"--output {link}: Too many levels of symbolic links" in capsys.readouterr().err


def test_pages_of_several_files_are_told_apart(page: Path, tmp_path: Path, capsys: Out) -> None:
    other = tmp_path / "other.png"
    other.write_bytes(page_png("77"))

    run(["predict", str(page), str(other)])

    said = f"==> {page}, page 1 <==\n2026\n42\n\n==> {other}, page 1 <==\n77\n"
    assert capsys.readouterr().out == said


def test_a_name_that_is_no_text_is_shown_as_far_as_it_is(page: Path, capsys: Out) -> None:
    odd = Path(os.fsdecode(os.fsencode(page.parent) + b"/\xff.png"))
    odd.write_bytes(page.read_bytes())

    code = run(["predict", str(page), str(odd)])

    assert code == 0
    assert f"==> {page.parent}/\N{REPLACEMENT CHARACTER}.png, page 1 <==" in capsys.readouterr().out


def test_what_else_lies_in_a_folder_is_counted_but_for_what_is_hidden(
    page: Path, tmp_path: Path, capsys: Out
) -> None:
    folder = tmp_path / "phone"
    (folder / ".cache").mkdir(parents=True)
    (folder / "a.JFIF").write_bytes(page.read_bytes())
    for name in ("IMG_0003", "IMG_0004.HEIC", ".DS_Store", ".cache/x.txt"):
        (folder / name).write_bytes(b"")

    run(["predict", str(folder)])

    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 1
    assert f"{folder / 'IMG_0003'} is called like no image and no PDF, nor are 1 others" in said.err


def test_a_folder_without_output_prints_its_rows(page: Path, capsys: Out) -> None:
    run(["predict", str(page.parent)])

    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert str(page) in [row["image"] for row in rows]


def test_several_champions_are_named_when_none_was_asked_for(
    shelf: Shelf, page: Path, capsys: Out
) -> None:
    shelf.add("v1", LETTERS)
    shelf.registry.promote("bars", "v1", reason="first")

    code = run(["predict", str(page)])

    assert code == 2
    assert "champions are: bars, pages" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--model", "pages-detector:v1"], "name its pipeline instead"),
        (["--annotate", "x.jpg"], "one .png file"),
        (["--annotate", "none/x.png"], "--annotate none/x.png: there is no folder none"),
        (["--output", "none/x.jsonl"], "--output none/x.jsonl: No such file or directory"),
        (["page.png", "--annotate", "x.png"], "draws one page"),
        (["--output", "/nowhere/x.jsonl"], "/nowhere"),
        (["--model", "pages-recogniser:v1", "--annotate", "x.png"], "needs a pipeline"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    page: Path, arguments: list[str], said: str, capsys: Out
) -> None:
    code = run(["predict", str(page), *arguments])

    lines = capsys.readouterr().err.splitlines()
    assert code in (2, 5)
    assert len(lines) == 1
    assert said in lines[0]


def test_evaluate_measures_pages_and_names_what_it_left_out(page: Path, capsys: Out) -> None:
    run(["predict", str(page), "--json"])
    (row,) = json.loads(capsys.readouterr().out)
    truth = [{"transcription": line["text"], "points": line["polygon"]} for line in row["lines"]]
    truth[1]["transcription"] = "43"
    labels = page.parent / "det_test.txt"
    labels.write_text(f"page.png\t{json.dumps(truth)}\ngone.png\t{json.dumps(truth)}\n")

    run(["evaluate", "--model", "pages@champion", "--labels", str(labels)])
    table = capsys.readouterr().out
    code = run(["evaluate", "--model", "pages@champion", "--labels", str(labels), "--json"])

    said = capsys.readouterr()
    measured = json.loads(said.out)
    assert code == 0
    assert list(measured) == [
        *("pages", "precision", "recall", "hmean", "e2e_hmean", "e2e_ned", "seconds_per_page"),
        "left_out",
    ]
    assert (measured["pages"], measured["hmean"], measured["e2e_hmean"]) == (1, 1.0, 0.5)
    assert measured["seconds_per_page"] > 0
    assert measured["left_out"] == 1
    assert "rows and regions left out │ 1 " in table
    assert "gone.png" in said.err


def test_evaluate_reads_gbk_by_its_name_and_refuses_what_we_do_not_read(
    page: Path, capsys: Out
) -> None:
    labels = page.parent / "det_test.txt"
    row = [{"transcription": "合计", "points": [[0, 0], [20, 0], [20, 20], [0, 20]]}]
    labels.write_bytes(f"page.png\t{json.dumps(row, ensure_ascii=False)}\n".encode("gbk"))
    arguments = ["evaluate", "--model", "pages@champion", "--labels", str(labels), "--encoding"]

    codes = [run([*arguments, encoding]) for encoding in ("GBK", "latin-1")]

    assert codes == [0, 2]
    assert "'latin-1' is neither utf-8 nor gb18030" in capsys.readouterr().err


def test_models_show_the_parts_of_a_pipeline(capsys: Out) -> None:
    run(["models", "list", "--json"])
    listed = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    run(["models", "show", "pages"])
    shown = capsys.readouterr().out

    assert listed["pages"]["parts"] == ["pages-detector:v1", "pages-recogniser:v1"]
    assert [listed[name]["task"] for name in sorted(listed)] == [
        *("pipeline", "detection", "recognition")
    ]
    assert listed["pages-detector"]["champion"] is None
    assert "pages-detector:v1" in shown
