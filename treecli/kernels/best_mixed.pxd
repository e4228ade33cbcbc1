from treecli.kernels.args cimport At, Cases, Found, Labels, Order, Plan, Scratch, Tables
from treecli.kernels.codes cimport GROUPS, MULTIWAY, ONE_AGAINST_REST
from treecli.kernels.count_labels cimport count_labels_of
from treecli.kernels.impurity cimport total
from treecli.kernels.mixed_args cimport Columns
from treecli.kernels.partition cimport first_unknown
from treecli.kernels.order_labels cimport principal_scores_of
from treecli.kernels.order_three cimport order_by_share, order_of
from treecli.kernels.score_groups cimport add_known, best_label_of, multiway_of, two_way_of
from treecli.kernels.score_sums cimport best_cut
cdef void clear_entries(Py_ssize_t n_entries, Columns columns) noexcept nogil
cdef double score_entries(
    Py_ssize_t n_entries, int n_labels, At at, Columns columns, Plan plan, Found found, Scratch scratch
) noexcept nogil
cdef Py_ssize_t score_labels(
    Py_ssize_t a, At at, Cases cases, Columns columns, Plan plan, Found found, Scratch scratch
) noexcept nogil
cdef Py_ssize_t score_node(
    Py_ssize_t n_live, At at, Cases cases, Order order, Columns columns, Plan plan, Found found, Scratch scratch
) noexcept nogil
