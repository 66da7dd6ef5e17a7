"""recognition."""
