"""Rivals side by side in one run on one machine: `python -m benchmarks`, or `make bench ONLY=… QUICK=1`."""
