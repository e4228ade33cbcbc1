from treecli.kernels.args cimport Found, Plan
from treecli.kernels.best_packed cimport least_side
from treecli.kernels.bound_blocks cimport bar_for, bar_of, bound_block, bound_stretch, may_hold, set_bars
from treecli.kernels.codes cimport BY_RATIO
from treecli.kernels.packed_args cimport Lists, Peeling, Search, Subtree
from treecli.kernels.score_classes cimport score_of_two, score_scale, set_before
from treecli.kernels.score_sklearn cimport parted
cdef void scan_remaining(
    Lists lists, Search search, Subtree subtree, Found found, Peeling peeling, Plan plan
) noexcept nogil
