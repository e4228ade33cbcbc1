"""Building blocks of pictures."""
