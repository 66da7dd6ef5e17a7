"""One thin Prefect task per stage of the line."""
