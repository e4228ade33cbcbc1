"""Lists of numbers in JSON, read straight into arrays: a list of Python numbers would take several times the memory."""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.parsing import Powers, read_number

UNREAD = -1
"""Returned for a list that is not read here: with spaces, other values, or numbers that need more digits."""

_UNREAD = cython.declare(cython.Py_ssize_t, UNREAD)
_OPENING = cython.declare(cython.uchar, 91)
_CLOSING = cython.declare(cython.uchar, 93)
_COMMA = cython.declare(cython.uchar, 44)
_MINUS = cython.declare(cython.uchar, 45)
_POINT = cython.declare(cython.uchar, 46)

# This number of digits always fits 32 bits.
_MOST_DIGITS = cython.declare(cython.Py_ssize_t, 9)


def most_numbers(n_bytes: int) -> int:
    """Return the largest number of entries of a list of this length: each has a digit and a comma or bracket."""
    return n_bytes // 2


def read_integers(text: cython.const[cython.uchar][::1], out: cython.longlong[::1]) -> cython.Py_ssize_t:
    """Fill `out` with the integers of a list, and return their number, or UNREAD; the text must be valid JSON."""
    n_bytes: cython.Py_ssize_t = text.shape[0]
    position: cython.Py_ssize_t = 1
    first: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    value: cython.longlong
    is_negative: cython.bint
    byte: cython.uchar = _COMMA
    # Local, because the compiler must assume that module variables may change.
    comma: cython.uchar = _COMMA
    minus: cython.uchar = _MINUS
    zero: cython.uchar = 48
    nine: cython.uchar = 57
    if n_bytes < 2 or text[0] != _OPENING:
        return _UNREAD
    if text[1] == _CLOSING:
        return 0
    with cython.nogil:
        while byte == comma:
            is_negative = text[position] == minus
            position += is_negative
            first = position
            value = 0
            byte = text[position]
            while zero <= byte <= nine:
                value = value * 10 + (byte - zero)
                position += 1
                byte = text[position]
            if position == first or position - first > _MOST_DIGITS:
                break
            out[n] = -value if is_negative else value
            n += 1
            position += 1
    return n if byte == _CLOSING and position == n_bytes else _UNREAD


def read_numbers(
    text: cython.const[cython.uchar][::1], out: cython.double[:, ::1], powers: Powers
) -> cython.Py_ssize_t:
    """As read_integers, for any numbers: each is the nearest double. `out` has one row."""
    n_bytes: cython.Py_ssize_t = text.shape[0]
    position: cython.Py_ssize_t = 1
    n: cython.Py_ssize_t = 0
    byte: cython.uchar = _COMMA
    if n_bytes < 2 or text[0] != _OPENING:
        return _UNREAD
    if text[1] == _CLOSING:
        return 0
    with cython.nogil:
        while byte == _COMMA:
            position = read_number(text, position, _POINT, out, 0, n, powers)
            if position < 0:
                break
            byte = text[position]
            n += 1
            position += 1
    return n if byte == _CLOSING and position == n_bytes else _UNREAD
