"""Lines of a tree's file, as they are usually written: leaves, and inner nodes that compare a number."""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.parsing import Powers, read_number

_NEWLINE = cython.declare(cython.uchar, 10)
_QUOTATION = cython.declare(cython.uchar, 34)
_COMMA = cython.declare(cython.uchar, 44)
_MINUS = cython.declare(cython.uchar, 45)
_POINT = cython.declare(cython.uchar, 46)
_ZERO = cython.declare(cython.uchar, 48)
_NINE = cython.declare(cython.uchar, 57)
_BACKSLASH = cython.declare(cython.uchar, 92)
_CLOSING_BRACE = cython.declare(cython.uchar, 125)

_OTHER = cython.declare(cython.Py_ssize_t, -1)
_LARGEST_ID = cython.declare(cython.Py_ssize_t, 1 << 31)

WORDS = (
    b'{"id":',
    b',"split":{"kind":"threshold","attribute":"',
    b'","at_most":',
    b',"missing_to":',
    b'},"score":',
    b',"children":[',
    b"]}",
)
"""The first words of a layout; the text after the outcomes follows, then the texts before each of them."""

_ID = cython.declare(cython.Py_ssize_t, 0)
_SPLIT = cython.declare(cython.Py_ssize_t, 1)
_AT_MOST = cython.declare(cython.Py_ssize_t, 2)
_MISSING_TO = cython.declare(cython.Py_ssize_t, 3)
_SCORE = cython.declare(cython.Py_ssize_t, 4)
_CHILDREN = cython.declare(cython.Py_ssize_t, 5)
_END = cython.declare(cython.Py_ssize_t, 6)
_AFTER_OUTCOMES = cython.declare(cython.Py_ssize_t, 7)
_BEFORE_OUTCOMES = cython.declare(cython.Py_ssize_t, 8)


@cython.cclass
class Layout:
    """Facts that all lines of a file share.

    words, bounds           texts one after the other, and where each begins: WORDS, the text after a node's outcomes,
                            and the texts before each of them
    least, most[outcome]    the range of an outcome; a line with any other is left to the caller
    is_numeric              the outcomes are weight, mean and deviance; the range of the last is for weights from 1
    column_of_name          the numeric columns, by their names as in the file, without quotes
    threshold_kind          the kind of split that compares a number
    """

    __slots__ = (
        "bounds",
        "column_of_name",
        "is_numeric",
        "least",
        "most",
        "powers",
        "threshold_kind",
        "words",
    )

    def __init__(
        self,
        *,
        words: cython.const[cython.uchar][::1],
        bounds: cython.int[::1],
        least: cython.double[::1],
        most: cython.double[::1],
        is_numeric: cython.bint,
        column_of_name: dict,
        threshold_kind: cython.int,
        powers: Powers,
    ):
        self.words = words
        self.bounds = bounds
        self.least = least
        self.most = most
        self.is_numeric = is_numeric
        self.column_of_name = column_of_name
        self.threshold_kind = threshold_kind
        self.powers = powers


@cython.cclass
class NodeArrays:
    """The arrays of a tree, at first those of leaves, and how far they are filled.

    n_read                  the number of lines that were read
    next_child              the first child of the next inner node
    position                where the next line begins
    """

    __slots__ = (
        "attribute",
        "first_child",
        "kind",
        "missing_to",
        "n_branches",
        "n_read",
        "next_child",
        "number",
        "outcomes",
        "position",
        "score",
    )

    def __init__(
        self,
        *,
        kind: cython.schar[::1],
        attribute: cython.int[::1],
        number: cython.double[::1],
        missing_to: cython.int[::1],
        first_child: cython.int[::1],
        n_branches: cython.int[::1],
        score: cython.double[::1],
        outcomes: cython.double[::1],
        position: cython.Py_ssize_t,
    ):
        self.kind = kind
        self.attribute = attribute
        self.number = number
        self.missing_to = missing_to
        self.first_child = first_child
        self.n_branches = n_branches
        self.score = score
        self.outcomes = outcomes
        self.n_read = 0
        self.next_child = 1
        self.position = position


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _passed(
    text: cython.const[cython.uchar][::1], position: cython.Py_ssize_t, word: cython.Py_ssize_t, layout: Layout
) -> cython.Py_ssize_t:
    """Return where a word stops, _OTHER if the position is _OTHER or there is another text."""
    k: cython.Py_ssize_t
    if position < 0:
        return _OTHER
    for k in range(layout.bounds[word], layout.bounds[word + 1]):
        # The text ends with line breaks, which no word contains, so its end is never passed.
        if text[position] != layout.words[k]:
            return _OTHER
        position += 1
    return position


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _whole(
    text: cython.const[cython.uchar][::1], position: cython.Py_ssize_t, expected: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Return where the expected whole number stops, _OTHER if the position is _OTHER or there is another number."""
    value: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t = position
    if position < 0:
        return _OTHER
    while _ZERO <= text[position] <= _NINE and value < _LARGEST_ID:
        value = value * 10 + (text[position] - _ZERO)
        position += 1
    if position == start or value != expected or (text[start] == _ZERO and position > start + 1):
        return _OTHER
    return position


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _decimal(
    text: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    found: cython.double[:, ::1],
    powers: Powers,
) -> cython.Py_ssize_t:
    """Return where a number of JSON stops, after it was written to `found`; _OTHER if it is for the caller."""
    first: cython.Py_ssize_t = position
    stop: cython.Py_ssize_t
    k: cython.Py_ssize_t
    if position < 0:
        return _OTHER
    if text[first] == _MINUS:
        first += 1
    # JSON has neither a plus, nor zeros before other digits, nor a point without digits on both sides.
    if not _ZERO <= text[first] <= _NINE or (text[first] == _ZERO and _ZERO <= text[first + 1] <= _NINE):
        return _OTHER
    stop = read_number(text, position, _POINT, found, 0, 0, powers)
    if stop < 0 or (found[0, 0] == 0 and first > position):
        return _OTHER
    for k in range(first, stop):
        if text[k] == _POINT and not _ZERO <= text[k + 1] <= _NINE:
            return _OTHER
    return stop


@cython.cfunc
def _outcomes(
    text: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    node: cython.Py_ssize_t,
    found: cython.double[:, ::1],
    layout: Layout,
    arrays: NodeArrays,
) -> cython.Py_ssize_t:
    """Return where the outcomes of a node stop, after they were written; _OTHER if they are for the caller."""
    n_outcomes: cython.Py_ssize_t = layout.least.shape[0]
    first: cython.Py_ssize_t = node * n_outcomes
    k: cython.Py_ssize_t
    for k in range(n_outcomes):
        position = _passed(text, position, _BEFORE_OUTCOMES + k, layout)
        position = _decimal(text, position, found, layout.powers)
        if position < 0 or not layout.least[k] <= found[0, 0] <= layout.most[k]:
            return _OTHER
        arrays.outcomes[first + k] = found[0, 0]
    if layout.is_numeric and 0 < arrays.outcomes[first] < 1:
        return _OTHER
    return _passed(text, position, _AFTER_OUTCOMES, layout)


def read_lines(
    text: bytes, found: cython.double[:, ::1], layout: Layout, arrays: NodeArrays, n_nodes: cython.Py_ssize_t
) -> None:
    """Read lines up to the first that is for the caller: another kind of split, unusual fields, or an error.

    `found` is room for a number. The text ends with a line break and brackets.
    """
    data: cython.const[cython.uchar][::1] = text
    position: cython.Py_ssize_t
    after: cython.Py_ssize_t
    name: cython.Py_ssize_t
    node: cython.Py_ssize_t
    child: cython.Py_ssize_t
    column: cython.int = 0
    missing_to: cython.int = 0
    number: cython.double = 0
    is_inner: cython.bint
    while arrays.n_read < n_nodes:
        node = arrays.n_read
        child = arrays.next_child
        position = _whole(data, _passed(data, arrays.position, _ID, layout), node)
        position = _outcomes(data, position, node, found, layout, arrays)
        if position < 0:
            return
        is_inner = data[position] != _CLOSING_BRACE
        if is_inner:
            position = _passed(data, position, _SPLIT, layout)
            if position < 0 or child <= node or child + 2 > n_nodes:
                return
            name = position
            while data[position] != _QUOTATION and data[position] != _NEWLINE:
                position += 2 if data[position] == _BACKSLASH else 1
            column = layout.column_of_name.get(text[name:position], -1)
            position = _decimal(data, _passed(data, position, _AT_MOST, layout), found, layout.powers)
            if column < 0 or position < 0:
                return
            number = found[0, 0]
            missing_to = -1
            after = _passed(data, position, _MISSING_TO, layout)
            if after >= 0:
                missing_to = data[after] - _ZERO
                if missing_to < 0 or missing_to > 1:
                    return
                position = after + 1
            position = _decimal(data, _passed(data, position, _SCORE, layout), found, layout.powers)
            position = _whole(data, _passed(data, position, _CHILDREN, layout), child)
            if position < 0 or data[position] != _COMMA:
                return
            position = _passed(data, _whole(data, position + 1, child + 1), _END, layout)
            if position < 0:
                return
        else:
            position += 1
        if node < n_nodes - 1:
            if data[position] != _COMMA:
                return
            position += 1
        if data[position] != _NEWLINE:
            return
        if is_inner:
            arrays.kind[node] = cython.cast(cython.schar, layout.threshold_kind)
            arrays.attribute[node] = column
            arrays.number[node] = number
            arrays.missing_to[node] = missing_to
            arrays.first_child[node] = cython.cast(cython.int, child)
            arrays.n_branches[node] = 2
            arrays.score[node] = found[0, 0]
            arrays.next_child = child + 2
        arrays.n_read = node + 1
        arrays.position = position + 1


def heavier_below(
    outcomes: cython.double[::1],
    n_summed: cython.Py_ssize_t,
    step: cython.Py_ssize_t,
    first_child: cython.int[::1],
    n_branches: cython.int[::1],
    most: cython.double,
) -> cython.Py_ssize_t:
    """Return the first node whose children weigh more than `most` times its weight, -1 if there is none.

    A node has `step` outcomes; its weight is the sum of the first `n_summed`.
    """
    node: cython.Py_ssize_t
    place: cython.Py_ssize_t
    k: cython.Py_ssize_t
    above: cython.double
    below: cython.double
    found: cython.Py_ssize_t = -1
    with cython.nogil:
        for node in range(first_child.shape[0]):
            if n_branches[node] == 0:
                continue
            above = 0.0
            for k in range(n_summed):
                above += outcomes[node * step + k]
            below = 0.0
            for place in range(first_child[node], first_child[node] + n_branches[node]):
                for k in range(n_summed):
                    below += outcomes[place * step + k]
            if below > above * most:
                found = node
                break
    return found
