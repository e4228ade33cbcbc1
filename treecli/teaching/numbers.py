"""Numbers as a trace prints them: so many digits, rounded half up, at the end or at each step."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor

Number = float | Fraction
"""A float, or a fraction where every step is rounded."""

ROUNDINGS = ("exact", "steps")

NOTHING = 1e-12
"""Floats nearer to 0 than this are 0 up to rounding errors."""

HALF_UP = 1e-9
"""A float this little below a half, in units of the last digit, is a half up to rounding errors."""

MINUS = "−"


@dataclass(frozen=True, slots=True)
class Digits:
    """The number of digits after the point; `at_steps`: a rounded result is what the next step starts from."""

    digits: int = 3
    at_steps: bool = False

    def rounded(self, number: Number) -> Fraction:
        """Return the number with so many digits; halves are rounded up, away from 0, as in textbooks."""
        scale = 10**self.digits
        half = Fraction(1, 2) if isinstance(number, Fraction) else Fraction(0.5 + HALF_UP)
        whole = floor(abs(Fraction(number)) * scale + half)
        return Fraction(whole if number >= 0 else -whole, scale)

    def text(self, number: Number) -> str:
        """Return the number with all its digits; 0 if it is exactly 0."""
        if -NOTHING < number < NOTHING:
            return "0"
        scale = 10**self.digits
        size = int(abs(self.rounded(number)) * scale)
        whole, rest = divmod(size, scale)
        sign = MINUS if number < 0 else ""
        return f"{sign}{whole}.{rest:0{self.digits}d}" if self.digits else f"{sign}{whole}"

    def count(self, number: float) -> str:
        """Return a number of cases: whole, or with digits if cases are divided."""
        nearest = round(number)
        return str(nearest) if abs(number - nearest) < HALF_UP else self.text(number)

    def probability(self, number: float) -> str:
        """Return a p-value; one that would be printed as 0 with its first digits."""
        return self.text(number) if number >= 0.5 * 10.0**-self.digits or number == 0 else f"{number:.1e}"
