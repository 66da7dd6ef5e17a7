"""The file that training starts from: nothing else is taken for it."""

from pathlib import Path

import pytest

from ocr.errors import BadInput
from training.ppocr_v6.wheel import FOLDER, SHA256, VERSION, WheelFile, read_wheel_file

FILES: list[WheelFile] = list(SHA256)


def test_another_file_is_refused_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, version="9.9.9", content=b"other weights")
    monkeypatch.syspath_prepend(str(tmp_path))

    with pytest.raises(BadInput, match=r"rapidocr 9\.9\.9 has another") as error:
        read_wheel_file(FILES[0])

    assert str(error.value).endswith(f"pip install --force-reinstall --no-deps rapidocr=={VERSION}")


@pytest.mark.parametrize("file", FILES)
def test_a_package_without_the_file_is_refused(
    file: WheelFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, version="3.0.0", content=None)
    monkeypatch.syspath_prepend(str(tmp_path))

    with pytest.raises(BadInput, match=f"starts from {file} of rapidocr"):
        read_wheel_file(file)


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [str(tmp_path)])

    with pytest.raises(BadInput, match="rapidocr is not installed here: pip install"):
        read_wheel_file(FILES[0])


def install(site: Path, *, version: str, content: bytes | None) -> None:
    """Lay a package out as an installer does."""
    record = site / f"rapidocr-{version}.dist-info"
    record.mkdir()
    (record / "METADATA").write_text(f"Metadata-Version: 2.1\nName: rapidocr\nVersion: {version}\n")
    if content is not None:
        (site / FOLDER).mkdir(parents=True)
        (site / FOLDER / FILES[0]).write_bytes(content)
