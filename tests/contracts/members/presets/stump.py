"""A program that asks one question."""

SETTINGS = {"criterion": "gini", "nominal": "binary", "max_depth": 1}
