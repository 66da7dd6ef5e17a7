"""Images of lines to text, equal to stock PaddleOCR's to the last pixel.

1. `recogniser` – images in, texts out: start here.
2. `line_input` – images to the input of the net.
3. `ctc` – the frames that the net gives to text, and a text to its frames.
"""
