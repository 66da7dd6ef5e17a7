import struct
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import cv2
import numpy as np
import pytest

from ocr.image.document import PageRanges, open_document, read_pages
from ocr.image.pdf import BadDocument, Pdf, size_in_pixels
from ocr.image.pixels import BadImage, Image, encode_png
from tests.ocr.image.documents import A4_PT, encrypted_pdf, image_pdf, make_pdf, tiff

MANY = 1_000_000_000
BLACK = cv2.imencode(".jpg", np.zeros((8, 8), np.uint8))[1].tobytes()


def plain(colour: int, *, width: int = 40, height: int = 30) -> Image:
    return np.full((height, width, 3), colour, np.uint8)


def pages(data: bytes, *, max_pixels: int = MANY, wanted: PageRanges = ()) -> list[Image]:
    return list(read_pages(data, max_pixels=max_pixels, max_pages=3, wanted=wanted))


def test_image_is_one_page() -> None:
    assert [page.tolist() for page in pages(encode_png(plain(7)))] == [plain(7).tolist()]


def test_pages_of_a_tiff_come_in_their_order_and_sizes() -> None:
    found = pages(tiff([plain(1), plain(2, width=50), plain(3)]))

    assert [(page.shape, page.min(), page.max()) for page in found] == [
        ((30, 40, 3), 1, 1),
        ((30, 50, 3), 2, 2),
        ((30, 40, 3), 3, 3),
    ]


def test_page_of_a_tiff_beyond_the_pixel_limit_is_refused() -> None:
    with pytest.raises(BadImage, match="50x30 pixels, allowed are 1200"):
        pages(tiff([plain(1), plain(2, width=50)]), max_pixels=1200)


@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
def test_tiff_cut_anywhere_is_refused_or_read_but_never_an_accident() -> None:
    whole = tiff([plain(1), plain(2)])
    refused = 0

    for size in range(4, len(whole)):
        try:
            pages(whole[:size])
        except BadImage:
            refused += 1

    assert refused > 0.9 * len(whole)


def test_scanned_pdf_comes_back_in_its_colours() -> None:
    scan = plain(255, width=200, height=100)
    scan[:, :100] = (200, 30, 60)

    (page,) = pages(image_pdf([scan], dpi=200))

    assert page.shape == scan.shape
    assert np.abs(page.astype(int) - scan).mean() < 3


def test_a4_is_drawn_at_200_dpi() -> None:
    (page,) = pages(make_pdf(size_pt=A4_PT))

    assert page.shape == (2339, 1653, 3)


def test_lines_of_a_pdf_are_drawn_over_white() -> None:
    (page,) = pages(make_pdf(size_pt=(72, 72), drawing="1 0 0 rg 0 36 36 36 re f"))

    assert page[50, 50].tolist() == [0, 0, 255]
    assert page[150, 150].tolist() == [255, 255, 255]


def test_text_of_a_form_field_is_part_of_the_page() -> None:
    field = (
        "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /Rect [0 0 72 72] /AP << /N 6 0 R >> >>"
    )
    look = "0 g 0 0 72 72 re f"
    form = "/Type /XObject /Subtype /Form /BBox [0 0 72 72]"
    appearance = f"<< {form} /Length {len(look)} >>\nstream\n{look}\nendstream"
    pdf = make_pdf(
        size_pt=(72, 72),
        catalog="/AcroForm << /Fields [5 0 R] >>",
        page="/Annots [5 0 R]",
        extra=[field, appearance],
    )

    (page,) = pages(pdf)

    assert page.max() == 0


@pytest.mark.parametrize("size_pt", [(14_400, 14_400), (1e7, 1e7), (14_400, 0.5), (1e9, 1e-3)])
def test_huge_page_of_a_pdf_is_drawn_coarser(size_pt: tuple[float, float]) -> None:
    width_px, height_px = size_in_pixels(*size_pt, max_pixels=10_000, name="Page 1")

    assert width_px >= 1
    assert height_px >= 1
    assert width_px * height_px <= 10_000


def test_long_page_of_a_pdf_is_drawn_within_the_longest_side() -> None:
    assert size_in_pixels(14_400, 72, max_pixels=MANY, name="Page 1") == (32_000, 160)


def test_page_without_a_size_is_refused() -> None:
    with pytest.raises(BadDocument, match="Page 7 is 0 x 10 points"):
        size_in_pixels(0, 10, max_pixels=100, name="Page 7")


def test_wanted_pages_are_read_and_no_others() -> None:
    frames = tiff([plain(colour) for colour in (1, 2, 3, 4, 5)])

    read = [int(page[0, 0, 0]) for page in pages(frames, wanted=[(2, 3), (5, 5)])]
    assert read == [2, 3, 5]
    assert len(pages(make_pdf(pages=1000, size_pt=(9, 9)), wanted=[(1, 2)])) == 2
    assert len(pages(make_pdf(pages=2, size_pt=(9, 9)), wanted=[(2, 4)])) == 1


def damage_third(whole: bytes) -> bytes:
    """Take the width from the third image of a TIFF."""
    (at,) = struct.unpack_from("<I", whole, 4)
    for _ in range(2):
        (tags,) = struct.unpack_from("<H", whole, at)
        (at,) = struct.unpack_from("<I", whole, at + 2 + 12 * tags)
    return whole[:at] + b"\0\0" + whole[at + 2 :]


def test_a_damaged_page_of_a_tiff_that_nobody_wants_is_counted_and_hinders_no_other() -> None:
    whole = tiff([plain(colour) for colour in (1, 2, 3, 4)])
    damaged = damage_third(whole)

    def count(data: bytes, wanted: PageRanges) -> int:
        with open_document(data, max_pixels=MANY, max_pages=3, wanted=wanted) as document:
            assert document.decode(1).max() == 1
            return document.page_count

    assert count(whole, [(1, 1)]) == 4
    assert [count(damaged, wanted) for wanted in ([(1, 2)], [(1, 1)])] == [3, 3]


def test_a_damaged_page_of_a_tiff_that_is_wanted_fails_by_itself() -> None:
    with open_document(
        damage_third(tiff([plain(colour) for colour in (1, 2, 3, 4)])),
        max_pixels=MANY,
        max_pages=3,
        wanted=[(2, 4)],
    ) as document:
        assert document.numbers == (2, 3)
        assert document.decode(2).max() == 2
        with pytest.raises(BadImage):
            document.decode(3)


@pytest.mark.parametrize("data", [make_pdf(pages=3), tiff([plain(0)] * 3)])
def test_a_page_that_there_is_not_is_refused(data: bytes) -> None:
    with pytest.raises(BadDocument, match="There is no page 4: the document has 3") as caught:
        pages(data, wanted=[(4, 5)])

    assert caught.value.reason == "no_such_page"


@pytest.mark.parametrize("data", [make_pdf(), tiff([plain(0)] * 2), b"never looked at"])
def test_more_pages_wanted_than_allowed_are_refused_whatever_the_document(data: bytes) -> None:
    with pytest.raises(BadDocument, match="4 pages are wanted, allowed are 3") as caught:
        pages(data, wanted=[(1, 3), (7, 7)])

    assert caught.value.reason == "too_many_pages"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (make_pdf(pages=1000), "has 1000 pages; say"),
        (tiff([plain(0)] * 4), "has more than 3 pages"),
    ],
)
def test_more_pages_than_allowed_are_refused(data: bytes, said: str) -> None:
    with pytest.raises(BadDocument, match=said) as caught:
        pages(data)

    assert caught.value.reason == "too_many_pages"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (encrypted_pdf(), "encrypted"),
        (b"%PDF-1.7 and nothing more", "unreadable"),
        (make_pdf(pages=0), "unreadable"),
    ],
)
def test_unusable_pdf_is_refused_with_its_reason(data: bytes, reason: str) -> None:
    with pytest.raises(BadDocument) as caught:
        pages(data)

    assert caught.value.reason == reason


def jpeg_pdf(jpeg: bytes, *, side_pt: int) -> bytes:
    """A page of 72 x 72 points, and a grey JPEG of 8 x 8 pixels on it."""
    kind = "/Type /XObject /Subtype /Image /ColorSpace /DeviceGray /BitsPerComponent 8"
    stream = (
        f"/Filter /DCTDecode /Length {len(jpeg)} >>\nstream\n{jpeg.decode('latin-1')}\nendstream"
    )
    return make_pdf(
        size_pt=(72, 72),
        drawing=f"q {side_pt} 0 0 {side_pt} 0 0 cm /Scan Do Q",
        page="/Resources << /XObject << /Scan 5 0 R >> >>",
        extra=[f"<< {kind} /Width 8 /Height 8 {stream}"],
    )


@pytest.mark.parametrize(
    "jpeg", [b"", bytes(500), BLACK[:100]], ids=["empty", "zeros", "cut in its head"]
)
def test_scan_of_which_nothing_can_be_decoded_is_no_empty_page(jpeg: bytes) -> None:
    (scan,) = pages(jpeg_pdf(BLACK, side_pt=72))
    (with_a_logo,) = pages(jpeg_pdf(jpeg, side_pt=20))

    with pytest.raises(
        BadDocument, match="Page 1 of the PDF is a picture that cannot be"
    ) as caught:
        pages(jpeg_pdf(jpeg, side_pt=72))

    assert caught.value.reason == "unreadable"
    assert (scan.max(), with_a_logo.min()) == (0, 255)


def test_picture_of_a_filter_that_is_none_leaves_its_page_white() -> None:
    (page,) = pages(jpeg_pdf(BLACK, side_pt=72).replace(b"/DCTDecode", b"/DCTD#ff#fe"))

    assert page.min() == 255


@pytest.mark.parametrize("before", [encrypted_pdf(), b"%PDF-1.7", make_pdf()])
def test_pdf_of_no_page_is_told_so_whatever_was_opened_before(before: bytes) -> None:
    with suppress(BadDocument):
        pages(before)

    with pytest.raises(BadDocument, match="The document has no page") as caught:
        pages(make_pdf(pages=0))

    assert caught.value.reason == "unreadable"


def test_page_that_takes_too_long_is_given_up() -> None:
    stripes = "\n".join(f"0 {y} 72 1 re f" for y in range(72)) * 200

    with Pdf(make_pdf(size_pt=(72, 72), drawing=stripes)) as pdf:
        with pytest.raises(BadDocument) as caught:
            pdf.draw(0, max_pixels=MANY, timeout_s=0)

        assert str(caught.value).startswith("Page 1 of the PDF takes too long")
        assert caught.value.reason == "too_slow"
        assert pdf.draw(0, max_pixels=MANY).min() == 0


def test_threads_may_read_pdfs_at_the_same_time() -> None:
    start = threading.Barrier(4)
    scans = [image_pdf([plain(shade)] * 3, dpi=200) for shade in (10, 90, 170, 250)]

    def shades(scan: bytes) -> list[int]:
        start.wait()
        return [round(page.mean()) for page in pages(scan)]

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(shades, scans))

    assert found == [[shade] * 3 for shade in (10, 90, 170, 250)]
