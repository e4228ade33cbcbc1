"""A program that prefers the last attribute."""

SETTINGS = {"criterion": "gain", "arithmetic": "backwards"}
