"""What a preset's `dataset` says of where images and labels are, up to the snapshot."""

import json
import uuid
from pathlib import Path

import pytest

from configs.dataset import LineDatasetParams, PageDatasetParams
from ocr.dataset.roots import StoreRoot
from ocr.errors import ArtifactNotFound
from ocr.store import S3Credentials
from tasks.prepare_lines import prepare_lines
from tasks.prepare_pages import prepare_pages
from tests.minio_server import minio_server
from tests.ocr.dataset.pages.sheets import write_pages
from tests.ocr.dataset.roots.packing import pack_tar, put_folder, write_lmdb
from tests.ocr.image.pictures import write_labels

__all__ = ["minio_server"]
ROWS = {f"{n:02}.png": f"T {n:03}" for n in range(30)}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))
    write_labels(tmp_path / "data", "rec_train.txt", ROWS)
    (tmp_path / "data" / "dict.txt").write_text("\n".join(" T0123456789"))
    return tmp_path / "data"


def prepare(root: Path | str, **more: object) -> dict[str, int]:
    params = LineDatasetParams.model_validate({"name": "d", "root": str(root), **more})
    return dict(prepare_lines.fn(params, "d").counts)


def test_a_corpus_lies_where_label_files_do(data: Path, tmp_path: Path) -> None:
    (data / "corpus.txt").write_text("T 001\nT 002\n")
    tar = pack_tar(data, tmp_path / "d.tar")

    def render(root: Path, corpus: str) -> dict[str, int]:
        return prepare(root, source="synthetic", synthesis={"count": 4, "corpus": corpus})

    assert render(tar, "corpus.txt") == render(data, str(data / "corpus.txt"))
    with pytest.raises(ArtifactNotFound, match=r"no corpus file: .*gone\.txt"):
        render(tar, "gone.txt")


def test_root_may_be_a_tar_with_labels_and_charset_in_it(data: Path, tmp_path: Path) -> None:
    tar = pack_tar(data, tmp_path / "d.tar")

    assert prepare(tar, charset_file="dict.txt")["accepted"] == len(ROWS)
    with pytest.raises(ArtifactNotFound, match=r"no charset file: .*gone\.txt"):
        prepare(tar, charset_file="gone.txt")


def test_lines_of_several_characters_in_a_dictionary_are_left_out_aloud(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = (data / "dict.txt").read_bytes()
    (data / "dict.txt").write_bytes(content + "\n🇩🇪\nfi\n".encode() + content)

    counts = prepare(data, charset_file="dict.txt")

    said = " ".join(capsys.readouterr().err.split())
    assert counts["accepted"] == len(ROWS)
    assert said.count("dict.txt: left out 2 lines of several characters, the first is '🇩🇪'") == 1


def test_a_letter_of_a_dictionary_that_has_a_space_beside_it_is_named(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = (data / "dict.txt").read_bytes()
    (data / "dict.txt").write_bytes(content + "\nы \np\t\n0 \n".encode())

    prepare(data, charset_file="dict.txt")

    said = " ".join(capsys.readouterr().err.split())
    assert "left out 3 lines of several characters" in said
    assert "dict.txt: characters beside a space or tab alone, which nothing reads: ыp; name" in said


def test_a_dictionary_is_read_in_the_form_of_the_texts_and_what_that_replaces_is_said(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_labels(data, "rec_train.txt", {image: f"\uf979{text}" for image, text in ROWS.items()})
    (data / "dict.txt").write_text("\n".join("\uf979 T0123456789"))

    for form, kept in (("NFC", "\u51c9"), ("none", "\uf979")):
        made = prepare(data, charset_file="dict.txt", texts={"form": form})

        said = " ".join(capsys.readouterr().err.split())
        assert made["accepted"] == len(ROWS), kept
        assert ("U+F979 as U+51C9 30 times" in said) == (form == "NFC")


def test_root_may_be_a_bucket_behind_the_environments_keys(
    data: Path, minio_server: S3Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    (data / "corpus.txt").write_text("T 001\nT 002\n")
    root = StoreRoot(f"s3://scans-{uuid.uuid4().hex}/may", minio_server)
    put_folder(data, root)
    monkeypatch.setenv("MINIO_ENDPOINT", minio_server.endpoint)
    monkeypatch.setenv("MINIO_ACCESS_KEY", minio_server.access_key)
    monkeypatch.setenv("MINIO_SECRET_KEY", minio_server.secret_key)
    rendered = {"count": 4, "corpus": "corpus.txt"}

    made = prepare(root.uri, charset_file="dict.txt", synthesis=rendered)

    assert made["rows"] == len(ROWS) + 4


def test_further_label_files_and_their_delimiter_are_read(data: Path) -> None:
    rows = [f"{image} {text}\n" for image, text in ROWS.items()]
    (data / "a.txt").write_text("".join(rows[:20]))
    (data / "b.txt").write_text("".join(rows[20:]))
    labels = [{"labels": "a.txt", "ratio": 0.5}, {"labels": "b.txt", "split": "test"}]

    counts = prepare(data, train_labels="", more_labels=labels, delimiter="space")

    assert counts["test"] == 10
    assert 0 < counts["train"] + counts["val"] < 20
    assert counts["quarantined"] == 0


def test_lmdb_and_mmocr_are_sources(data: Path) -> None:
    images = {(data / image).read_bytes(): text for image, text in ROWS.items()}
    write_lmdb(data / "lmdb", images)
    items = [{"img_path": image, "instances": [{"text": text}]} for image, text in ROWS.items()]
    (data / "rec.json").write_text(json.dumps({"data_list": items}))

    for source, labels in (("lmdb", "lmdb"), ("mmocr", "rec.json")):
        assert prepare(data, source=source, train_labels=labels)["accepted"] == len(ROWS)


def test_pages_come_from_tars_and_from_shares_of_label_files(data: Path, tmp_path: Path) -> None:
    pages = {f"p{n:02}.png": [f"PAGE {n}", "SUM 1.00"] for n in range(20)}
    write_pages(data, "det_train.txt", pages)
    fields = {"root": str(pack_tar(data, tmp_path / "d.tar")), "train_labels": ""}
    share = {"more_labels": [{"labels": "det_train.txt", "ratio": 0.5}]}

    made = prepare_pages.fn(PageDatasetParams.model_validate({"name": "p", **fields, **share}))

    assert 0 < made.counts["accepted"] < len(pages)
    assert made.counts["quarantined"] == 0
