"""Images of lines to text, equal to stock PaddleOCR's to the last pixel.

1. `recogniser` – images in, texts out: start here.
2. `line_input` – images to the input of the net.
3. `decoder` – what the net gives to text, with or without a text model.
4. `ctc` – frames to text greedily, and a text to its frames.
5. `beam` – frames to text with a text model.
6. `text_states` – what a text model thinks of each next character.
7. `cascade` – a fast recogniser before an accurate one.
"""
