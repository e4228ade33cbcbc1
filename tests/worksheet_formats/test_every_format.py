"""The forms of a worksheet: LaTeX with a key, fields as Moodle and R/exams read them, and names of any signs."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from moodle_xml_parser.parser import parse_string

from tests.conftest import Runner
from tests.worksheet_formats import cloze
from treecli import plugins

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "fixtures" / "teaching"
"""sheet-7.csv is a table whose sheet, sheet-7.tex and sheet-7.xml, was worked out apart from treecli."""

EVERY_TASK = "entropy,gain,root,tree,ratio,gini,classify,prune,xor"

HOSTILE = [
    ['a}b~c#d/e"f\\g', "<script>alert(1)</script>", "{1:SHORTANSWER:=x}", "]]>&amp;", "`r stop(1)`", "$x_1^2$ &%"],
    ["\\input{x}", "</td>", "{2:SA:=1}", "it's", "##ANSWER1##", "=yes~no"],
    ["\\input{x}", "b|c", "{2:SA:=1}", "--", "*", "no}"],
    ["~", "</td>", "#", "it's", "##ANSWER1##", "no}"],
    ["~", "b|c", "#", "--", "*", "=yes~no"],
]
"""A table whose names and labels are markup in one of the forms."""


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """The file of the table."""
    with (tmp_path / "hostile.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(HOSTILE)
    return tmp_path / "hostile.csv"


def made(treecli: Runner, *arguments: str) -> str:
    """A sheet on stdout."""
    code, out, err = treecli("worksheet", *arguments, "-q")
    assert (code, err) == (0, ""), err
    return out


def cloze_text(document: str) -> str:
    """The text of the only question of a quiz; checks what Moodle's XML needs around it."""
    quiz = ElementTree.fromstring(document)
    assert quiz.tag == "quiz"
    [question] = quiz
    assert question.get("type") == "cloze"
    assert question.findtext("name/text")
    text = question.find("questiontext")
    assert text is not None
    assert text.get("format") == "html"
    return text.findtext("text") or ""


def test_the_blanks_of_a_table_worked_out_apart_from_treecli_are_met(treecli: Runner) -> None:
    own, golden = made(treecli, str(GOLDEN / "sheet-7.csv")), (GOLDEN / "sheet-7.tex").read_text()
    blanks = re.compile(r"\\blank\{((?:[^{}]|\{[^{}]*\})*)\}")
    # The first is the definition of the command.
    assert [each for each in blanks.findall(own) if "#" not in each] == blanks.findall(golden)
    look_up = re.compile(r"\\tfrac\{(\d)\}\{(\d)\}")
    assert look_up.findall(own) == look_up.findall(golden)
    numbers = re.compile(r"(?:\d\.\d{3} & )+\d\.\d{3}")
    assert numbers.findall(own) == numbers.findall(golden)


def test_moodle_gets_the_answers_and_mistakes_of_that_table(treecli: Runner) -> None:
    own = cloze.fields(cloze_text(made(treecli, str(GOLDEN / "sheet-7.csv"), "--to", "moodle")))
    golden = cloze.fields(cloze_text((GOLDEN / "sheet-7.xml").read_text()))
    assert len(own) == len(golden) == 14
    for mine, theirs in zip(own, golden, strict=True):
        assert (mine.weight, mine.kind, mine.right) == (theirs.weight, theirs.kind, theirs.right)
        known = {answer.text: answer.feedback for answer in mine.answers}
        for answer in theirs.answers:
            assert answer.feedback in known[answer.text]


def test_another_reader_of_moodles_xml_finds_the_same_fields(treecli: Runner) -> None:
    # moodle-xml-parser 0.3.1; it knows no escapes, so the names here need none.
    text = made(treecli, "--seed", "3", "--tasks", EVERY_TASK, "--blanks", "all", "--to", "moodle")
    [question] = parse_string(text)["cloze"]
    expected = cloze.fields(cloze_text(text))
    assert len(question.gaps) == len(expected) > 40
    for gap, own in zip(question.gaps, expected, strict=True):
        assert (gap.sub_type, gap.sub_grade) == (own.kind, own.weight)
        assert [option.score for option in gap.options] == [answer.share for answer in own.answers]
        assert [option.feedback or "" for option in gap.options] == [answer.feedback for answer in own.answers]
        assert all(
            option.answer.startswith(answer.text) for option, answer in zip(gap.options, own.answers, strict=True)
        )


def test_moodle_names_every_mistake_once_and_never_takes_one_for_right(treecli: Runner) -> None:
    text = made(treecli, "--seed", "3", "--tasks", EVERY_TASK, "--blanks", "all", "--to", "moodle")
    numbers = [field for field in cloze.fields(cloze_text(text)) if field.kind == "NUMERICAL"]
    assert len(numbers) > 60
    for field in numbers:
        right = field.right
        assert right.tolerance is not None
        assert len({answer.text for answer in field.answers}) == len(field.answers)
        for answer in field.answers:
            if answer is not right:
                assert answer.share == 0
                assert answer.feedback
                assert answer.tolerance is not None
                assert abs(answer.number - right.number) > right.tolerance


def test_names_of_any_signs_stay_names_in_moodle(treecli: Runner, hostile: Path) -> None:
    text = cloze_text(made(treecli, str(hostile), "--to", "moodle", "--tasks", EVERY_TASK))
    fields = cloze.fields(text)
    choices = [field for field in fields if field.kind == "MULTICHOICE"]
    named = {unescape(answer.text) for field in choices for answer in field.answers}
    assert {"=yes~no", "no}", '"a}b~c#d/e\\"f\\\\g"'} <= named
    assert "<script>" not in text
    cells = [unescape(cell) for cell in re.findall(r"<t[dh]>(.*?)</t[dh]>", text)]
    for cell in HOSTILE[0] + HOSTILE[1]:
        assert cell in cells


class _Tags(HTMLParser):
    """The elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.blanks: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)
        self.blanks += [value or "" for name, value in attrs if name == "data-blank"]


def test_names_of_any_signs_stay_names_on_a_page_which_does_not_tell_the_answers(
    treecli: Runner, hostile: Path
) -> None:
    page = made(treecli, str(hostile), "--to", "html", "--tasks", EVERY_TASK)
    tags = _Tags()
    tags.feed(page)
    assert tags.found.count("script") == 1
    asked = json.loads(made(treecli, str(hostile), "--to", "json", "--tasks", EVERY_TASK))
    keys = [part["blank"] for section in asked["sections"] for part in section["parts"] if part["kind"] == "blank"]
    assert tags.blanks == keys
    assert "http" not in page
    assert "0.811" not in made(treecli, "--seed", "7", "--to", "html").partition("To look up")[0]


def test_an_exercise_for_r_has_a_solution_a_tolerance_and_list_items_for_every_blank(
    treecli: Runner, hostile: Path
) -> None:
    for arguments in (["--seed", "7"], [str(hostile)]):
        text = made(treecli, *arguments, "--to", "rexams", "--tasks", EVERY_TASK)
        question, rest = text.split("\nSolution\n========\n")
        solution, meta = rest.split("\nMeta-information\n================\n")
        facts = dict(line.split(": ", 1) for line in meta.splitlines())
        kinds, answers = facts["exclozetype"].split("|"), facts["exsolution"].split("|")
        assert facts["extype"] == "cloze"
        assert len(kinds) == len(answers) == len(facts["extol"].split("|")) == len(facts["expoints"].split("|"))
        assert set(kinds) == {"num", "schoice"}
        for place, (kind, answer) in enumerate(zip(kinds, answers, strict=True), 1):
            assert question.count(f"##ANSWER{place}##") == 1
            assert float(answer) >= -1 if kind == "num" else sorted(answer) == [*"0" * (len(answer) - 1), "1"]
        n_items = sum(1 if kind == "num" else len(answer) for kind, answer in zip(kinds, answers, strict=True))
        for part in (question, solution):
            assert len(re.findall(r"^\* ", part.split("Answerlist\n----------\n")[1], re.MULTILINE)) == n_items
        assert "`" not in text  # knitr would run R between backticks


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_r_reads_the_meta_information_of_an_exercise(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "sheet.Rmd").write_text(made(treecli, "--seed", "7", "--to", "rexams"))
    # Debian control format is what the lines after the heading are, and what R reads them as.
    script = (
        "x <- readLines('sheet.Rmd'); m <- x[(which(x == 'Meta-information') + 2):length(x)];"
        "d <- read.dcf(textConnection(m)); s <- strsplit(d[1, 'exsolution'], '|', fixed = TRUE)[[1]];"
        "t <- strsplit(d[1, 'extol'], '|', fixed = TRUE)[[1]];"
        "cat(length(s), length(t), sum(as.numeric(t) > 0), s[1])"
    )
    done = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout == "15 15 12 0.811"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("is_key", [False, True])
def test_sheet_and_key_compile_from_one_source_whatever_the_names(
    treecli: Runner, hostile: Path, tmp_path: Path, *, is_key: bool
) -> None:
    (tmp_path / "sheet.tex").write_text(made(treecli, str(hostile), "--tasks", EVERY_TASK, "--blanks", "all"))
    source = r"\def\key{}\input{sheet.tex}" if is_key else "sheet.tex"
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-jobname=made", source],
        capture_output=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    if shutil.which("pdftotext") is None:
        return
    subprocess.run(["pdftotext", "made.pdf"], cwd=tmp_path, check=True)
    text = (tmp_path / "made.txt").read_text()
    assert ("1.000" in text) == is_key  # an entropy, which is in no table of the sheet
    assert "<script>alert(1)</script>" in text


def test_markdown_has_a_line_for_every_blank_and_no_markup_from_names(treecli: Runner, hostile: Path) -> None:
    text = made(treecli, str(hostile), "--to", "markdown")
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert all(len(re.findall(r"(?<!\\)\|", row)) == len(re.findall(r"(?<!\\)\|", rows[0])) for row in rows[:6])
    assert "<script>" not in text.replace(r"\<script\>", "")


@pytest.mark.parametrize("form", plugins.names("worksheet_formats"))
def test_every_form_has_every_blank(treecli: Runner, form: str) -> None:
    text = made(treecli, str(GOLDEN / "sheet-7.csv"), "--tasks", "entropy,gain,root,tree", "--to", form)
    marks = {
        "html": "data-blank=",
        "json": '"blank"',
        "latex": " = \\blank{0.",
        "markdown": "= " + r"\_",
        "moodle": ":NUMERICAL:",
        "rexams": "= ##ANSWER",
    }
    expected = {"html": 14, "json": 28}
    assert text.count(marks[form]) == expected.get(form, 11)
