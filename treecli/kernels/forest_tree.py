"""The nodes of a tree that grow_forest has grown, as the arrays of a tree."""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.forest_args import Ranked, TreeArrays
    from treecli.kernels.mixed_args import Subtrees

    _LEAF = -1
    _ALL_BRANCHES = -1


def take_nodes(
    nodes: Subtrees, ranked: Ranked, kind_of_cuts: cython.int, kind_of_groups: cython.int, found: TreeArrays
) -> int:
    """Fill the arrays of a tree with the nodes in level order; return how many nodes ask about a number."""
    n_cuts: cython.Py_ssize_t = 0
    n_table: cython.Py_ssize_t = 0
    n_met: cython.int = 1
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    node: cython.Py_ssize_t
    a: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    b: cython.int
    n_labels: cython.int
    with cython.nogil:
        found.order[0] = 0
        found.table_start[0] = 0
        for i in range(found.kind.shape[0]):
            node = found.order[i]
            for j in range(found.outcomes.shape[1]):
                found.outcomes[i, j] = nodes.outcomes[node, j]
            found.n_branches[i] = nodes.n_branches[node]
            found.kind[i] = _LEAF
            found.attribute[i] = _LEAF
            found.missing_to[i] = _ALL_BRANCHES
            found.first_child[i] = 0
            if nodes.n_branches[node] > 0:
                found.first_child[i] = n_met
                for b in range(nodes.n_branches[node]):
                    found.order[n_met] = nodes.first_child[node] + b
                    n_met += 1
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
            found.table_start[i + 1] = n_table
    return n_cuts
