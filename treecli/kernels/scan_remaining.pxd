from treecli.kernels.args cimport Found, Plan
from treecli.kernels.best_packed cimport least_side
from treecli.kernels.bound_blocks cimport MARGIN, bound_stretch, may_hold, set_bars
from treecli.kernels.codes cimport BY_RATIO
from treecli.kernels.packed_args cimport Lists, Peeling, Search, Spans, Subtree
from treecli.kernels.scan_block cimport CLOSE, scan_block
from treecli.kernels.score_classes cimport set_before
cdef void scan_remaining(
    Lists lists, Search search, Subtree subtree, Found found, Peeling peeling, Plan plan
) noexcept nogil
