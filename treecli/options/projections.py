"""The texts of --project: the kind of a random projection, and its number of columns or its distortion."""

from __future__ import annotations

from math import inf, isfinite
from typing import NamedTuple

from treecli.errors import UsageError, did_you_mean

GAUSSIAN, SPARSE, LEMMA = "gaussian", "sparse", "jl"
KINDS = (GAUSSIAN, SPARSE, LEMMA)

ACHLIOPTAS = 3.0
"""The usual S of a sparse projection: two of three coefficients are 0 (Achlioptas 2003)."""

EXAMPLES = {GAUSSIAN: "gaussian:10", SPARSE: "sparse:10 or sparse:10:3", LEMMA: "jl:0.5"}


class Projection(NamedTuple):
    """A random projection; `n_columns` is None if it follows from the `distortion` of squared distances."""

    kind: str
    n_columns: int | None
    sparsity: float = 1.0
    distortion: float | None = None


def projection_of(text: str) -> Projection:
    """Return the projection that a text names; raise UsageError if it names none."""
    kind, *numbers = text.split(":")
    if kind not in KINDS:
        raise UsageError(f"--project: unknown '{kind}' (known: {', '.join(KINDS)})", did_you_mean(kind, KINDS))
    if not 1 <= len(numbers) <= (2 if kind == SPARSE else 1):
        raise UsageError(f"--project: found '{text}', expected for example {EXAMPLES[kind]}")
    if kind == LEMMA:
        distortion = _number(numbers[0])
        if not 0 < distortion < 1:
            raise UsageError(f"--project: found '{text}', expected jl:EPS with EPS above 0 and below 1")
        return Projection(kind, None, distortion=distortion)
    if not (numbers[0].isascii() and numbers[0].isdecimal() and int(numbers[0]) >= 1):
        raise UsageError(f"--project: found '{text}', expected {kind}:K with K a whole number of 1 or more")
    sparsity = 1.0 if kind == GAUSSIAN else ACHLIOPTAS
    if len(numbers) == 2:
        sparsity = _number(numbers[1])
        if not (sparsity >= 1 and isfinite(sparsity)):
            raise UsageError(f"--project: found '{text}', expected sparse:K:S with S of 1 or more")
    return Projection(kind, int(numbers[0]), sparsity)


def checked_projection(text: str) -> str:
    """Return the text if it names a projection; raise UsageError if not."""
    projection_of(text)
    return text


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return -inf
