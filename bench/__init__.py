"""Benchmark against other programs, as ratios measured in one run: `make bench`."""
