cdef class Lists:
    cdef public unsigned int[::1] entry
    cdef public Py_ssize_t stride
    cdef public Py_ssize_t n_attributes
    cdef public int row_shift
    cdef public unsigned char[::1] goes_left
    cdef public double[::1] target_of_row
    cdef public double[::1] xlog2_of
    cdef public int[::1] close
    cdef public double[:, ::1] values
    cdef public bint is_single
    cdef public long long min_side

cdef class Subtree:
    cdef public int[::1] attribute
    cdef public long long[::1] first_child
    cdef public int[:, ::1] neighbour
    cdef public double[::1] cost
    cdef public double[:, ::1] outcomes
    cdef public double[:, ::1] sums

cdef class Search:
    cdef public Py_ssize_t node
    cdef public Py_ssize_t lo
    cdef public Py_ssize_t hi
    cdef public long long depth
    cdef public long long min_side
    cdef public int[::1] live
    cdef public Py_ssize_t first
    cdef public Py_ssize_t last
    cdef public long long[::1] cut
    cdef public long long[:, ::1] counts
    cdef public unsigned int[::1] spare
    cdef public long long[::1] place
    cdef public long long[::1] group
    cdef public double[:, ::1] terms
    cdef public double before
    cdef public double slack
    cdef public double most
    cdef public double floor
    cdef public bint is_ambiguous

cdef class Spans:
    cdef public int[:, ::1] size
    cdef public int[:, ::1] first
    cdef public int[:, ::1] known
    cdef public double[:, ::1] top
    cdef public double[:, ::1] bottom
    cdef public double[:, ::1] share
    cdef public int[::1] n_before
    cdef public int[::1] first_before
    cdef public float[::1] excess

cdef class Peeling:
    cdef public Py_ssize_t least
    cdef public int many
    cdef public Py_ssize_t lo
    cdef public Py_ssize_t n_opened
    cdef public long long n
    cdef public int block_bits
    cdef public int stretch_bits
    cdef public int[::1] state
    cdef public unsigned short[::1] block
    cdef public Spans blocks
    cdef public Spans stretches
    cdef public long long[::1] last
    cdef public long long n_first
    cdef public double share
    cdef public double scale
    cdef public double per_pair, per_first, per_second
    cdef public double before
    cdef public long long min_side
    cdef public double least_score, least_of_corners, own_bar
    cdef public double bar
    cdef public double outer_bar
    cdef public double inner_bar
    cdef public long long outer
    cdef public long long inner
    cdef public bint is_entropy
    cdef public long long[::1] begin
    cdef public long long[::1] end
    cdef public long long[::1] n_left
    cdef public int[:, ::1] neighbour
    cdef public double floor
    cdef public bint is_ambiguous
    cdef public bint is_close
    cdef public int[::1] is_scanned
    cdef public double[::1] most
    cdef public long long[::1] least_side
    cdef public double least_gain
    cdef public double low
    cdef public double high
    cdef public long long n_before
    cdef public long long first_before
    cdef public long long edge
    cdef public Py_ssize_t skipped
    cdef public int[:, ::1] child
    cdef public Py_ssize_t n_nodes
    cdef public int n_peels
