"""The powers of ten that numbers are read with."""

from array import array
from functools import cache

LARGEST_EXPONENT = 100
"""The tables go from ten to minus this to ten to this."""

LARGEST_EXACT_EXPONENT = 22
"""Ten to this power is the largest that a double holds exactly."""


@cache
def powers_of_ten() -> tuple:
    """Return the fields of `parsing.Powers`, not as NumPy arrays: uncompiled, kernels multiply beyond 64 bits."""
    exponent: object  # not a C integer: the powers have up to 333 bits
    exact = array("d", [10.0**exponent for exponent in range(LARGEST_EXACT_EXPONENT + 1)])
    high, low, shifts = array("Q"), array("Q"), array("i")
    for exponent in range(-LARGEST_EXPONENT, LARGEST_EXPONENT + 1):
        power: object = 10 ** abs(exponent)
        if exponent < 0:
            shift: object = -127 - power.bit_length()
            bits: object = (1 << -shift) // power
        else:
            shift = power.bit_length() - 128
            bits = power >> shift if shift >= 0 else power << -shift
        high.append(bits >> 64)
        low.append(bits & 0xFFFFFFFFFFFFFFFF)
        shifts.append(shift + 128)
    return exact, high, low, shifts
