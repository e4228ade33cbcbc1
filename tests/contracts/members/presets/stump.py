"""A program that grows one test."""

SETTINGS = {"criterion": "gini", "nominal": "binary", "max_depth": 1}
