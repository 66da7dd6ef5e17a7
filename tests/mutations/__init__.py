"""Good inputs, damaged at random: whatever comes of them, nothing crashes, hangs or is lost.

`pytest tests/mutations` damages more than five hundred inputs, every time the same; with
`--hypothesis-profile=explore --hypothesis-seed=N` it damages ten times as many, others for each N.
"""
