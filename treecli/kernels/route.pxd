from treecli.kernels.route_args cimport Leaves, Nodes, Room
cdef int branch_of(Nodes nodes, double[:, ::1] block, Py_ssize_t row, Py_ssize_t node) noexcept nogil
