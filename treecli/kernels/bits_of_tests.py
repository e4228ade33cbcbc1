"""The cases for which the tests on one attribute hold, as bit sets."""

import cython

_WORD_BITS = cython.declare(cython.int, 6)
_IN_WORD = cython.declare(cython.int, 63)
_ONE = cython.declare(cython.ulonglong, 1)


def set_bits(
    values: cython.double[::1],
    place: cython.longlong[::1],
    cuts: cython.double[::1],
    is_nominal: cython.bint,
    missing_hold: cython.bint,
    bits: cython.ulonglong[:, ::1],
) -> None:
    """Set the bits of the cases for which a test holds; all of them are 0 before. The i-th case is bit place[i].

    The cuts ascend: a test holds for values up to its cut, or at labels for this value alone.
    """
    i: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    n: cython.Py_ssize_t = cuts.shape[0]
    word: cython.Py_ssize_t
    bit: cython.ulonglong
    with cython.nogil:
        for i in range(values.shape[0]):
            word = place[i] >> _WORD_BITS
            bit = _ONE << cython.cast(cython.ulonglong, place[i] & _IN_WORD)
            if values[i] != values[i]:
                if missing_hold:
                    for middle in range(n if is_nominal else min(n, 1)):
                        bits[middle, word] |= bit
                continue
            low = 0
            high = n
            while low < high:
                middle = (low + high) >> 1
                if cuts[middle] < values[i]:
                    low = middle + 1
                else:
                    high = middle
            if low < n and (not is_nominal or cuts[low] == values[i]):
                bits[low, word] |= bit
        if not is_nominal:
            # A threshold holds wherever a lower one does.
            for middle in range(1, n):
                for word in range(bits.shape[1]):
                    bits[middle, word] |= bits[middle - 1, word]
