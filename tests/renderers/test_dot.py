"""show -f dot"""

from __future__ import annotations

import shutil
import subprocess
from xml.etree import ElementTree

import pytest

from tests.example_models import every_kind, playtennis, regression
from tests.renderers.hostile import hostile
from treecli.model import TreeModel
from treecli.renderers import View, dot
from treecli.renderers._cards import cards, short

TEXT = "{http://www.w3.org/2000/svg}text"


WHOLE = View()


def lines(model: TreeModel, view: View = WHOLE) -> list[str]:
    return "".join(dot.render(model, view)).splitlines()


def test_a_leaf_and_the_line_that_leads_there() -> None:
    found = lines(playtennis(), View(node=1))
    assert found[0] == 'digraph "PlayTennis" {'
    assert found[3:6] == [
        r'  n1 [label="Humidity?\nwhere Outlook = Sunny\n5 cases, 60 % No", fillcolor="#ffffff", color="#8c959f", '
        r'tooltip="Humidity?\nwhere Outlook = Sunny\n5 cases, 60 % No\nNo: 3, Yes: 2"];',
        # Pure: 45 % of #3f90da on white. 3 of 5 cases: 1 + 7 * 0.6.
        r'  n4 [label="No\n3 cases, 100 %", fillcolor="#a9cdee", color="#3f90da", '
        r'tooltip="Humidity = High\nNo\n3 cases, 100 %\nNo: 3"];',
        '  n1 -> n4 [label=" = High ", penwidth=5.20, tooltip="Humidity = High", labeltooltip="Humidity = High"];',
    ]
    assert found[-1] == "}"


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize("model", [playtennis(), regression(), every_kind(), hostile()])
def test_graphviz_draws_every_word_as_it_is(model: TreeModel) -> None:
    text = "".join(dot.render(model, View()))
    done = subprocess.run(["dot", "-Tsvg"], input=text.encode(), capture_output=True, check=True)
    drawn = [element.text for element in ElementTree.fromstring(done.stdout).iter(TEXT)]
    expected: list[str] = []
    for card in cards(model, View()):
        expected += [short(line) for line in (card.title, *card.lines)]
        expected += [f" {short(card.branch)} "] if card.branch else []
    # Graphviz keeps blanks apart with no-break spaces.
    assert sorted(word.replace("\xa0", " ") for word in drawn if word) == sorted(expected)
