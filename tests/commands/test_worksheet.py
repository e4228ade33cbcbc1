"""`treecli worksheet` writes sheets and their keys, from own or random data."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import Runner

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_data"


def read_key(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def parts(treecli: Runner, *arguments: str | Path) -> dict[str, dict[str, object]]:
    """The blanks of a sheet by name."""
    done = treecli("worksheet", *arguments, "--to", "json", "-q")
    assert done.code == 0, done.err
    sections = json.loads(done.out)["sections"]
    return {part["blank"]: part for section in sections for part in section["parts"] if part["kind"] == "blank"}


def test_thirty_sheets_of_equal_difficulty_have_one_key(treecli: Runner, tmp_path: Path) -> None:
    done = treecli("worksheet", "--seed", "7", "--count", "30", "--rows", "8", "-o", "homework")
    assert (done.code, done.out) == (0, "")
    assert done.err == "wrote 30 sheets of 9 points each, and the key, to homework\n"
    names = {path.name for path in (tmp_path / "homework").iterdir()}
    assert names == {f"sheet-{number}.tex" for number in range(7, 37)} | {"key.csv", "marking.json"}
    key = read_key(tmp_path / "homework" / "key.csv")
    assert list(key[0]) == ["sheet", "blank", "answer", "low", "high", "points"]
    assert set(Counter(row["sheet"] for row in key).values()) == {9}
    # A sheet of a batch is the sheet of its own seed.
    assert (
        treecli("worksheet", "--seed", "20", "--rows", "8").out == (tmp_path / "homework" / "sheet-20.tex").read_text()
    )


def test_the_same_seed_gives_the_same_bytes(treecli: Runner, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        assert treecli("worksheet", "--seed", "3", "--count", "2", "-o", folder, "-q").code == 0
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
    assert treecli("worksheet", "--seed", "4").out != treecli("worksheet", "--seed", "5").out


def test_own_data_get_the_numbers_of_their_trace(treecli: Runner) -> None:
    # scikit-learn 1.9.1's mutual_info_score / ln 2, and SciPy 1.17.1's entropies, rounded.
    found = parts(treecli, SAMPLES / "playtennis.csv", "--tasks", "entropy,gain,ratio,gini,root")
    answers = {name: part["answer"] for name, part in found.items()}
    assert answers == {
        "H(S)": 0.940,
        "Gain(S, Outlook)": 0.247,
        "SplitInfo(S, Outlook)": 1.577,
        "GainRatio(S, Outlook)": 0.156,
        "Gain(S, Temperature)": 0.029,
        "SplitInfo(S, Temperature)": 1.557,
        "GainRatio(S, Temperature)": 0.019,
        "Gain(S, Humidity)": 0.152,
        "SplitInfo(S, Humidity)": 1.0,
        "GainRatio(S, Humidity)": 0.152,
        "Gain(S, Wind)": 0.048,
        "SplitInfo(S, Wind)": 0.985,
        "GainRatio(S, Wind)": 0.049,
        "Gini(S)": 0.459,
        "Δ(S, Outlook)": 0.116,
        "Δ(S, Temperature)": 0.019,
        "Δ(S, Humidity)": 0.092,
        "Δ(S, Wind)": 0.031,
        "split on": "Outlook",
    }


def test_thresholds_and_all_branches_can_be_asked_for(treecli: Runner, tmp_path: Path) -> None:
    # Mitchell 1997, section 3.7.2: thresholds 54 and 85; here the best, 54.
    (tmp_path / "days.csv").write_text("Temperature,PlayTennis\n40,No\n48,No\n60,Yes\n72,Yes\n80,Yes\n90,No\n")
    found = parts(
        treecli, "days.csv", "--tasks", "entropy,gain,root", "--blanks", "all", "--type", "PlayTennis=nominal"
    )
    assert {name: part["answer"] for name, part in found.items()} == {
        "H(S)": 1.0,
        "H(S|Temperature <= 54)": 0.0,
        "H(S|Temperature > 54)": 0.811,
        "H(S|Temperature)": 0.541,
        "Gain(S, Temperature <= 54)": 0.459,
        "split on": "Temperature",
    }


def test_the_gain_with_a_missing_value_is_that_of_the_known_cases_times_their_share(
    treecli: Runner, tmp_path: Path
) -> None:
    # Quinlan 1993: the outlook of D12 is unknown. 13/14 (0.961 - 0.747) = 0.199, of 1.809 bits with the unknown case.
    days = (SAMPLES / "playtennis.csv").read_text().replace("D12,Overcast", "D12,?")
    (tmp_path / "unknown.csv").write_text(days)
    words = ("unknown.csv", "--tasks", "entropy,gain,ratio,root", "--blanks", "all")
    found = parts(treecli, *words)
    expected = {
        "H(S)": 0.94,
        "H(S, Outlook known)": 0.961,
        "H(known|Outlook)": 0.747,
        "Gain(S, Outlook)": 0.199,
        "SplitInfo(S, Outlook)": 1.809,
        "GainRatio(S, Outlook)": 0.11,
        "Gain(S, Humidity)": 0.152,
        "split on": "Outlook",
    }
    assert {name: found[name]["answer"] for name in expected} == expected
    markdown = treecli("worksheet", *words, "--to", "markdown").out
    assert "| 12 | ? | Mild | High | Strong | Yes |" in markdown
    assert "A value ? is missing: the gain of an attribute is that of the cases whose value is known" in markdown
    # Below a split the case is divided: 5/13 of it are sunny.
    whole = parts(treecli, "unknown.csv", "--tasks", "entropy,tree")
    assert {"split on", "Outlook = Sunny: H(S)"} <= set(whole)


def test_a_numeric_target_asks_for_squared_deviations(treecli: Runner, tmp_path: Path) -> None:
    # y is 1, 2 for a and 4, 5 for b: mean 3, squares 4 + 1 + 1 + 4 = 10; 0.5 in each branch; (10 - 1) / 4.
    (tmp_path / "two.csv").write_text("A,B,y\na,p,1\na,q,2\nb,p,4\nb,q,5\n")
    words = ("two.csv", "--tasks", "entropy,gain,root,classify", "--blanks", "all")
    found = parts(treecli, *words)
    expected = {
        "SSE(S)": 10.0,
        "SSE(S|A = a)": 0.5,
        "SSE(S|A = b)": 0.5,
        "SSE(S|A)": 1.0,
        "Δ(S, A)": 2.25,
        "SSE(S|B = p)": 4.5,
        "SSE(S|B)": 9.0,
        "Δ(S, B)": 0.25,
        "split on": "A",
    }
    assert {name: found[name]["answer"] for name in expected} == expected
    assert found["Classify: y"]["answer"] in (1.0, 2.0, 4.0, 5.0)
    assert "Grow a tree by squared deviations" in treecli("worksheet", "two.csv", "--to", "html").out


@pytest.mark.parametrize(
    ("tasks", "names"),
    [
        ("root", ["split on"]),
        ("entropy", ["H(S)"]),
        ("classify", ["Classify: PlayTennis"]),
        ("gini,root", ["Gini(S)", "Δ(S, Outlook)", "Δ(S, Temperature)", "Δ(S, Humidity)", "Δ(S, Wind)", "split on"]),
        ("tree", ["split on", "Outlook = Sunny: split on", "Outlook = Rain: split on"]),
    ],
)
def test_a_sheet_asks_what_the_tasks_say(treecli: Runner, tasks: str, names: list[str]) -> None:
    assert list(parts(treecli, SAMPLES / "playtennis.csv", "--tasks", tasks)) == names


def test_pruning_asks_for_the_numbers_of_c45s_estimate(treecli: Runner) -> None:
    # Courses by gain: 3.548 errors expected of a leaf against 4.045 (worked out apart from treecli).
    found = parts(treecli, SAMPLES / "courses.csv", "--tasks", "prune")
    assert found["Prune Sys = y: subtree"]["answer"] == 4.045
    assert found["Prune Sys = y: leaf"]["answer"] == 3.548
    assert found["Prune Sys = y: decision"]["answer"] == "replaced by a leaf"


def test_two_attributes_together_tell_what_each_alone_does_not(treecli: Runner) -> None:
    found = parts(treecli, "--seed", "5", "--tasks", "xor")
    assert [part["answer"] for part in found.values()] == [1.0, 0.0, 0.0, 1.0, 2.0, 0.0]


def test_a_theme_of_ones_own_names_everything(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "fruit.toml").write_text(
        'target = "Ripe"\nclasses = ["unripe", "ripe"]\n[attributes]\n'
        'Colour = ["green", "yellow", "red"]\nSize = ["small", "large"]\nSoft = ["n", "y"]\nSmell = ["none", "sweet"]\n'
    )
    done = treecli("worksheet", "--seed", "7", "--theme", "fruit.toml", "--to", "markdown")
    assert "| Colour | Size | Soft | Smell | Ripe |" in done.out
    # The same draws as with other names.
    weather = treecli("worksheet", "--seed", "7", "--to", "markdown")
    assert done.out.count(" ripe |") == weather.out.count(" yes |")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("target = 1\n", "found no name as 'target'"),
        ('target = "t"\nclasses = ["a"]\n', "found no two labels as 'classes'"),
        ('target = "t"\nclasses = ["a", "b"]\n[attributes]\nx = ["p", "q"]\n', "found fewer than two attributes"),
        (
            'target = "t"\nclasses = ["a", "b"]\n[attributes]\nx = ["p", "p"]\ny = ["r", "s"]\n',
            "'x': expected a list of 2 to 6",
        ),
        ('target = "x"\nclasses = ["a", "b"]\n[attributes]\nx = ["p", "q"]\ny = ["r", "s"]\n', "'x' is the target and"),
        ("colour = 1\n", "found the key 'colour', expected target, classes and attributes"),
        ("target\n", "cannot be read as a theme: "),
    ],
)
def test_a_theme_that_is_none_is_refused(treecli: Runner, tmp_path: Path, text: str, found: str) -> None:
    (tmp_path / "bad.toml").write_text(text)
    done = treecli("worksheet", "--theme", "bad.toml")
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith(f"Error: bad.toml: {found}")


def test_any_data_have_no_conditions(treecli: Runner, tmp_path: Path) -> None:
    assert treecli("worksheet", "--rows", "20").code == 1
    done = treecli("worksheet", "--rows", "20", "--any", "--count", "3", "-o", "sheets")
    assert done.code == 0
    assert {row["sheet"] for row in read_key(tmp_path / "sheets" / "key.csv")} == {"0", "1", "2"}


@pytest.mark.parametrize(
    ("arguments", "code", "found"),
    [
        (["--rows", "20"], 1, "no nice data in 10,000 draws; the condition that failed most"),
        (["--rows", "25"], 2, "--rows 25: the labels of 4 attributes make 24 different rows"),
        (["--attributes", "9"], 2, "--attributes 9: the theme weather has 6 attributes"),
        (["--count", "2"], 2, "--count 2: several sheets need a folder"),
        (["--tasks", "gan"], 2, "--tasks: found 'gan', which is no task\nHint: did you mean 'gain'?"),
        (["--tasks", " , "], 2, "--tasks: found no task"),
        (["--theme", "sport"], 2, "--theme: found 'sport', expected weather or a file that ends with .toml"),
        (["--theme", "no.toml"], 3, "no.toml: cannot be read as a theme: No such file or directory"),
        (["--target", "x"], 2, "--target: for DATA only"),
        (["playtennis.csv", "--rows", "8"], 2, "--rows: for random data only"),
        (["playtennis.csv", "--any"], 2, "--nice and --any: for random data only"),
        (["playtennis.csv", "-f", "json"], 2, "-f: is the form of marked answers"),
        (["iris.csv"], 3, "iris.csv: found 150 rows, but a worksheet has at most 60"),
        (["numbers.csv", "--tasks", "ratio"], 2, "--tasks ratio: is about classes, but the target 'y' is numeric"),
        (["numbers.csv", "--tasks", "gini"], 2, "--tasks gini: is about classes, but the target 'y' is numeric"),
        (["pure.csv"], 3, "pure.csv: "),
        (["numbers.csv", "--tasks", "xor", "-t", "side"], 2, "--tasks xor: needs two attributes with two labels each"),
        (["playtennis.csv", "-o", "playtennis.csv"], 2, "playtennis.csv: is a file, expected a folder"),
        (["-o", "no/such"], 2, "no/such: cannot be made: No such file or directory"),
        (["--mark", "a.csv"], 2, "--mark needs --key"),
        (["--key", "a.csv"], 2, "--key goes with --mark"),
        (["--mark", "a.csv", "--key", "b.csv", "--seed", "3"], 2, "--seed: has no effect on marking"),
        (["x.csv", "--mark", "a.csv", "--key", "b.csv"], 2, "--mark: takes no data, found 'x.csv'"),
        (["--mark", "a.csv", "--key", "b.csv"], 3, "b.csv: cannot be read: No such file or directory"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    treecli: Runner, tmp_path: Path, arguments: list[str], code: int, found: str
) -> None:
    for name in ("playtennis.csv", "iris.csv"):
        (tmp_path / name).write_bytes((SAMPLES / name).read_bytes())
    days = (tmp_path / "playtennis.csv").read_text()
    (tmp_path / "unknown.csv").write_text(days.replace("D12,Overcast", "D12,?"))
    (tmp_path / "numbers.csv").write_text("side,x,y\nl,1,0.5\nr,2,1.5\nl,3,2.5\nr,4,0.25\n")
    (tmp_path / "pure.csv").write_text("a,b\nx,p\ny,p\nx,p\n")
    before = {path.name for path in tmp_path.iterdir()}
    done = treecli("worksheet", *arguments, "-q")
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith(f"Error: {found}")
    assert {path.name for path in tmp_path.iterdir()} == before


def test_existing_files_are_kept_if_asked(treecli: Runner, tmp_path: Path) -> None:
    assert treecli("worksheet", "--seed", "1", "-o", "sheets", "-q").code == 0
    before = {path: path.read_bytes() for path in (tmp_path / "sheets").iterdir()}
    done = treecli("worksheet", "--seed", "2", "--no-clobber", "-o", "sheets", "-q")
    assert done.code == 2
    assert "key.csv: exists and is not overwritten" in done.err
    assert {path: path.read_bytes() for path in (tmp_path / "sheets").iterdir()} == before
    assert treecli("worksheet", "--seed", "1", "-v", "-o", "sheets").err.startswith("sheet 1: ")


def test_a_row_with_a_weight_counts_as_so_many_cases(treecli: Runner, tmp_path: Path) -> None:
    # 3 and 1 cases of no, 2 and 2 of yes: H(S) = 1. A = a has [3, 2], A = b [1, 2]:
    # 1 - 5/8·0.971 - 3/8·0.918 = 0.049. The same rows, written out, have the same key.
    short = "A,B,n,y\na,p,3,no\na,q,2,yes\nb,q,2,yes\nb,p,1,no\n"
    rows = [line.split(",") for line in short.splitlines()[1:]]
    long = "A,B,y\n" + "".join(f"{a},{b},{y}\n" * int(n) for a, b, n, y in rows)
    (tmp_path / "short.csv").write_text(short)
    (tmp_path / "long.csv").write_text(long)
    assert treecli("worksheet", "short.csv", "--weights", "n", "-o", "short", "-q").code == 0
    assert treecli("worksheet", "long.csv", "-o", "long", "-q").code == 0
    key = (tmp_path / "short" / "key.csv").read_text()
    assert key == (tmp_path / "long" / "key.csv").read_text()
    assert '0,"Gain(S, A)",0.049,' in key
    sheet = treecli("worksheet", "short.csv", "--weights", "n", "--to", "markdown", "-q").out
    assert "| 1 | a | p | no | 3 |\n" in sheet


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        (
            "A,n,y\na,1.5,no\nb,2,yes\nb,1,yes\n",
            ["--weights", "n"],
            "found weights that are not whole",
        ),
        ("A,y\na,1.5\nb,1.5\nb,1.5\n", [], "all rows have the same target, so there is nothing to ask"),
    ],
)
def test_data_that_do_not_fit_on_a_sheet_are_refused(
    treecli: Runner, tmp_path: Path, text: str, words: list[str], message: str
) -> None:
    (tmp_path / "data.csv").write_text(text)
    code, out, err = treecli("worksheet", "data.csv", *words, "-o", "sheets", "-q")
    assert (code, out) == (3, "")
    assert message in err
    assert not (tmp_path / "sheets").exists()
