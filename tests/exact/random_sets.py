"""Random data sets that make trees differ: ties, missing values, fine numbers, labels that never occur."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

MISSING = "?"


@dataclass(frozen=True)
class RandomSet:
    """Rows of texts; an attribute is numeric, or has these labels. The target is last."""

    attributes: list[tuple[str, list[str] | None]]
    rows: list[list[str]]

    def arff(self) -> str:
        declared = [
            f"@attribute {name} {'numeric' if labels is None else '{' + ','.join(labels) + '}'}\n"
            for name, labels in self.attributes
        ]
        return f"@relation random\n{''.join(declared)}@data\n" + "".join(f"{','.join(row)}\n" for row in self.rows)

    def csv(self) -> str:
        """The same with empty cells for missing values."""
        lines = [[name for name, _ in self.attributes], *self.rows]
        return "".join(",".join("" if cell == MISSING else cell for cell in line) + "\n" for line in lines)


def random_set(seed: int, n_rows: int | None = None) -> RandomSet:
    """A classification problem in which the first three attributes are informative."""
    random = Random(seed)
    drawn, n_classes = random.choice([20, 50, 120, 300, 600]), random.choice([2, 2, 3, 5])
    n_rows = n_rows or drawn
    share_missing = random.choice([0, 0, 0.05, 0.2, 0.5])
    attributes: list[tuple[str, list[str] | None]] = []
    columns: list[list[str]] = []
    for number in range(random.randint(1, 8)):
        labels, column = _nominal(random, n_rows) if random.random() < 0.35 else (None, _numeric(random, n_rows))
        attributes.append((f"a{number}", labels))
        columns.append(column)
    noise = random.choice([0.3, 1, 3])
    classes = []
    for cells in zip(*columns[:3], strict=True):
        score = sum(_meaning(cell) for cell in cells) + random.gauss(0, noise)
        is_lost = random.random() < 0.01
        classes.append(MISSING if is_lost else f"c{int(score) % n_classes}")
    for column in columns:
        for row in range(n_rows):
            if random.random() < share_missing:
                column[row] = MISSING
    attributes.append(("class", [f"c{code}" for code in range(n_classes)]))
    return RandomSet(attributes, [list(cells) for cells in zip(*columns, classes, strict=True)])


def _nominal(random: Random, n_rows: int) -> tuple[list[str], list[str]]:
    n_labels = random.randint(2, 7)
    n_declared = n_labels + (random.random() < 0.2)
    return [f"v{code}" for code in range(n_declared)], [f"v{random.randrange(n_labels)}" for _ in range(n_rows)]


def _numeric(random: Random, n_rows: int) -> list[str]:
    draw = random.choice(
        [
            lambda: str(random.randint(0, 12)),
            lambda: f"{random.gauss(0, 1):.1f}",
            lambda: f"{random.random() * 1e-3:.7f}",
            lambda: f"{random.gauss(0, 100):.4f}",
        ]
    )
    return [draw() for _ in range(n_rows)]


def _meaning(cell: str) -> float:
    if cell.startswith("v"):
        return int(cell[1:]) * 3 % 7
    return float(cell) * (3 if abs(float(cell)) < 1 else 0.05)
