"""Growing a tree level by level: score every split of all open nodes, choose, add children, go down."""

from __future__ import annotations

from typing import Any

import numpy as np

from treecli import binning, c45gains, deviations, grafting, groupings, plugins, priors, remainders, shares, smallnodes
from treecli.candidates import NO_GAIN, Candidates, Codes, Cuts, Flags, Floats, Indices, Terms, joined
from treecli.criteria import criterion_for
from treecli.data import Dataset
from treecli.decision import competitors, decided, first_branches, keep_tables, kinds_of, printed_thresholds
from treecli.depthfirst import Finisher, Limits
from treecli.errors import DataError, UsageError
from treecli.grafting import Graft
from treecli.kernels import impurity
from treecli.levels import Level, assembled
from treecli.memory import Decision, MemoryEngine
from treecli.missing import Policy
from treecli.settings import Settings
from treecli.smallnodes import SmallNodes
from treecli.splits import threshold
from treecli.subtrees import PURE_SHARE
from treecli.surrogates import Surrogates, fuller_branch
from treecli.threads import OnProgress
from treecli.tree import LEAF, Surrogate, Tree, risks
from treecli.trimming import split_as_grown

DEEPEST = np.iinfo(np.int64).max
"""The depth of no tree."""


class Growth:
    """A tree on its way: finished levels, and the open nodes of the last one."""

    def __init__(
        self, dataset: Dataset, settings: Settings, jobs: int | None, *, most_cases: int | None = None
    ) -> None:
        """`most_cases`: nodes that hold no more are finished depth first; None: as many as suit the threads."""
        self._settings = settings
        self._schema = dataset.schema
        _, self._criterion = criterion_for(settings, dataset.schema)
        if settings.stopping.chi2_alpha is not None and not dataset.schema.is_classification:
            name = dataset.schema.target.name
            raise UsageError(
                f"--chi2-alpha tests whether branches differ in their classes, but '{name}' is numeric",
                f"leave it out, or say --type {name}=nominal",
            )
        self._policy: Policy = plugins.load("missing", settings.missing.policy).POLICY
        if self._policy.is_refused:
            _refuse_missing(dataset)
        self._nominal = plugins.load("splits", settings.splitting.nominal)
        binning.check(settings, dataset.schema, self._criterion.impurity)
        is_judged = settings.predicting.priors is not None or settings.predicting.costs is not None
        if is_judged:
            priors.check(settings.predicting.priors, settings.predicting.costs, dataset.schema.target.labels)
        if settings.predicting.single_precision:
            dataset = dataset.in_single_precision()
        self._takes_medians = self._criterion.impurity == "absolute"
        self._by_shares = shares.applies(settings, self._criterion, self._policy)
        self._by_remainders = remainders.applies(settings, self._criterion)
        self._by_c45 = c45gains.applies(settings, self._criterion, self._policy, dataset.weights)
        # What a case counts by its prior is no size.
        self._counts_rows = settings.stopping.counts_rows or self._by_shares or is_judged
        self._terms = Terms(
            impurity=impurity.CODES[self._criterion.impurity],
            is_numeric=not dataset.schema.is_classification,
            min_leaf=0.0 if self._counts_rows else settings.stopping.min_leaf,
            tolerance=settings.computing.tolerance,
            missing_is_value=self._policy.is_value,
            wants_chi2=settings.stopping.chi2_alpha is not None or self._criterion.is_test,
            by_ratio=self._criterion.is_ratio,
            zero_gain=settings.stopping.zero_gain,
            value_gap=settings.splitting.value_gap,
            branch_share=settings.splitting.branch_share,
            most_branch_share=settings.splitting.most_branch_share,
            cut_cost=settings.splitting.cut_cost,
            min_rows=settings.stopping.min_leaf if self._counts_rows else 0.0,
            most_exhaustive=groupings.most_exhaustive(settings, is_measured=self._by_shares),
            is_strict=settings.splitting.is_strict,
            by_shares=self._by_shares,
            by_remainders=self._by_remainders,
            is_single=settings.predicting.single_precision,
            merge_alpha=settings.splitting.merge_alpha,
        )
        self._budget = groupings.budget(settings, dataset.schema)
        self._is_counted = self._counts_in_average(dataset.n_rows)
        self.engine = MemoryEngine(
            dataset, self._terms, spreads=self._policy.spreads, jobs=jobs, blank_rows=settings.missing.blank_rows
        )
        self._bounds = binning.cut(self.engine, dataset.schema, settings)
        root = self.engine.root_outcomes()
        if self._takes_medians:
            deviations.take_medians(self.engine, None, root)
        self._scale = np.array(
            priors.altered_scale(
                settings.predicting.priors, settings.predicting.costs, dataset.schema.target.labels, root[0].tolist()
            )
            if dataset.schema.is_classification
            else [1.0]
        )
        if is_judged and not self._by_shares:
            self.engine.scale = self._scale
        self._levels = [Level.of_leaves(root)]
        usual_deviance = PURE_SHARE * root[0, -1] / max(self._weights(root)[0], 1.0)
        self._least_deviance = (
            usual_deviance if settings.stopping.pure_impurity is None else settings.stopping.pure_impurity
        )
        self._n_nodes = 1
        self._notes: dict[int, dict[str, Any]] = {}
        self._surrogates: dict[int, tuple[Surrogate, ...]] = {}
        self._n_rows = max(dataset.n_rows, 1)
        self._greatest = 0.0
        self._alpha = -np.inf if settings.stopping.cp is None else settings.stopping.cp * self._risks(root)[0]
        # Where the open nodes stand in the last level.
        self._open: Indices = np.flatnonzero(self._may_split(root))
        self._grafts: list[Graft] = []
        self._small = SmallNodes(self.engine, most_cases)
        self._can_finish = not self._by_c45 and smallnodes.applies(
            self.engine, settings, self._criterion, self._policy, self._terms
        )

    def run(self, on_progress: OnProgress | None = None) -> None:
        """Adds levels until no node is open, then the subtrees of those that were set aside."""
        try:
            self._set_aside()
            while self.is_open:
                self.add_level()
                self._set_aside()
                if on_progress is not None:
                    on_progress(self.share_done)
            for graft in self._small.finish(self._finisher()) if self._small.n_cases else ():
                self._grafts.append(graft)
                if on_progress is not None:
                    on_progress(self.share_done)
        finally:
            self.engine.close()

    @property
    def is_open(self) -> bool:
        return len(self._open) > 0

    @property
    def share_done(self) -> float:
        """How much of the data has come to rest in leaves."""
        n_open = self._small.n_cases + (self.engine.n_cases if self.is_open else 0)
        return 1.0 - min(n_open / self._n_rows, 1.0)

    def add_level(self) -> None:
        """Splits the open nodes where that can be done, and adds their children."""
        level = self._levels[-1]
        candidates = self.engine.map(self.candidates, range(len(self._schema.attributes)))
        chosen, score, gain = self._choose(candidates)
        decision = decided(candidates, chosen, stays=self._policy.stays)
        first = first_branches(candidates, chosen)
        self.engine.send(decision)
        if self._policy.by_surrogates:
            self._find_surrogates(decision, first)
        children = self.engine.children(decision)
        if self._policy.by_surrogates:
            decision.missing_to[:] = fuller_branch(decision, self.engine.n_rows_of_child())
        if self._takes_medians:
            deviations.take_medians(self.engine, decision, children)
        elif self._by_remainders and not self._schema.is_classification:
            remainders.even_out(self.engine, decision, children)
        is_split = chosen >= 0
        nodes = self._open[is_split]
        level.kind[nodes] = kinds_of(candidates, chosen)[is_split]
        level.attribute[nodes] = chosen[is_split]
        level.number[nodes] = decision.number[is_split]
        level.missing_to[nodes] = decision.missing_to[is_split]
        level.first_child[nodes] = self._n_nodes + decision.first_child[:-1][is_split]
        level.n_branches[nodes] = np.diff(decision.first_child)[is_split]
        level.score[nodes] = score[is_split]
        level.first[nodes] = first[is_split]
        level.improvement[nodes] = (gain * self._weights(level.outcomes[self._open]))[is_split]
        keep_tables(level, self._open, decision)
        self._note("printed", printed_thresholds(candidates, chosen))
        self._levels.append(Level.of_leaves(children))
        self._n_nodes += len(children)
        is_open = self._may_split(children)
        self._open = np.flatnonzero(is_open)
        self.engine.descend(decision, is_open, children)

    def _note(self, name: str, of_open: dict[int, Any]) -> None:
        """Remembers something of open nodes, to be shown."""
        first = self._n_nodes - len(self._levels[-1].kind)
        for i, note in of_open.items():
            self._notes.setdefault(int(first + self._open[i]), {})[name] = note

    def tree(self) -> tuple[Tree, Floats]:
        """The finished tree, and by how much each of its splits lowers the total impurity."""
        if self._grafts:
            whole = grafting.joined(
                self._levels, self._grafts, self._schema, self._settings.splitting.nominal, self._thresholds
            )
            self._grafts, self._levels = [], [whole.nodes]
            for node, number in whole.printed.items():
                self._notes.setdefault(node, {})["printed"] = number
            number_now = np.argsort(whole.number_before)
            self._notes = {int(number_now[node]): note for node, note in self._notes.items()}
        tree = assembled(self._levels, self._schema.n_outcomes)
        tree.notes, tree.surrogates = self._notes, self._surrogates
        tree.judge_by(self._settings.predicting.priors, self._settings.predicting.costs, self._schema.target.labels)
        return tree, np.concatenate([level.improvement for level in self._levels])

    def kept(self, tree: Tree, cp: float) -> list[bool]:
        """Whether rpart would split each node of the tree where a leaf must save more than this share of the risk."""
        first: list[int] = np.concatenate([level.first for level in self._levels]).tolist()
        risk = risks(tree, is_classification=self._schema.is_classification)
        return split_as_grown(tree, risk, first, cp * risk[0])

    def warnings(self) -> list[str]:
        """Warnings about how the tree was grown."""
        exceeded = self._budget.exceeded
        return groupings.warnings(self._settings, self._schema, exceeded, is_measured=self._by_shares)

    def _counts_in_average(self, n_rows: int) -> Flags:
        """Whether an attribute counts in the average gain: not if it has very many labels, unless all have."""
        share = self._settings.splitting.many_labels
        if share is None:
            return np.ones(len(self._schema.attributes), bool)
        is_counted = np.array([a.is_numeric or len(a.labels) < share * n_rows for a in self._schema.attributes])
        return is_counted if is_counted.any() else ~is_counted

    def _weights(self, outcomes: Floats) -> Floats:
        weights = np.empty(len(outcomes))
        impurity.totals(outcomes, not self._schema.is_classification, weights)
        return weights

    def _set_aside(self) -> None:
        """Takes small nodes out of the last level, to be finished later."""
        if self._can_finish and self.is_open:
            numbers = self._n_nodes - len(self._levels[-1].kind) + self._open
            stays = self._small.set_aside(numbers, self._levels[-1].outcomes[self._open], len(self._levels) - 1)
            self._open = self._open[stays]

    def _finisher(self) -> Finisher:
        settings = self._settings
        depths = [] if settings.stopping.max_depth is None else [settings.stopping.max_depth]
        if settings.stopping.max_leaves is not None:
            depths.append(settings.stopping.max_leaves - 1)
        limits = Limits(
            self._criterion.is_ratio,
            (2 * settings.stopping.min_leaf if settings.stopping.min_split is None else settings.stopping.min_split)
            - settings.computing.tolerance,
            self._least_deviance,
            -np.inf
            if settings.stopping.min_gain is None
            else settings.stopping.min_gain - settings.computing.tolerance,
            settings.stopping.gain_of_all,
            float(self._weights(self._levels[0].outcomes)[0]),
            min([*depths, DEEPEST]),
        )
        of_tree = self._schema, self._terms, self._policy, settings.splitting.nominal, self._is_counted, limits
        return Finisher(self.engine, *of_tree)

    def _may_split(self, outcomes: Floats) -> Flags:
        """Whether a node of the last level is neither too deep, too small nor pure."""
        settings, depth = self._settings, len(self._levels) - 1
        if settings.stopping.max_depth is not None and depth >= settings.stopping.max_depth:
            return np.zeros(len(outcomes), bool)
        if settings.stopping.max_leaves is not None and depth >= settings.stopping.max_leaves - 1:
            return np.zeros(len(outcomes), bool)
        weight = self._weights(outcomes)
        if self._schema.is_classification:
            is_mixed = outcomes.max(axis=1) < weight - settings.computing.tolerance * np.minimum(weight, 1.0)
        else:
            is_mixed = outcomes[:, 2] > self._least_deviance * weight
        least = 2 * settings.stopping.min_leaf if settings.stopping.min_split is None else settings.stopping.min_split
        size = self.engine.n_rows_of_child() if self._counts_rows else weight
        # By a hair's breadth more than can be split: split_as_grown is exact.
        is_risky = self._risks(outcomes) > self._alpha - PURE_SHARE * abs(self._alpha)
        return np.asarray(is_mixed & is_risky & (size >= least - settings.computing.tolerance) & (weight > 0))

    def _risks(self, outcomes: Floats) -> Floats:
        """What nodes cost as leaves."""
        settings = self._settings
        if not self._schema.is_classification:
            return outcomes[:, 2]
        if settings.predicting.costs is None and settings.predicting.priors is None:
            return np.asarray(outcomes.sum(axis=1) - outcomes.max(axis=1))
        counts, labels = self._levels[0].outcomes[0].tolist(), self._schema.target.labels
        costs = 1.0 - np.eye(len(labels)) if settings.predicting.costs is None else np.array(settings.predicting.costs)
        scaled = outcomes * priors.class_scale(settings.predicting.priors, labels, counts)
        return np.asarray((scaled @ costs).min(axis=1))

    def candidates(self, attribute: int) -> Candidates:
        """The best split on an attribute at every open node."""
        kind = self._schema.attributes[attribute].kind
        if attribute in self._bounds:
            is_merged = self._settings.splitting.nominal == binning.MERGED
            bounds = self._bounds[attribute]
            return binning.best(self.engine, attribute, bounds, self._terms, is_merged=is_merged)
        if self._by_shares:
            return shares.best(self.engine, attribute, kind, self._terms, self._scale, self._budget)
        if kind == "nominal" and self._takes_medians:
            return deviations.groups(self.engine, attribute, self._settings.splitting.nominal, self._terms)
        if kind == "nominal" and self._by_c45:
            return c45gains.branches(self.engine, attribute, self._terms)
        if kind == "nominal":
            return joined([self._nominal.best(tables, self._terms) for tables in self.engine.count(attribute)])
        where = self._settings.splitting.threshold
        is_single = where in ("mean", "median")
        middles = self.engine.middles(attribute, is_median=where == "median") if is_single else None
        return self._thresholds(attribute, self._cuts(attribute, middles), middles)

    def _thresholds(self, attribute: int, cuts: Cuts, middles: Floats | None = None) -> Candidates:
        """Cuts as thresholds, where the settings want them."""
        is_ordinal = self._schema.attributes[attribute].kind == "ordinal"
        found = threshold.best(cuts, middles, is_ordinal=is_ordinal, is_strict=self._settings.splitting.is_strict)
        if self._settings.splitting.threshold != "datavalue":
            return found
        if self._by_c45:
            return c45gains.at_data_values(found, cuts, self.engine.occurring(attribute))
        # Values that no threshold may part are not told apart here either.
        tolerance = min(self._settings.computing.tolerance, self._settings.splitting.value_gap)
        return threshold.at_data_values(
            found, self.engine.occurring(attribute), self.engine.column(attribute), tolerance
        )

    def _cuts(self, attribute: int, only_at: Floats | None) -> Cuts:
        if self._takes_medians:
            return deviations.cuts(self.engine, self.engine.ordered[attribute], only_at, self._terms)
        if self._by_remainders:
            return remainders.cuts(self.engine, attribute, only_at, self._terms)
        if self._by_c45:
            return c45gains.cuts(self.engine, attribute, self._terms)
        return self.engine.cuts(attribute, only_at)

    def _choose(self, candidates: list[Candidates]) -> tuple[Codes, Floats, Floats]:
        """The attribute that splits each open node, or LEAF, with its merit and its gain."""
        settings = self._settings
        gain = np.array([c.gain for c in candidates])
        if settings.stopping.chi2_alpha is not None:
            gain[np.array([c.test.p_values() for c in candidates]) > settings.stopping.chi2_alpha] = NO_GAIN
        if settings.stopping.min_gain is not None:
            weight = self._weights(self._levels[-1].outcomes[self._open])
            share = weight / self._weights(self._levels[0].outcomes) if settings.stopping.gain_of_all else 1.0
            gain[gain * share < settings.stopping.min_gain - settings.computing.tolerance] = NO_GAIN
        if settings.stopping.least_share > 0:
            worth = self._worth(candidates, gain)
            # As in rpart, an attribute is measured against those before it.
            greatest = np.maximum.accumulate(np.maximum(worth, self._greatest), axis=0)
            gain[worth <= settings.stopping.least_share * greatest] = NO_GAIN
            self._greatest = max(self._greatest, float(worth.max(initial=0.0)))
        if self._by_c45:
            return self._choose_as_c45(candidates, gain)
        merit = self._criterion.merit(gain, np.array([c.split_info for c in candidates]), self._is_counted)
        second = np.zeros(gain.shape)
        if self._criterion.is_test:
            log_p = np.array([c.test.log_p_values() for c in candidates])
            merit = np.where(np.isfinite(gain), -log_p / np.log(10), NO_GAIN)
            second = np.array([c.test.chi2 for c in candidates])
        if not settings.stopping.zero_gain and not self._by_shares:
            merit[merit <= settings.computing.tolerance] = NO_GAIN
        chosen = np.full(gain.shape[1], LEAF, np.int32)
        best, best_second = np.full(gain.shape[1], NO_GAIN), np.zeros(gain.shape[1])
        slack = settings.computing.tolerance * (1.0 if self._schema.is_classification else self._variances())
        if self._by_shares:
            merit, slack = np.where(np.isfinite(gain), self._worth(candidates, gain), NO_GAIN), 0.0
        if self._by_remainders:
            merit, slack = np.where(np.isfinite(merit), self._left(candidates, gain), NO_GAIN), 0.0
        for attribute, merits in enumerate(merit):
            # Not "merits > best + slack" alone: -inf + slack would let a split that cannot be made tie with none.
            is_tie = (merits >= best - slack) & (second[attribute] > best_second + slack)
            is_better = np.isfinite(merits) & ((merits > best + slack) | is_tie)
            chosen[is_better] = attribute
            best[is_better], best_second[is_better] = merits[is_better], second[attribute][is_better]
        is_total = self._by_shares or self._by_remainders
        if settings.computing.competitors > 0:
            score = gain if is_total else merit
            self._note(
                "competitors",
                competitors(candidates, chosen, merit, score, settings.computing.competitors, self._schema),
            )
        of_chosen = np.where(chosen >= 0, gain[chosen, np.arange(len(chosen))], 0.0)
        return chosen, of_chosen if is_total else best, of_chosen

    def _choose_as_c45(self, candidates: list[Candidates], gain: Floats) -> tuple[Codes, Floats, Floats]:
        """As _choose, with the gains that are still possible."""
        most = self._settings.computing.competitors
        chosen, best, ratio = c45gains.choose(gain, np.array([c.split_info for c in candidates]), self._is_counted)
        if most > 0:
            self._note("competitors", competitors(candidates, chosen, ratio, ratio, most, self._schema))
        return chosen, best, np.where(chosen >= 0, gain[chosen, np.arange(len(chosen))], 0.0)

    def _find_surrogates(self, decision: Decision, first: Codes) -> None:
        """Keeps the surrogates of the splits, and sends the cases that have no branch by them."""
        settings = self._settings
        found = Surrogates(
            self.engine,
            decision,
            self._schema,
            first,
            most=settings.missing.max_surrogates,
            is_strict=settings.splitting.is_strict,
            has_slip=settings.missing.surrogate_slip,
        )
        found.resolve()
        first_of_level = self._n_nodes - len(self._levels[-1].kind)
        self._surrogates |= {int(first_of_level + self._open[i]): own for i, own in found.found().items()}

    def _left(self, candidates: list[Candidates], gain: Floats) -> Floats:
        """Minus what each candidate leaves of the impurity, up to a constant of the node."""
        left = np.array([np.full(len(c.gain), np.nan) if c.improvement is None else c.improvement for c in candidates])
        if not np.isnan(left).any():
            return left
        if self._takes_medians:
            unsplit = -self._levels[-1].outcomes[self._open, 2]
        else:
            unsplit = remainders.unsplit(self.engine, self._terms)
        return np.where(np.isnan(left), gain * self.engine.weights(self._scale) + unsplit, left)

    def _worth(self, candidates: list[Candidates], gain: Floats) -> Floats:
        """What all cases of a node gain together; of a numeric target as a share of what there was."""
        if self._by_shares:
            worth = np.array([c.improvement for c in candidates])
        else:
            worth = gain * self.engine.weights(self._scale)
        return worth if self._schema.is_classification else worth / self._levels[-1].outcomes[self._open, 2]

    def _variances(self) -> Floats:
        outcomes = self._levels[-1].outcomes[self._open]
        return outcomes[:, 2] / outcomes[:, 0]


def _refuse_missing(dataset: Dataset) -> None:
    for attribute, column in zip(dataset.schema.attributes, dataset.columns, strict=True):
        n_missing = int(np.count_nonzero(column != column if attribute.is_numeric else column < 0))
        if n_missing:
            raise DataError(
                f"'{attribute.name}' is missing in {n_missing} of {dataset.n_rows} rows; --missing error allows none",
                "choose another way for --missing, or leave the column out with -x",
            )
