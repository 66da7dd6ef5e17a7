from pathlib import Path

from ocr.dataset.spool import Spool


def test_what_was_appended_in_turns_reads_back_from_anywhere(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    contents = [b"first", b"", b"third" * 1000]

    places = []
    for content in contents:
        with spool.appending() as file:
            places.append(file.append(content))

    with spool.reading() as reader:
        assert [reader.read(place) for place in places[::-1]] == contents[::-1]
