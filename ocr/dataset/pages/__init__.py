"""Labelled pages: read, checked, stored as snapshots, cut into the lines a recogniser learns."""
