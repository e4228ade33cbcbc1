"""Settings that concern single splits, together with searches that choose otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.growing import sample
from treecli import plugins
from treecli.errors import UsageError
from treecli.learn import learn
from treecli.recipe import Recipe
from treecli.settings.searching import GREEDY

WORD = {"optimal": "optimal:2"}
SEARCHES = [name for name in plugins.names("searches") if name not in (GREEDY, "m5")]
GIVEN = {"--force": ["Wind"], "--monotone": ["Wind=+"], "--attribute-costs": ["costs.csv"], "--winnow": []}


@pytest.fixture(autouse=True)
def costs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "costs.csv").write_text("Wind,2\n")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("option", GIVEN)
@pytest.mark.parametrize("search", SEARCHES)
def test_a_search_refuses_what_only_the_greedy_one_does(search: str, option: str) -> None:
    word = WORD.get(search, search)
    with pytest.raises(UsageError, match=f"^--search {word} and {option} exclude each other$"):
        Recipe.parse(["--search", word, option, *GIVEN[option]])


@pytest.mark.parametrize("given", [*([option, *values] for option, values in GIVEN.items()), ["--project", "jl:0.5"]])
def test_m5_refuses_what_weka_does_not_have(given: list[str]) -> None:
    with pytest.raises(UsageError, match=f"^{given[0]}: the search of M5P does not have it$"):
        Recipe.parse(["--like", "m5p", *given])


@pytest.mark.parametrize("search", SEARCHES)
def test_a_search_finds_splits_on_projected_columns(search: str) -> None:
    words = ["--search", WORD.get(search, search), "--project", "gaussian:3", "--max-depth", "2"]
    dataset = sample("iris.csv")
    model = learn(dataset, Recipe.parse(words))
    used = {index for index in model.tree.attribute if index >= 0}
    assert used
    assert min(used) >= len(dataset.schema.attributes)
    if search == "optimal":
        assert model.lineage, "the facts of the search are recorded"
