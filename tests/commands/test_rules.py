"""treecli rules"""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from shutil import which

import pytest

from tests.conftest import Runner
from tests.example_models import Inner, every_kind, iris_like, model_of, playtennis, regression, single_leaf
from treecli.data import Attribute, Schema
from treecli.model import TreeModel
from treecli.models import write_model
from treecli.splits import multiway, threshold

PLAYTENNIS = """\
IF Outlook = Sunny AND Humidity = High THEN No (3/3, confidence 0.80, lift 2.24)
IF Outlook = Sunny AND Humidity = Normal THEN Yes (2/2, confidence 0.75, lift 1.17)
IF Outlook = Overcast THEN Yes (4/4, confidence 0.83, lift 1.30)
IF Outlook = Rain AND Wind = Weak THEN Yes (3/3, confidence 0.80, lift 1.24)
IF Outlook = Rain AND Wind = Strong THEN No (2/2, confidence 0.75, lift 2.10)
"""

FORMATS = ["text", "json", "csv", "markdown", "latex", "prolog"]

HAND_WRITTEN = """\
IF Outlook = Sunny AND Humidity = High THEN No
IF Outlook = Rain AND Wind = Strong THEN No
DEFAULT Yes
"""

SAMPLES = Path(__file__).parent.parent.parent / "sample_data"

HOSTILE = (
    '"; DROP',
    "\\end{document}",
    "it's",
    "two\nlines",
    "50% #_&^~$",
    "\\",
    "caf\u00e9 \u4e2d",
    "-->",
    "'). :- halt.",
)


@pytest.fixture
def saved(tmp_path: Path) -> Callable[[TreeModel], Path]:
    def save(model: TreeModel) -> Path:
        path = tmp_path / "model.json"
        write_model(str(path), model)
        return path

    return save


def test_rules_go_to_stdout_one_a_line(treecli: Runner, saved: Callable[[TreeModel], Path]) -> None:
    assert treecli("rules", saved(playtennis())) == (0, PLAYTENNIS, "")


def test_a_model_is_read_from_stdin(treecli: Runner, saved: Callable[[TreeModel], Path]) -> None:
    assert treecli("rules", "-", input=saved(playtennis()).read_bytes()) == (0, PLAYTENNIS, "")


@pytest.mark.parametrize("rule_format", FORMATS)
@pytest.mark.parametrize("build", [every_kind, regression, single_leaf])
def test_rules_look_as_they_did(
    treecli: Runner,
    saved: Callable[[TreeModel], Path],
    golden: Callable[[str, str], None],
    build: Callable[[], TreeModel],
    rule_format: str,
) -> None:
    golden(f"rules/{build.__name__}-{rule_format}", treecli("rules", saved(build()), "-f", rule_format).out)


@pytest.mark.parametrize("build", [every_kind, regression, single_leaf])
def test_sentences_look_as_they_did(
    treecli: Runner,
    saved: Callable[[TreeModel], Path],
    golden: Callable[[str, str], None],
    build: Callable[[], TreeModel],
) -> None:
    golden(f"rules/{build.__name__}-plain", treecli("rules", saved(build()), "--wording", "plain").out)


def test_json_has_all_of_a_rule_in_full_precision(treecli: Runner, saved: Callable[[TreeModel], Path]) -> None:
    document = json.loads(treecli("rules", saved(iris_like()), "-f", "json").out)
    assert (document["schema_version"], document["target"], len(document["rules"])) == (1, "class", 5)
    # 48 cases, one of them wrong, a third of all cases: (47 + 1) / (48 + 2), and that over 1/3.
    assert document["rules"][1] == {
        "conditions": [
            {
                "attribute": "petalwidth",
                "above": 0.6,
                "at_most": 1.7,
                "missing": False,
                "text": "0.6 < petalwidth <= 1.7",
            },
            {"attribute": "petallength", "at_most": 4.9, "missing": False, "text": "petallength <= 4.9"},
        ],
        "label": "Iris-versicolor",
        "covered": 48.0,
        "correct": 47.0,
        "confidence": 0.96,
        "lift": pytest.approx(2.88, rel=1e-12),
        "leaf": 5,
        "prior": pytest.approx(1 / 3, rel=1e-12),
        "counts": [0.0, 47.0, 1.0],
    }


def test_csv_is_a_table_that_other_programs_read(treecli: Runner, saved: Callable[[TreeModel], Path]) -> None:
    rows = list(csv.DictReader(io.StringIO(treecli("rules", saved(every_kind()), "-f", "csv").out)))
    assert rows[3] == {
        "conditions": "size > 2.5 AND colour in {red, blue}",
        "label": "yes",
        "covered": "3",
        "correct": "3",
        "confidence": "0.8",
        "lift": "2.6",
        "leaf": "10",
        "count_yes": "3",
        "count_no": "0",
        "count_don't know": "0",
    }


@pytest.mark.parametrize("rule_format", [name for name in FORMATS if name != "text"])
def test_every_format_writes_the_same_to_a_file_and_to_stdout(
    treecli: Runner, saved: Callable[[TreeModel], Path], tmp_path: Path, rule_format: str
) -> None:
    path = saved(playtennis())
    out = treecli("rules", path, "-f", rule_format).out
    assert treecli("rules", path, "-f", rule_format, "-o", "rules.out") == (0, "", "")
    assert (tmp_path / "rules.out").read_text() == out


@pytest.mark.parametrize(
    ("name", "rule_format"),
    [("r.json", "json"), ("r.CSV", "csv"), ("r.md", "markdown"), ("r.tex", "latex"), ("r.pl", "prolog")],
)
def test_the_suffix_chooses_the_format(
    treecli: Runner, saved: Callable[[TreeModel], Path], tmp_path: Path, name: str, rule_format: str
) -> None:
    path = saved(playtennis())
    assert treecli("rules", path, "-o", name) == (0, "", "")
    assert (tmp_path / name).read_text() == treecli("rules", path, "-f", rule_format).out


@pytest.mark.parametrize("name", ["rules.json", "rules.txt", "rules"])
def test_rules_are_a_model_for_the_other_commands(
    treecli: Runner, saved: Callable[[TreeModel], Path], golden: Callable[[str, str], None], name: str
) -> None:
    path, data = saved(playtennis()), SAMPLES / "playtennis.csv"
    assert treecli("rules", path, "-o", name) == (0, "", "")
    assert treecli("evaluate", name, data).out == treecli("evaluate", path, data).out
    predicted = treecli("predict", name, data, "--proba", "--leaf").out.splitlines()
    assert predicted[0].endswith(",prediction,proba_No,proba_Yes,leaf")
    assert predicted[1].endswith(",No,1,0,1")  # D1 is sunny and humid: the first rule
    assert treecli("show", name).out == PLAYTENNIS + "DEFAULT Yes\n"
    described = json.loads(treecli("info", name, "-f", "json").out)
    assert {
        key: described[key] for key in ("kind", "rules", "conditions", "decide", "default", "target", "labels")
    } == {
        "kind": "rules",
        "rules": 5,
        "conditions": 9,
        "decide": "first match",
        "default": "Yes",
        "target": "PlayTennis",
        "labels": ["No", "Yes"],
    }
    refused = treecli("prune", name)
    assert (refused.code, refused.err.splitlines()[0]) == (4, f"Error: {name}: is a rule list, expected a tree")


def test_the_complete_text_looks_as_it_did(
    treecli: Runner, saved: Callable[[TreeModel], Path], tmp_path: Path, golden: Callable[[str, str], None]
) -> None:
    for build in (every_kind, regression):
        assert treecli("rules", saved(build()), "-o", "rules.txt").code == 0
        golden(f"rules/{build.__name__}-file", (tmp_path / "rules.txt").read_text())
        assert treecli("rules", "rules.txt", "-o", "again.txt").code == 0
        assert (tmp_path / "again.txt").read_bytes() == (tmp_path / "rules.txt").read_bytes()


def test_hand_written_rules_are_measured_on_the_last_column(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text(HAND_WRITTEN)
    data = SAMPLES / "playtennis.csv"
    measured = treecli("evaluate", "mine.txt", data, "-f", "json")
    facts = json.loads(measured.out)
    assert (facts["n"], facts["errors"]) == (14, 0)
    assert measured.err == "", "labels that the rules do not mention are no news"
    named = treecli("evaluate", "-", data, "-t", "PlayTennis", "-f", "json", input=HAND_WRITTEN)
    assert json.loads(named.out)["errors"] == 0
    without = "Outlook,Humidity,Wind\nRain,High,Strong\nOvercast,High,Weak\n?,High,Weak\n"
    out = treecli("predict", "mine.txt", "-", "--from", "csv", "--leaf", input=without).out
    assert out.splitlines()[1:] == ["Rain,High,Strong,No,2", "Overcast,High,Weak,Yes,", "?,High,Weak,Yes,"]


def test_a_mistake_in_a_rule_file_leaves_no_file_behind(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text(HAND_WRITTEN + "IF Wind > 3 THN No\n")
    outcome = treecli("rules", "mine.txt", "-o", "out.json")
    assert outcome == (
        4,
        "",
        "Error: mine.txt:4:13: found 'THN', expected AND or THEN\nHint: did you mean 'THEN'?\n",
    )
    assert not (tmp_path / "out.json").exists()


def test_an_empty_file_is_no_model(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("\n")
    outcome = treecli("evaluate", "mine.txt", SAMPLES / "playtennis.csv")
    assert (outcome.code, outcome.err.splitlines()[0]) == (4, "Error: mine.txt: is empty, expected a model")


def test_data_is_distinguished_from_rules(treecli: Runner) -> None:
    data = SAMPLES / "playtennis.csv"
    outcome = treecli("evaluate", data, data)
    assert outcome.code == 4
    assert outcome.err.splitlines()[0].endswith("playtennis.csv: is data, expected a model")


def test_rules_are_counted_on_other_data(treecli: Runner, saved: Callable[[TreeModel], Path], tmp_path: Path) -> None:
    (tmp_path / "two.csv").write_text(
        "Outlook,Temperature,Humidity,Wind,PlayTennis,w\nSunny,Hot,High,Weak,No,3\nSunny,Hot,High,Weak,Yes,1\n"
    )
    outcome = treecli("rules", saved(playtennis()), "--data", "two.csv", "--weights", "w")
    # 3 of 4 right: (3 + 1) / (4 + 2), over a share of 3/4.
    assert outcome.out.splitlines()[:2] == [
        "IF Outlook = Sunny AND Humidity = High THEN No (3/4, confidence 0.67, lift 0.89)",
        "IF Outlook = Sunny AND Humidity = Normal THEN Yes (0/0, confidence 0.50, lift 2.00)",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--order", "confidence"], "--order confidence: the first rule of r.txt that holds decides, so reordering"),
        (["--order", "length"], "--order: unknown 'length' (known: tree, confidence, coverage, utility)"),
        (["--wording", "plain", "-f", "json"], "--wording plain: -f json has its own wording"),
        (["--lint", "-f", "csv"], "--lint prints text or json, in its own wording"),
        (["--weights", "w"], "options such as --target and --jobs are for --data"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    treecli: Runner, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "r.txt").write_text(HAND_WRITTEN)
    outcome = treecli("rules", "r.txt", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"Error: {message}")


def test_simplified_rules_print_the_default(treecli: Runner, saved: Callable[[TreeModel], Path]) -> None:
    outcome = treecli("rules", saved(playtennis()), "--simplify", "exact")
    assert outcome.code == 0
    assert outcome.out.splitlines()[-1].startswith("DEFAULT Yes")
    refused = treecli("rules", saved(playtennis()), "--simplify", "exact", "--order", "utility")
    assert (refused.code, refused.out) == (2, "")


@pytest.fixture
def trained(treecli: Runner) -> Callable[[str], None]:
    """Trains model.json from a sample."""

    def train(name: str, *arguments: str) -> None:
        assert treecli("train", SAMPLES / name, "-q", "-o", "model.json", *arguments).code == 0

    return train


def test_generalized_rules_are_a_model_with_lineage(
    treecli: Runner, trained: Callable[..., None], tmp_path: Path
) -> None:
    trained("iris.csv")
    data = SAMPLES / "iris.csv"
    asked = ["rules", "model.json", "--simplify", "c45rules", "--data", data]
    printed = treecli(*asked)
    assert (printed.code, printed.err) == (0, "")
    assert len(printed.out.splitlines()) == 5
    assert printed.out.startswith("IF petallength <= 2.45 THEN Iris-setosa (50/50, confidence 0.98, lift 2.94)\n")
    assert printed.out.endswith("DEFAULT Iris-setosa\n")
    for name in ("rules.json", "rules.txt"):
        assert treecli(*asked, "-o", name).code == 0
        assert treecli("rules", name).out == printed.out
        measured = json.loads(treecli("evaluate", name, data, "-f", "json").out)
        assert (measured["n"], measured["errors"]) == (150, 3)
    step = json.loads((tmp_path / "rules.json").read_text())["lineage"][-1]
    sha256 = step.pop("sha256")
    assert len(sha256) == 64
    assert step == {"command": "rules", "simplify": "c45rules", "seed": 0, "data": "iris.csv"}


def test_rules_are_best_generalised_from_the_whole_tree_on_its_own_rows(
    treecli: Runner, trained: Callable[..., None], tmp_path: Path
) -> None:
    trained("iris.csv", "--prune", "pessimistic")
    (tmp_path / "other.csv").write_text((SAMPLES / "iris.csv").read_text() + "5,3,1,0.2,Iris-setosa\n")
    outcome = treecli("rules", "model.json", "--simplify", "c45rules", "--data", "other.csv", "--seed", "7")
    assert outcome.code == 0
    assert outcome.err == (
        "The model was pruned; rules generalized from the unpruned tree are often better\n"
        "Warning: other.csv: is not the training data of the model, which was iris.csv\n"
    )


AUDIT = """\
            before  after
rules            5      5
conditions       9      8
error            0      0

Steps
action             rules      condition        result                                    error_before  error_after
condition dropped  2          Outlook = Sunny                                                     0.5       0.3381
reordered          1 5 3 2 4                   classes with fewer false positives first         n/a       n/a
default chosen                                 Yes                                              n/a       n/a

The rules and the model disagree on 0 of 14 rows
row  model_says  rules_say
"""


def test_an_audit_takes_the_place_of_the_rules(treecli: Runner, trained: Callable[..., None], tmp_path: Path) -> None:
    trained("playtennis.csv")
    asked = ["rules", "model.json", "--simplify", "c45rules", "--data", SAMPLES / "playtennis.csv", "--audit"]
    assert treecli(*asked) == (0, AUDIT, "")
    # With a file for the rules both are there.
    assert treecli(*asked, "-o", "rules.txt") == (0, AUDIT, "")
    assert (tmp_path / "rules.txt").read_text().endswith("DEFAULT Yes\n")


def test_an_audit_has_the_first_rows_of_a_disagreement_and_its_json_and_csv_all(
    treecli: Runner, saved: Callable[[TreeModel], Path], tmp_path: Path
) -> None:
    # Where Outlook is missing the tree asks all branches: High and Strong make 10 of 14 for No. No rule holds, and
    # the default is Yes.
    lines = ["Outlook,Temperature,Humidity,Wind,PlayTennis", "Rain,Hot,High,Weak,Yes", *["?,Hot,High,Strong,No"] * 23]
    (tmp_path / "d.csv").write_text("\n".join(lines) + "\n")
    asked = ["rules", saved(playtennis()), "--data", "d.csv", "--audit"]
    table = treecli(*asked).out.splitlines()
    assert table[3].split() == ["error", "0", "0.9583"]
    assert table[5] == "The rules and the model disagree on 23 of 24 rows"
    assert [line.split()[0] for line in table[7:]] == [*map(str, range(2, 22)), "…"]
    assert table[-1].strip() == "… 3 more"
    document = json.loads(treecli(*asked, "-f", "json").out)
    assert (document["schema_version"], document["steps"], document["rows"]) == (1, [], 24)
    assert [found["row"] for found in document["disagreeing_rows"]] == list(range(2, 25))
    records = list(csv.DictReader(io.StringIO(treecli(*asked, "-f", "csv").out)))
    assert [(r["action"], r["row"], r["model_says"], r["rules_say"]) for r in records] == [
        ("disagreement", str(row), "No", "Yes") for row in range(2, 25)
    ]
    assert "| 2 | No | Yes |" in treecli(*asked, "-f", "markdown").out


def test_exact_simplification_is_audited_without_data(treecli: Runner, saved: Callable[[TreeModel], Path]) -> None:
    outcome = treecli("rules", saved(playtennis()), "--simplify", "exact", "--audit", "-f", "json")
    document = json.loads(outcome.out)
    assert (document["rules_before"], document["conditions_before"]) == (5, 9)
    assert document["rules_after"] < 5
    assert {step["error_before"] for step in document["steps"]} == {None}
    assert "rows" not in document


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--simplify", "c45rules"], "c45rules measures each condition on the training data, and there are none"),
        (["--audit"], "--audit: nothing is simplified, and there is no data to compare on"),
        (["--audit", "--simplify", "exact", "--lint"], "--audit and --lint both print a report"),
        (["--audit", "--simplify", "exact", "-o", "-"], "--audit and -o -: both"),
        (["--audit", "--simplify", "exact", "--wording", "plain"], "--wording plain: --audit prints no rules"),
        (["--audit", "--simplify", "exact", "-f", "latex"], "--audit prints text, json, csv or markdown"),
        (["--seed", "1"], "--seed: only --simplify c45rules is random"),
        (["--seed", "1", "--simplify", "exact"], "--seed: only --simplify c45rules is random"),
    ],
)
def test_invalid_options_of_an_audit_or_a_search_are_refused(
    treecli: Runner, saved: Callable[[TreeModel], Path], arguments: list[str], message: str
) -> None:
    outcome = treecli("rules", saved(playtennis()), *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"Error: {message}")
    assert "Hint: " in outcome.err


def test_rules_for_numbers_are_not_generalised(
    treecli: Runner, saved: Callable[[TreeModel], Path], tmp_path: Path
) -> None:
    model = saved(regression())
    names = [attribute["name"] for attribute in json.loads(model.read_text())["schema"]["attributes"]]
    target = json.loads(model.read_text())["schema"]["target"]["name"]
    (tmp_path / "d.csv").write_text(",".join([*names, target]) + "\n" + ",".join(["1"] * (len(names) + 1)) + "\n")
    outcome = treecli("rules", model, "--simplify", "c45rules", "--data", "d.csv")
    assert (outcome.code, outcome.out) == (2, "")
    assert f"c45rules counts wrong labels, but the target '{target}' is numeric" in outcome.err


def test_lint_exits_with_1_where_something_is_wrong(
    treecli: Runner, saved: Callable[[TreeModel], Path], tmp_path: Path
) -> None:
    outcome = treecli("rules", saved(playtennis()), "--lint")
    assert (outcome.code, outcome.out) == (0, "")
    (tmp_path / "bad.txt").write_text("IF x > 1 THEN a\nIF x > 2 THEN b\nDEFAULT b\n")
    outcome = treecli("rules", "bad.txt", "--lint")
    assert outcome.code == 1
    assert "unreachable: rule 2" in outcome.out
    assert outcome.err == "Error: bad.txt: found 1 defect, expected none\n"
    document = json.loads(treecli("rules", "bad.txt", "--lint", "-f", "json").out)
    assert document["findings"][0]["kind"] == "unreachable"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "r.txt", "--depth", "2"], "--depth: r.txt is a rule list, which has no nodes"),
        (["show", "r.txt", "-f", "j48"], "-f j48: r.txt is a rule list, which is shown as text, json or html"),
        (["evaluate", "r.txt", "d.csv", "--unseen", "majority"], "--unseen majority: r.txt is a rule list"),
    ],
)
def test_options_for_trees_are_refused(
    treecli: Runner, saved: Callable[[TreeModel], Path], arguments: list[str], message: str
) -> None:
    assert treecli("rules", saved(playtennis()), "-o", "r.txt").code == 0
    outcome = treecli(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"Error: {message}")


def hostile() -> TreeModel:
    """A tree whose names and labels all mean something to LaTeX or to Prolog."""
    schema = Schema(
        (Attribute(HOSTILE[0], "nominal", HOSTILE), Attribute(HOSTILE[1], "numeric")),
        Attribute(HOSTILE[2], "nominal", HOSTILE),
    )
    leaves = [tuple(float(code == own) for code in range(len(HOSTILE))) for own in range(len(HOSTILE))]
    lower = Inner(threshold.Split(1, -1e22), (leaves[0], leaves[1]))
    return model_of(schema, Inner(multiway.Split(0, len(HOSTILE)), (lower, *leaves[1:]), missing_to=3))


@pytest.mark.skipif(which("swipl") is None, reason="SWI-Prolog is not installed")
def test_prolog_predicts_the_same_as_the_rules(
    treecli: Runner, saved: Callable[[TreeModel], Path], tmp_path: Path
) -> None:
    model = hostile()
    assert treecli("rules", saved(model), "-o", "rules.pl").code == 0
    # The labels as lists of character codes, so that the question does not share the quoting of the answer.
    goals = []
    for label, number in [*((label, "0") for label in HOSTILE), (HOSTILE[0], "-1.0e22"), ("new", "0")]:
        goals.append(f"atom_codes(L, {list(map(ord, label))}), predict(L, {number}, P), atom_codes(P, C), print(C), nl")
    goals.append("predict(na(missing), 0, P), atom_codes(P, C), print(C), nl")
    question = "\n".join(f":- {goal}." for goal in goals)
    (tmp_path / "ask.pl").write_text(f":- consult('rules.pl').\n{question}\n:- halt.\n")
    done = subprocess.run(["swipl", "-q", "ask.pl"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    said = ["".join(map(chr, json.loads(line))) for line in done.stdout.splitlines()]
    # Label i has leaf i; the first one asks for the number too, and what is missing or new goes the fourth way.
    assert said == [HOSTILE[1], *HOSTILE[1:], HOSTILE[0], HOSTILE[3], HOSTILE[3]]


def test_prolog_quotes_every_name(treecli: Runner, saved: Callable[[TreeModel], Path]) -> None:
    out = treecli("rules", saved(hostile()), "-f", "prolog").out
    # Without comments and quoted atoms, nothing but the signs of clauses is left.
    atoms = re.compile(r"'(?:[^'\\\n]|\\\\|\\'|\\x[0-9a-f]+\\)*'")
    rest = atoms.sub("Q", re.sub(r"(?m)^%.*\n", "", out))
    known = {"predict", "dynamic", "atom", "memberchk", "na", "missing", "number"}
    assert set(re.findall(r"\b[a-z]\w*", rest)) <= known
    assert re.sub(r"[\w\s(),.;=<>!:/\[\]+\\-]", "", rest) == ""


def test_latex_escapes_every_name(treecli: Runner, saved: Callable[[TreeModel], Path], tmp_path: Path) -> None:
    out = treecli("rules", saved(hostile()), "-f", "latex").out
    body = out.partition("\\endhead\n")[2].removesuffix("\\hline\n\\end{longtable}\n")
    assert len(body.splitlines()) == len(HOSTILE) + 1
    for row in body.splitlines():
        # One row a line with the same columns, and no command but those that print a sign.
        assert row.endswith(" \\\\")
        assert len(re.findall(r"(?<!\\)&", row)) == out.splitlines()[3].count("&")
        commands = set(re.findall(r"\\([a-zA-Z]+)", row))
        assert commands <= {"le"} | {name for name in commands if name.startswith("text")}
        assert re.search(r"(?<!\\)[#%_^~]", row) is None


@pytest.mark.skipif(which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_is_a_document(treecli: Runner, saved: Callable[[TreeModel], Path], tmp_path: Path) -> None:
    assert treecli("rules", saved(every_kind()), "-o", "rules.tex").code == 0
    (tmp_path / "paper.tex").write_text(
        "\\documentclass{article}\\usepackage{longtable,textcomp}\\usepackage[T1]{fontenc}\n"
        "\\begin{document}\\input{rules}\\end{document}\n"
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper"],
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout


def test_an_unknown_format_is_a_usage_error(treecli: Runner, saved: Callable[[TreeModel], Path]) -> None:
    outcome = treecli("rules", saved(playtennis()), "-f", "jsn")
    assert (outcome.code, outcome.out) == (2, "")
    assert "did you mean 'json'?" in outcome.err


def test_rows_with_targets_too_large_to_count_are_refused(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("x,y\n1,1\n2,2\n3,3.5\n4,9\n")
    (tmp_path / "huge.csv").write_text("x,y\n1,1e200\n2,-1e200\n")
    assert treecli("train", "d.csv", "-q").code == 0
    done = treecli("rules", "d.json", "--data", "huge.csv")
    assert (done.code, done.out) == (3, "")
