"""The nodes of a tree that grow_forest has grown, as the arrays of a tree."""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.forest_args import Ranked, TreeArrays
    from treecli.kernels.mixed_args import Subtrees

    _LEAF = -1
    _ALL_BRANCHES = -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _set_levels(nodes: Subtrees, ranked: Ranked, found: TreeArrays) -> cython.void:
    """Set the level of each node, and where the nodes and the tables of each level begin."""
    n_levels: cython.int = 1
    level: cython.int
    node: cython.Py_ssize_t
    b: cython.int
    begin: cython.int = 0
    begin_table: cython.int = 0
    count: cython.int
    found.level[0] = 0
    found.next_place[0] = 0
    found.next_table[0] = 0
    for node in range(found.kind.shape[0]):
        level = found.level[node]
        found.next_place[level] += 1
        if nodes.n_branches[node] == 0:
            continue
        if level + 1 == n_levels:
            found.next_place[n_levels] = 0
            found.next_table[n_levels] = 0
            n_levels += 1
        for b in range(nodes.n_branches[node]):
            found.level[nodes.first_child[node] + b] = level + 1
        if ranked.n_labels[nodes.attribute[node]] > 0:
            found.next_table[level] += ranked.n_labels[nodes.attribute[node]]
    for level in range(n_levels):
        count = found.next_place[level]
        found.next_place[level] = begin
        begin += count
        found.next_child[level] = begin
        count = found.next_table[level]
        found.next_table[level] = begin_table
        begin_table += count


def take_nodes(
    nodes: Subtrees, ranked: Ranked, kind_of_cuts: cython.int, kind_of_groups: cython.int, found: TreeArrays
) -> int:
    """Fill the arrays of a tree with the nodes in level order; return how many nodes ask about a number.

    The nodes of a level were made in their order, because the left branch of a node is always split before the right
    one. So they are read one after the other, and those of a level are written one after the other.
    """
    n_cuts: cython.Py_ssize_t = 0
    n_table: cython.int
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    node: cython.Py_ssize_t
    a: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    level: cython.int
    n_labels: cython.int
    with cython.nogil:
        _set_levels(nodes, ranked, found)
        found.table_start[0] = 0
        for node in range(found.kind.shape[0]):
            level = found.level[node]
            i = found.next_place[level]
            n_table = found.next_table[level]
            found.next_place[level] += 1
            for j in range(found.outcomes.shape[1]):
                found.outcomes[i, j] = nodes.outcomes[node, j]
            found.n_branches[i] = nodes.n_branches[node]
            found.kind[i] = _LEAF
            found.attribute[i] = _LEAF
            found.missing_to[i] = _ALL_BRANCHES
            found.first_child[i] = 0
            if nodes.n_branches[node] > 0:
                found.first_child[i] = found.next_child[level]
                found.next_child[level] += nodes.n_branches[node]
                a = nodes.attribute[node]
                found.attribute[i] = nodes.attribute[node]
                found.missing_to[i] = nodes.missing_to[node]
                n_labels = ranked.n_labels[a]
                if n_labels < 0:
                    found.kind[i] = cython.cast(cython.schar, kind_of_cuts)
                    begin = ranked.first_value[a]
                    found.cut[n_cuts] = cython.cast(cython.int, i)
                    found.lower[n_cuts] = ranked.value[begin + cython.cast(cython.Py_ssize_t, nodes.neighbour[node, 0])]
                    found.upper[n_cuts] = ranked.value[begin + cython.cast(cython.Py_ssize_t, nodes.neighbour[node, 1])]
                    n_cuts += 1
                else:
                    found.kind[i] = cython.cast(cython.schar, kind_of_groups)
                    begin = nodes.table_start[node]
                    for j in range(n_labels):
                        found.table[n_table + j] = nodes.table[begin + j]
                    n_table += n_labels
                    found.next_table[level] = n_table
            found.table_start[i + 1] = n_table
    return n_cuts
