"""Models for tests, built by hand or at random."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hypothesis import strategies as st

from treecli.data import Attribute, Schema
from treecli.model import Lineage, TreeModel
from treecli.settings import Settings
from treecli.splits import NO_BRANCH, Split, binary, bins, known, multiway, subset, threshold
from treecli.splits._registry import kinds
from treecli.tree import ALL_BRANCHES, LEAF, Tree

Leaf = tuple[float, ...]
"""Class weights, or weight, mean and deviance."""

NO_CASES: Leaf = (0.0, 0.0, 0.0)
"""A leaf of a regression tree that no case reached."""


@dataclass(frozen=True, slots=True)
class Inner:
    """An inner node; its outcomes are the sums of its children's."""

    split: Split
    children: tuple[Inner | Leaf, ...]
    missing_to: int = ALL_BRANCHES
    score: float = 0.0


def grown(schema: Schema, root: Inner | Leaf) -> Tree:
    """The tree for a nested description."""
    nodes = [root]
    first_child: list[int] = []
    for node in nodes:  # grows while it is walked: a queue, hence level order
        first_child.append(len(nodes))
        if isinstance(node, Inner):
            nodes.extend(node.children)
    outcomes: list[Leaf] = [()] * len(nodes)
    for index in reversed(range(len(nodes))):
        node = nodes[index]
        if isinstance(node, Inner):
            begin = first_child[index]
            outcomes[index] = _together(schema, outcomes[begin : begin + len(node.children)])
        else:
            outcomes[index] = node
    tree = Tree(schema.n_outcomes)
    for index, node in enumerate(nodes):
        if isinstance(node, Inner):
            append(
                tree,
                outcomes[index],
                node.split,
                first_child=first_child[index],
                n_branches=len(node.children),
                missing_to=node.missing_to,
                score=node.score,
            )
        else:
            append(tree, outcomes[index])
    return tree


def append(
    tree: Tree,
    outcomes: Iterable[float],
    split: Split | None = None,
    *,
    first_child: int = 0,
    n_branches: int = 0,
    missing_to: int = ALL_BRANCHES,
    score: float = 0.0,
) -> None:
    """Adds a node after all others of a tree: a leaf, or an inner node whose children are to follow."""
    tree.kind.append(LEAF if split is None else kinds().index(split.KIND))
    tree.attribute.append(LEAF if split is None else split.attribute)
    tree.number.append(0.0 if split is None else split.number)
    tree.further.extend(() if split is None else split.further)
    tree.further_start.append(len(tree.further))
    tree.table.extend(() if split is None else split.table)
    tree.table_start.append(len(tree.table))
    tree.missing_to.append(missing_to)
    tree.first_child.append(first_child)
    tree.n_branches.append(n_branches)
    tree.score.append(score)
    tree.outcomes.extend(outcomes)


def _together(schema: Schema, parts: list[Leaf]) -> Leaf:
    if schema.is_classification:
        return tuple(sum(weights) for weights in zip(*parts, strict=True))
    weight = sum(part[0] for part in parts)
    if weight == 0:
        return NO_CASES
    mean = sum(part[0] * part[1] for part in parts) / weight
    return weight, mean, sum(part[2] + part[0] * (part[1] - mean) ** 2 for part in parts)


def model_of(schema: Schema, root: Inner | Leaf, lineage: tuple[Lineage, ...] = ()) -> TreeModel:
    """A model with the default settings."""
    return TreeModel(schema, Settings(), lineage, grown(schema, root))


PLAYTENNIS = Schema(
    (
        Attribute("Outlook", "nominal", ("Sunny", "Overcast", "Rain")),
        Attribute("Temperature", "nominal", ("Hot", "Mild", "Cool")),
        Attribute("Humidity", "nominal", ("High", "Normal")),
        Attribute("Wind", "nominal", ("Weak", "Strong")),
    ),
    Attribute("PlayTennis", "nominal", ("No", "Yes")),
)


def playtennis() -> TreeModel:
    """The lecture's tree for the 14 days: 5 leaves and no training errors.

    Nodes: 0 Outlook; 1 Sunny: Humidity; 2 Overcast; 3 Rain: Wind; 4, 5 under Sunny; 6, 7 under Rain.
    """
    root = Inner(
        multiway.Split(0, 3),
        (
            Inner(multiway.Split(2, 2), ((3.0, 0.0), (0.0, 2.0)), score=1.0),
            (0.0, 4.0),
            Inner(multiway.Split(3, 2), ((0.0, 3.0), (2.0, 0.0)), score=1.0),
        ),
        score=0.15642756242117523,  # gain 0.246750 per 1.577406 bits
    )
    return model_of(PLAYTENNIS, root, ({"command": "train", "data": "playtennis.csv"},))


IRIS = Schema(
    tuple(Attribute(name, "numeric") for name in ("sepallength", "sepalwidth", "petallength", "petalwidth")),
    Attribute("class", "nominal", ("Iris-setosa", "Iris-versicolor", "Iris-virginica")),
)


def iris_like() -> TreeModel:
    """The tree that Weka 3.6.14's J48 prints for iris: 9 nodes, 5 leaves, 3 training errors of 150."""
    petallength, petalwidth = 2, 3
    root = Inner(
        threshold.Split(petalwidth, 0.6),
        (
            (50.0, 0.0, 0.0),
            Inner(
                threshold.Split(petalwidth, 1.7),
                (
                    Inner(
                        threshold.Split(petallength, 4.9),
                        (
                            (0.0, 47.0, 1.0),
                            Inner(threshold.Split(petalwidth, 1.5), ((0.0, 0.0, 3.0), (0.0, 2.0, 1.0))),
                        ),
                    ),
                    (0.0, 1.0, 45.0),
                ),
            ),
        ),
    )
    return model_of(IRIS, root)


HOUSES = Schema(
    (Attribute("area", "numeric"), Attribute("district", "nominal", ("old town", "harbour", "hills"))),
    Attribute("price", "numeric"),
)


def regression() -> TreeModel:
    """Six prices: area <= 60: 10, 14 | above: old town 20, 20; harbour 33, 27; hills none, so its leaf is empty."""
    root = Inner(
        threshold.Split(0, 60.0),
        ((2.0, 12.0, 8.0), Inner(multiway.Split(1, 3), ((2.0, 20.0, 0.0), (2.0, 30.0, 18.0), NO_CASES))),
    )
    return model_of(HOUSES, root)


EVERY_KIND = Schema(
    (
        Attribute("size", "numeric"),
        Attribute("grade", "ordinal", ("low", "mid", "high", "top")),
        Attribute("colour", "nominal", ("red", "green", "blue", "dark grey")),
        Attribute("shape", "nominal", ("round", "square", "star")),
    ),
    Attribute("verdict", "nominal", ("yes", "no", "don't know")),
)


def every_kind() -> TreeModel:
    """A tree with every kind of split and every way of a missing value; 15 nodes in level order.

    0 size <= 2.5, missing down both | 1 grade <= mid, missing to 'mid or below' | 2 colour {red, blue} {green},
    nobody was dark grey, missing to a branch of its own | 3 shape = star, missing down both | 4 leaf |
    5 whether size is known | 6 leaf | 7 shape multiway, missing to 'square' | ...
    """
    root = Inner(
        threshold.Split(0, 2.5),
        (
            Inner(
                threshold.Split(1, 1.0),
                (Inner(binary.Split(3, 2, 3), ((4.0, 1.0, 0.0), (0.0, 2.5, 0.5))), (0.0, 0.0, 6.0)),
                missing_to=0,
            ),
            Inner(
                subset.Split(2, (0, 1, 0, NO_BRANCH)),
                (
                    Inner(known.Split(0), ((3.0, 0.0, 0.0), (0.0, 2.0, 0.0)), missing_to=1),
                    (0.0, 5.0, 0.0),
                    Inner(
                        multiway.Split(3, 3),
                        ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0)),
                        missing_to=1,
                    ),
                ),
                missing_to=2,
            ),
        ),
    )
    return model_of(EVERY_KIND, root)


def single_leaf() -> TreeModel:
    """A single leaf: 9 of the 14 days were good ones."""
    return model_of(PLAYTENNIS, (5.0, 9.0))


def chain(depth: int) -> TreeModel:
    """A tree of a given depth: x <= 1 is a leaf, else x <= 2 is a leaf, else …; one case per leaf, in turn a and b.

    Nodes 0, 2, 4, … are tests; 1, 3, 5, … and the last are leaves.
    """
    schema = Schema((Attribute("x", "numeric"),), Attribute("y", "nominal", ("a", "b")))
    tree = Tree(schema.n_outcomes)
    for level in range(depth + 1):
        n_cases = depth + 1 - level
        counts = ((n_cases + 1) // 2, n_cases // 2)
        first = 1 if level % 2 == 0 else -1
        if level < depth:
            append(tree, counts[::first], threshold.Split(0, level + 1.0), first_child=2 * level + 1, n_branches=2)
        append(tree, (1.0, 0.0)[::first])
    return TreeModel(schema, Settings(), (), tree)


TEXTS = st.text(st.characters(codec="utf-8"), max_size=6)
NUMBERS = st.floats(-1e9, 1e9)
WEIGHTS = st.integers(0, 40).map(lambda quarters: quarters / 4)


@st.composite
def models(draw: st.DrawFn, is_classification: bool | None = None, max_depth: int = 3) -> TreeModel:
    """Any small model: every kind of attribute, split and way of a missing value, empty leaves too."""
    n_columns = draw(st.integers(2, 5))
    names = draw(st.lists(TEXTS, min_size=n_columns, max_size=n_columns, unique=True))
    *attributes, column = (draw(_attributes(name)) for name in names)
    if is_classification is not None and is_classification == column.is_numeric:
        column = (
            Attribute(column.name, "nominal", ("a", "b", "c")) if is_classification else Attribute(names[-1], "numeric")
        )
    schema = Schema(tuple(attributes), column)
    return model_of(schema, _node(draw, schema, max_depth))


@st.composite
def _attributes(draw: st.DrawFn, name: str) -> Attribute:
    kind = draw(st.sampled_from(("numeric", "nominal", "ordinal")))
    labels = [] if kind == "numeric" else draw(st.lists(TEXTS, min_size=2, max_size=4, unique=True))
    return Attribute(name, kind, tuple(labels))


def _node(draw: st.DrawFn, schema: Schema, depth: int) -> Inner | Leaf:
    if depth == 0 or not draw(st.booleans()):
        if schema.is_classification:
            return draw(st.tuples(*[WEIGHTS] * schema.n_outcomes))
        return draw(st.tuples(st.integers(1, 9).map(float), NUMBERS, WEIGHTS) | st.just(NO_CASES))
    split = draw(_splits(schema))
    n_known = split.n_branches()
    missing_to = draw(st.integers(ALL_BRANCHES, n_known))  # n_known: a branch of their own, after the others
    n_branches = n_known + (missing_to == n_known)
    return Inner(split, tuple(_node(draw, schema, depth - 1) for _ in range(n_branches)), missing_to, draw(NUMBERS))


@st.composite
def _splits(draw: st.DrawFn, schema: Schema) -> Split:
    index = draw(st.integers(0, len(schema.attributes) - 1))
    attribute = schema.attributes[index]
    n_labels = len(attribute.labels)
    if attribute.is_numeric:
        bounds = tuple(sorted(draw(st.sets(NUMBERS, min_size=1, max_size=4))))
        choices_of_numbers = (threshold.Split(index, draw(NUMBERS)), bins.Split(index, bounds), known.Split(index))
        return draw(st.sampled_from(choices_of_numbers))
    codes = st.integers(0, n_labels - 1)
    table = draw(
        st.lists(st.integers(NO_BRANCH, 2), min_size=n_labels, max_size=n_labels).filter(lambda t: max(t) >= 0)
    )
    used = sorted(set(table) - {NO_BRANCH})
    choices: list[Split] = [
        known.Split(index),
        multiway.Split(index, n_labels),
        binary.Split(index, draw(codes), n_labels),
        subset.Split(index, tuple(used.index(group) if group in used else NO_BRANCH for group in table)),
    ]
    if attribute.kind == "ordinal":
        choices.append(threshold.Split(index, float(draw(codes))))
        choices.append(bins.Split(index, tuple(sorted(map(float, draw(st.sets(codes, min_size=1)))))))
    return draw(st.sampled_from(choices))
