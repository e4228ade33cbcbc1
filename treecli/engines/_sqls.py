"""Differences between the databases that apply a model: quoting, numbers, the type of very large whole numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from treecli.exporters._dialects import DIALECTS


class Sql(NamedTuple):
    """The SQL of one engine. `huge` is its type of whole numbers up to 2^126, `infinite` a format of a test."""

    dialect: str
    name: Callable[..., str]
    literal: Callable[[str], str]
    number: Callable[[float], str]
    huge: str
    infinite: str

    @classmethod
    def of(cls, dialect: str, huge: str, infinite: str) -> Sql:
        own = DIALECTS[dialect]
        return cls(dialect, own.name, own.literal, own.number, huge, infinite)


DUCKDB = Sql.of("duckdb", "HUGEINT", "isinf({})")
SPARK = Sql.of("spark", "DECIMAL(38, 0)", "abs({}) = double('infinity')")
