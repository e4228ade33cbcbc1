"""`rules -f html` in a real browser: sorting, searching, and trying rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.browser.chromium import ESCAPE, Browser
from tests.browser.test_page import MOST_ROWS, NARROW, TRY_ROWS, WIDE, texts_of
from tests.example_models import chain, every_kind, iris_like, playtennis, regression, single_leaf
from tests.exporters.models import derived, leaf_models
from tests.renderers.hostile import NAMES, hostile
from treecli.model import Model, TreeModel
from treecli.models import probes
from treecli.rule_formats import Page
from treecli.rule_formats.html import render
from treecli.rules.predict import answers, deciding
from treecli.rules.rulelist import RuleList, of_tree
from treecli.rules.text import rule_lines
from treecli.wording import readable

ORDER = "return [...document.querySelectorAll('#body .rule-row')].map(e => Number(e.dataset.place) + 1)"


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Any]:
    """Opens the page of a rule list; in the end nothing may have gone wrong in it."""

    def opened(model: Model, size: tuple[int, int] = WIDE) -> Browser:
        rules = of_tree(model) if isinstance(model, TreeModel) else model
        path = tmp_path / "rules.html"
        path.write_text("".join(render(Page(rules, rules.rules))), encoding="utf-8")
        browser.resize(*size)
        browser.open(path)
        return browser

    yield opened
    assert browser.complaints() == []
    assert {address.partition(":")[0] for address in browser.requests()} <= {"file", "data"}


def voting(model: TreeModel) -> RuleList:
    """The rules of a tree that vote, each without its last condition, so that several hold at once."""
    rules = of_tree(model)
    return replace(rules, votes=True, rules=tuple(replace(r, conditions=r.conditions[:-1]) for r in rules.rules))


@pytest.mark.parametrize(
    "rules",
    [
        of_tree(playtennis()),
        of_tree(iris_like()),
        of_tree(regression()),
        of_tree(every_kind()),
        of_tree(single_leaf()),
        replace(voting(iris_like()), votes=False),
        voting(iris_like()),
        voting(regression()),
        of_tree(leaf_models()),
        voting(leaf_models()),
        of_tree(derived()),
    ],
    ids=[
        *("nominal", "numeric", "regression", "every kind", "one rule", "overlapping", "votes", "votes of numbers"),
        *("formulas", "votes of formulas", "derived"),
    ],
)
def test_every_row_gets_what_the_rules_say(page: Any, rules: RuleList) -> None:
    rows = probes(replace(rules, votes=False))
    dataset = rows.take(np.arange(0, rows.n_rows, 1 + rows.n_rows // MOST_ROWS))
    shown = page(rules).run(TRY_ROWS, texts_of(dataset))
    predicted, shares = answers(rules, dataset)
    labels = rules.schema.target.labels
    first = deciding(rules, dataset).tolist()
    for answer, value, probabilities, rule in zip(shown, predicted.tolist(), shares.tolist(), first, strict=True):
        assert answer["trouble"] == ""
        if not rules.votes:
            assert answer["end"] == ("the default" if rule == len(rules.rules) else f"Rule {rule + 1}")
        if not labels:
            assert float(answer["predicted"]) == pytest.approx(value, rel=1e-3)
            continue
        assert answer["predicted"] == labels[value]
        told = {label: float(share.removesuffix(" %")) for label, _, share in answer["shares"]}
        for label, probability in zip(labels, probabilities, strict=True):
            assert told.get(label, 0.0) == pytest.approx(100 * probability, abs=0.0501)


def test_the_rule_that_fires_is_marked_with_what_a_row_satisfies(page: Any) -> None:
    window = page(playtennis())
    window.run(TRY_ROWS, ["Sunny,Hot,High,Weak"])
    assert window.texts(".fires .conditions li") == ["Outlook = Sunny", "Humidity = High"]
    assert window.texts("#rule-2 .yes") == ["Outlook = Sunny"]
    assert window.texts("#rule-2 .no") == ["Humidity = Normal"]
    window.click("#end")
    assert window.texts("#rule") == ["IF Outlook = Sunny AND Humidity = High THEN No (3/3, confidence 0.80, lift 2.24)"]
    window.click("#row [type=reset]")
    assert window.texts(".fires") == []


def test_a_click_on_a_rule_shows_what_treecli_rules_prints(page: Any) -> None:
    model = iris_like()
    window = page(model)
    found = []
    for number in range(1, len(of_tree(model).rules) + 1):
        window.click(f"#rule-{number}")
        found += window.texts("#rule")
    assert found == [line.rstrip("\n") for line in rule_lines(of_tree(model).rules, model.schema, readable)]


def test_a_column_sorts_and_sorts_back(page: Any) -> None:
    window = page(playtennis())
    # The rules cover 3, 2, 4, 3 and 2 cases; equals stay in their order.
    assert window.run(ORDER) == [1, 2, 3, 4, 5]
    window.click("[data-id=covered] button")
    assert window.run(ORDER) == [3, 1, 4, 2, 5]
    assert window.run("return document.querySelector('[data-id=covered]').ariaSort") == "descending"
    window.click("[data-id=covered] button")
    assert window.run(ORDER) == [2, 5, 1, 4, 3]
    window.run("const o = document.getElementById('order'); o.value = 'place'; o.dispatchEvent(new Event('change'))")
    assert window.run(ORDER) == [1, 2, 3, 4, 5]


def test_a_search_keeps_the_rules_with_all_words(page: Any) -> None:
    window = page(playtennis())
    window.press("/")
    window.press(*"outlook = sunny yes")
    assert window.run(ORDER) == [2]
    assert window.texts("#found") == ["1 rule"]
    # A row's rule is shown even where the search has left it out.
    window.run(TRY_ROWS, ["Rain,Hot,High,Weak"])
    assert 4 in window.run(ORDER)
    window.press(ESCAPE)
    assert window.run(ORDER) == [1, 2, 3, 4, 5]


def test_of_thousands_of_rules_some_are_made_at_a_time(page: Any) -> None:
    window = page(chain(1000))
    assert len(window.run(ORDER)) == 300
    window.click("#more")
    assert len(window.run(ORDER)) == 600
    (answer,) = window.run(TRY_ROWS, ["900.5"])
    assert answer["end"] == "Rule 901"
    assert 901 in window.run(ORDER)


def test_hostile_names_stay_text(page: Any) -> None:
    window = page(hostile())
    assert window.run("return document.querySelectorAll('script, img, b').length") == 2
    window.click("#rule-1")
    window.write("#query", "</svg><script>")
    assert any(NAMES[1] in text for text in window.texts("#row label"))


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["narrow", "wide"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_sticks_out_of_the_window(page: Any, browser: Browser, size: tuple[int, int], theme: str) -> None:
    browser.emulate(prefers_color_scheme=theme)
    window = page(hostile(), size)
    window.click("#rule-1")
    assert window.run("return document.documentElement.dataset.theme") == theme
    assert window.run("return document.documentElement.scrollWidth <= innerWidth")
    assert window.run("return document.documentElement.scrollHeight <= innerHeight")
    assert window.run("const l = document.querySelector('.list'); return l.scrollWidth <= l.clientWidth")
    browser.emulate(prefers_color_scheme="light")


def test_on_paper_all_rules_are_there(page: Any) -> None:
    window = page(chain(400))
    window.run("dispatchEvent(new Event('beforeprint'))")
    assert len(window.run(ORDER)) == 401
    assert window.printed().startswith(b"%PDF")
