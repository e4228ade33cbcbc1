from treecli.kernels.args cimport Plan
from treecli.kernels.bound_blocks cimport bar_of, bound_block
from treecli.kernels.packed_args cimport Lists, Peeling, Search
from treecli.kernels.score_classes cimport score_of_two
from treecli.kernels.score_sklearn cimport parted
cdef double CLOSE
cdef void scan_block(
    Py_ssize_t a,
    Py_ssize_t b,
    long long n_left,
    long long in_left,
    Lists lists,
    Search search,
    Peeling peeling,
    Plan plan
) noexcept nogil
