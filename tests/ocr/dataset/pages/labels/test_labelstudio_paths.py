import pytest

from ocr.dataset.pages.labels.labelstudio_paths import find_image


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
        ("https://example.org/scans/1.jpg?size=big", "scans/1.jpg", "scans/1.jpg"),
        ("s3://bucket/scans/1.jpg", "scans/1.jpg", "scans/1.jpg"),
        ("/data/upload/2/1a2b3c4d-page.png", "other.png", "data/upload/2/1a2b3c4d-page.png"),
        ("scans/1.jpg", "1.jpg", "scans/1.jpg"),
    ],
)
def test_reference_leads_to_the_file_that_is_there(written: str, there: str, found: str) -> None:
    assert find_image({"image": written}, exists=lambda image: image == there) == found


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ({"ocr": "1.jpg"}, "1.jpg"),
        ({"text": "hello", "scan": "1.JPG"}, "1.JPG"),
        ({"title": "a.png", "image": "1.jpg"}, "1.jpg"),
        ({"text": "hello"}, ""),
        ({}, ""),
        (None, ""),
    ],
)
def test_image_is_found_among_the_data(data: object, found: str) -> None:
    assert find_image(data, exists=lambda image: True) == found


def test_absolute_paths_stay_for_the_folder_to_refuse() -> None:
    assert find_image({"image": "/etc/passwd.png"}, exists=lambda image: True) == "/etc/passwd.png"
