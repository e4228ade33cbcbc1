"""The pruning methods: each turns some inner nodes of a model's tree into leaves.

A method is a module with the members of the protocol below. The fields of its `Options`, made with `option`, become
command-line options (`min_cases` is `--min-cases`), so that a new method is one new file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import Field, asdict, field, fields
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

from treecli import plugins
from treecli.errors import UsageError
from treecli.options.option import PRUNING, Flag, Number, Option
from treecli.wording import number_text

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.model import TreeModel
    from treecli.predict.grove import Rows
    from treecli.tree import Tree


NUMBERS = {int: Number(is_whole=True), float: Number()}
"""The types of the fields of a method's options; the method itself checks the bounds."""


class Pruner(Protocol):
    """One method; its `Options` is a frozen dataclass that refuses invalid values with a UsageError."""

    DATA: Literal["none", "optional", "needed"]
    Options: type[Any]

    def prune(self, model: TreeModel, options: Any, dataset: Dataset | None, jobs: int | None = None) -> Tree:
        """The pruned tree; the model and the outcomes of the remaining nodes do not change.

        `dataset` has the model's schema; DATA says whether it is passed. Only a method with GROWS = True, because it
        grows trees to choose by, gets `jobs`, the number of threads. Only a method with TAKES_LEAF_MODELS = True gets
        trees whose leaves have models of their own. A method with NUMERIC_ONLY = True refuses nominal targets. Pruning
        a pruned tree again changes nothing, except by a method with PRUNES_FURTHER = True.
        """
        ...


class TakesGroves(Protocol):
    """An optional member: prunes the trees of many samples at once, with the same result as `prune`."""

    def prune_grove(self, model: TreeModel, options: Any, dataset: Dataset, rows: Sequence[Rows]) -> Tree:
        """The grove (see grow/grove.py) of the pruned trees; rows[i] are the rows that `prune` would get for sample i.

        The root of the grove does not become a leaf.
        """
        ...


def pruner(name: str) -> Pruner:
    """The method of this name."""
    return cast("Pruner", plugins.load("pruners", name))


def option(default: Any, help: str, *, name: str | None = None, type: type | None = None) -> Any:
    """A field of a method's options, with its default and its help text.

    `name` is the name of the option if it cannot be the field's name; `type` is required if the default is None.
    """
    return field(default=default, metadata={"help": help, "name": name, "type": type})


def all_options() -> list[Option]:
    """The options of all methods, in the order of --help."""
    return [_declared(method, own) for method in plugins.names("pruners") for own in fields(pruner(method).Options)]


def options_of(method: str | None, given: Mapping[str, Any], flag: str, usual: Mapping[str, Any] | None = None) -> Any:
    """The options of the chosen method: as given, else as `usual`, else the default; None if there is no method.

    `flag` is the option that chooses a method. An option of another method is refused.
    """
    for name in plugins.names("pruners"):
        for own in fields(pruner(name).Options):
            if name != method and own.name in given:
                at_work = "no method" if method is None else f"'{method}'"
                raise UsageError(f"{_flag(own)} is for {flag} {name}, but {at_work} is used", f"add {flag} {name}")
    if method is None:
        return None
    if usual and given:
        try:
            return pruner(method).Options(**{**usual, **given})
        except UsageError:  # the given options exclude the usual ones
            return pruner(method).Options(**given)
    return pruner(method).Options(**(usual or given))


def as_typed(method: str, options: Any, flag: str) -> str:
    """The method and its options as a command line."""
    words = [f"{flag} {method}"]
    values = asdict(options)
    for own in fields(options):
        value = values[own.name]
        if (value == own.default and isinstance(value, bool)) or value is None:
            continue
        name = _flag(own)
        if isinstance(value, bool):
            words.append(name if value else name.replace("--", "--no-", 1))
        else:
            words.append(f"{name} {number_text(value)}")
    return " ".join(words)


def _declared(method: str, own: Field[Any]) -> Option:
    is_flag = isinstance(own.default, bool)
    return Option(
        key=own.name,
        flag=_flag(own),
        kind=Flag(has_opposite=own.default is True) if is_flag else NUMBERS[own.metadata["type"] or type(own.default)],
        help=f"({method}) {own.metadata['help']}",
        heading=PRUNING,
        default=own.default,
        metavar=None if is_flag else "X",
        shown=not is_flag and own.default is not None,
    )


def _flag(own: Field[Any]) -> str:
    return f"--{(own.metadata['name'] or own.name).replace('_', '-')}"
