cdef class Plan:
    cdef public int impurity
    cdef public int arithmetic
    cdef public int rank
    cdef public int nominal
    cdef public bint is_numeric
    cdef public double tolerance
    cdef public double min_leaf
    cdef public double min_rows
    cdef public double least_split
    cdef public bint counts_rows
    cdef public long long max_depth
    cdef public double min_gain
    cdef public bint gain_of_all
    cdef public bint zero_gain
    cdef public double least_share
    cdef public double value_gap
    cdef public double branch_share
    cdef public double most_branch_share
    cdef public bint cut_cost
    cdef public Py_ssize_t n_exhaustive
    cdef public double merge_alpha
    cdef public double chi2_alpha
    cdef public bint wants_chi2
    cdef public bint missing_is_value
    cdef public bint spreads
    cdef public int missing_to
    cdef public bint by_surrogates
    cdef public bint is_strict
    cdef public bint is_single
    cdef public bint is_scaled
    cdef public unsigned char[::1] is_counted
    cdef public Py_ssize_t n_sampled
    cdef public Py_ssize_t most_drawn
    cdef public unsigned long long tree_key
    cdef public double[::1] class_scale
    cdef public double[::1] xlog2_of
    cdef public double pure_deviance
    cdef public double least_variance
    cdef public double root_weight
    cdef public double alpha
    cdef public object settings
    cdef public object criterion
    cdef public object policy
    cdef public object scorer
    cdef public object grouping
    cdef public object budget
    cdef public object remarks

cdef class Cases:
    cdef public long long[::1] start
    cdef public int[::1] row
    cdef public int[::1] label
    cdef public double[::1] target
    cdef public double[::1] weight
    cdef public double[::1] center
    cdef public double[:, ::1] totals

cdef class Order:
    cdef public int[::1] case
    cdef public double[::1] value
    cdef public long long[::1] n_known
    cdef public double gap

cdef class Tables:
    cdef public long long[::1] start
    cdef public int[::1] code
    cdef public double[:, ::1] outcomes
    cdef public long long[::1] n_rows
    cdef public double[::1] weights
    cdef public long long[::1] order
    cdef public int kind
    cdef public Py_ssize_t n_exhaustive
    cdef public int[:, ::1] table

cdef class Found:
    cdef public double[::1] gain
    cdef public double[::1] split_info
    cdef public double[::1] lower
    cdef public double[::1] upper
    cdef public int[::1] missing_side
    cdef public double[::1] chi2
    cdef public long long[::1] freedom
    cdef public double[::1] improvement
    cdef public int[::1] first
    cdef public double[::1] merit
    cdef public double[::1] cost

cdef class Labels:
    cdef public int[::1] code_of_row
    cdef public Py_ssize_t first
    cdef public Py_ssize_t step
    cdef public Py_ssize_t n_codes
    cdef public int missing_code
    cdef public long long[::1] entry

cdef class Sent:
    cdef public long long[::1] first_child
    cdef public int[::1] branch
    cdef public double[::1] share
    cdef public int[::1] missing_to
    cdef public double[:, ::1] outcomes
    cdef public long long[::1] open_number
    cdef public double[::1] decrease
    cdef public double[::1] information

cdef class Moves:
    cdef public int[::1] start
    cdef public int[::1] to
    cdef public int[::1] branch
    cdef public int[::1] spare
    cdef public double[::1] number

cdef class At:
    cdef public Py_ssize_t node
    cdef public Py_ssize_t first
    cdef public Py_ssize_t after
    cdef public Py_ssize_t begin
    cdef public Py_ssize_t end
    cdef public Py_ssize_t last
    cdef public Py_ssize_t place
    cdef public Py_ssize_t row
    cdef public double weight
    cdef public double only_at
    cdef public bint is_whole

cdef class Scratch:
    cdef public double[:, ::1] sides
    cdef public double[:, ::1] counted
    cdef public double[:, ::1] terms
    cdef public double[:, ::1] sums
    cdef public long long[::1] slots
