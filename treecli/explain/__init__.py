"""Why a model predicts what it predicts for a row, and which change would change the prediction."""
