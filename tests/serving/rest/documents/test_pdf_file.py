import re
import zlib

from serving.rest.documents.pdf_file import PdfFile


def test_cross_references_say_where_each_object_begins() -> None:
    pdf = PdfFile()
    pdf.add_stream(b"\nendobj\n" * 9, Filter="/None")
    pdf.add_page(MediaBox=[0, 0, 10, 20.5])

    content = pdf.to_bytes()

    table = int(content.rsplit(b"startxref\n", 1)[1].split()[0])
    starts = re.findall(rb"^(\d{10}) 00000 n $", content[table:], flags=re.MULTILINE)
    assert content[table:].startswith(b"xref\n0 5\n")
    for number, start in enumerate(starts, start=1):
        assert content[int(start) :].startswith(b"%d 0 obj\n" % number)


def test_values_are_written_in_the_syntax_of_pdf() -> None:
    pdf = PdfFile()

    reference = pdf.add(Kinds=["/A", 1], Size={"Width": 0.5})

    assert reference == "3 0 R"
    assert b"<</Kinds [/A 1] /Size <</Width 0.50>>>>" in pdf.to_bytes()


def test_stream_is_compressed_unless_it_says_how_it_is() -> None:
    pdf = PdfFile()

    pdf.add_stream(b"abc")
    pdf.add_stream(b"as it is", Filter="/DCTDecode")

    content = pdf.to_bytes()
    assert zlib.compress(b"abc") in content
    assert b"\nstream\nas it is\nendstream" in content
