"""What becomes of the gate's error rates on one test: python -m bench.chains."""
