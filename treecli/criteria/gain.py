"""Information gain, in bits: what ID3 maximises (Quinlan 1986)."""

from treecli.criteria import Criterion

CRITERION = Criterion("nominal", "entropy")
