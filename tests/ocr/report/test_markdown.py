from ocr.report.markdown import escape


def test_escaped_text_keeps_its_letters() -> None:
    assert escape("皖A1 2") == "皖A1 2"
    assert escape("a\nb") == "a b"
    assert escape("<a>") == "&#60;a&#62;"
