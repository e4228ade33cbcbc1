"""`treecli trace --missing surrogate` shows the agreement of each surrogate with the split as fractions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Runner

SIDES = "x1,x2,y\n1,1,a\n2,2,a\n3,3,a\n4,4,a\n5,5,a\n6,9,a\n7,6,b\n8,7,b\n9,8,b\n10,10,b\n?,3,a\n"
"""The split on x1 sends six of ten cases left; x2 <= 5.5 agrees on nine: (9 - 6) / (10 - 6) is 0.75."""


@pytest.fixture(autouse=True)
def data(tmp_path: Path) -> Path:
    path = tmp_path / "sides.csv"
    path.write_text(SIDES)
    return path


SETTINGS = ("sides.csv", "--criterion", "gini", "--missing", "surrogate", "--depth", "0", "-q")


def test_agreement_and_adjusted_agreement_are_fractions_of_cases(treecli: Runner) -> None:
    code, out, err = treecli("trace", *SETTINGS)
    assert (code, err) == (0, "")
    assert out[out.index("    where x1") :] == (
        "    where x1 is missing, the first of these whose value is known sends the case; if there is none, it takes "
        "the branch x1 <= 6.5:\n"
        "      x2 <= 5.5: as x1 <= 6.5\n"
        "        Agreement(x2 <= 5.5) = 9/10 = 0.900\n"
        "        Adjusted(x2 <= 5.5) = (9 − 6) / (10 − 6) = 0.750\n\n"
    )


def test_json_has_the_surrogates_of_the_model(treecli: Runner) -> None:
    code, out, _ = treecli("trace", *SETTINGS, "-f", "json")
    assert code == 0
    (node,) = json.loads(out)["nodes"]
    assert node["surrogates"] == [
        {"split": "x2 <= 5.5", "branch": "x1 <= 6.5", "agreement": pytest.approx(0.9), "adjusted": pytest.approx(0.75)}
    ]
    assert node["otherwise"] == "x1 <= 6.5"


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("latex", r"\mathrm{Agreement}(\text{x2 $\le$ 5.5}) &= \tfrac{9}{10} = 0.900"),
        ("markdown", r"| $\mathrm{Agreement}(\text{x2 $\le$ 5.5}) = \tfrac{9}{10} = 0.900$ |"),
        ("html", "<mi>Agreement</mi>"),
    ],
)
def test_documents_have_the_surrogates_too(treecli: Runner, form: str, expected: str) -> None:
    code, out, _ = treecli("trace", *SETTINGS, "-f", form)
    assert code == 0
    assert expected in out


def test_a_split_without_surrogates_has_none(treecli: Runner, data: Path) -> None:
    data.write_text(SIDES.replace("x1,x2", "x1,ID_2"))
    code, out, _ = treecli("trace", *SETTINGS, "-x", "ID_2", "-f", "json")
    assert code == 0
    assert "surrogates" not in json.loads(out)["nodes"][0]


def test_a_model_with_other_surrogates_is_refused(treecli: Runner, data: Path) -> None:
    assert treecli("train", *SETTINGS[:-3], "-q", "-o", "m.json")[0] == 0
    assert treecli("trace", "sides.csv", "--model", "m.json", "-q")[0] == 0
    data.write_text(SIDES.replace("5,5,a", "5,9,a"))
    code, _, err = treecli("trace", "sides.csv", "--model", "m.json", "-q")
    assert code == 1
    assert "the model has other surrogates than these data and settings give" in err
