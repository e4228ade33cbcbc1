"""Ratios against other programs, all taken in one run: `make bench`."""
