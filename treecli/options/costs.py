"""Files of costs: of predicting one class for a case of another, and of measuring an attribute."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from treecli.errors import DataError, UsageError, did_you_mean
from treecli.files import guard
from treecli.wording import counted


def read_costs(path: str, labels: Sequence[str]) -> tuple[tuple[float, ...], ...]:
    """Return the costs in a CSV file, by true and predicted class in the order of the target's labels.

    The first line has the predicted labels, each further line a true label and its costs; an empty cell is 0.
    """
    lines = _lines(path)
    predicted = [name.strip() for name in lines[0][1][1:]] if lines else []
    costs: dict[str, dict[str, float]] = {}
    for number, line in lines[1:]:
        if not line:
            continue
        try:
            costs[line[0].strip()] = {label: float(cell or 0) for label, cell in zip(predicted, line[1:], strict=True)}
        except ValueError as error:
            raise UsageError(
                f"{path}:{number}: found '{','.join(line)}', expected a label and {counted(len(predicted), 'number')}"
            ) from error
    for name in (*predicted, *costs):
        if name not in labels:
            raise UsageError(f"{path}: '{name}' is not a label of the target", did_you_mean(name, labels))
    for label in labels:
        if label not in predicted or label not in costs:
            raise UsageError(
                f"{path}: has no costs for '{label}'", f"it needs a row and a column for {', '.join(labels)}"
            )
    return tuple(tuple(costs[actual][label] for label in labels) for actual in labels)


def read_attribute_costs(path: str) -> tuple[tuple[str, float], ...]:
    """Return the attributes and costs in a CSV file with two columns; a first line 'attribute,cost' is a header."""
    costs: dict[str, float] = {}
    for number, line in _lines(path):
        cells = [cell.strip() for cell in line]
        if not any(cells) or (number == 1 and cells == ["attribute", "cost"]):
            continue
        try:
            name, text = cells
            cost = float(text)
        except ValueError:
            cost = -1.0
        if not (cells[0] and 0 <= cost < inf):
            raise UsageError(
                f"{path}:{number}: found '{','.join(line)}', expected an attribute and a cost of 0 or more"
            )
        if name in costs:
            raise UsageError(f"{path}:{number}: '{name}' has a cost already")
        costs[name] = cost
    if not costs:
        raise UsageError(f"{path}: found no costs, expected lines of an attribute and its cost")
    return tuple(costs.items())


def _lines(path: str) -> list[tuple[int, list[str]]]:
    """Return the cells of a CSV file, with the number of their last line; a quoted cell may have several lines."""
    import csv
    import io

    try:
        with guard.open_input(path) as stream:
            text = stream.read().decode("utf-8-sig")
    except OSError as error:
        raise DataError(f"{path}: cannot be read as a table of costs: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: cannot be read as a table of costs: {error}") from error
    reader = csv.reader(io.StringIO(text, newline=""))
    return [(reader.line_num, line) for line in reader]
