"""How well a recogniser reads, and how surely we know it."""
