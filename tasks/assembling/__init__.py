"""A detector and a recogniser to one version of a pipeline.

- `assemble` – the version that names its parts, with pages to prove what they read
- `cascade` – a second recogniser for the lines that the first is unsure of
- `gaps` – a model of where lines end that the detector takes for one
- `set_aside` – which lines are set aside
"""
