from treecli.kernels.cases cimport count_labels_of
from treecli.kernels.score_sums cimport best_cut
from treecli.kernels.score_groups cimport multiway_of, order_of, principal_scores_of, two_way_of
from treecli.kernels.impurity cimport total
cdef Py_ssize_t first_unknown(double[::1] value, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
cdef Py_ssize_t score_labels(
    Py_ssize_t a, Py_ssize_t slot, Py_ssize_t n_slots, Py_ssize_t n_labels, Py_ssize_t lo, Py_ssize_t hi,
    int[::1] row_of_case, int[::1] class_of_case, double[::1] target_of_case, double[::1] weight_of_case,
    double center, double weight, int[::1] code_of_row, int impurity, bint is_numeric, bint missing_is_value,
    double min_leaf, double tolerance, int asked, bint by_ratio, Py_ssize_t n_exhaustive, long long[::1] entry_of_label,
    int[::1] code, double[:, ::1] counts, long long[:, ::1] places, double[::1] label_score, double[:, ::1] sums,
    int[:, ::1] table, double[::1] gain, double[::1] split_info
) noexcept nogil
cdef Py_ssize_t most_merit(
    bint is_ratio, bint zero_gain, double min_gain, double share, double tolerance, double slack,
    unsigned char[::1] is_counted, double[::1] gain, double[::1] split_info, double[::1] merit
) noexcept nogil
cdef Py_ssize_t score_node(
    Py_ssize_t node, Py_ssize_t lo, Py_ssize_t hi, Py_ssize_t n_live, bint is_whole, int[::1] live, int[::1] slot_of,
    int[::1] n_labels_of, Py_ssize_t n_nominal, Py_ssize_t stride, int[::1] case, double[::1] value,
    int[::1] row_of_case, int[::1] class_of_case, double[::1] target_of_case, double[::1] weight_of_case,
    double center, double weight, double[:, ::1] totals, int[::1] code_of_row, int impurity, bint is_numeric,
    bint missing_is_value, double min_leaf, double tolerance, bint zero_gain, double value_gap, double branch_share,
    double most_branch_share, bint cut_cost, int asked, bint is_ratio, Py_ssize_t n_exhaustive,
    double[::1] xlog2_of, double[:, ::1] sides, double[:, ::1] counted, double[:, ::1] term,
    long long[::1] entry_of_label, int[::1] code, double[:, ::1] counts, long long[:, ::1] places,
    double[::1] label_score, double[:, ::1] sums, int[:, ::1] table, double[::1] gain, double[::1] split_info,
    double[::1] lower, double[::1] upper, int[::1] missing_side
) noexcept nogil
