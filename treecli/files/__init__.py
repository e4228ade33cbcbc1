"""User files: opening, guarding, compression, and atomic writing."""
