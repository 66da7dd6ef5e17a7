"""Side-by-side benchmarks; each module is a command that prints a table."""
