"""The names of quantities in the notation of a textbook."""

from __future__ import annotations

from dataclasses import dataclass

from treecli.teaching.formulas import Name

MITCHELL, QUINLAN, MARKOV = "mitchell", "quinlan", "markov"
NOTATIONS = (MITCHELL, QUINLAN, MARKOV)

DECREASE = "Δ"
"""The symbol of a decrease that has no name of its own."""

AHEAD = "EvaluateSplit"
"""The gain of the subtree of a few levels below a split."""

_SYMBOLS = {
    MITCHELL: {"entropy": "H", "gain": "Gain", "info": "SplitInfo", "ratio": "GainRatio"},
    QUINLAN: {"entropy": "info", "gain": "gain", "info": "split info", "ratio": "gain ratio"},
    MARKOV: {"entropy": "I", "gain": "gain", "info": "SplitInfo", "ratio": "GainRatio"},
}
_OTHERS = {"gini": "Gini", "error": "Err", "variance": "SSE", "deviation": "sd", "absolute": "SAE"}


@dataclass(frozen=True, slots=True)
class Notation:
    """A way to write an impurity, its remainder after a split, and the split's worth."""

    name: str
    impurity: str
    of: str = ""
    """The condition of the cases; empty for those of the node."""

    @property
    def _whole(self) -> str:
        if self.of:
            return self.of
        return "E" if self.name == MARKOV else "S"

    @property
    def _symbol(self) -> str:
        return _OTHERS.get(self.impurity) or _SYMBOLS[self.name]["entropy"]

    @property
    def gain_symbol(self) -> str:
        """The symbol of the decrease of impurity."""
        return _SYMBOLS[self.name]["gain"] if self.impurity == "entropy" else DECREASE

    @property
    def ratio_symbol(self) -> str:
        return _SYMBOLS[self.name]["ratio"]

    def whole(self) -> Name:
        """Return the name of the impurity of the node."""
        return Name(self._symbol, self._whole)

    def known(self) -> Name:
        """Return the name of the impurity of the cases whose value is known."""
        return Name(self._symbol, "known")

    def branch(self, label: str) -> Name:
        """Return the name of the impurity of a branch."""
        return Name(self._symbol, self._whole, branch=label)

    def remainder(self, split: str, *, of_known: bool = False) -> Name:
        """Return the name of the impurity after a split."""
        whole = "known" if of_known else self._whole
        if self.name == MARKOV and self.impurity == "entropy":
            return Name("R", split=split)
        if self.name == QUINLAN and self.impurity == "entropy":
            return Name(self._symbol, whole, below=split)
        return Name(self._symbol, whole, given=split)

    def gain(self, split: str) -> Name:
        """Return the name of the decrease of impurity by a split."""
        return self._of_split(self.gain_symbol, split)

    def info(self, split: str) -> Name:
        """Return the name of the split information."""
        return self._of_split(_SYMBOLS[self.name]["info"], split)

    def ratio(self, split: str) -> Name:
        """Return the name of the gain ratio."""
        return self._of_split(self.ratio_symbol, split)

    def by_cost(self, symbol: str, split: str) -> Name:
        """Return the name of the gain weighed against the cost of the attribute."""
        return self._of_split(symbol, split)

    def ahead(self, split: str) -> Name:
        """Return the name of the gain of the subtree that a split leads to."""
        return self._of_split(AHEAD, split)

    def _of_split(self, symbol: str, split: str) -> Name:
        return Name(symbol, self._whole if self.name == MITCHELL or self.of else "", split=split)
