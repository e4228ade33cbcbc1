"""Cells of delimited text: numbers are written to their column, texts as codes into the texts seen before.

A block is a range of whole rows, the last ended by a newline. Any other block is refused, and what was written for it
must be ignored.
"""

import cython
from cython.cimports.libc.math import ldexp

ORDINARY = 0
SPACE = 1
"""Trimmed at the edges of a cell that is not quoted."""
QUOTE = 2
END = 3
"""The delimiter and the newline; the carriage return, which a newline has to follow."""
STRANGE = 4
"""Refused outside quotes."""
STRANGE_ANYWHERE = 5
"""Refused anywhere."""

AS_NUMBERS = 0
AS_TEXTS = 1
PASSED_OVER = 2

REFUSED = -1

_NEWLINE = cython.declare(cython.uchar, 10)
_RETURN = cython.declare(cython.uchar, 13)
_BLANK = cython.declare(cython.uchar, 32)
_TAB = cython.declare(cython.uchar, 9)
_PLUS = cython.declare(cython.uchar, 43)
_MINUS = cython.declare(cython.uchar, 45)
_SMALL_E = cython.declare(cython.uchar, 101)
_LARGE_E = cython.declare(cython.uchar, 69)

_ORDINARY = cython.declare(cython.uchar, ORDINARY)
_SPACE = cython.declare(cython.uchar, SPACE)
_QUOTE = cython.declare(cython.uchar, QUOTE)
_END = cython.declare(cython.uchar, END)
_STRANGE_ANYWHERE = cython.declare(cython.uchar, STRANGE_ANYWHERE)
_AS_NUMBERS = cython.declare(cython.uchar, AS_NUMBERS)
_AS_TEXTS = cython.declare(cython.uchar, AS_TEXTS)
_REFUSED = cython.declare(cython.Py_ssize_t, REFUSED)
_NO_NUMBER = cython.declare(cython.Py_ssize_t, -2)

# This number of digits always fits 64 bits.
_MOST_DIGITS = cython.declare(cython.Py_ssize_t, 19)
_MOST_EXPONENT_DIGITS = cython.declare(cython.Py_ssize_t, 4)
# Those of the tables in powers.py.
_LARGEST_EXPONENT = cython.declare(cython.Py_ssize_t, 100)
_LARGEST_EXACT_EXPONENT = cython.declare(cython.Py_ssize_t, 22)
_EXACT_LIMIT = cython.declare(cython.ulonglong, 1 << 53)
_HIGH_BIT = cython.declare(cython.ulonglong, 1 << 63)
_LOW_HALF = cython.declare(cython.ulonglong, 0xFFFFFFFF)
_ALL_BITS = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
_NAN = cython.declare(cython.double, float("nan"))

# Those of the 64-bit hash by Fowler, Noll and Vo, of the kind called 1a.
_HASH_START = cython.declare(cython.ulonglong, 0xCBF29CE484222325)
_HASH_FACTOR = cython.declare(cython.ulonglong, 0x100000001B3)


@cython.cclass
class Powers:
    """The powers of ten.

    exact[exponent]         those that doubles hold exactly, from ten to the 0
    high, low[exponent + LARGEST_EXPONENT]   the first and the second 64 bits of a power, the rest is cut off
    shift[exponent + LARGEST_EXPONENT]       the binary exponent, with the point before the first bit
    """

    __slots__ = ("exact", "high", "low", "shift")

    def __init__(
        self,
        exact: cython.double[::1],
        high: cython.ulonglong[::1],
        low: cython.ulonglong[::1],
        shift: cython.int[::1],
    ):
        self.exact = exact
        self.high = high
        self.low = low
        self.shift = shift


@cython.cclass
class Syntax:
    """How cells are written.

    role[byte]              what a byte can be
    decimal                 the byte before the fraction of a number
    missing_bounds          where each of the missing texts begins, and where the last ends
    are_bare_numbers_final  a number that ends at the delimiter is the whole cell, and is not missing
    are_quotes_meant        as in ARFF: a quoted cell is never missing, ends on its line, and only blanks may follow it.
                            Otherwise as in CSV: two quotes inside quotes are one, and text may follow.
    """

    __slots__ = (
        "are_bare_numbers_final",
        "are_quotes_meant",
        "decimal",
        "delimiter",
        "missing_bounds",
        "missing_texts",
        "powers",
        "role",
    )

    def __init__(
        self,
        *,
        delimiter: cython.uchar,
        decimal: cython.uchar,
        role: cython.const[cython.uchar][::1],
        are_quotes_meant: cython.bint,
        missing_texts: cython.const[cython.uchar][::1],
        missing_bounds: cython.longlong[::1],
        are_bare_numbers_final: cython.bint,
        powers: Powers,
    ):
        self.delimiter = delimiter
        self.decimal = decimal
        self.role = role
        self.are_quotes_meant = are_quotes_meant
        self.missing_texts = missing_texts
        self.missing_bounds = missing_bounds
        self.are_bare_numbers_final = are_bare_numbers_final
        self.powers = powers


@cython.cclass
class Columns:
    """Where the cells of all blocks are written.

    mode[column]            how its cells are read: AS_NUMBERS, AS_TEXTS or PASSED_OVER
    slot[column]            which row of `numbers` or of `codes` is the column's
    has_other_text[column]  set where a cell is neither missing nor a number that can be read exactly
    """

    __slots__ = ("codes", "has_other_text", "mode", "numbers", "slot")

    def __init__(
        self,
        mode: cython.uchar[::1],
        slot: cython.int[::1],
        numbers: cython.double[:, ::1],
        codes: cython.int[:, ::1],
        has_other_text: cython.uchar[::1],
    ):
        self.mode = mode
        self.slot = slot
        self.numbers = numbers
        self.codes = codes
        self.has_other_text = has_other_text


@cython.cclass
class Texts:
    """The different texts of a block's columns.

    code_at[slot, probe]    a table of hashed texts, a power of two wide, at first full of -1
    start, stop[slot, code] the range of a text that the column holds
    n[slot]                 the number of different texts
    """

    __slots__ = ("code_at", "n", "start", "stop")

    def __init__(
        self,
        code_at: cython.int[:, ::1],
        start: cython.longlong[:, ::1],
        stop: cython.longlong[:, ::1],
        n: cython.int[::1],
    ):
        self.code_at = code_at
        self.start = start
        self.stop = stop
        self.n = n


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _high_of_product(a: cython.ulonglong, b: cython.ulonglong) -> cython.ulonglong:
    """Return the upper 64 of the 128 bits of a product."""
    a_low: cython.ulonglong = a & _LOW_HALF
    a_high: cython.ulonglong = a >> 32
    b_low: cython.ulonglong = b & _LOW_HALF
    b_high: cython.ulonglong = b >> 32
    middle: cython.ulonglong = a_high * b_low + ((a_low * b_low) >> 32)
    other: cython.ulonglong = a_low * b_high + (middle & _LOW_HALF)
    return a_high * b_high + (middle >> 32) + (other >> 32)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _nearest(
    digits: cython.ulonglong,
    exponent: cython.Py_ssize_t,
    powers: Powers,
) -> cython.double:
    """Return the double nearest to digits · 10^exponent, where digits > 0; NaN where 128 bits of the power do not tell.

    As in Lemire (2021): the bits of the power are cut off, so its product with the digits lies less than 2 units
    of the second word of `high`, `low` above them. That matters only next to the middle between two doubles.
    """
    place: cython.Py_ssize_t = exponent + _LARGEST_EXPONENT
    shift: cython.int = powers.shift[place]
    high: cython.ulonglong
    low: cython.ulonglong
    addend: cython.ulonglong
    kept: cython.ulonglong
    middle: cython.ulonglong
    rest: cython.ulonglong
    n_cut: cython.int
    while digits < _HIGH_BIT:
        digits = digits << 1
        shift -= 1
    high = _high_of_product(digits, powers.high[place])
    low = (digits * powers.high[place]) & _ALL_BITS
    addend = _high_of_product(digits, powers.low[place])
    low = (low + addend) & _ALL_BITS
    if low < addend:
        high += 1
    n_cut = 11 if high >= _HIGH_BIT else 10
    kept = high >> n_cut
    rest = high - (kept << n_cut)
    middle = 1
    middle = middle << (n_cut - 1)
    if (rest == middle and low == 0) or (rest == middle - 1 and low == _ALL_BITS):
        return _NAN
    if rest >= middle:
        kept += 1
    return ldexp(cython.cast(cython.double, kept), n_cut + shift)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def read_number(
    text: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    decimal: cython.uchar,
    numbers: cython.double[:, ::1],
    slot: cython.Py_ssize_t,
    row: cython.Py_ssize_t,
    powers: Powers,
) -> cython.Py_ssize_t:
    """Return where the number that begins at `start` stops, after it was written to its place; or _NO_NUMBER.

    A number that is too long or too large to be read here exactly is none.
    """
    position: cython.Py_ssize_t = start
    first: cython.Py_ssize_t
    point: cython.Py_ssize_t
    n_digits: cython.Py_ssize_t
    exponent: cython.Py_ssize_t = 0
    written_exponent: cython.Py_ssize_t = 0
    digits: cython.ulonglong = 0
    value: cython.double
    is_negative: cython.bint = text[position] == _MINUS
    has_negative_exponent: cython.bint
    byte: cython.uchar
    # Local, because the compiler must assume that module variables may change.
    zero: cython.uchar = 48
    nine: cython.uchar = 57
    if is_negative or text[position] == _PLUS:
        position += 1
    first = position
    byte = text[position]
    while zero <= byte <= nine:
        digits = digits * 10 + (byte - zero)
        position += 1
        byte = text[position]
    n_digits = position - first
    if byte == decimal:
        position += 1
        point = position
        byte = text[position]
        while zero <= byte <= nine:
            digits = digits * 10 + (byte - zero)
            position += 1
            byte = text[position]
        exponent = point - position
        n_digits -= exponent
    if n_digits == 0:
        return _NO_NUMBER
    if n_digits > _MOST_DIGITS:
        while text[first] == zero or text[first] == decimal:
            n_digits -= text[first] == zero
            first += 1
        if n_digits > _MOST_DIGITS:
            return _NO_NUMBER
    if byte == _SMALL_E or byte == _LARGE_E:
        position += 1
        has_negative_exponent = text[position] == _MINUS
        if has_negative_exponent or text[position] == _PLUS:
            position += 1
        first = position
        while zero <= text[position] <= nine:
            if position - first < _MOST_EXPONENT_DIGITS:
                written_exponent = written_exponent * 10 + (text[position] - zero)
            position += 1
        if position == first or position - first > _MOST_EXPONENT_DIGITS:
            return _NO_NUMBER
        exponent += -written_exponent if has_negative_exponent else written_exponent
    # One operation on two exact numbers rounds once, so the result is correctly rounded (Clinger 1990).
    if digits < _EXACT_LIMIT and -_LARGEST_EXACT_EXPONENT <= exponent <= _LARGEST_EXACT_EXPONENT:
        value = cython.cast(cython.double, digits)
        if exponent < 0:
            value = value / powers.exact[-exponent]
        else:
            value = value * powers.exact[exponent]
    elif digits == 0:
        value = 0.0
    elif -_LARGEST_EXPONENT <= exponent <= _LARGEST_EXPONENT:
        value = _nearest(digits, exponent, powers)
        if value != value:
            return _NO_NUMBER
    else:
        return _NO_NUMBER
    numbers[slot, row] = -value if is_negative else value
    return position


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_missing(
    text: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    syntax: Syntax,
) -> cython.bint:
    """Return whether a cell holds one of the texts that mean missing, which follow each other."""
    index: cython.Py_ssize_t
    offset: cython.Py_ssize_t
    low: cython.Py_ssize_t
    for index in range(syntax.missing_bounds.shape[0] - 1):
        low = syntax.missing_bounds[index]
        if syntax.missing_bounds[index + 1] - low != stop - start:
            continue
        offset = 0
        while offset < stop - start and text[start + offset] == syntax.missing_texts[low + offset]:
            offset += 1
        if offset == stop - start:
            return True
    return False


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _code(
    text: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    slot: cython.Py_ssize_t,
    texts: Texts,
) -> cython.int:
    """Return the code of a text among those that its column held before in this block; a new one where it did not."""
    mask: cython.ulonglong = texts.code_at.shape[1] - 1
    hashed: cython.ulonglong = _HASH_START
    probe: cython.Py_ssize_t
    offset: cython.Py_ssize_t
    known: cython.Py_ssize_t
    code: cython.int
    for offset in range(start, stop):
        hashed = ((hashed ^ text[offset]) * _HASH_FACTOR) & _ALL_BITS
    probe = cython.cast(cython.Py_ssize_t, (hashed ^ (hashed >> 32)) & mask)
    while True:
        code = texts.code_at[slot, probe]
        if code < 0:
            code = texts.n[slot]
            texts.n[slot] = code + 1
            texts.code_at[slot, probe] = code
            texts.start[slot, code] = start
            texts.stop[slot, code] = stop
            return code
        known = texts.start[slot, code]
        if texts.stop[slot, code] - known == stop - start:
            offset = 0
            while offset < stop - start and text[known + offset] == text[start + offset]:
                offset += 1
            if offset == stop - start:
                return code
        probe = cython.cast(cython.Py_ssize_t, (probe + 1) & mask)


def count_lines(text: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> int:
    """Return the number of newlines in a range of the text."""
    position: cython.Py_ssize_t
    n_lines: cython.Py_ssize_t = 0
    newline: cython.uchar = _NEWLINE
    with cython.nogil:
        for position in range(start, stop):
            n_lines += text[position] == newline
    return n_lines


def parse_block(
    text: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    first_row: cython.Py_ssize_t,
    syntax: Syntax,
    columns: Columns,
    texts: Texts,
) -> int:
    """Return the number of rows in a block, whose cells were written from `first_row` on, or REFUSED.

    The range of a quoted cell is what the quotes enclose. It includes the quotes, and then begins with one, where they
    are needed to know the text: where a quote is doubled, where text follows the closing quote, and where
    `are_quotes_meant` and what they enclose means missing or begins with a quote.
    A line of blanks and tabs is no row unless there is one column.
    """
    delimiter: cython.uchar = syntax.delimiter
    decimal: cython.uchar = syntax.decimal
    role: cython.const[cython.uchar][::1] = syntax.role
    are_quotes_meant: cython.bint = syntax.are_quotes_meant
    are_bare_numbers_final: cython.bint = syntax.are_bare_numbers_final
    powers: Powers = syntax.powers
    mode: cython.uchar[::1] = columns.mode
    slot_of_column: cython.int[::1] = columns.slot
    numbers: cython.double[:, ::1] = columns.numbers
    codes: cython.int[:, ::1] = columns.codes
    has_other_text: cython.uchar[::1] = columns.has_other_text
    n_columns: cython.Py_ssize_t = mode.shape[0]
    position: cython.Py_ssize_t = start
    cell: cython.Py_ssize_t
    cell_stop: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    line: cython.Py_ssize_t
    after: cython.Py_ssize_t
    column: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    row: cython.Py_ssize_t = first_row
    what: cython.uchar
    mark: cython.uchar
    first_stop: cython.uchar = _QUOTE if are_quotes_meant else _END
    needs_quotes: cython.bint
    with cython.nogil:
        while position < stop:
            if n_columns > 1:
                line = position
                while text[line] == _BLANK or (text[line] == _TAB and delimiter != _TAB):
                    line += 1
                if text[line] == _RETURN and text[line + 1] == _NEWLINE:
                    line += 1
                if text[line] == _NEWLINE:
                    position = line + 1
                    continue
            for column in range(n_columns):
                slot = slot_of_column[column]
                # Most cells of most columns are bare numbers.
                if mode[column] == _AS_NUMBERS and are_bare_numbers_final:
                    after = read_number(text, position, decimal, numbers, slot, row, powers)
                    if after >= 0:
                        if column < n_columns - 1:
                            if text[after] == delimiter:
                                position = after + 1
                                continue
                        elif text[after] == _NEWLINE:
                            position = after + 1
                            continue
                cell = position
                needs_quotes = False
                # A blank is skipped even where it is the delimiter.
                while text[cell] == _BLANK or role[text[cell]] == _SPACE:
                    cell += 1
                if role[text[cell]] == _QUOTE:
                    mark = text[cell]
                    after = cell + 1
                    while True:
                        while after < stop and text[after] != mark:
                            what = role[text[after]]
                            if what >= _END and (
                                what == _STRANGE_ANYWHERE
                                or text[after] == _RETURN
                                or (text[after] == _NEWLINE and are_quotes_meant)
                            ):
                                row = _REFUSED
                                break
                            after += 1
                        if row < 0 or after >= stop or text[after + 1] != mark or are_quotes_meant:
                            break
                        needs_quotes = True
                        after += 2
                    if row < 0 or after >= stop:
                        row = _REFUSED
                        break
                    cell_stop = after
                    after += 1
                    while role[text[after]] == _SPACE:
                        after += 1
                    if role[text[after]] != _END:
                        while role[text[after]] < first_stop:
                            after += 1
                        if are_quotes_meant or role[text[after]] != _END:
                            row = _REFUSED
                            break
                        cell_stop = after - 1
                        needs_quotes = True
                    low = cell + 1
                    high = cell_stop
                    while low < high and (text[low] == _BLANK or text[low] == _TAB):
                        low += 1
                    while low < high and (text[high - 1] == _BLANK or text[high - 1] == _TAB):
                        high -= 1
                    if are_quotes_meant:
                        needs_quotes = role[text[cell + 1]] == _QUOTE or _is_missing(text, low, high, syntax)
                    if needs_quotes:
                        cell_stop += 1
                    else:
                        cell += 1
                else:
                    after = cell
                    while role[text[after]] < first_stop:
                        after += 1
                    if role[text[after]] != _END:
                        row = _REFUSED
                        break
                    cell_stop = after
                    while cell_stop > cell and role[text[cell_stop - 1]] == _SPACE:
                        cell_stop -= 1
                    low = cell
                    high = cell_stop
                if mode[column] == _AS_TEXTS:
                    codes[slot, row] = _code(text, cell, cell_stop, slot, texts)
                elif mode[column] == _AS_NUMBERS:
                    if needs_quotes:
                        has_other_text[column] = 1
                    elif _is_missing(text, low, high, syntax):
                        numbers[slot, row] = _NAN
                    elif read_number(text, low, decimal, numbers, slot, row, powers) != high:
                        has_other_text[column] = 1
                position = after
                if text[position] == _RETURN:
                    position += 1
                    if text[position] != _NEWLINE:
                        row = _REFUSED
                        break
                if column < n_columns - 1:
                    if text[position] != delimiter:
                        row = _REFUSED
                        break
                elif text[position] != _NEWLINE:
                    row = _REFUSED
                    break
                position += 1
            if row < 0:
                break
            row += 1
    return REFUSED if row < 0 else row - first_row
