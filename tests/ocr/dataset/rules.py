"""What the tests accept of lines and pages, and how they split them."""

from ocr.dataset.lines.limits import LineLimits
from ocr.dataset.pages.copies import CopyRule
from ocr.dataset.pages.limits import PageLimits
from ocr.dataset.split import SplitRule

LINE_LIMITS = LineLimits(min_side_px=8, max_pixels=10**8, max_text_length=80, max_bad_share=0.1)
PAGE_LIMITS = PageLimits(
    min_side_px=32, max_pixels=10**8, max_text_length=120, max_regions=2000, max_bad_share=0.1
)
SPLIT = SplitRule(val_share=0.1, test_share=0.1, seed=0)
NEAR_BITS = 24
COPIES = CopyRule(bit_share=0.2, word_share=0.9)
