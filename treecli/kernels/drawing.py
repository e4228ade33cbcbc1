"""Random choices at a node: the attributes that may split it, and random thresholds.

They depend on the node's key alone. The root's key follows from the seed and the tree's number, a child's key from its
parent's and its branch. So the same nodes make the same choices, in whatever order and by how many threads they are
grown. Numbers are mixed as in SplitMix64 (Steele, Lea and Flood 2014).
"""

import cython

_ALL_BITS = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
_STEP = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
_FIRST = cython.declare(cython.ulonglong, 0xBF58476D1CE4E5B9)
_SECOND = cython.declare(cython.ulonglong, 0x94D049BB133111EB)
_UNIT = cython.declare(cython.double, 2.0**-53)

# What a number is for: a branch, the place of a draw, or the attribute of a threshold.
_DRAWS = cython.declare(cython.ulonglong, 1 << 32)
_CUTS = cython.declare(cython.ulonglong, 1 << 33)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def child_key(key: cython.ulonglong, number: cython.ulonglong) -> cython.ulonglong:
    """Return the key that follows from a key and a number, such as a node's branch."""
    mixed: cython.ulonglong = (key + (number + 1) * _STEP) & _ALL_BITS
    mixed = ((mixed ^ (mixed >> 30)) * _FIRST) & _ALL_BITS
    mixed = ((mixed ^ (mixed >> 27)) * _SECOND) & _ALL_BITS
    return mixed ^ (mixed >> 31)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def draw_next(key: cython.ulonglong, n_drawn: cython.Py_ssize_t, order: cython.int[::1]) -> cython.int:
    """Return the attribute that is drawn after `n_drawn` others, which come first in `order`; it is put after them."""
    place: cython.Py_ssize_t = n_drawn + cython.cast(
        cython.Py_ssize_t, child_key(key, _DRAWS + n_drawn) % (order.shape[0] - n_drawn)
    )
    drawn: cython.int = order[place]
    order[place] = order[n_drawn]
    order[n_drawn] = drawn
    return drawn


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def put_back(key: cython.ulonglong, n_drawn: cython.Py_ssize_t, order: cython.int[::1]) -> cython.void:
    """Undo the draws of a node, so that `order` is in ascending order again."""
    place: cython.Py_ssize_t
    drawn: cython.int
    while n_drawn > 0:
        n_drawn -= 1
        place = n_drawn + cython.cast(cython.Py_ssize_t, child_key(key, _DRAWS + n_drawn) % (order.shape[0] - n_drawn))
        drawn = order[n_drawn]
        order[n_drawn] = order[place]
        order[place] = drawn


def root_key(seed: int, tree: int) -> int:
    """Return the key of the root of a tree, which has this number among the trees of a seed."""
    return int(child_key(child_key(0, seed & 0xFFFFFFFFFFFFFFFF), tree))


def child_keys(
    key: cython.ulonglong[::1], parent: cython.longlong[::1], branch: cython.longlong[::1], out: cython.ulonglong[::1]
) -> None:
    """Fill `out` with the keys of children, given the places of their parents in `key` and their branches."""
    i: cython.Py_ssize_t
    for i in range(out.shape[0]):
        out[i] = child_key(cython.cast(cython.ulonglong, key[parent[i]]), cython.cast(cython.ulonglong, branch[i]))


def draw(
    key: cython.ulonglong[::1],
    is_live: cython.uchar[:, ::1],
    n_sampled: cython.Py_ssize_t,
    most: cython.Py_ssize_t,
    order: cython.int[::1],
    is_drawn: cython.uchar[:, ::1],
) -> None:
    """Set whether each attribute (row) is drawn at each node (column).

    `n_sampled` attributes are drawn, and then more, up to `most`, until one of them is live: it has two values at the
    node. `order` is scratch: the numbers of the attributes in ascending order.
    """
    node: cython.Py_ssize_t
    j: cython.Py_ssize_t
    a: cython.int
    own: cython.ulonglong
    has_live: cython.bint
    for node in range(key.shape[0]):
        own = cython.cast(cython.ulonglong, key[node])
        has_live = False
        j = 0
        while j < most and (j < n_sampled or not has_live):
            a = draw_next(own, j, order)
            is_drawn[a, node] = 1
            has_live = has_live or is_live[a, node] != 0
            j += 1
        put_back(own, j, order)


def uniform(key: cython.ulonglong[::1], attribute: cython.Py_ssize_t, out: cython.double[::1]) -> None:
    """Fill `out` with a number from 0 to below 1 for each node, by which its threshold on an attribute is drawn."""
    node: cython.Py_ssize_t
    for node in range(key.shape[0]):
        out[node] = (child_key(cython.cast(cython.ulonglong, key[node]), _CUTS + attribute) >> 11) * _UNIT
