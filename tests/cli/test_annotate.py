"""``ocrline annotate``: the pages to check first, and why."""

import json
import shlex
from pathlib import Path

import pytest

from cli.main import run
from configs.presets import load_params
from configs.retrain import RetrainPagesParams
from ocr.image.pixels import encode_png
from tests.serving.conftest import Shelf, make_shelf
from tests.serving.tiny_bundle import DIGITS
from tests.serving.tiny_pipeline import draw_page

Out = pytest.CaptureFixture[str]
TWICE = ["2026", "2026", "11"]


@pytest.fixture(autouse=True)
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """A store with a pipeline and a recogniser, both champions."""
    shelf = make_shelf(tmp_path / "house")
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OCRLINE_STORE", shelf.store)
    monkeypatch.chdir(tmp_path)
    shelf.add_pages("v1", DIGITS)
    shelf.registry.promote("pages", "v1", reason="first")
    shelf.add("v1", DIGITS)
    shelf.registry.promote("bars", "v1", reason="first")
    return shelf


@pytest.fixture(autouse=True)
def scans(tmp_path: Path) -> Path:
    """A page that reads well, two of a template that read badly, and a file that is no image."""
    scans = tmp_path / "scans"
    scans.mkdir()
    pages = {"a": draw_page(["7", "42"]), "b": draw_page(TWICE, unsure=[0, 1, 2])}
    pages["c"] = draw_page([*TWICE[:2], "99"], unsure=[0, 1])
    for name, page in pages.items():
        (scans / f"{name}.png").write_bytes(encode_png(page))
    (scans / "d.jpg").write_bytes(b"no image")
    return scans


def test_files_of_one_name_are_told_apart_by_their_folders(scans: Path, capsys: Out) -> None:
    for folder in ("2024", "2025"):
        (scans / folder).mkdir()
        (scans / folder / "p.png").write_bytes(encode_png(draw_page([folder])))

    run(["annotate", str(scans), "--to", "ppocrlabel"])

    said = capsys.readouterr().out
    assert "│ 2024/p.png │" in said
    assert "│ 2025/p.png │" in said


def test_a_table_says_which_pages_to_check_first_and_why(tmp_path: Path, capsys: Out) -> None:
    code = run(["annotate", "scans", "--to", "ppocrlabel", "--budget", "2"])

    said = capsys.readouterr()
    assert code == 0
    assert "scans-to-check, read by pages:v1" in said.out
    first, second = (row for row in said.out.splitlines() if ".png" in row and "000" in row)
    assert "0001-b.png" in first
    assert "useful" in first
    assert "random" in second
    assert "left out scans/d.jpg: not an image" in said.err
    assert "wrote 2 of 3 pages, 1 of them drawn at random; open the folder with PPO" in said.err
    assert len(list((tmp_path / "scans-to-check").glob("*.png"))) == 2
    assert {path.name for path in tmp_path.iterdir()} == {
        *("house", "home", "scans", "scans-to-check")
    }


def test_hidden_images_and_linked_folders_are_named_and_not_read(
    scans: Path, tmp_path: Path, capsys: Out
) -> None:
    (scans / ".cache").mkdir()
    (tmp_path / "away").mkdir()
    for path in (scans / "._a.png", scans / ".cache/a.png", tmp_path / "away/a.png"):
        path.write_bytes(encode_png(draw_page(["7", "4242"])))
    for name in ("more", ".more"):
        (scans / name).symlink_to(tmp_path / "away")

    run(["annotate", "scans", "--to", "ppocrlabel"])

    said = capsys.readouterr().err
    assert "wrote 3 of 3 pages" in said
    assert "left out scans/._a.png is hidden, as are 1 others\n" in said
    assert "left out scans/more is a link to a folder, name that to read it\n" in said


def test_label_studio_shows_predictions_only_where_it_is_told_to(capsys: Out) -> None:
    run(["annotate", "scans", "--to", "labelstudio", "--output", "out"])

    assert "let it use predictions to prelabel tasks" in capsys.readouterr().err


def test_machines_are_told_the_same(capsys: Out) -> None:
    arguments = ["annotate", "scans", "--to", "labelstudio", "--output", "out", "--json"]
    code = run(arguments)

    said = json.loads(capsys.readouterr().out)
    assert (code, said["model"], said["folder"], said["read"]) == (0, "pages:v1", "out", 3)
    first, *_ = said["suggestions"]
    assert [page["chosen"] for page in said["suggestions"]] == ["useful", "random", "useful"]
    assert (first["image"], first["file"], first["lines"]) == (
        "images/0001-b.png",
        "scans/b.png",
        3,
    )
    assert [each["name"] for each in said["left_out"]] == ["scans/d.jpg"]


def test_a_later_call_goes_on_with_other_pages(capsys: Out) -> None:
    run(["annotate", "scans", "--to", "ppocrlabel", "--budget", "2", "--output", "one"])
    capsys.readouterr()

    again = run(["annotate", "scans", "--to", "ppocrlabel", "--output", "one"])
    refused = capsys.readouterr().err
    code = run(
        ["annotate", "scans", "--to", "ppocrlabel", "--output", "two", "--after", "one", "--json"]
    )

    assert again == 2
    assert "one is there already" in refused
    assert "--after one" in refused
    (page,) = json.loads(capsys.readouterr().out)["suggestions"]
    assert code == 0
    assert page["file"] not in [
        each["file"] for each in json.loads(Path("one/pages.json").read_text())["pages"]
    ]


def test_what_is_read_surely_may_teach_unchecked(tmp_path: Path, capsys: Out) -> None:
    code = run(["annotate", "scans", "--to", "ppocrlabel", "--sure", "0.9"])

    said = capsys.readouterr().err
    assert code == 0
    assert "scans-read, read by pages:v1: 2 pages, 3 of their 5 lines are labels" in said
    assert (
        """'dataset.more_labels=[{"labels": "scans-read/Label.txt", "checked": false}]'""" in said
    )
    rows = (tmp_path / "scans-read" / "Label.txt").read_text().splitlines()
    texts = [each["transcription"] for row in rows for each in json.loads(row.split("\t")[1])]
    assert sorted(text for text in texts if text != "###") == ["42", "7", "99"]


@pytest.mark.parametrize("name", ["Bob's $(touch PWNED)", "a: [b], #c", "[red]x"])
def test_what_is_said_to_train_with_works_whatever_the_folder_is_called(
    name: str, scans: Path, tmp_path: Path, capsys: Out
) -> None:
    scans.rename(tmp_path / name)
    run(["annotate", name, "--to", "ppocrlabel", "--sure", "0.9"])
    said = capsys.readouterr().err

    words = shlex.split(said[said.index("--set ") :])

    params = load_params("receipts", overrides=words[1:])
    assert isinstance(params, RetrainPagesParams)
    assert [(each.labels, each.checked) for each in params.dataset.more_labels] == [
        (f"{name}-read/Label.txt", False)
    ]


def test_without_a_champion_that_reads_pages_the_model_off_the_shelf_reads(
    shelf: Shelf, capsys: Out
) -> None:
    pytest.importorskip("rapidocr")
    arguments = ["annotate", "scans", "--to", "ppocrlabel", "--json"]

    run([*arguments, "--store", f"{shelf.store}-empty"])

    assert json.loads(capsys.readouterr().out)["model"].startswith("rapidocr")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--to", "coco"], "'coco' is not one of"),
        (["--to", "ppocrlabel", "--output", "scans/out"], "lies in scans, whose pages are read"),
        (["--to", "ppocrlabel", "--model", "bars"], "bars:v1 reads no pages; name a pipeline"),
        (["--to", "ppocrlabel", "--after", "scans"], "no file scans/pages.json"),
        (["--to", "ppocrlabel", "--budget", "0"], "greater than or equal to 1"),
        (["--to", "labelstudio", "--sure", "0.9"], "expected --to ppocrlabel"),
        (["--to", "ppocrlabel", "--sure", "nan"], "less than or equal to 1"),
        (["--to", "ppocrlabel", "--sure", "2"], "less than or equal to 1"),
    ],
)
def test_what_cannot_be_done_is_one_line(arguments: list[str], said: str, capsys: Out) -> None:
    code = run(["annotate", "scans", *arguments])

    lines = capsys.readouterr().err.splitlines()
    assert code == 2
    assert len(lines) == 1
    assert said in lines[0]


def test_a_folder_that_is_not_there_is_named(capsys: Out) -> None:
    code = run(["annotate", "nowhere", "--to", "ppocrlabel"])

    assert code == 2
    assert "nowhere" in capsys.readouterr().err


def test_a_link_to_itself_is_named(capsys: Out) -> None:
    Path("circle").symlink_to("circle")

    code = run(["annotate", "circle", "--to", "ppocrlabel"])

    assert code == 2
    assert "circle" in capsys.readouterr().err
