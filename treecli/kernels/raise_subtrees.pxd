from treecli.kernels.estimate cimport Estimate, added_errors
from treecli.kernels.raise_args cimport Nodes, Room, Rows
