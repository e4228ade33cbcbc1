from treecli.kernels.args cimport Cases, Labels, Moves, Order, Sent, Tables
from treecli.kernels.forest_args cimport Bag, Ranked
from treecli.kernels.surrogate_args cimport Surrogates
cdef class Columns:
    cdef public int[::1] live
    cdef public int[::1] slot
    cdef public int[::1] n_labels
    cdef public Py_ssize_t stride
    cdef public Labels labels
    cdef public Tables tables
    cdef public int[::1] label
    cdef public Py_ssize_t most_listed
    cdef public Py_ssize_t least_peeled
    cdef public double[::1] score
    cdef public long long[::1] spare
    cdef public bint are_whole

cdef class Subtrees:
    cdef public int[::1] attribute
    cdef public unsigned char[::1] parts_missing
    cdef public double[:, ::1] neighbour
    cdef public int[::1] missing_to
    cdef public int[::1] first_child
    cdef public int[::1] n_branches
    cdef public double[::1] cost
    cdef public long long[::1] table_start
    cdef public int[::1] table
    cdef public double[:, ::1] outcomes

cdef class Work:
    cdef public long long[::1] progress
    cdef public long long[:, ::1] pending
    cdef public unsigned long long[::1] pending_key
    cdef public bint draws
    cdef public Bag bag
    cdef public Ranked ranked
    cdef public long long[::1] begin_of_child
    cdef public long long[::1] place
    cdef public Cases cases
    cdef public Order order
    cdef public Sent sent
    cdef public Moves moves
    cdef public Surrogates surrogates
