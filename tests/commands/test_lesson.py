"""`lesson` as a command: what it writes, which steps, and what it refuses."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.growing import SAMPLE_DATA

PLAYTENNIS = str(SAMPLE_DATA / "playtennis.csv")

QUICK = "1-8,row"
"""Steps that need neither samples nor sheets."""


def titles(page: str) -> list[str]:
    """The titles of the steps."""
    found = re.findall(r"<h2[^>]*><span[^>]*>[^<]*</span> (.*?)</h2>", page.partition("<template")[0])
    return [unescape(text) for text in found]


def test_a_page_is_one_small_file_without_addresses(treecli: Runner, tmp_path: Path) -> None:
    path = tmp_path / "lesson.html"
    assert treecli("lesson", PLAYTENNIS, "-o", str(path)).code == 0
    page = path.read_text(encoding="utf-8")
    assert path.stat().st_size <= 300_000
    assert titles(page) == [
        "The data",
        "How mixed are they?",
        *("Ask for Outlook", "Ask for Temperature", "Ask for Humidity", "Ask for Wind"),
        "Which question is best?",
        "The tree grows",
        *("The next node: Outlook = Sunny", "The next node: Outlook = Rain"),
        "A new row walks down",
        "Every path is a rule",
        "Was it luck?",
        "Should it be pruned?",
        "What you know now",
    ]
    assert not re.search(r'(src|href)="(?!#step=|data:,)', page)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page)
    assert "default-src 'none'" in page
    again = tmp_path / "again.html"
    assert treecli("lesson", PLAYTENNIS, "-o", str(again)).code == 0
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("7", ["Which question is best?"]),
        ("2,impurity", ["How mixed are they?"]),
        ("rules, 1-2", ["The data", "How mixed are they?", "Every path is a rule"]),
        ("nodes", ["The next node: Outlook = Sunny", "The next node: Outlook = Rain"]),
    ],
)
def test_steps_are_chosen_by_numbers_ranges_and_names(treecli: Runner, steps: str, expected: list[str]) -> None:
    code, page, _ = treecli("lesson", PLAYTENNIS, "--steps", steps, "-q")
    assert (code, titles(page)) == (0, expected)
    assert [int(n) for n in re.findall(r'data-step="(\d+)"', page.partition("<template")[0])] == list(
        range(1, len(expected) + 1)
    )


def test_without_a_quiz_nothing_is_asked_and_all_is_told(treecli: Runner) -> None:
    code, page, _ = treecli("lesson", PLAYTENNIS, "--no-quiz", "--steps", "1-12,pruning,score", "-q")
    body = page.partition("<body>")[2].partition("<script")[0]
    assert code == 0
    assert "data-question" not in body
    assert 'class="answer"' not in body.replace('<li class="answer">', "")
    assert titles(page)[-1] == "More to work out"
    assert "expected errors 2.110 as a subtree, 3.240 as a leaf: kept" in body


def test_a_page_in_german_has_no_english_sentences(treecli: Runner) -> None:
    code, page, _ = treecli("lesson", PLAYTENNIS, "--lang", "de", "-q")
    body = unescape(re.sub(r"<[^>]*>", " ", page.partition("<body>")[2].partition("<script")[0]))
    assert code == 0
    assert '<html lang="de">' in page
    assert "Humidity first" not in page
    assert "Humidity zuerst: 8 Blätter statt 5, auch keine Fehler." in page
    assert "3·U(0,3) + 2·U(0,2) = 1.110 + 1.000 = 2.110 erwartete Fehler" in body
    english = re.compile(r"\b(the|of|and|is|tree|leaf|subtree|cases|pure|from|split|expected|kept)\b", re.IGNORECASE)
    assert not english.findall(body)


def test_rows_become_counts_if_they_are_many(treecli: Runner) -> None:
    code, page, _ = treecli("lesson", str(SAMPLE_DATA / "iris.csv"), "--steps", QUICK, "-q")
    assert code == 0
    assert 'class="card' not in page
    assert "150 cases: Iris-setosa 50, Iris-versicolor 50, Iris-virginica 50." in page


def test_a_large_tree_needs_a_depth_that_the_hint_names(treecli: Runner) -> None:
    data = str(SAMPLE_DATA / "monks-1.arff")
    code, out, err = treecli("lesson", data, "-q")
    assert (code, out) == (2, "")
    message = re.fullmatch(
        r"Error: the tree has \d+ nodes, more than the 31 of a lesson\nHint: end it earlier: --depth (\d)\n", err
    )
    assert message is not None
    assert treecli("lesson", data, "-q", "--depth", message[1], "--steps", "1").code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--criterion", "chi2"), 2, "--criterion chi2: lessons are by gain, gainratio, gini, error, variance, sdr"),
        (("--prune", "reduced-error"), 2, "--prune reduced-error: lessons compare each subtree with a leaf once"),
        (("--search", "lookahead"), 2, "--search lookahead: has no lesson"),
        (("--search", "optimal:2"), 2, "--search optimal:2: has no lesson"),
        (("--steps", "1-99"), 2, "--steps 1-99: the steps of this lesson are 1 to 15"),
        (("--steps", "lucky"), 2, "--steps: found 'lucky', expected a number"),
        (("--steps", "3-2"), 2, "--steps 3-2: the steps of this lesson are 1 to 15"),
        (("--depth", "2", "--max-depth", "2"), 2, "--depth and --max-depth exclude each other"),
        (("--lang", "xx"), 2, "--lang"),
        (("-o", "lesson.pdf"), 2, "lesson.pdf: a lesson is a web page"),
        (("-x", "Outlook", "-x", "Temperature", "-x", "Humidity", "-x", "Wind"), 3, "attribute"),
        (("--min-leaf", "14"), 3, "the tree is a single leaf, which teaches nothing"),
    ],
)
def test_a_lesson_that_cannot_be_given_is_refused(
    treecli: Runner,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    found = treecli("lesson", PLAYTENNIS, "-q", *arguments)
    assert found.code == code
    assert found.err.startswith("Error: ")
    assert message in found.err
    assert found.out == ""
    assert list(tmp_path.iterdir()) == []


def test_a_numeric_target_has_no_step_on_pruning(treecli: Runner) -> None:
    data = str(SAMPLE_DATA / "courses-rating.csv")
    code, page, _ = treecli("lesson", data, "--depth", "2", "--steps", "1-8,row,rules", "-q")
    assert code == 0
    assert "Predict one number for all cases" in page
    refused = treecli("lesson", data, "--depth", "2", "--steps", "pruning", "-q")
    assert (refused.code, refused.err) == (
        2,
        "Error: --steps pruning: this lesson has no such step\nHint: leave it out\n",
    )
    method = treecli("lesson", data, "--depth", "2", "--prune", "pessimistic", "-q")
    assert method.code == 2


def test_missing_values_are_a_group_and_divided_rows_have_shares(treecli: Runner, tmp_path: Path) -> None:
    # Quinlan's example: the outlook of the twelfth day is unknown; the gain is 0.199.
    lines = Path(PLAYTENNIS).read_text(encoding="utf-8").splitlines()
    lines[12] = lines[12].replace("Overcast", "?")
    path = tmp_path / "days.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    code, page, _ = treecli("lesson", str(path), "--steps", "attributes,choice,growth,nodes", "-q")
    assert code == 0
    assert "Outlook is unknown for 1 of 14 cases: gain from the 13 known ones, times 13/14" in page
    assert "<bdi>unknown</bdi>" in page
    assert "= 0.199" in page
    assert "<i>×0.385</i>" in page  # 5/13 of the row in the branch of sunny days


def test_other_trees_beyond_ten_give_that_as_the_reason(treecli: Runner, tmp_path: Path) -> None:
    data = SAMPLE_DATA / "monks-1.arff"
    assert treecli("lesson", str(data), "--depth", "2", "-q", "-o", "lesson.html").code == 0
    page = (tmp_path / "lesson.html").read_text()
    # 17 other trees of at most 16 nodes: ten can be kept.
    assert page.count('<template id="variant-') == 10
    assert page.count('"too_many"]') == 7
    assert '"too_large"]' not in page
