"""Why a model says what it says about a row, and what would make it say something else."""
