import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import get_args

import cv2
import pytest

from ocr.errors import ArtifactExists, ArtifactNotFound, BadData, BadInput
from ocr.image.pixels import encode_png
from ocr.proposal.folder import Proposal, ProposalKind, propose_labels
from ocr.proposal.suggestion import read_known
from tests.ocr.image.documents import encrypted_pdf, image_pdf
from tests.ocr.proposal.readers import Texts, ToldReader

MAX_PIXELS = 10**6
SURE: Texts = [("ALPHA", 0.99), ("BETA", 0.98)]
DOUBTED: Texts = [("GAMMA", 0.6), ("DELTA", 0.9)]


@pytest.fixture
def reader() -> ToldReader:
    return ToldReader()


@pytest.fixture
def files(reader: ToldReader, tmp_path: Path) -> list[Path]:
    """A page that reads well, and one that does not."""
    scans = tmp_path / "scans"
    scans.mkdir()
    (scans / "a.png").write_bytes(encode_png(reader.draw(SURE, seed=1)))
    (scans / "b b.png").write_bytes(encode_png(reader.draw(DOUBTED, seed=2)))
    return [scans / "a.png", scans / "b b.png"]


def propose(
    files: Iterable[Path],
    folder: Path,
    reader: ToldReader,
    *,
    kind: ProposalKind = "ppocrlabel",
    budget: int = 10,
    after: list[Path] | None = None,
) -> Proposal:
    return propose_labels(
        files,
        folder,
        kind=kind,
        reader=reader,
        budget=budget,
        max_pixels=MAX_PIXELS,
        known=read_known(after or []),
    )


def test_ppocrlabel_finds_images_in_order_and_readings_in_its_cache(
    files: list[Path], reader: ToldReader, tmp_path: Path
) -> None:
    propose(files, tmp_path / "out", reader)

    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written == {"0001-b_b.png", "0002-a.png", "Cache.cach", "pages.json"}
    assert (tmp_path / "out/0001-b_b.png").read_bytes() == files[1].read_bytes()
    first, _ = (tmp_path / "out/Cache.cach").read_text().splitlines()
    image, labels = first.split("\t")
    assert image == "out/0001-b_b.png"
    assert json.loads(labels)[0] == {
        "transcription": "GAMMA",
        "points": [[8, 12], [180, 12], [180, 44], [8, 44]],
        "difficult": False,
    }


def test_label_studio_finds_predictions_with_scores_and_no_annotation(
    files: list[Path], reader: ToldReader, tmp_path: Path
) -> None:
    propose(files, tmp_path / "out", reader, kind="labelstudio")

    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written == {"images", "labelstudio.json", "labelstudio.xml", "pages.json"}
    first, second = json.loads((tmp_path / "out/labelstudio.json").read_text())
    assert first["data"] == {
        "ocr": "/data/local-files/?d=images/0001-b_b.png",
        "file": str(files[1]),
        "page": 1,
        "document": hashlib.sha256(files[1].read_bytes()).hexdigest()[:16],
    }
    (prediction,) = first["predictions"]
    assert (prediction["model_version"], prediction["score"]) == ("told v1", 0.75)
    assert [result["score"] for result in prediction["result"]] == [0.6] * 3 + [0.9] * 3
    assert first["annotations"] == second["annotations"] == []


def test_a_person_is_told_why_each_page_was_chosen(
    files: list[Path], reader: ToldReader, tmp_path: Path
) -> None:
    first, second = propose(files, tmp_path / "out", reader).suggestions

    assert (first.image, first.file, first.page) == ("0001-b_b.png", str(files[1]), 1)
    assert (first.doubt, first.novelty, first.lines) == (0.5, 1.0, 2)
    assert (first.least_text, first.least_confidence) == ("GAMMA", 0.6)
    assert (first.chosen, second.chosen) == ("useful", "random")


def test_the_list_in_the_folder_says_which_pages_were_drawn_at_random(
    files: list[Path], reader: ToldReader, tmp_path: Path
) -> None:
    propose(files, tmp_path / "out", reader)

    listed = json.loads((tmp_path / "out/pages.json").read_text())["pages"]
    assert [page["chosen"] for page in listed] == ["useful", "random"]


def test_the_same_pages_are_chosen_whatever_their_files_are_called(
    reader: ToldReader, tmp_path: Path
) -> None:
    for number in range(6):
        data = encode_png(reader.draw([(f"PAGE {number}", 0.3 + number / 10)], seed=number))
        (tmp_path / f"{number}.png").write_bytes(data)
        (tmp_path / f"other-{9 - number}.png").write_bytes(data)

    made = [
        propose(sorted(tmp_path.glob(f"{names}.png")), tmp_path / str(turn), reader, budget=4)
        for turn, names in enumerate(("[0-9]", "other-*"))
    ]

    drawn = [{page.digest for page in each.suggestions if page.chosen == "random"} for each in made]
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 2


def test_pages_of_a_document_become_images(reader: ToldReader, tmp_path: Path) -> None:
    images = [reader.draw([("ONE", 0.5)], seed=3), reader.draw([("TWO", 0.6)], seed=4)]
    (tmp_path / "two.pdf").write_bytes(image_pdf(images, dpi=200))

    made = propose([tmp_path / "two.pdf"], tmp_path / "out", reader)

    assert [page.image for page in made.suggestions] == ["0001-two-p1.png", "0002-two-p2.png"]
    assert [page.least_text for page in made.suggestions] == ["ONE", "TWO"]
    drawn = cv2.imread(str(tmp_path / "out/0002-two-p2.png"))
    assert reader.read(drawn).lines[0].text == "TWO"


def test_what_cannot_be_read_is_named_and_the_rest_goes_on(
    files: list[Path], reader: ToldReader, tmp_path: Path
) -> None:
    bad = {
        "damaged.png": files[0].read_bytes()[:-20],
        "locked.pdf": encrypted_pdf(),
        "copy.png": files[0].read_bytes(),
    }
    for name, data in bad.items():
        (tmp_path / name).write_bytes(data)
    others = [tmp_path / name for name in (*bad, "gone.png")]

    made = propose([*files, *others], tmp_path / "out", reader)

    assert (made.read, len(made.suggestions)) == (2, 2)
    left_out = {Path(each.name).name: each.why for each in made.left_out}
    assert list(left_out) == ["damaged.png", "locked.pdf", "copy.png", "gone.png"]
    assert "truncated" in left_out["damaged.png"]
    assert "encrypted" in left_out["locked.pdf"]
    assert left_out["copy.png"] == f"the same file as {files[0]}"
    assert left_out["gone.png"] == "No such file or directory"


def test_a_folder_that_is_there_is_not_touched(
    files: list[Path], reader: ToldReader, tmp_path: Path
) -> None:
    propose(files, tmp_path / "out", reader)
    (tmp_path / "out/Label.txt").write_text("what a person checked")

    with pytest.raises(ArtifactExists, match="out is there already"):
        propose(files, tmp_path / "out", reader)

    assert (tmp_path / "out/Label.txt").read_text() == "what a person checked"


def test_pages_of_an_earlier_folder_are_left_to_it(
    files: list[Path], reader: ToldReader, tmp_path: Path
) -> None:
    propose(files, tmp_path / "out", reader, budget=1)

    made = propose(files, tmp_path / "next", reader, after=[tmp_path / "out"])

    assert [page.file for page in made.suggestions] == [str(files[0])]
    with pytest.raises(BadInput, match="all 2 pages were proposed before"):
        propose(files, tmp_path / "x", reader, after=[tmp_path / "out", tmp_path / "next"])


@pytest.mark.parametrize("first", ["as files are called", "as their digests"])
def test_a_document_is_called_the_same_in_every_round_wherever_its_folder_is(
    reader: ToldReader, tmp_path: Path, first: str
) -> None:
    images = [reader.draw([("ONE", 0.5)], seed=3), reader.draw([("TWO", 0.6)], seed=4)]
    (tmp_path / "two.pdf").write_bytes(image_pdf(images, dpi=200))
    propose([tmp_path / "two.pdf"], tmp_path / "out", reader, budget=1)
    (listed,) = json.loads((tmp_path / "out/pages.json").read_text())["pages"]
    if first == "as files are called":  # the lists of before
        del listed["document"]
        (tmp_path / "out/pages.json").write_text(json.dumps({"pages": [listed]}))
    elsewhere = (tmp_path / "two.pdf").rename(tmp_path / "contract.pdf")

    (page,) = propose([elsewhere], tmp_path / "next", reader, after=[tmp_path / "out"]).suggestions

    assert page.document == listed.get("document", listed["file"])


def test_a_folder_that_we_did_not_make_is_no_earlier_one(tmp_path: Path) -> None:
    with pytest.raises(ArtifactNotFound, match=r"pages\.json"):
        read_known([tmp_path])
    for content in ('{"pages": [1]}', '{"pages": [{"digest": "", "page": 1e999}]}', "[" * 10**5):
        (tmp_path / "pages.json").write_text(content)
        with pytest.raises(BadData, match="is no list of `ocrline annotate`"):
            read_known([tmp_path])
    with pytest.raises(ArtifactNotFound, match=r"pages\.json/pages\.json"):
        read_known([tmp_path / "pages.json"])


def test_nothing_stays_of_a_call_that_fails(reader: ToldReader, tmp_path: Path) -> None:
    (tmp_path / "bad.png").write_bytes(b"no image")

    with pytest.raises(BadInput, match=r"no page that can be read, e\.g\. .*bad\.png: not an"):
        propose([tmp_path / "bad.png"], tmp_path / "out", reader)

    assert [path.name for path in tmp_path.iterdir()] == ["bad.png"]


def test_files_that_change_or_go_meanwhile_are_left_out(
    files: list[Path], reader: ToldReader, tmp_path: Path
) -> None:
    (tmp_path / "c.png").write_bytes(encode_png(reader.draw([("ONE", 0.1)], seed=5)))

    def change() -> Iterator[Path]:
        yield from [*files, tmp_path / "c.png"]
        files[0].write_bytes(b"another file")
        (tmp_path / "c.png").unlink()

    made = propose(change(), tmp_path / "out", reader)

    assert [page.image for page in made.suggestions] == ["0001-b_b.png"]
    assert {Path(each.name).name: each.why for each in made.left_out} == {
        "a.png": "changed since it was read",
        "c.png": "No such file or directory",
    }


@pytest.mark.parametrize("kind", get_args(ProposalKind))
def test_names_that_are_not_utf_8_are_written_with_a_sign_instead(
    files: list[Path], reader: ToldReader, tmp_path: Path, kind: ProposalKind
) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.png"))
    files[0].rename(path)
    bad = path.with_name(path.name.replace(".png", ".jpg"))
    bad.write_bytes(b"no image")

    made = propose([path, bad], tmp_path / "out", reader, kind=kind)

    (page,) = json.loads((tmp_path / "out/pages.json").read_text())["pages"]
    assert page["file"] == str(tmp_path / "caf\ufffd.png")
    assert [each.name for each in made.left_out] == [str(tmp_path / "caf\ufffd.jpg")]
    assert len(read_known([tmp_path / "out"])) == 1


def test_nothing_is_read_from_a_pipe(files: list[Path], reader: ToldReader, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.png")

    made = propose([tmp_path / "pipe.png", *files], tmp_path / "out", reader)

    assert [each.why for each in made.left_out] == ["not a file"]
    assert len(made.suggestions) == 2


@pytest.mark.parametrize("name", ["a\tb", "a\nb", "caf\udce9"])
def test_a_folder_that_labels_cannot_name_is_refused(
    files: list[Path], reader: ToldReader, tmp_path: Path, name: str
) -> None:
    with pytest.raises(BadInput, match="labels cannot name the folder"):
        propose(files, tmp_path / name, reader)


def test_a_link_to_nowhere_is_there_already(
    files: list[Path], reader: ToldReader, tmp_path: Path
) -> None:
    (tmp_path / "out").symlink_to("nowhere")

    with pytest.raises(ArtifactExists, match="out is there already"):
        propose(files, tmp_path / "out", reader)
