from treecli.kernels.children cimport may_split, part_list, send_cases, set_children
from treecli.kernels.choose cimport best_attribute, least_side, scan_lists
