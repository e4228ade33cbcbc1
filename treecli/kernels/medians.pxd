from treecli.kernels.remainders cimport parted
