cdef class Ranked:
    cdef public unsigned int[:, ::1] rank
    cdef public int[::1] n_ranks
    cdef public int[::1] n_labels
    cdef public unsigned char[::1] has_missing
    cdef public double[::1] value
    cdef public long long[::1] first_value
    cdef public unsigned int[:, ::1] order
    cdef public long long[::1] n_known
    cdef public int[::1] slot
    cdef public double[::1] target

cdef class Bag:
    cdef public unsigned long long[::1] case
    cdef public unsigned long long[::1] spare
    cdef public bint is_numeric
    cdef public int class_bits
    cdef public double[::1] weight
    cdef public unsigned long long[::1] key
    cdef public unsigned long long[::1] spare_key
    cdef public int[::1] small
    cdef public unsigned int[:, ::1] block
    cdef public Py_ssize_t in_large
    cdef public Py_ssize_t in_small
    cdef public unsigned int[::1] payload_of_row
    cdef public long long[::1] digit
    cdef public int[::1] draws
    cdef public int[::1] drawn
    cdef public unsigned char[::1] is_drawn
    cdef public long long[::1] known
    cdef public long long[::1] left
    cdef public long long[::1] right
    cdef public long long[:, ::1] pending
    cdef public unsigned long long[::1] pending_key
    cdef public long long[::1] progress
    cdef public double[::1] decrease
    cdef public double[::1] information
    cdef public int[::1] lower
    cdef public int[::1] upper
    cdef public long long[::1] n_known
    cdef public double[::1] balance
    cdef public long long[::1] count
    cdef public double[:, ::1] moment
    cdef public double[:, ::1] own

cdef class Here:
    cdef public Py_ssize_t node
    cdef public Py_ssize_t lo
    cdef public Py_ssize_t hi
    cdef public Py_ssize_t middle
    cdef public bint is_local
    cdef public Py_ssize_t attribute
    cdef public unsigned int lower
    cdef public unsigned int least
    cdef public unsigned int most
    cdef public Py_ssize_t table
    cdef public int missing_to
    cdef public Py_ssize_t child

cdef class TreeArrays:
    cdef public signed char[::1] kind
    cdef public int[::1] attribute
    cdef public int[::1] missing_to
    cdef public int[::1] first_child
    cdef public int[::1] n_branches
    cdef public long long[::1] table_start
    cdef public int[::1] table
    cdef public double[:, ::1] outcomes
    cdef public int[::1] level
    cdef public int[::1] next_place
    cdef public int[::1] next_child
    cdef public int[::1] next_table
    cdef public int[::1] cut
    cdef public double[::1] lower
    cdef public double[::1] upper
