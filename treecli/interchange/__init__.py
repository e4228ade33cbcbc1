"""Conversion of data files: what each format can express, and a record of what it cannot."""
