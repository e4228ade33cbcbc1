from treecli.kernels.args cimport At, Cases, Order, Plan
from treecli.kernels.codes cimport SPREAD, STAYS
from treecli.kernels.mixed_args cimport Columns, Work
from treecli.kernels.partition cimport child_outcomes_of, clear_children_of, first_unknown
from treecli.kernels.surrogate_args cimport Agreement, Splits, Surrogates
from treecli.kernels.surrogates cimport cut_of, cut_of_counts, groups_of, weigh_branches_of
cdef bint has_room(Py_ssize_t most_labels, Surrogates surrogates) noexcept nogil
cdef void resolve_of(
    Py_ssize_t best, Py_ssize_t n_live, Py_ssize_t first_child, At at, Columns columns, Work work, Plan plan
) noexcept nogil
cdef int fuller_branch_of(At at, int[::1] branch) noexcept nogil
