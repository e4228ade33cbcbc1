"""Loud English."""

from __future__ import annotations

TEXTS = {"next": "ONWARDS!"}
