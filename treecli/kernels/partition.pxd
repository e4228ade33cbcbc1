from treecli.kernels.args cimport At, Cases, Labels, Moves, Order, Plan, Sent
from treecli.kernels.codes cimport KNOWN_OR_NOT, SPREAD
from treecli.kernels.decrease cimport decrease_of, information_of
cdef void share_of(
    Py_ssize_t node, Py_ssize_t first, Py_ssize_t after, double known, double unknown, Sent sent, Plan plan
) noexcept nogil
cdef void spread_of(
    Py_ssize_t begin, Py_ssize_t end, Py_ssize_t node, Py_ssize_t first, Py_ssize_t after, Cases cases, Sent sent,
    Plan plan
) noexcept nogil
cdef void clear_children_of(Py_ssize_t first, Py_ssize_t after, Sent sent) noexcept nogil
cdef void child_outcomes_of(
    Py_ssize_t begin, Py_ssize_t end, Py_ssize_t node, Py_ssize_t first, Py_ssize_t after, Cases cases, Sent sent,
    Plan plan
) noexcept nogil
cdef Py_ssize_t first_unknown(double[::1] value, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
cdef void send_by_value_of(
    Py_ssize_t begin, Py_ssize_t end, Order order, double lower, int missing_side, int missing_to, int[::1] branch
) noexcept nogil
cdef void send_by_table_of(
    Py_ssize_t begin, Py_ssize_t end, Cases cases, Labels labels, Py_ssize_t first, int[::1] table, int missing_to,
    int[::1] branch
) noexcept nogil
cdef void send_one_label_of(
    Py_ssize_t begin, Py_ssize_t end, Cases cases, Labels labels, int own, int missing_to, int[::1] branch
) noexcept nogil
cdef Py_ssize_t count_moved_of(
    Py_ssize_t begin, Py_ssize_t end, Py_ssize_t first, Py_ssize_t n_branches, Sent sent, long long[::1] place
) noexcept nogil
cdef void move_cases_of(
    At at, Py_ssize_t first, Py_ssize_t n_branches, Sent sent, long long[::1] place, Moves moves, Cases cases,
    bint is_numeric
) noexcept nogil
cdef void move_order_of(At at, Py_ssize_t begin, long long[::1] place, Moves moves, Order order) noexcept nogil
