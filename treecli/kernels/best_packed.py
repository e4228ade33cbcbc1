"""The best split of one node in packed lists: the best cut of each attribute, and the chosen attribute."""

import cython
from cython.cimports.libc.math import ceil

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Found, Plan
    from treecli.kernels.choose import first_best, set_merits
    from treecli.kernels.codes import DEVIANCE, SKLEARN
    from treecli.kernels.packed_args import Lists, Search, Subtree
    from treecli.kernels.scan_classes import scan_classes
    from treecli.kernels.scan_numbers import scan_numbers


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def least_side(
    n: cython.longlong, n_classes: cython.Py_ssize_t, min_side: cython.longlong, plan: Plan
) -> cython.longlong:
    """Return the minimum number of the n cases on each side of a cut; n if no cut is allowed."""
    least: cython.double
    if plan.branch_share <= 0.0:
        return min_side if min_side < n else n
    least = plan.branch_share * n / n_classes
    if least < plan.min_leaf + plan.tolerance:
        least = plan.min_leaf
    elif least > plan.most_branch_share:
        least = plan.most_branch_share
    if n < 2.0 * least - plan.tolerance:
        return n
    min_side = cython.cast(cython.longlong, ceil(least - plan.tolerance))
    return min_side if min_side > 1 else 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def scan_lists(lists: Lists, search: Search, subtree: Subtree, found: Found, plan: Plan) -> cython.void:
    """Set the best cut of the live attributes from search.first to search.last."""
    search.min_side = least_side(search.hi - search.lo, subtree.outcomes.shape[1], lists.min_side, plan)
    if plan.is_numeric:
        scan_numbers(lists, search, subtree, found, plan)
    else:
        scan_classes(lists, search, subtree, found, plan)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def best_attribute(lists: Lists, search: Search, subtree: Subtree, found: Found, plan: Plan) -> cython.Py_ssize_t:
    """Return the attribute that splits the node, or -1."""
    size: cython.double = cython.cast(cython.double, search.hi - search.lo)
    slack: cython.double = 0.0 if plan.arithmetic == SKLEARN else plan.tolerance
    if plan.is_numeric:
        slack *= subtree.outcomes[search.node, DEVIANCE] / size
    set_merits(found, lists.n_attributes, size / plan.root_weight if plan.gain_of_all else 1.0, plan)
    return first_best(found, lists.n_attributes, slack)


def scan(lists: Lists, search: Search, subtree: Subtree, found: Found, plan: Plan) -> None:
    """Set the best cut of the live attributes from search.first to search.last."""
    with cython.nogil:
        scan_lists(lists, search, subtree, found, plan)


def choose(lists: Lists, search: Search, subtree: Subtree, found: Found, plan: Plan) -> int:
    """Return the attribute that splits the node, or -1; found.gain is -inf for attributes without a cut."""
    return best_attribute(lists, search, subtree, found, plan)
