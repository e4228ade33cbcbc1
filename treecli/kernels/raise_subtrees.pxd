from treecli.kernels.estimate cimport Estimate, added_errors
from treecli.kernels.raise_args cimport Nodes, Room, Rows
from treecli.kernels.row_stack cimport count, gathered, lay_out
