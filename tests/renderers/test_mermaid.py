"""show -f mermaid"""

from __future__ import annotations

import re

import pytest

from tests.example_models import every_kind, playtennis, regression
from tests.renderers.hostile import NAMES, hostile
from treecli.model import TreeModel
from treecli.renderers import View, mermaid
from treecli.renderers._cards import cards, short
from treecli.wording import quoted

NODE = re.compile(r'  n(\d+)\["([^"\[\]{}|`#&]|#\d+;|<br>)*"\]')
EDGE = re.compile(r'  n(\d+) -->\|"([^"\[\]{}|`#&<>]|#\d+;)*"\| n(\d+)')
STYLE = re.compile(
    r"  (classDef c\d+ fill:#\w{6},stroke:#\w{6},color:#\w{6}|class n[\dn,]+ c\d+|linkStyle [\d,]+ stroke-width:\dpx)"
)


def lines(model: TreeModel) -> list[str]:
    return "".join(mermaid.render(model, View())).splitlines()


def read_back(text: str) -> str:
    """The text that Mermaid shows for a string: #NUMBER; is a character."""
    return re.sub(r"#(\d+);", lambda match: chr(int(match[1])), text)


def test_the_flowchart_of_playtennis() -> None:
    found = lines(playtennis())
    assert found[:4] == [
        "flowchart TD",
        '  n0["Outlook#63;<br>14 cases, 64 #37; Yes"]',
        '  n1["Humidity#63;<br>5 cases, 60 #37; No"]',
        '  n0 -->|"= Sunny"| n1',
    ]
    # 1 + 7 * n / 14 pixels, rounded, a half to the even one: 2 for 2 cases, 3 for 3, 4 and 5.
    assert found[-2:] == ["  linkStyle 2,6 stroke-width:2px", "  linkStyle 0,1,3,4,5 stroke-width:3px"]


@pytest.mark.parametrize("model", [playtennis(), regression(), every_kind(), hostile()])
def test_every_line_is_a_node_a_branch_or_a_style(model: TreeModel) -> None:
    first, *others = lines(model)
    assert first == "flowchart TD"
    assert [
        line for line in others if not (NODE.fullmatch(line) or EDGE.fullmatch(line) or STYLE.fullmatch(line))
    ] == []
    assert sum(NODE.fullmatch(line) is not None for line in others) == model.tree.n_nodes
    assert sum(EDGE.fullmatch(line) is not None for line in others) == model.tree.n_nodes - 1


def test_names_read_back_as_they_are() -> None:
    text = read_back("\n".join(lines(hostile())))
    assert all(f'"= {short(quoted(name))[:36]}' in text for name in NAMES)
    assert all(short(line) in text for card in cards(hostile(), View()) for line in card.lines)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('say "x"', "say #34;x#34;"),
        ("#quot;", "#35;quot#59;"),
        ("%%{init}%%", "#37;#37;#123;init#125;#37;#37;"),
        ("<b> & `c`", "#60;b#62; #38; #96;c#96;"),
        ("- item", "#45; item"),
        ("1. item", "1#46; item"),
        ("x = -1.5", "x = -1.5"),
        ("Größe 日本", "Größe 日本"),
    ],
)
def test_mermaid_syntax_is_escaped(text: str, expected: str) -> None:
    assert mermaid._escaped(text) == expected
