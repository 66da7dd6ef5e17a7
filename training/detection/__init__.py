"""The embedded detector: a compact DB net on the shared loop."""
