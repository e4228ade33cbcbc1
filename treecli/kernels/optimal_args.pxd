cdef class Problem:
    cdef public unsigned long long[:, ::1] tests
    cdef public unsigned char[::1] is_nested
    cdef public int[::1] segment_end, segment_class
    cdef public long long[::1] segment_weight, segment_cost
    cdef public double[::1] segment_size
    cdef public unsigned long long[::1] minority
    cdef public long long[:, ::1] costs
    cdef public Py_ssize_t n_classes
    cdef public bint has_costs, is_free
    cdef public double min_leaf, min_split
    cdef public long long leaf_fee

cdef class Room:
    cdef public unsigned long long[:, ::1] sets, rows
    cdef public int[:, ::1] tree, order
    cdef public int[::1] test, word, segment_begin, segment_end, segment, left_test, right_test
    cdef public long long[:, ::1] count, cell, hint, left_bound, right_bound
    cdef public long long[::1] node_count, left, right, value
    cdef public double[::1] size
    cdef public Py_ssize_t n_tests, n_segments, n_words
    cdef public double node_size
    cdef public long long[::1] n_open
    cdef public unsigned char[::1] stop
    cdef public long long n_solved

cdef class Memory:
    cdef public unsigned long long[:, ::1] key
    cdef public int[:, ::1] tree
    cdef public long long[::1] value
    cdef public signed char[::1] depth
    cdef public unsigned char[::1] is_exact
    cdef public Py_ssize_t n_kept, n_found
