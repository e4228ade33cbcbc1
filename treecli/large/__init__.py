"""Training on data that stay where they are: reading into codes, growing from counts, measuring batch by batch."""
