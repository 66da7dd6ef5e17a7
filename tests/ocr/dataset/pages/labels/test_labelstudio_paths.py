import os
from urllib.parse import quote

import pytest

from ocr.dataset.pages.labels.labelstudio_paths import ImageFinder


def find(data: object, *files: str) -> list[str]:
    """What is found where the root has these files; without any, whatever is asked for."""
    finder = ImageFinder(exists=lambda image: not files or image in files, list_files=lambda: files)
    return finder.find(data)


@pytest.mark.parametrize(
    ("written", "there", "found"),
    [
        ("scans/1.jpg", "scans/1.jpg", "scans/1.jpg"),
        (
            "/data/upload/2/1a2b3c4d-page 1.png",
            "upload/2/1a2b3c4d-page 1.png",
            "upload/2/1a2b3c4d-page 1.png",
        ),
        ("/data/upload/2/1a2b3c4d-page.png", "1a2b3c4d-page.png", "1a2b3c4d-page.png"),
        ("/data/upload/2/1a2b3c4d-page.png", "page.png", "page.png"),
        ("/data/local-files/?d=scans/may/1%20a.jpg", "scans/may/1 a.jpg", "scans/may/1 a.jpg"),
        ("/data/local-files/?d=home/me/scans/1.jpg", "scans/1.jpg", "scans/1.jpg"),
        ("http://localhost:8080/data/local-files/?d=scans/1.jpg", "1.jpg", "1.jpg"),
        ("/data/local-files/?d=may%5Cscans%5C1.jpg", "scans\\1.jpg", "scans\\1.jpg"),
        ("/data/local-files/?d=C:%5Cmay%5C1.jpg", "1.jpg", "1.jpg"),
        ("/data/local-files/?d=home/me%5Cscans/1.jpg", "scans/1.jpg", "scans/1.jpg"),
        ("https://example.org/scans/1.jpg?size=big", "scans/1.jpg", "scans/1.jpg"),
        ("s3://bucket/scans/1.jpg", "scans/1.jpg", "scans/1.jpg"),
        ("/data/upload/2/1a2b3c4d-page.png", "other.png", "data/upload/2/1a2b3c4d-page.png"),
        ("scans/1.jpg", "1.jpg", "scans/1.jpg"),
        ("http://[::1/page.png", "page.png", "http://[::1/page.png"),
    ],
)
def test_reference_leads_to_the_file_that_is_there(written: str, there: str, found: str) -> None:
    assert find({"image": written}, there) == [found]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ({"ocr": "1.jpg"}, "1.jpg"),
        ({"text": "hello", "scan": "1.JPG"}, "1.JPG"),
        ({"title": "a.png", "image": "1.jpg"}, "1.jpg"),
        ({"text": "hello"}, None),
        ({}, None),
        (None, None),
    ],
)
def test_image_is_found_among_the_data(data: object, found: str | None) -> None:
    assert find(data) == ([] if found is None else [found])


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (("images/1.jpg", "round-2/images/1.jpg"), "round-2/images/1.jpg"),
        (("images/1.jpg", "round-1/images/1.jpg"), "images/1.jpg"),
        (("images/1.jpg", "round-2/1.jpg"), "images/1.jpg"),
        (("round-2/1.jpg",), "round-2/1.jpg"),
    ],
)
def test_image_in_the_folder_of_the_export_comes_before_another_of_its_path(
    files: tuple[str, ...], found: str
) -> None:
    finder = ImageFinder(exists=files.__contains__, list_files=lambda: files, folder="round-2")

    assert finder.find({"ocr": "/data/local-files/?d=images/1.jpg"}) == [found]


def test_backslash_in_the_name_of_a_file_ends_no_folder_where_there_is_that_file() -> None:
    reference = {"ocr": "/data/local-files/?d=may/a%5C1.jpg"}

    assert find(reference, "1.jpg", "a/1.jpg", "a\\1.jpg") == ["a\\1.jpg"]


def test_absolute_paths_stay_for_the_folder_to_refuse() -> None:
    assert find({"image": "/etc/passwd.png"}) == ["/etc/passwd.png"]


@pytest.mark.parametrize(
    ("uploaded", "name"),
    [
        ("发票_9.png", "发票 9.png"),
        ("发票2.png", "发票（2）.png"),
        ("发票3.png", "发票#3.png"),
        ("a-1_b.v2.png", "a-1_b.v2.png"),
        ("page 1.png", "page 1.png"),
        ("re\u0301sume\u0301.png", "résumé.png"),
        ("résumé.png", "re\u0301sume\u0301.png"),
    ],
)
def test_upload_is_the_file_whose_name_label_studio_cleaned(uploaded: str, name: str) -> None:
    reference = {"ocr": f"/data/upload/3/1a2b3c4d-{quote(uploaded)}"}

    assert find(reference, "other.png", name) == [name]
    assert find(reference, "other.png", f"scans/{name}") == [f"scans/{name}"]


def test_upload_that_several_files_may_be_is_each_of_them() -> None:
    reference = {"ocr": "/data/upload/3/1a2b3c4d-a_1.png"}

    assert find(reference, "a 1.png", "a_1.png", "old/a_1.png") == ["a 1.png", "a_1.png"]
    assert find(reference, "b/a_1.png", "c/a 1.png") == ["b/a_1.png", "c/a 1.png"]
    assert find(reference, "a_1.png", "old/a_1.png") == ["a_1.png"]


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (("archive/a.png", "images/1a2b3c4d-a.png"), ["images/1a2b3c4d-a.png"]),
        (("a.png", "round-2/a.png", "images/1a2b3c4d-a.png"), ["images/1a2b3c4d-a.png"]),
        (("a.png", "images/5e6f7a8b-a.png"), ["a.png"]),
        (
            ("a.png", "b/1a2b3c4d-a.png", "c/1a2b3c4d-a.png"),
            ["b/1a2b3c4d-a.png", "c/1a2b3c4d-a.png"],
        ),
    ],
)
def test_upload_kept_under_its_own_name_comes_before_any_file_of_the_name_without_hash(
    files: tuple[str, ...], found: list[str]
) -> None:
    finder = ImageFinder(exists=files.__contains__, list_files=lambda: files, folder="round-2")

    assert finder.find({"ocr": "/data/upload/3/1a2b3c4d-a.png"}) == found


def test_upload_is_none_of_the_files_that_no_root_can_read() -> None:
    reference = {"ocr": "/data/upload/3/1a2b3c4d-a_1.png"}
    others = ("/b/a_1.png", "../b/a_1.png", "b//a_1.png")

    assert find(reference, "b/a_1.png", *others) == ["b/a_1.png"]


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (("a_1.png", "round-2/a 1.png"), ["round-2/a 1.png"]),
        (("a_1.png", "round-2/a 1.png", "round-2/a_1.png"), ["round-2/a 1.png", "round-2/a_1.png"]),
        (("a_1.png", "round-1/a_1.png", "round-2/images/a_1.png"), ["a_1.png"]),
        (("round-1/a_1.png", "round-2/old/a_1.png"), ["round-1/a_1.png", "round-2/old/a_1.png"]),
    ],
)
def test_upload_in_the_folder_of_the_export_comes_before_another_of_its_name(
    files: tuple[str, ...], found: list[str]
) -> None:
    finder = ImageFinder(exists=lambda image: False, list_files=lambda: files, folder="round-2")

    assert finder.find({"ocr": "/data/upload/3/1a2b3c4d-a_1.png"}) == found


def test_upload_is_found_by_what_a_name_in_gbk_says() -> None:
    """What of the name is no UTF-8 is no part that Label Studio cleaned away."""
    gbk = os.fsdecode("发票1.png".encode("gbk"))

    assert find({"image": "/data/upload/1/1a2b3c4d-发票1.png"}, gbk) == ["发票1.png"]
    assert find({"image": "/data/upload/1/1a2b3c4d-1.png"}, gbk) != [gbk]


def test_url_of_more_folders_than_any_path_is_no_reference() -> None:
    """Each of its folders would make a path as long."""
    url = "http://localhost:8080/" + "a/" * 100_000 + "1.png"

    assert find({"image": url}, "1.png") == [url]


def test_path_as_imported_has_no_hash_to_strip() -> None:
    assert find({"ocr": "1a2b3c4d-a.png"}, "a.png") == ["1a2b3c4d-a.png"]


@pytest.mark.parametrize(
    "written",
    [
        "/data/local-files/?d=cam2/20240105-1.png",
        "s3://scans/cam2/20240105-1.png",
        "http://host/cam2/20240105-1.png",
    ],
)
def test_name_that_begins_with_a_date_is_no_upload_of_another_folder(written: str) -> None:
    (found,) = find({"ocr": written}, "cam1/20240105-1.png", "other.png")

    assert found.endswith("cam2/20240105-1.png")
