"""How well whole pages are found and read, and how surely we know it."""
