"""`show -f html` in a real browser: clicks, keys and rows, and the page's reactions."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.browser.chromium import DOWN, END, ENTER, ESCAPE, HOME, LEFT, RIGHT, UP, Browser
from tests.conftest import Runner
from tests.example_models import Inner, chain, every_kind, iris_like, model_of, playtennis, regression, single_leaf
from tests.exporters import models as exported
from tests.growing import SAMPLE_DATA
from tests.renderers.test_html import ATTACK, hostile
from treecli.data import Attribute, Dataset, Schema
from treecli.model import TreeModel
from treecli.models import probes, write_model
from treecli.predict.nodevalues import predicted
from treecli.predict.predict import SPREAD, distributions, leaves
from treecli.renderers import View
from treecli.renderers.html import render
from treecli.splits import binary

MOST_ROWS = 120
"""Of each model; each takes a moment to be drawn."""

WIDE, NARROW = (1300, 860), (420, 800)

TRY_ROWS = """
const paste = document.getElementById("paste");
const text = (id) => document.getElementById(id)?.textContent ?? null;
return arguments[0].map((row) => {
  paste.value = row;
  paste.dispatchEvent(new Event("input", {bubbles: true}));
  const cells = (line) => [...line.children].map((cell) => cell.textContent);
  const shares = [...document.querySelectorAll("#answer tr")].map(cells);
  return {predicted: text("predicted"), end: text("end"), trouble: text("trouble"), shares};
});
"""
"""The page's answers to a list of pasted texts."""


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Any]:
    """Opens the page of a model; in the end nothing may have gone wrong in it."""

    def opened(model: TreeModel, view: View | None = None, size: tuple[int, int] = WIDE) -> Browser:
        path = tmp_path / "tree.html"
        path.write_text("".join(render(model, view or View())), encoding="utf-8")
        browser.resize(*size)
        browser.open(path)
        return browser

    yield opened
    assert browser.complaints() == []
    assert {address.partition(":")[0] for address in browser.requests()} <= {"file", "data"}


def shown(browser: Browser) -> list[int]:
    """The numbers of the nodes that are drawn, in no particular order but sorted."""
    numbers = browser.run("return [...document.querySelectorAll('#nodes > [data-id]')].map(e => Number(e.dataset.id))")
    return sorted(numbers)


def active(browser: Browser) -> str:
    """The text that a screen reader reads for the focused node."""
    name: str = browser.run(
        "return document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).ariaLabel"
    )
    return name


@pytest.mark.parametrize("model", [playtennis(), iris_like(), regression(), every_kind(), single_leaf(), chain(300)])
def test_a_page_opens_without_a_complaint_or_a_request(page: Any, browser: Browser, model: TreeModel) -> None:
    page(model)
    assert browser.texts("h1") == [f"Decision tree: {model.schema.target.name}"]
    assert browser.run("return document.title") == f"{model.schema.target.name}: decision tree"
    assert 0 in shown(browser)
    assert len(browser.requests()) == 1  # the file itself


def test_a_branch_is_closed_and_opened_by_its_button(page: Any) -> None:
    window = page(playtennis())
    assert shown(window) == [0, 1, 2, 3, 4, 5, 6, 7]
    assert window.run("return document.querySelector('#node-1').getAttribute('aria-expanded')") == "true"
    window.click("#node-1 .toggle")
    assert shown(window) == [0, 1, 2, 3, 6, 7]
    assert window.texts("#node-1 .toggle") == ["+2"]
    assert window.run("return document.querySelector('#node-1').getAttribute('aria-expanded')") == "false"
    window.click("#node-1 .toggle")
    assert shown(window) == [0, 1, 2, 3, 4, 5, 6, 7]
    window.click("#collapse")
    assert shown(window) == [0, 1, 2, 3]
    window.click("#expand")
    assert shown(window) == [0, 1, 2, 3, 4, 5, 6, 7]


def test_a_click_on_a_leaf_shows_the_rule_that_treecli_rules_prints(page: Any, treecli: Runner, tmp_path: Path) -> None:
    model = iris_like()
    write_model(str(tmp_path / "model.json"), model)
    window = page(model)
    found = []
    for node in model.tree.in_reading_order():
        if model.tree.is_leaf(node):
            window.click(f"#node-{node}")
            found += window.texts("#rule")
    assert found == treecli("rules", "model.json").out.splitlines()


def test_a_search_opens_what_is_closed_and_goes_from_one_to_the_next(page: Any) -> None:
    window = page(playtennis())
    window.click("#collapse")
    window.press("/")
    assert window.run("return document.activeElement.id") == "query"
    window.press(*"STRONG")
    assert window.texts("#found") == ["1 node"]
    assert shown(window) == [0, 1, 2, 3]
    window.press(ENTER)
    assert window.texts("#found") == ["1 of 1"]
    assert 7 in shown(window)
    assert window.texts("#rule")[0].startswith("IF Outlook = Rain AND Wind = Strong THEN No")
    # Node 1 tests Humidity, and its children are nodes 4 and 5.
    window.write("#query", "humidity")
    assert window.texts("#found") == ["3 nodes"]
    window.press(ENTER, ENTER)
    assert window.texts("#found") == ["2 of 3"]
    # "Yes" is predicted by three leaves; an inner node of which most cases are so is none of them.
    window.write("#query", "yes")
    assert window.texts("#found") == ["3 nodes"]
    window.press(ESCAPE)
    assert window.texts("#found") == [""]
    assert window.run("return document.activeElement.id") == "tree"


def test_hovering_shows_the_counts(page: Any) -> None:
    window = page(playtennis())
    window.hover("#node-1")
    assert window.run("return document.getElementById('tip').hidden") is False
    assert window.texts("#tip > p") == ["Outlook = Sunny", "PlayTennis = No"]
    assert window.texts("#tip td.number") == ["3", "60 %", "2", "40 %"]


def test_the_keys_walk_the_tree_as_in_any_other(page: Any) -> None:
    window = page(playtennis())
    window.run("document.getElementById('tree').focus()")
    assert active(window) == "all cases, asks Outlook, 14 cases"
    window.press(DOWN)
    assert active(window) == "Outlook = Sunny, asks Humidity, 5 cases"
    window.press(LEFT)
    assert shown(window) == [0, 1, 2, 3, 6, 7]
    window.press(DOWN)
    assert active(window) == "Outlook = Overcast, leaf, Yes, 4 cases"
    window.press(UP, RIGHT)
    assert shown(window) == [0, 1, 2, 3, 4, 5, 6, 7]
    window.press(RIGHT)
    assert active(window) == "Humidity = High, leaf, No, 3 cases"
    window.press(ENTER)
    assert window.texts("#rule")[0].startswith("IF Outlook = Sunny AND Humidity = High THEN No")
    window.press(LEFT, " ")
    assert shown(window) == [0, 1, 2, 3, 6, 7]
    window.press(END)
    assert active(window) == "Wind = Strong, leaf, No, 2 cases"
    window.press(HOME)
    assert active(window) == "all cases, asks Outlook, 14 cases"
    assert window.run("return [...document.querySelectorAll('[role=treeitem]')].every(e => e.ariaLevel > 0)")


def test_every_control_has_a_name(page: Any) -> None:
    window = page(every_kind())
    nameless = window.run(
        "return [...document.querySelectorAll('button, input, select, textarea')].filter(e => "
        "!(e.ariaLabel || e.textContent.trim() && e.tagName === 'BUTTON' || e.labels?.length)).map(e => e.outerHTML)"
    )
    assert nameless == []


def texts_of(dataset: Dataset) -> list[str]:
    """The rows as JSON lists."""

    def cell(attribute: int, row: int) -> object:
        value = dataset.columns[attribute][row].item()
        described = dataset.schema.attributes[attribute]
        if described.is_numeric:
            return None if value != value else value if abs(value) < float("inf") else str(value)
        return {-1: None, -2: "never seen"}.get(value) if value < 0 else described.labels[value]

    n_attributes = len(dataset.schema.attributes)
    return [json.dumps([cell(attribute, row) for attribute in range(n_attributes)]) for row in range(dataset.n_rows)]


@pytest.mark.parametrize(
    "name",
    [
        *("playtennis", "iris", "regression", "every_kind", "rpart", "sklearn", "costs", "mofn", "linear", "project"),
        *("m5p", "m5p, labels", "leaf models", "leaf models, stays", "derived"),
    ],
)
def test_any_row_ends_where_the_model_sends_it(page: Any, treecli: Runner, tmp_path: Path, name: str) -> None:
    from treecli.models import read_model

    made = {"playtennis": playtennis, "iris": iris_like, "regression": regression, "every_kind": every_kind}
    trained = {
        "rpart": ["vote.arff", "--like", "rpart", "--cp", "0.001"],  # surrogates
        "sklearn": ["iris.csv", "--like", "sklearn", "--max-depth", "4"],  # numbers of 32 bits
        "costs": ["vote.arff", "--priors", "equal", "--max-depth", "3", "--unseen", "majority"],
        "mofn": ["monks-2.arff", "--splits", "mofn", "--max-depth", "3"],
        "linear": ["iris.csv", "--splits", "linear"],
        "project": ["iris.csv", "--project", "gaussian:2", "--max-depth", "3"],
        "m5p": ["cpu.csv", "--like", "m5p"],
        "m5p, labels": ["courses-rating.csv", "--like", "m5p", "--prune", "none"],
    }
    if name in made:
        model = made[name]()
    elif name in exported.MODELS:
        model = exported.MODELS[name]()
    else:
        file, *options = trained[name]
        assert treecli("train", SAMPLE_DATA / file, *options, "-q", "-o", "model.json").code == 0
        read = read_model(str(tmp_path / "model.json"))
        assert isinstance(read, TreeModel)
        model = read
    rows = probes(model)
    dataset = rows.take(np.arange(0, rows.n_rows, 1 + rows.n_rows // MOST_ROWS))
    window = page(model)
    answers = window.run(TRY_ROWS, texts_of(dataset))
    said = distributions(model, dataset)
    labels = model.schema.target.labels
    for place, (answer, end, code) in enumerate(
        zip(answers, leaves(model, dataset).tolist(), predicted(model, said).tolist(), strict=True)
    ):
        assert answer["trouble"] == ""
        assert answer["end"] == (None if end == SPREAD else f"node {end}")
        if not labels:
            assert float(answer["predicted"]) == pytest.approx(code, rel=1e-3)
            continue
        assert answer["predicted"] == labels[code]
        shares = {label: float(share.removesuffix(" %")) for label, _, share in answer["shares"]}
        for label, probability in zip(labels, said[place].tolist(), strict=True):
            assert shares.get(label, 0.0) == pytest.approx(100 * probability, abs=0.0501)


def test_a_pasted_row_gets_what_treecli_predict_says(page: Any, treecli: Runner, tmp_path: Path) -> None:
    model = playtennis()
    write_model(str(tmp_path / "model.json"), model)
    text = (SAMPLE_DATA / "playtennis.csv").read_text()
    rows = csv.DictReader(io.StringIO(treecli("predict", "model.json", SAMPLE_DATA / "playtennis.csv", "--leaf").out))
    header, *lines = text.splitlines()
    answers = page(model).run(TRY_ROWS, [f"{header}\n{line}" for line in lines])
    expected = [(row["prediction"], f"node {row['leaf']}") for row in rows]
    assert [(answer["predicted"], answer["end"]) for answer in answers] == expected


@pytest.mark.parametrize(
    ("text", "end", "trouble"),
    [
        ("Rain,Mild,High,Strong", "node 7", ""),
        ("Rain,Mild,High,Strong,No", "node 7", ""),
        ('"Rain","Mild","High","Strong"\r\n', "node 7", ""),
        ("Rain\tMild\tHigh\tStrong", "node 7", ""),
        ("Wind,Outlook\nStrong,Rain", "node 7", ""),
        ('{"Wind": "Strong", "Outlook": "Rain"}', "node 7", ""),
        ('[{"Wind": "Strong", "Outlook": "Rain"}]', "node 7", ""),
        ('["Rain", null, "?", "Strong"]', "node 7", ""),
        ("Rain;;?;Strong", "node 7", ""),
        ("Rain,Mild", None, "2 values, expected 4, in the order of the columns; or paste the header, too"),
        ('{"wind": "Strong"}', None, "no column of the model is among the names that were pasted"),
        ('["Rain"]', None, "1 value, expected 4"),
    ],
)
def test_a_row_is_pasted_in_many_forms(page: Any, text: str, end: str | None, trouble: str) -> None:
    (answer,) = page(playtennis()).run(TRY_ROWS, [text])
    assert (answer["end"], answer["trouble"]) == (end, trouble)


def test_values_are_entered_and_the_path_lights_up(page: Any) -> None:
    window = page(iris_like())
    lit = "return [...document.querySelectorAll('#nodes .on')].map(e => Number(e.dataset.id)).sort()"
    window.write("#field-3", "0.6")
    # The threshold itself goes with what is below it.
    assert window.texts("#end") == ["node 1"]
    assert window.run(lit) == [0, 1]
    window.write("#field-3", "0.6000000000000001")
    window.write("#field-2", "4.9")
    assert window.texts("#end") == ["node 5"]
    assert window.run(lit) == [0, 2, 3, 5]
    window.write("#field-2", "four")
    assert window.texts("#trouble") == ["petallength: 'four' is not a number"]
    assert window.run(lit) == []
    window.click("#row [type=reset]")
    assert window.texts("#trouble") == [""]


def test_what_becomes_of_a_missing_value_is_said(page: Any) -> None:
    window = page(playtennis())
    (answer,) = window.run(TRY_ROWS, ["Sunny,,,"])
    # 3 of 5 days were humid, and all of these bad.
    assert answer["shares"] == [["No", "", "60 %"], ["Yes", "", "40 %"]]
    assert window.texts(".notes li") == ["Humidity is missing: takes all branches, by their shares of the cases"]


def test_a_model_that_refuses_labels_it_has_not_seen_does_so_here(page: Any) -> None:
    known = playtennis()
    window = page(replace(known, settings=known.settings.changed(unseen="error")))
    (answer,) = window.run(TRY_ROWS, ["Foggy,Hot,High,Weak"])
    assert (answer["end"], answer["trouble"]) == (None, "Outlook: the model refuses labels that it has not seen")


def test_many_labels_are_typed_with_suggestions_and_another_one_counts_as_unseen(page: Any) -> None:
    labels = tuple(f"town {number}" for number in range(60))
    schema = Schema((Attribute("town", "nominal", labels),), Attribute("class", "nominal", ("yes", "no")))
    window = page(model_of(schema, Inner(binary.Split(0, 7, 60), ((3.0, 0.0), (0.0, 1.0)))))
    assert window.run("return document.querySelectorAll('#field-0-labels option').length") == 60
    window.write("#field-0", "town 7")
    assert window.texts("#end") == ["node 1"]
    window.write("#field-0", "town 8")
    assert window.texts("#end") == ["node 2"]
    window.write("#field-0", "village")
    assert window.texts(".notes li") == ["town is a label never seen: takes all branches, by their shares of the cases"]


def test_a_view_that_is_cut_says_that_the_model_goes_on(page: Any) -> None:
    window = page(playtennis(), View(depth=1))
    assert window.texts("#node-1 .headline") == ["No"]
    (answer,) = window.run(TRY_ROWS, ["Sunny,Hot,High,Weak"])
    assert answer["end"] == "node 1"
    assert window.texts("#answer .quiet") == ["Ends at node 1, where this picture does; the model goes on for 2 nodes."]


def test_the_page_is_light_or_dark_as_the_reader_prefers_until_the_button_says_otherwise(
    page: Any, browser: Browser
) -> None:
    background = "return getComputedStyle(document.body).backgroundColor"
    browser.emulate(prefers_color_scheme="dark")
    window = page(playtennis())
    dark = window.run(background)
    window.click("#theme")
    light = window.run(background)
    assert light != dark
    browser.emulate(prefers_color_scheme="light")
    page(playtennis())
    assert window.run(background) == light
    window.click("#theme")
    assert window.run(background) == dark
    assert window.run("return document.getElementById('theme').ariaPressed") == "true"


def test_hostile_names_stay_text(page: Any) -> None:
    model = hostile()
    window = page(model)
    long = "x" * 5000
    answers = window.run(
        TRY_ROWS, [json.dumps([label, None, "High", "Weak"]) for label in (*model.schema.attributes[0].labels, long)]
    )
    assert [answer["end"] for answer in answers] == ["node 4", "node 2", "node 6", None]
    window.write("#query", "</script>")
    window.press(ENTER)
    assert window.run("return document.querySelectorAll('script, img, b').length") == 2
    assert any(ATTACK in text for text in window.texts("#row label"))
    # The sign that turns the direction of writing is made visible.
    assert window.texts("h1") == ["Decision tree: <b>\\u{202e}yalp"]


def test_not_even_a_script_that_is_put_into_the_page_runs(page: Any, browser: Browser) -> None:
    window = page(playtennis())
    ran = window.run(
        "const script = document.createElement('script'); script.textContent = 'window.ran = true';"
        "document.body.append(script); return window.ran ?? false"
    )
    assert ran is False
    assert "Content Security Policy" in "".join(browser.complaints())


def test_the_window_is_dragged_and_zoomed(page: Any) -> None:
    place = "const r = document.querySelector('#node-0 .box').getBoundingClientRect(); return [r.x, r.y, r.width]"
    window = page(playtennis())
    x, y, width = window.run(place)
    window.drag((500, 700), (560, 660))
    assert window.run(place) == pytest.approx([x + 60, y - 40, width])
    window.wheel((500, 500), -200)
    assert window.run(place)[2] == pytest.approx(width * 2.718281828**0.5)
    window.click("#fit")
    assert window.run(place) == pytest.approx([x, y, width])


def test_of_five_thousand_nodes_only_those_in_the_window_are_elements(page: Any) -> None:
    window = page(chain(2500))
    assert len(shown(window)) < 60
    window.click("#expand")
    assert window.run("return document.querySelectorAll('#tree *').length") < 100
    # From afar a click still finds the node, and comes near.
    window.click("#node-0")
    assert window.texts("#node .quiet")[0] == "Node 0, inner node, 2501 cases"
    (answer,) = window.run(TRY_ROWS, ["2000.5"])
    assert answer["end"] == "node 4001"
    assert 4001 in shown(window)
    window.write("#query", "x > 2500")
    window.press(ENTER)
    assert window.texts("#rule")[0].startswith("IF x > 2500 THEN")


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["narrow", "wide"])
def test_nothing_sticks_out_of_the_window(page: Any, size: tuple[int, int]) -> None:
    window = page(every_kind(), size=size)
    window.click("#node-0")
    assert window.run("return document.documentElement.scrollWidth <= innerWidth")
    assert window.run("return document.documentElement.scrollHeight <= innerHeight")


def test_on_paper_everything_that_is_open_is_there(page: Any) -> None:
    window = page(playtennis())
    for _ in range(3):
        window.drag((100, 700), (900, 700))
    assert len(shown(window)) < 8
    window.run("dispatchEvent(new Event('beforeprint'))")
    assert shown(window) == [0, 1, 2, 3, 4, 5, 6, 7]
    window.run("dispatchEvent(new Event('afterprint'))")
    assert len(shown(window)) < 8
    assert window.printed().startswith(b"%PDF")
