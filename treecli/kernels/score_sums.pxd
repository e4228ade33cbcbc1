from treecli.kernels.impurity cimport xlog2
from treecli.kernels.pearson cimport degrees_of_freedom, statistic
cdef enum:  # as constants, which the variables of a module are not to the compiler
    _FEW_CLASSES = 8
    _ENTROPY = 0
    _GINI = 1
    _VARIANCE = 3
    _NO_SIDE = -1
    _KNOWN_OR_NOT = 2
    _LEFT = 0
    _RIGHT = 1
    _MISSING = 2
    _LEFT_JOINED = 3
    _RIGHT_JOINED = 4
    _BEST_LEFT = 5
    _BEST_RIGHT = 6
cdef void best_cut(
    Py_ssize_t begin, Py_ssize_t end, Py_ssize_t last, int[::1] case, double[::1] value, int[::1] class_of_case,
    double[::1] target_of_case, double[::1] weight_of_case, double center, double[:, ::1] totals, Py_ssize_t node,
    int impurity, bint is_numeric, double only_at, bint missing_is_value, double min_leaf, double min_rows,
    double tolerance, bint zero_gain, double value_gap, double branch_share, double most_branch_share, bint cut_cost,
    bint wants_chi2, bint is_whole, double[::1] xlog2_of, double[:, ::1] sides, double[:, ::1] counted,
    double[:, ::1] term, Py_ssize_t place, double[::1] gain, double[::1] split_info, double[::1] lower,
    double[::1] upper, int[::1] missing_side
) noexcept nogil
