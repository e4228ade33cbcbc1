"""The benchmark: reproducible data, correct measurements, correct claims."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench import __main__ as command
from bench import claims, contest, datasets, growth, instructions, measure, peers, table, works
from bench.growth import Point
from bench.peers import j48
from bench.results import PYTHON, TREECLI, Result
from treecli.intake import ReadOptions, read_training
from treecli.model import TreeModel
from treecli.models import read_model

ROOT = Path(__file__).parent.parent


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(datasets, "CACHE", tmp_path)
    return tmp_path


@pytest.mark.parametrize("suffix", ["csv", "arff"])
@pytest.mark.parametrize(
    ("name", "kinds", "classes"),
    [
        ("M", ["numeric"] * 10 + ["nominal"] * 10, {"low", "mid", "high"}),
        ("L", ["numeric"] * 20, {"no", "yes"}),
        ("D", ["numeric"] * 20, {"no", "yes"}),
        ("R", ["numeric"] * 10, set()),
    ],
)
def test_a_data_set_has_the_attributes_that_it_is_to_have(
    name: str, kinds: list[str], classes: set[str], suffix: str, cache: Path
) -> None:
    dataset = read_training(str(datasets.file_of(name, 3000, suffix)), ReadOptions()).dataset
    assert dataset.n_rows == 3000
    assert [attribute.kind for attribute in dataset.schema.attributes] == kinds
    assert set(dataset.schema.target.labels) == classes


def test_three_in_a_hundred_values_of_m_are_missing_and_none_of_l(cache: Path) -> None:
    rows = [line.split(",") for line in datasets.file_of("M", 3000).read_text().splitlines()[1:]]
    empty = sum(cell == "" for row in rows for cell in row)
    # 60,000 values: the share of those missing has a standard deviation of sqrt(0.03 * 0.97 / 60000) = 0.0007.
    assert 0.025 < empty / (3000 * 20) < 0.035
    assert ",," not in datasets.file_of("L", 300).read_text()


def test_a_data_set_is_the_same_each_time_and_another_with_another_seed(cache: Path) -> None:
    first = datasets.file_of("M", 200)
    text = first.read_bytes()
    first.unlink()
    assert datasets.file_of("M", 200).read_bytes() == text
    assert datasets.file_of("M", 200, seed=datasets.SEED_OF_OTHERS).read_bytes() != text


def test_both_formats_hold_the_same_rows(cache: Path) -> None:
    csv = datasets.file_of("M", 100).read_text().split("\n", 1)[1]
    arff = datasets.file_of("M", 100, "arff").read_text().split("@data\n")[1]
    assert [row.split(",") for row in arff.splitlines()] == [
        [cell or "?" for cell in row.split(",")] for row in csv.splitlines()
    ]


def test_a_run_reports_the_memory_of_the_command_and_not_of_its_parent() -> None:
    size = 150 * table.MEGABYTE
    held = b"x" * size  # this process is large while the small one runs
    small = measure.run([sys.executable, "-c", "print('done')"])
    assert small.stdout == "done\n"
    assert small.memory < size / 2
    del held
    large = measure.run([sys.executable, "-c", f"b'x' * {size}"])
    assert size < large.memory < size + 100 * table.MEGABYTE


def test_a_command_that_is_not_there_fails_as_well() -> None:
    with pytest.raises(measure.CommandFailedError, match="could not be started"):
        measure.run(["no-such-command"])


def test_a_command_that_fails_is_named_with_its_message() -> None:
    with pytest.raises(measure.CommandFailedError, match=r"exit code 3(.|\n)*no such luck"):
        measure.run([sys.executable, "-c", "import sys; print('no such luck', file=sys.stderr); sys.exit(3)"])


def test_the_output_of_train_is_parsed() -> None:
    run = measure.run([works.TREECLI, "train", "sample_data/iris.csv", "-o", os.devnull])
    said = contest.told(run.stdout + run.stderr)
    assert set(said) == {"fit", "leaves", "accuracy"}
    assert said["accuracy"] == 1.0  # a full tree, and no two flowers with equal measures are of different classes
    numeric = measure.run([works.TREECLI, "train", "sample_data/cpu.csv", "--max-depth", "2", "-o", os.devnull])
    assert contest.told(numeric.stdout + numeric.stderr)["leaves"] == 4


def test_a_program_that_fails_is_left_out_of_the_claims_and_named_in_the_table() -> None:
    said: list[str] = []
    result = contest.used(
        works.Use("S use", "--help", [sys.executable, "-c", "raise SystemExit('out of luck')"]), said.append
    )
    assert result.runs == 0
    assert sum("out of luck" in text for text in said) == 1  # it is not tried again
    assert table.lines([result])[1].split() == ["S", "use", "treecli", "--help", "failed"]
    assert claims.claims([result]) == []


def test_the_best_of_several_runs_counts() -> None:
    result = Result("S", TREECLI)
    for wall, memory, fit in ((3.0, 10, 1.0), (2.0, 12, 0.0), (4.0, 8, 0.5)):
        contest.keep(result, measure.Run(wall, wall, memory, "", ""), {"fit": fit})
    assert (result.wall, result.cpu, result.memory, result.fit, result.runs) == (2.0, 2.0, 8, 0.0, 3)


def test_j48s_words_are_understood() -> None:
    # As Weka 3.6.14 prints them.
    printed = "Number of Leaves  : \t5\n\nTime taken to build model: 0.02 seconds\n\n"
    printed += "Correctly Classified Instances         147               98      %\n"
    assert j48.answer(printed) == {"leaves": 5, "fit": 0.02, "accuracy": 0.98}


@pytest.mark.parametrize("name", peers.names())
def test_every_peer_has_a_title_and_knows_whether_it_is_installed(name: str) -> None:
    peer = peers.load(name)
    task = works.Task("S", "S", 150)
    assert peer.TITLE
    assert peer.SOURCE
    assert peer.is_here() in (True, False)
    assert peer.can(task) in (True, False)


def test_the_table_gives_ratios_to_treeclis_first_way() -> None:
    results = [
        Result("L", TREECLI, "gini", 2.0, 3.0, 1.0, 2**20, 7, 1.0),
        Result("L", "Other", "", 9.0, 9.0, 8.0, 2**21, 8, 0.5),
    ]
    header, own, other = table.lines(results)
    assert header.split()[:3] == ["work", "program", "seconds"]
    assert own.split() == ["L", "treecli", "gini", "2.00", "3.00", "1.00", "1", "MB", "7", "1.0000"]
    assert other.split() == ["Other", "9.00", "4.5", "×", "9.00", "8.00", "8.0", "×", "2", "MB", "8", "0.5000"]


@pytest.mark.parametrize(("seconds", "holds"), [(0.5, True), (1.5, False)])
def test_a_claim_is_judged_by_its_limit(seconds: float, holds: bool) -> None:
    # Reading is to take at most a third of the time of Python's json, so at most 1 s here.
    results = [Result("L tree JSON", TREECLI, "reading", seconds), Result("L tree JSON", PYTHON, "reading", 3.0)]
    (claim,) = claims.claims(results)
    assert claim.holds is holds
    assert ("DOES NOT HOLD" in "\n".join(claims.lines([claim]))) is not holds


def test_instructions_are_parsed_and_compared_with_those_of_python() -> None:
    # As valgrind 3.19 prints them.
    assert instructions.instructions("==7== Events    : Ir\n==7== Collected : 354123456\n==7== \n") == 354_123_456
    assert instructions.instructions("==7== no such luck\n") is None
    results = [
        Result(instructions.WORK, PYTHON, "-c pass", instructions=40_000_000),
        Result(instructions.WORK, TREECLI, "show", instructions=360_000_000),
    ]
    (claim,) = claims.claims(results)
    assert (claim.measured, claim.holds) == (9.0, True)
    assert table.lines(results)[2].split() == ["treecli", "show", "360", "M"]


def test_ways_of_one_task_are_compared_by_time_and_by_memory() -> None:
    results = [
        Result("L full", TREECLI, "gini", 4.0, 7.0, 2.0, 400 * 2**20),
        Result("L full", TREECLI, "default", 6.0, 10.5, 4.0, 400 * 2**20),
        Result("L full", TREECLI, "--like sklearn", 4.0, 7.0, 2.0, 300 * 2**20),
        Result("L full", "scikit-learn", memory=800 * 2**20),
        Result("D full", TREECLI, "gini", 2.0),
        Result("D full", TREECLI, "default", 4.0),
    ]
    found = {claim.text: (claim.measured, claim.holds) for claim in claims.claims(results)}
    assert found == {
        "L full, file to model: gain ratio / gini": (1.5, True),
        "D full, file to model: gain ratio / gini": (2.0, False),
        "L full, peak memory: treecli gini / scikit-learn": (0.5, False),
        "L full, peak memory: treecli default / scikit-learn": (0.5, False),
        "L full, peak memory: treecli --like sklearn / scikit-learn": (0.375, True),
    }


def test_there_are_no_claims_about_unmeasured_tasks() -> None:
    assert claims.claims([]) == []


def test_the_best_peer_is_the_one_to_beat() -> None:
    results = [
        Result("R depth 10", TREECLI, "variance", 2.0),
        Result("R depth 10", "Slow", "", 8.0),
        Result("R depth 10", "Quick", "", 1.0),
    ]
    (claim,) = claims.claims(results)
    assert "Quick" in claim.text
    assert claim.measured == 0.5
    assert not claim.holds


def test_an_exponent_is_that_of_the_upper_sizes() -> None:
    # What every run costs anyway, 5 s, hides the square among the small sizes only.
    points = [Point(size, max(5.0, size**2 / 100), size) for size in (1, 10, 100, 1000)]
    assert growth.exponent(points, lambda point: point.seconds) == pytest.approx(2.0)
    assert growth.exponent(points, lambda point: point.memory) == pytest.approx(1.0)


def test_a_chain_is_a_model_of_that_depth(tmp_path: Path) -> None:
    path = tmp_path / "chain.json"
    path.write_text(growth.chain(5))
    model = read_model(str(path))
    assert isinstance(model, TreeModel)
    tree = model.tree
    assert max(tree.depths()) == 5
    assert tree.n_leaves == 6
    assert [list(tree.outcomes_of(node)) for node in range(5)] == [[3, 3], [1, 0], [2, 3], [0, 1], [2, 2]]


def test_an_unknown_part_is_refused_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        command.main(["--only", "X"])
    assert caught.value.code == 2
    assert "'X' is none of S, M, L, D, R" in capsys.readouterr().err


@pytest.mark.peers
def test_the_small_part_runs_prints_and_writes(tmp_path: Path) -> None:
    output = tmp_path / "results.json"
    answer = subprocess.run(
        [sys.executable, "-m", "bench", "--quick", "--only", "S", "--peers", "sklearn", "-o", str(output)],
        cwd=ROOT,
        env={**os.environ, "TREECLI_BENCH_DATA": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "scikit-learn" in answer.stdout
    results = json.loads(output.read_text())["results"]
    grown = {result["program"]: result for result in results if result["work"] == "S"}
    # Both grow a full tree of iris: no two of its flowers with equal measures are of different classes.
    assert [grown[program]["accuracy"] for program in (TREECLI, "scikit-learn")] == [1.0, 1.0]
    assert [result["way"] for result in results if result["work"] == "S use"] == ["--help", "show", "rules", "info"]
