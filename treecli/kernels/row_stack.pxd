from treecli.kernels.raise_args cimport Nodes, Room, Rows
cdef long long lay_out(Nodes nodes, Rows rows, Room room, Py_ssize_t node, long long top) noexcept nogil
cdef void count(Rows rows, long long begin, long long end, double[:, ::1] counts, Py_ssize_t place) noexcept nogil
cdef long long gathered(Nodes nodes, Rows rows, Room room, Py_ssize_t node, Py_ssize_t largest) noexcept nogil
