"""Route rows through a tree whose splits are all in two, and which leaves no row out.

A node takes 16 bytes and needs no table. The first 8 have the number of its threshold, a bit for each label, or the
number of a leaf; the others its first child, its slot, and a shift. The bit of (the first 8, less the key of a number)
that stands at the place of the shift, or of the label, is the branch. The key of a missing value is the greatest
32-bit number: the difference is then negative in 64 bits, but not in the lower 32. So the shift is 63 where missing
values take the right branch, and 31 where they take the left one; it is stored less 64, so that its sign tells numbers
from labels, whose shift is 0.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.route_args import ManyNodes

    _LANES = 16
    _MORE_STEPS = 3
    _SLOT_AT = 32
    _SHIFT_AT = 48
    _SIGN_AT = 63
    _IN_SLOT = 0xFFFF
    _IN_CHILD = 0xFFFFFFFF
    _IN_SHIFT = 63
    _IN_LEAF = 0x7FFFFFFF

SLOT_AT = 32
"""The lowest bit of a node's slot."""

SHIFT_AT = 48
"""The lowest bit of a node's shift."""

MOST_SLOTS = 1 << 16


def find_leaves(packed: ManyNodes, keys: cython.int[::1], leaf_of_row: cython.int[::1]) -> None:
    """Fill in the leaf of each row, as route_many.find_leaves does."""
    # Local names, which the compiler does not load again.
    node: cython.longlong[::1] = packed.node
    n_slots: cython.Py_ssize_t = packed.n_slots
    last: cython.longlong = packed.leaf_slot
    n_rows: cython.Py_ssize_t = leaf_of_row.shape[0]
    n_lanes: cython.Py_ssize_t = _LANES if _LANES < n_rows else n_rows
    n_begun: cython.Py_ssize_t = n_lanes
    lane: cython.Py_ssize_t
    n_steps: cython.int = 0
    bits: cython.longlong
    rest: cython.longlong
    own: cython.longlong
    number: cython.longlong
    is_leaf: cython.longlong
    row: cython.Py_ssize_t
    row_of_lane: cython.Py_ssize_t[_LANES]
    first_of_lane: cython.Py_ssize_t[_LANES]
    place_of_lane: cython.Py_ssize_t[_LANES]
    if not cython.compiled:
        row_of_lane, first_of_lane, place_of_lane = [0] * _LANES, [0] * _LANES, [0] * _LANES
        keys = keys.astype("int64")  # numpy does not widen them
    with cython.nogil:
        for lane in range(n_lanes):
            row_of_lane[lane] = lane
            first_of_lane[lane] = lane * n_slots
            place_of_lane[lane] = 0
        while n_lanes > 0:
            # Not a loop within this one: compilers would take all steps of one row before those of the next.
            n_steps += 1
            for lane in range(n_lanes):
                bits = node[place_of_lane[lane]]
                rest = node[place_of_lane[lane] + 1]
                own = keys[first_of_lane[lane] + ((rest >> _SLOT_AT) & _IN_SLOT)]
                own &= _IN_CHILD
                number = own & (rest >> _SIGN_AT)
                bits = (bits - number) >> ((own - number + (rest >> _SHIFT_AT)) & _IN_SHIFT)
                place_of_lane[lane] = cython.cast(cython.Py_ssize_t, (rest & _IN_CHILD) + ((bits & 1) << 1))
            if n_steps & _MORE_STEPS:
                continue
            # Rows that have arrived make room for others; without branches, which could not be predicted.
            if n_begun + _LANES <= n_rows:
                for lane in range(_LANES):
                    row = row_of_lane[lane]
                    leaf_of_row[row] = cython.cast(cython.int, node[place_of_lane[lane]] & _IN_LEAF)
                    # All bits are set at a leaf.
                    is_leaf = (((node[place_of_lane[lane] + 1] >> _SLOT_AT) & _IN_SLOT) ^ last) - 1 >> _SIGN_AT
                    row ^= (row ^ n_begun) & is_leaf
                    row_of_lane[lane] = row
                    first_of_lane[lane] = row * n_slots
                    place_of_lane[lane] &= ~is_leaf
                    n_begun -= is_leaf
                continue
            lane = 0
            while lane < n_lanes:
                if (node[place_of_lane[lane] + 1] >> _SLOT_AT) & _IN_SLOT != last:
                    lane += 1
                    continue
                leaf_of_row[row_of_lane[lane]] = cython.cast(cython.int, node[place_of_lane[lane]])
                place_of_lane[lane] = 0
                if n_begun < n_rows:
                    row_of_lane[lane] = n_begun
                    n_begun += 1
                else:
                    n_lanes -= 1
                    row_of_lane[lane] = row_of_lane[n_lanes]
                    place_of_lane[lane] = place_of_lane[n_lanes]
                first_of_lane[lane] = row_of_lane[lane] * n_slots
