from treecli.kernels.args cimport Found, Plan
from treecli.kernels.best_packed cimport best_attribute, scan_lists
from treecli.kernels.codes cimport CONSTANT
from treecli.kernels.packed_args cimport Lists, Peeling, Search, Subtree
from treecli.kernels.packed_lists cimport part_list, send_cases, set_children
from treecli.kernels.peel_packed cimport is_peel, peel_node, set_cut
from treecli.kernels.stop cimport may_split

cdef enum:  # compile-time constants, unlike module variables
    _NODE = 0
    _LO = 1
    _HI = 2
    _DEPTH = 3
    _N_LIVE = 4
    _N_PEELS = 5
    _CHILD = 0
    _SIZE = 1
    _CHILD_DEPTH = 2
