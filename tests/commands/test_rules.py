"""treecli rules"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.models import chain, every_kind, iris_like, playtennis, regression, single_leaf
from treecli.files import write_model
from treecli.model import Model

PLAYTENNIS = """\
IF Outlook = Sunny AND Humidity = High THEN No (3/3, confidence 0.80, lift 2.24)
IF Outlook = Sunny AND Humidity = Normal THEN Yes (2/2, confidence 0.75, lift 1.17)
IF Outlook = Overcast THEN Yes (4/4, confidence 0.83, lift 1.30)
IF Outlook = Rain AND Wind = Weak THEN Yes (3/3, confidence 0.80, lift 1.24)
IF Outlook = Rain AND Wind = Strong THEN No (2/2, confidence 0.75, lift 2.10)
"""

FORMATS = ["text", "json", "csv", "markdown"]


@pytest.fixture
def saved(tmp_path: Path) -> Callable[[Model], Path]:
    def save(model: Model) -> Path:
        path = tmp_path / "model.json"
        write_model(str(path), model)
        return path

    return save


def test_rules_go_to_stdout_one_a_line(treecli: Runner, saved: Callable[[Model], Path]) -> None:
    assert treecli("rules", saved(playtennis())) == (0, PLAYTENNIS, "")


def test_a_model_is_read_from_stdin(treecli: Runner, saved: Callable[[Model], Path]) -> None:
    assert treecli("rules", "-", input=saved(playtennis()).read_bytes()) == (0, PLAYTENNIS, "")


@pytest.mark.parametrize("rule_format", FORMATS)
@pytest.mark.parametrize("build", [every_kind, regression, single_leaf])
def test_rules_look_as_they_did(
    treecli: Runner,
    saved: Callable[[Model], Path],
    golden: Callable[[str, str], None],
    build: Callable[[], Model],
    rule_format: str,
) -> None:
    golden(f"rules/{build.__name__}-{rule_format}", treecli("rules", saved(build()), "-f", rule_format).out)


def test_json_has_all_of_a_rule_in_full_precision(treecli: Runner, saved: Callable[[Model], Path]) -> None:
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
        "counts": [0.0, 47.0, 1.0],
    }


def test_csv_is_a_table_that_other_programs_read(treecli: Runner, saved: Callable[[Model], Path]) -> None:
    rows = list(csv.DictReader(io.StringIO(treecli("rules", saved(every_kind()), "-f", "csv").out)))
    assert rows[3] == {
        "conditions": "size > 2.5 AND colour in {red, blue}",
        "label": "yes",
        "covered": "3",
        "correct": "3",
        "confidence": "0.8",
        "lift": "2.6",
        "leaf": "10",
    }


@pytest.mark.parametrize("rule_format", FORMATS)
def test_every_format_writes_to_a_file_what_it_writes_to_stdout(
    treecli: Runner, saved: Callable[[Model], Path], tmp_path: Path, rule_format: str
) -> None:
    path = saved(playtennis())
    out = treecli("rules", path, "-f", rule_format).out
    assert treecli("rules", path, "-f", rule_format, "-o", "rules.out") == (0, "", "")
    assert (tmp_path / "rules.out").read_text() == out


@pytest.mark.parametrize("rule_format", ["text", "json"])
def test_the_rules_of_a_tree_50000_deep_are_written(
    treecli: Runner, saved: Callable[[Model], Path], rule_format: str
) -> None:
    outcome = treecli("rules", saved(chain(50_000)), "-f", rule_format)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.count("49999 < x <= 50000") == 1


def test_an_unknown_format_is_a_usage_error(treecli: Runner, saved: Callable[[Model], Path]) -> None:
    outcome = treecli("rules", saved(playtennis()), "-f", "jsn")
    assert (outcome.code, outcome.out) == (2, "")
    assert "did you mean 'json'?" in outcome.err
