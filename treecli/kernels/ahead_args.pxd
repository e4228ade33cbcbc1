from treecli.kernels.args cimport At, Cases, Found, Order, Plan, Scratch
from treecli.kernels.mixed_args cimport Columns

cdef class Blocks:
    cdef public int[:, ::1] case
    cdef public double[:, ::1] value
    cdef public int[:, ::1] block_of
    cdef public int[:, ::1] begin
    cdef public int[:, ::1] n_blocks
    cdef public int[:, ::1] run_of
    cdef public int[:, ::1] run
    cdef public int[:, ::1] n_runs
    cdef public unsigned char[:, ::1] in_runs
    cdef public Py_ssize_t most

cdef class Short:
    cdef public Py_ssize_t n_cuts
    cdef public int[::1] attribute
    cdef public int[::1] run
    cdef public double[:, ::1] count
    cdef public double[::1] spread
    cdef public Py_ssize_t begin
    cdef public Py_ssize_t end
    cdef public double[::1] reached
    cdef public double[::1] left
    cdef public double[::1] gained

cdef class Ahead:
    cdef public Py_ssize_t attribute
    cdef public Blocks blocks
    cdef public long long[::1] start
    cdef public double[::1] number
    cdef public double[::1] own
    cdef public double[::1] worth
    cdef public double[::1] floor
    cdef public double[::1] slack
    cdef public bint is_limited
    cdef public long long[::1] progress
    cdef public long long most_steps
    cdef public int[::1] first_left
    cdef public int[::1] n_left
    cdef public double[:, ::1] counted
    cdef public long long[::1] counted_begin
    cdef public Py_ssize_t counted_step
    cdef public double[:, ::1] count
    cdef public double[::1] run_weight
    cdef public double[::1] mass_of_case
    cdef public double[::1] mass
    cdef public double[:, ::1] sums
    cdef public double[::1] below
    cdef public double[::1] above
    cdef public double[::1] inside
    cdef public double[:, ::1] bound
    cdef public double[:, ::1] first_bound
    cdef public double[:, ::1] kept_bound
    cdef public long long[::1] kept_at
    cdef public unsigned char[::1] is_done
    cdef public long long[:, ::1] pending
    cdef public int[::1] place
    cdef public Cases side
    cdef public double[:, ::1] outcomes
    cdef public Py_ssize_t node
    cdef public Py_ssize_t threshold
    cdef public int branch
    cdef public bint is_taken
    cdef public bint is_looked_up
    cdef public Order part
    cdef public Py_ssize_t n_side
    cdef public double weight, least
    cdef public double spread
    cdef public Short short
    cdef public Columns columns
    cdef public Plan free
    cdef public At at
    cdef public Found found
    cdef public Scratch scratch
