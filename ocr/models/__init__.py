"""Models as folders and as names: what a bundle holds, and which version is champion.

- `bundle` – one exported recogniser or detector in every form, and the manifest of its files
- `recogniser_spec`, `detector_spec` – what each net takes, and how a map becomes boxes
- `text_model` – which characters follow which in the training texts
- `gap_model` – whether a line ends at a gap between two words
- `array_file` – arrays in a file, read as what somebody else wrote
- `charset` – the characters that a recogniser reads
- `page_line` – one line of a page as it was read, and its JSON form
- `pipeline` – a detector and a recogniser under one version
- `golden` – the images that prove what a bundle or a pipeline reads
- `provenance` – which code made a model
- `registry`, `key` – versions by name in a store, promotion and rollback; where they lie
- `alias`, `expected` – where the champion alias points, and every move that brought it there;
  what is told who comes second
"""
