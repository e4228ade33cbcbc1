"""A trace as data: the steps of every decision, at every node."""

from __future__ import annotations

from dataclasses import dataclass

from treecli.teaching.formulas import Step
from treecli.teaching.numbers import Digits
from treecli.teaching.prunetrace import PruneTrace

CHOSEN, BEATEN, TIED = "chosen", "beaten", "tied"
BELOW_AVERAGE, ONE_BRANCH, TOO_SMALL = "below-average", "one-branch", "too-small"
NOT_SIGNIFICANT, TOO_LITTLE, EXCLUDED = "not-significant", "too-little", "excluded"
NOT_DRAWN = "not-drawn"

EQUAL = 1e-9
"""Shares with a smaller difference are equal."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch of a split: the weights of its classes, or weight, mean and squared deviations of its cases."""

    label: str
    weight: float
    counts: tuple[float, ...]
    impurity: Step
    scaled: tuple[float, ...] = ()
    """The class weights as impurities count them, under priors or costs."""

    @property
    def mass(self) -> float:
        """The weight that impurities count."""
        return sum(self.scaled) if self.scaled else self.weight


@dataclass(frozen=True, slots=True)
class Way:
    """Another split on the same attribute: a threshold or a group of labels, with its gain."""

    label: str
    gain: float
    counts: tuple[tuple[float, ...], ...]
    is_best: bool
    is_allowed: bool = True
    """Whether predictions stay monotone."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a chi-square test."""

    branch: str
    label: str
    seen: float
    of_branch: float
    of_label: float
    total: float

    @property
    def expected(self) -> float:
        return self.of_branch * self.of_label / self.total

    @property
    def term(self) -> float:
        return (self.seen - self.expected) ** 2 / self.expected


@dataclass(frozen=True, slots=True)
class ChiSquare:
    """The chi-square test of a split; `multiplier` is Bonferroni's, 1 without."""

    cells: tuple[Cell, ...]
    n_branches: int
    n_labels: int
    chi2: float
    p: float
    level: float
    target: str
    multiplier: float = 1.0

    @property
    def freedom(self) -> int:
        return (self.n_branches - 1) * (self.n_labels - 1)

    @property
    def n_rough(self) -> int:
        """The number of expected counts below 5, for which the test is only approximate."""
        return sum(cell.expected < ROUGH for cell in self.cells)


ROUGH = 5.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """The best split on one attribute, with the arithmetic of its score; only the status if there is none.

    `title` names the split, `attribute` its attribute. `unknown` is the weight of cases whose value is missing.
    """

    attribute: str
    title: str
    status: str
    why: str = ""
    branches: tuple[Branch, ...] = ()
    known: Step | None = None
    remainder: Step | None = None
    gain: Step | None = None
    info: Step | None = None
    ratio: Step | None = None
    test: ChiSquare | None = None
    unknown: float = 0.0
    unknown_mass: float = 0.0
    """The same weight as impurities count it."""
    n_cuts: int | None = None
    runs: tuple[tuple[str, tuple[str, ...]], ...] = ()
    ways: tuple[Way, ...] = ()
    n_more_ways: int = 0
    shares: tuple[tuple[str, float, float], ...] = ()
    """If cases with a missing value take every branch: the label, the weight and the known weight of each."""
    measure: str = "gain"
    """The name of `gain` in JSON: `errors` or `cost` under optimal search."""
    ahead: Ahead | None = None
    """Under lookahead: what follows."""
    instead: Instead | None = None
    """Under skewing: the split that may be chosen, if it is not the best one in the data by themselves."""
    priced: Step | None = None
    """With costs of attributes: the gain weighed against the cost."""

    @property
    def worth(self) -> Step | None:
        """The gain that decides: by itself, or of the subtree under lookahead."""
        return self.gain if self.ahead is None else self.ahead.gain

    @property
    def decisive(self) -> Step | None:
        """The step whose result ranks the split, unless a test does."""
        return self.priced or self.ratio or self.worth

    @property
    def steps(self) -> list[Step]:
        """The steps after the branches, in order; under lookahead those before the branches are split further."""
        ratio = self.ratio if self.ahead is None else None
        found = (self.known, self.remainder, self.gain, self.info, ratio, self.priced)
        return [step for step in found if step is not None]


@dataclass(frozen=True, slots=True)
class Further:
    """A branch that is split further: its condition, the impurity of its cases, and its best split."""

    branch: str
    weight: float
    impurity: Step
    candidate: Candidate
    mass: float
    """The weight that impurities count."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """The best splits of the branches of a split, with the gain and the split information of the subtree.

    `ratio` is that of the subtree; the model has the scores of single splits, `score`.
    """

    further: tuple[Further, ...]
    gain: Step
    info: Step | None
    ratio: Step | None
    score: float

    @property
    def steps(self) -> list[Step]:
        """The steps after those of the branches, in order."""
        return [step for step in (self.gain, self.info, self.ratio) if step is not None]


@dataclass(frozen=True, slots=True)
class Instead:
    """A split with the threshold of the trial of this number, in which its attribute gains most."""

    candidate: Candidate
    trial: int


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial of skewing: the values that it favours, its impurity, and gains by the place of their candidates.

    `counts` is what it adds to the count of each candidate. None: the attribute is skewed itself.
    """

    favoured: tuple[str, ...]
    impurity: float
    gains: tuple[float | None, ...]
    counts: tuple[float | None, ...]

    @property
    def shares(self) -> tuple[float | None, ...]:
        """The gains as shares of the impurity."""
        return tuple(None if own is None else max(own, 0.0) / self.impurity for own in self.gains)


@dataclass(frozen=True, slots=True)
class Spelled:
    """A trial that is spelled out: its number, the factors of weights, and the arithmetic of its splits.

    `scale` makes the weights add up to those of the node, `heaviest` is the weight of one case; `shares` are the gains
    as shares of the impurity.
    """

    number: int
    factors: tuple[tuple[str, float, float], ...]
    """The condition that is favoured, its factor, and the factor of other values."""
    scale: Step
    heaviest: Step
    impurity: Step
    candidates: tuple[Candidate, ...]
    shares: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Skewing:
    """How trials choose: the data by themselves, then the trials, with the counts of all candidates; one in detail.

    `least` is the share from which a trial counts; None under sequential skewing, where shares are added.
    """

    least: float | None
    plain: Trial
    trials: tuple[Trial, ...]
    counts: tuple[float, ...]
    spelled: Spelled | None
    tie_rule: str


@dataclass(frozen=True, slots=True)
class Rival:
    """The subtree that a split leads to: its leaves, and its training errors or root mean squared error."""

    attribute: str
    is_tie: bool
    n_leaves: int
    error: float


@dataclass(frozen=True, slots=True)
class StandIn:
    """A surrogate: cases with `title` take the branch `branch`, the others the other one."""

    title: str
    branch: str
    agreement: Step
    adjusted: Step


@dataclass(frozen=True, slots=True)
class StandIns:
    """The surrogates of a split, best first; `usual` is the branch if none of them applies, empty if there is none."""

    attribute: str
    found: tuple[StandIn, ...]
    usual: str


@dataclass(frozen=True, slots=True)
class Bound:
    """The proof of the best tree of `depth` levels: `n_tests` were tried; every tree makes at least `floor` errors.

    With a penalty for leaves, `errors` is the cost. No tests: the time ended before there was a proof, and trees cost
    at least `at_least`; None where that is not known.
    """

    n_tests: int
    depth: int
    errors: float
    floor: float
    digits: Digits
    is_cost: bool = False
    is_judged: bool = False
    """Whether priors or costs decide with the counts."""
    at_least: float | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """A split that would gain more, but is not allowed, and why."""

    title: str
    gain: Step
    why: str


@dataclass(frozen=True, slots=True)
class Monotony:
    """Monotone predictions at a node: a sentence on each bound, and the best splits that are refused."""

    bounds: tuple[str, ...]
    refused: tuple[Refused, ...]


@dataclass(frozen=True, slots=True)
class NodeTrace:
    """A node and the decision taken there; `labels` names the `counts`, None for a numeric target.

    `every` has all candidates in the order of their columns, `candidates` those spelled out, `others` the rest.
    """

    id: int
    path: str
    weight: float
    counts: tuple[float, ...]
    labels: tuple[str, ...] | None
    is_open: bool
    prediction: str
    why_leaf: str = ""
    impurity: Step | None = None
    every: tuple[Candidate, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    others: tuple[Candidate, ...] = ()
    average: Step | None = None
    average_rule: str = "a ratio counts only from a gain of at least that, less 0.001"
    chosen: Candidate | None = None
    runner_up: Candidate | None = None
    ties: tuple[str, ...] = ()
    score: float | None = None
    undone: str = ""
    rivals: tuple[Rival, ...] = ()
    """The chosen split, then those that tie with it, or nearly do; empty if there is none."""
    stand_ins: StandIns | None = None
    tie_rule: str = "the first column wins"
    bound: Bound | None = None
    skewing: Skewing | None = None
    costs: tuple[Step, ...] = ()
    """Under priors or costs: the expected cost of each label at a leaf."""
    scaled: tuple[float, ...] = ()
    """The class weights as impurities count them, under priors or costs."""
    is_forced: bool = False
    """Whether the chosen split is not the best one, but one that is forced."""
    monotony: Monotony | None = None
    formulas: tuple[str, ...] = ()
    """The linear model of the node, and how it is smoothed."""
    is_median: bool = False
    """Whether a numeric target is predicted by its median."""


@dataclass(frozen=True, slots=True)
class Trace:
    """All steps that are shown. `symbol` names the score that decides."""

    criterion: str
    symbol: str
    digits: Digits
    notation: str
    nodes: tuple[NodeTrace, ...] = ()
    pruning: PruneTrace | None = None
    weighting: tuple[Step, ...] = ()
    """Under priors or costs: the weight of a case of each class in impurities, or in errors under optimal search."""
    weighting_rule: str = "by priors and costs, a case counts in impurities as the weight of its class"
    definitions: tuple[str, ...] = ()
    """Of derived columns whose names do not say how they are computed."""
    winnowing: tuple[str, ...] = ()
    """Which attributes winnowing leaves out, and why."""

    merging: tuple[str, ...] = ()
    """Which sibling leaves are merged at the end."""
    drawing: tuple[str, ...] = ()
    """The random choices at each node."""

    @property
    def introduction(self) -> tuple[str, ...]:
        """The lines before all nodes."""
        return (*self.winnowing, *self.drawing, *self.definitions)
