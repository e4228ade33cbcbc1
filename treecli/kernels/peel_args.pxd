from treecli.kernels.args cimport At, Found, Order, Plan, Scratch, Tables
from treecli.kernels.mixed_args cimport Columns, Subtrees, Work
cdef enum:
    REMAINS = -1
    GONE = -2

cdef class Chain:
    cdef public Work work
    cdef public Columns columns
    cdef public Subtrees nodes
    cdef public At at
    cdef public Plan plan
    cdef public Found found
    cdef public Scratch scratch
    cdef public Py_ssize_t n_cases
    cdef public Order order
    cdef public long long[::1] begin
    cdef public long long[::1] first_label
    cdef public Tables tables
    cdef public long long[::1] n_occurring
    cdef public int[::1] case
    cdef public int[::1] next_case
    cdef public int[::1] listed
    cdef public long long[::1] n_listed
    cdef public long long[::1] n_listed_first
    cdef public int[::1] before
    cdef public int[::1] after
    cdef public int[::1] last
    cdef public int[::1] leader
    cdef public int[::1] branch
    cdef public int[::1] leaving
    cdef public long long[:, ::1] child
    cdef public long long[::1] place
