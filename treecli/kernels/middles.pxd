from treecli.kernels.args cimport Cases, Order
