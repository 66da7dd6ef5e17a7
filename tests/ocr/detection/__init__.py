"""Tests of text detection."""
