"""The confusion matrix where it is printed: by names, by letters, or as confused pairs."""

from __future__ import annotations

import pytest

from treecli.cli import report
from treecli.commands._confusion import fitted, matrix

Confusion = list[list[float]]


def of(n_classes: int, right: float = 10.0) -> Confusion:
    """A matrix with `right` cases on the diagonal, and one case of each class taken for the next."""
    confusion = [[0.0] * n_classes for _ in range(n_classes)]
    for code in range(n_classes):
        confusion[code][code] = right
        confusion[code][(code + 1) % n_classes] += 1.0
    return confusion


def printed(labels: list[str], confusion: Confusion, other: list[float] | None = None) -> str:
    tables = fitted(labels, confusion, other or [0.0] * len(labels))
    return "".join(report.render("table", tables, {}))


def test_a_small_matrix_has_class_names() -> None:
    assert printed(["no", "yes"], [[3.0, 1.0], [0.0, 2.5]]) == (
        "Rows: true class; columns: predicted class\n"  #
        "     no  yes\n"
        "no    3  1\n"
        "yes   0  2.5\n"
    )


def test_a_matrix_that_is_too_wide_has_letters_with_a_legend() -> None:
    long = ["diaporthe-stem-canker", "rhizoctonia-root-rot", "diaporthe-pod-&-stem-blight"]
    other = [0.0, 7.0, 0.0]
    assert printed(long, of(3), other) == (
        "Rows: true class; columns: predicted class\n"
        "         a  b  c\n"
        "a       10  1  0\n"
        "b        0 10  1\n"
        "c        1  0 10\n"
        "(other)  0  7  0\n"
        "\n"
        "a = diaporthe-stem-canker        b = rhizoctonia-root-rot\n"
        "c = diaporthe-pod-&-stem-blight\n"
    )


@pytest.mark.parametrize("n_classes", [9, 19, 25])
def test_letters_do_for_as_many_classes_as_fit(n_classes: int) -> None:
    labels = [f"a-long-name-of-a-class-{code}" for code in range(n_classes)]
    text = printed(labels, of(n_classes))
    assert text.splitlines()[1].split() == list("abcdefghijklmnopqrstuvwxy"[:n_classes])
    assert all(f" = {label}" in text for label in labels)
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text


@pytest.mark.parametrize(("n_classes", "right"), [(27, 10.0), (200, 1.0), (20, 123456.0)])
def test_more_classes_are_listed_as_the_pairs_that_are_confused(n_classes: int, right: float) -> None:
    labels = [f"class {code}" for code in range(n_classes)]
    confusion = of(n_classes, right)
    confusion[3][5] = 4.0
    title, header, first, *further = printed(labels, confusion).splitlines()
    assert title.startswith("Confused classes")
    assert header.split("  ")[0] == "true class"
    assert first.split() == ["class", "3", "class", "5", "4"]
    assert len(further) == n_classes


def test_markdown_has_the_whole_matrix_for_any_number_of_classes() -> None:
    labels = [f"class {code}" for code in range(40)]
    text = "".join(report.render("markdown", [matrix(labels, of(40), [0.0] * 40)], {}))
    assert all(f"| {label} |" in text for label in labels)
