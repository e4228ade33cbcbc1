"""One CASE expression, or a query or view around it, in the SQL of several databases."""

from __future__ import annotations

from treecli.errors import UsageError
from treecli.exporters import CURE, Options
from treecli.exporters._case import INDENT, Case, is_plain_ensemble
from treecli.exporters._dialects import DIALECTS, Dialect, Sums
from treecli.exporters._names import free_name, heading
from treecli.model import Model
from treecli.models import program_of
from treecli.predict.program import Program

TITLE = "SQL"
OPTIONS = frozenset({"name", "dialect", "form", "table"})

DEFAULT_DIALECT = "sqlite"
DEFAULT_VIEW = "predictions"
PREDICTION = "prediction"
"""The column that a query or view adds."""

ALIAS = "t"
"""The table's alias in a query: BigQuery does not allow a name with project and dataset before a column."""

MOST_FACTORS = 1000
"""Branches on the paths to all leaves, if rows spread: databases take minutes to plan longer sums."""

MOST_TESTS = 20_000
"""Nodes of all trees of an ensemble: databases take minutes to plan longer sums."""


def export(model: Model, options: Options) -> str:
    """Return the model as SQL text."""
    dialect = DIALECTS[options.dialect or DEFAULT_DIALECT]
    form = options.form or "case"
    if form != "case" and options.table is None:
        raise UsageError(f"--as {form}: needs the table that it reads", "name it with --table")
    if form != "view" and options.name is not None:
        raise UsageError(f"--name: --as {form} has no name", "it is for --as view")
    program = program_of(model, refuses_missing=options.refuses_missing)
    _check(program, dialect)
    columns = (program.schema.columns[index] for index in program.attributes)
    asked = ", ".join(f"{a.name} ({'number' if a.is_numeric else 'text'})" for a in columns)
    notes = [f"For {dialect.title}; asks for the columns: {asked}." if asked else f"For {dialect.title}."]
    lines = [f"-- {line}" for line in heading(program, notes)]
    case = Case(program, dialect, options.table if form == "case" else ALIAS)
    way = case.joint if program.is_joint else case.either
    expression = case.with_names(list(way()) if program.spreads else case.lines(program))
    if form == "case":
        lines += expression
    else:
        assert options.table is not None
        if form == "view":
            lines.append(f"CREATE VIEW {dialect.name(options.name or DEFAULT_VIEW)} AS")
        alias = dialect.name(ALIAS)
        lines.append(f"SELECT {alias}.*,")
        lines += [f"{INDENT}{line}" for line in expression]
        lines.append(f"{INDENT}AS {dialect.name(prediction_column(program))}")
        lines.append(f"FROM {dialect.name(options.table)} AS {alias};")
    text = "\n".join([*lines, ""])
    if dialect.most_bytes is not None and len(text.encode()) > dialect.most_bytes:
        raise UsageError(
            f"the model is too large for {dialect.title}: {len(text.encode())} bytes of SQL, and it takes "
            f"{dialect.most_bytes}",
            f"{program.how_to_shrink}, or use another --dialect",
        )
    return text


def places(model: Model, dialect_name: str) -> tuple[str, str | None] | None:
    """Return expressions for the number of the node where a row ends, NULL if at several, and for the list of the
    totals of such rows, None if there are none.

    None for several trees: each row ends at a node of each.
    """
    program, dialect = program_of(model), DIALECTS[dialect_name]
    _check(program, dialect)
    if program.is_joint:
        return None
    case = Case(program, dialect, None)
    return "\n".join(case.leaf()), "\n".join(case.distribution()) if program.spreads else None


def prediction_column(program: Program) -> str:
    """Return the name of the added column: one that is not in the table."""
    taken = {attribute.name.casefold() for attribute in (*program.schema.attributes, program.schema.target)}
    return free_name(PREDICTION, taken)


def _check(program: Program, dialect: Dialect) -> None:
    """Raise UsageError if SQL cannot express the model."""
    if program.votes and dialect.sums is not Sums.INNER_QUERY:
        raise UsageError(
            "the trees vote, and send rows with missing values down all branches in parts, which "
            f"{dialect.title} has no expression for",
            CURE,
        )
    if is_plain_ensemble(program):
        if dialect.sums is Sums.REFUSED:
            raise UsageError(
                f"the trees predict together, and {dialect.title} cannot add up in one expression",
                "use another --dialect",
            )
        most = MOST_TESTS if dialect.sums is Sums.INNER_QUERY else MOST_TESTS // _n_copies(program)
        if len(program.steps) > most:
            raise UsageError(
                f"the trees are too large together for {dialect.title}: {len(program.steps)} nodes, it takes {most}",
                "use another --dialect, fewer trees, or --max-depth",
            )
    elif program.spreads and dialect.sums is Sums.REFUSED:
        raise UsageError(
            "the model sends rows with missing values down all branches in parts, which "
            f"{dialect.title} cannot add up in one expression",
            CURE,
        )
    most = MOST_FACTORS if dialect.sums is Sums.INNER_QUERY else MOST_FACTORS // _n_copies(program)
    if program.spreads and not is_plain_ensemble(program) and _n_factors(program) > most:
        raise UsageError(
            "the model sends rows with missing values down all branches in parts, and is too large for "
            f"{dialect.title} to add them up: more than {most} branches on the ways to its leaves",
            f"{program.how_to_shrink}, or {CURE}",
        )
    if program.refused_missing:
        raise UsageError("--missing error: a CASE cannot raise an error", "say --missing majority")
    if program.refused:
        raise UsageError(
            "the model takes an unseen label for an error, which a CASE cannot raise",
            "say --unseen missing or --unseen majority",
        )
    seen: dict[str, str] = {}
    for index in program.attributes:
        name = program.schema.columns[index].name
        other = seen.setdefault(dialect.name_key(name), name)
        if other != name:
            why = "does not mind case" if dialect.name_key is str.casefold else "cuts off long names"
            raise UsageError(
                f"'{other}' and '{name}' are one column in {dialect.title}, which {why}", "rename one of them"
            )


def _n_factors(program: Program) -> int:
    """Return the number of branches on the paths to all leaves, counted once per path."""
    depth, total = [0] * len(program.steps), 0
    for node, steps in enumerate(program.steps):
        for step in steps:
            if step.child != node:
                depth[step.child] = depth[node] + 1
        total += depth[node] if not steps else sum(depth[node] + 1 for step in steps if step.child == node)
    return total


def _n_copies(program: Program) -> int:
    """Return how often each total occurs in an expression without inner queries."""
    if not program.schema.is_classification:
        return 1
    return 2 if program.costs is None else 2 * len(program.prediction[0])
