from treecli.kernels.args cimport At, Cases, Moves, Order, Sent
cdef void place_cases_of(
    At at, Sent sent, long long[::1] place, Moves moves, Cases cases, bint is_numeric
) noexcept nogil
cdef void place_order_of(At at, Py_ssize_t begin, Py_ssize_t middle, Moves moves, Order order) noexcept nogil
cdef void place_order_of_many(At at, Py_ssize_t begin, long long[::1] place, Moves moves, Order order) noexcept nogil
