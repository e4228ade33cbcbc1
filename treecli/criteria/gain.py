"""Information gain in bits, the criterion of ID3 (Quinlan 1986)."""

from treecli.criteria import Criterion

CRITERION = Criterion("nominal", "entropy")
