from treecli.kernels.route_args cimport Leaves, Nodes, Room
