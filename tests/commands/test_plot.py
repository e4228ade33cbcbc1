"""treecli plot"""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import BINARY, Runner
from tests.example_models import every_kind, iris_like, playtennis, regression, single_leaf
from tests.renderers.hostile import NAMES, hostile
from treecli.models import write_model

SAMPLES = Path(__file__).parents[2] / "sample_data"
PNG = "\x89PNG".encode("latin-1")
PETALS = ["--x", "petallength", "--y", "petalwidth"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(SAMPLES / "iris.csv", tmp_path)
    write_model(str(tmp_path / "iris.json"), iris_like())
    write_model(str(tmp_path / "days.json"), playtennis())
    write_model(str(tmp_path / "houses.json"), regression())
    (tmp_path / "houses.csv").write_text("area,district,price\n50,hills,10\n70,harbour,30\n")
    return tmp_path


def words(path: Path) -> str:
    """All text of an SVG, line by line."""
    return "\n".join(text for text in ElementTree.parse(path).getroot().itertext() if text.strip())


def test_a_boundary_is_a_png_named_after_the_data(treecli: Runner, folder: Path) -> None:
    done = treecli("plot", "boundary", "iris.csv", "--model", "iris.json", *PETALS)
    # The tree asks about the two petal lengths alone, so nothing is held.
    assert done == (0, "", "wrote iris.boundary.png\n")
    assert (folder / "iris.boundary.png").read_bytes().startswith(PNG)


def test_the_picture_names_the_fixed_attributes(treecli: Runner, folder: Path) -> None:
    arguments = ["--x", "sepallength", "--y", "sepalwidth", "-o", "iris.svg"]
    done = treecli("plot", "boundary", "iris.csv", "--model", "iris.json", *arguments)
    # The medians of the 150 flowers: (4.3 + 4.4) / 2 and 1.3.
    held = "fixed at their median or most frequent label: petallength = 4.35, petalwidth = 1.3"
    assert done == (0, "", f"{held}\nwrote iris.svg\n")
    said = words(folder / "iris.svg")
    for text in (held, "iris.json on iris.csv", "sepallength", "sepalwidth", "class", "Iris-virginica"):
        assert text in said


def test_a_numeric_target_has_a_scale(treecli: Runner, folder: Path) -> None:
    (folder / "points.csv").write_text("a,b,price\n1,1,10\n2,5,30\n3,2,20\n4,4,?\n")
    assert treecli("train", "points.csv", "-q", "-o", "points.json").code == 0
    done = treecli("plot", "boundary", "points.csv", "--model", "points.json", "--x", "a", "--y", "b", "-o", "p.svg")
    assert done.code == 0
    assert "price" in words(folder / "p.svg")


def test_a_rule_list_has_the_regions_of_its_tree(treecli: Runner, folder: Path) -> None:
    treecli("rules", "iris.json", "-o", "iris.txt")
    for model in ("iris.json", "iris.txt"):
        done = treecli("plot", "boundary", "iris.csv", "--model", model, *PETALS, "-o", f"{model}.svg")
        assert done.code == 0
    tree, rules = ((folder / f"iris.{kind}.svg").read_text() for kind in ("json", "txt"))
    assert tree.replace("iris.json", "") == rules.replace("iris.txt", "")


def test_data_without_the_target_is_drawn_in_grey(treecli: Runner, folder: Path) -> None:
    (folder / "bare.csv").write_text("sepallength,sepalwidth,petallength,petalwidth\n5,3,1,0.2\n6,3,5,1.5\n")
    assert treecli("plot", "boundary", "bare.csv", "--model", "iris.json", *PETALS, "-o", "bare.svg").code == 0
    assert "not known" in words(folder / "bare.svg")


def test_rows_that_are_not_drawn_are_counted(treecli: Runner, folder: Path) -> None:
    (folder / "gaps.csv").write_text("sepallength,sepalwidth,petallength,petalwidth\n5,3,?,0.2\n6,3,5,1.5\n")
    done = treecli("plot", "boundary", "gaps.csv", "--model", "iris.json", *PETALS)
    assert done.err.startswith("Warning: gaps.csv: 1 of 2 rows without 'petallength' or 'petalwidth'\n")


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_the_same_command_gives_the_same_bytes(treecli: Runner, folder: Path, suffix: str) -> None:
    for name in ("one", "two"):
        assert (
            treecli("plot", "boundary", "iris.csv", "--model", "iris.json", *PETALS, "-o", f"{name}.{suffix}").code == 0
        )
    assert (folder / f"one.{suffix}").read_bytes() == (folder / f"two.{suffix}").read_bytes()


def test_importances_are_bars_from_large_to_small(treecli: Runner, folder: Path) -> None:
    assert treecli("plot", "importance", "days.json") == (0, "", "wrote days.importance.png\n")
    assert (folder / "days.importance.png").read_bytes().startswith(PNG)
    assert treecli("plot", "importance", "days.json", "-o", "days.svg").code == 0
    said = words(folder / "days.svg")
    # As worked out in tests/test_importance.py.
    for text in ("Outlook", "Humidity", "Wind", "0.369", "0.262"):
        assert text in said
    assert said.index("Humidity") < said.index("Wind") < said.index("Outlook")
    assert "Temperature" not in said


def test_only_the_first_are_drawn_on_request(treecli: Runner, folder: Path) -> None:
    assert treecli("plot", "importance", "days.json", "--top", "1", "-o", "days.svg").code == 0
    said = words(folder / "days.svg")
    assert "days.json: importance (the first 1 of 3)" in said
    assert "Outlook" not in said


def test_a_dash_writes_a_png_to_stdout(treecli: Runner, folder: Path) -> None:
    done = treecli("plot", "importance", "days.json", "-o", "-")
    assert (done.code, done.err) == (0, "")
    assert done.out.encode(errors=BINARY).startswith(PNG)


@pytest.mark.usefixtures("folder")
def test_hostile_names_are_drawn(treecli: Runner, tmp_path: Path) -> None:
    write_model(str(tmp_path / "hostile.json"), hostile())
    assert treecli("plot", "importance", "hostile.json", "-o", "bars.svg").code == 0
    assert "</svg><script>alert(1)</script>" in words(tmp_path / "bars.svg")
    header = ",".join('"' + name.replace('"', '""') + '"' for name in ["first", *NAMES[1:]])
    (tmp_path / "hostile.csv").write_text(f"{header}\n" + ",".join(["?", *map(str, range(9))]) + "\n")
    names = ["--x", NAMES[1], "--y", NAMES[2]]
    done = treecli("plot", "boundary", "hostile.csv", "--model", "hostile.json", *names, "-o", "plane.svg")
    assert (done.code, done.out) == (0, "")
    assert "</svg><script>alert(1)</script>" in words(tmp_path / "plane.svg")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["boundary", "iris.csv", "--model", "iris.json", "--x", "petallenght", "--y", "petalwidth"], 2,
         "Error: --x: 'petallenght' is not an attribute of the model\nHint: did you mean 'petallength'?\n"),
        (["boundary", "iris.csv", "--model", "iris.json", "--x", "petallength", "--y", "q"], 2,
         "Error: --y: 'q' is not an attribute of the model\n"
         "Hint: numeric attributes: sepallength, sepalwidth, petallength, petalwidth\n"),
        (["boundary", "houses.csv", "--model", "houses.json", "--x", "district", "--y", "area"], 2,
         "Error: --x: 'district' is nominal, expected a numeric attribute\nHint: numeric attributes: area\n"),
        (["boundary", "iris.csv", "--model", "kinds.json", "--x", "size", "--y", "grade"], 2,
         "Error: --y: 'grade' is ordinal, expected a numeric attribute\nHint: numeric attributes: size\n"),
        (["boundary", "iris.csv", "--model", "days.json", "--x", "Wind", "--y", "Outlook"], 2,
         "Error: --x: 'Wind' is nominal, expected a numeric attribute\nHint: the model has no numeric attribute\n"),
        (["boundary", "iris.csv", "--model", "iris.json", "--x", "petalwidth", "--y", "petalwidth"], 2,
         "Error: --x and --y are both 'petalwidth'\nHint: name two attributes\n"),
        (["boundary", "iris.csv", "--model", "iris.json", *PETALS, "-o", "iris.gif"], 2,
         "Error: iris.gif: pictures are .png, .svg or .pdf, by the name of the file\n"),
        (["boundary", "-", "--model", "-", *PETALS, "-o", "x.png"], 2,
         "Error: both the model and the data are '-', but there is only one stdin\nHint: name one of the files\n"),
        (["boundary", "-", "--from", "csv", "--model", "iris.json", *PETALS], 2,
         "Error: input from stdin has no name to derive the picture's name from\nHint: add -o FILE.png\n"),
        (["boundary", "iris.csv", "--model", "iris.json", "--x", "petalwidth"], 2, "Error: missing --y NAME"),
        (["boundary", "houses.csv", "--model", "iris.json", *PETALS], 3,
         "Error: houses.csv: found no column 'sepallength', which the model needs\n"),
        (["boundary", "blank.csv", "--model", "iris.json", *PETALS], 3,
         "Error: blank.csv: no row has a value of both 'petallength' and 'petalwidth'\n"),
        (["boundary", "iris.csv", "--model", "iris.csv", *PETALS], 4, "Error: iris.csv: is data, expected a model\n"),
        (["importance", "leaf.json"], 2, "Error: leaf.json: no split of this tree decreases impurity"),
        (["importance", "days.json", "--top", "0"], 2, "--top"),
        (["importance", "days.json", "-o", "nowhere/x.png"], 2, "Error: nowhere/x.png: cannot be written"),
        (["importance", "rules.txt"], 4, "Error: rules.txt: is a rule list, expected a tree\n"),
        (["iris.json"], 2,
         "Error: no such chart 'iris.json' (known: boundary, importance)\n"
         "Hint: a chart comes first: treecli plot importance iris.json\n"),
        (["importence", "days.json"], 2,
         "Error: no such chart 'importence' (known: boundary, importance)\nHint: did you mean 'importance'?\n"),
    ],
)  # fmt: skip
def test_errors_leave_no_file(treecli: Runner, folder: Path, arguments: list[str], code: int, message: str) -> None:
    write_model(str(folder / "leaf.json"), single_leaf())
    write_model(str(folder / "kinds.json"), every_kind())
    treecli("rules", "days.json", "-o", "rules.txt")
    (folder / "blank.csv").write_text("sepallength,sepalwidth,petallength,petalwidth\n5,3,?,0.2\n6,3,5,?\n")
    before = sorted(folder.iterdir())
    done = treecli("plot", *arguments)
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith(message) or message in done.err.splitlines()[0]
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["plot", "importance", "days.json"],
        ["plot", "boundary", "iris.csv", "--model", "iris.json", *PETALS],
        ["show", "days.json", "-f", "png", "-o", "tree.png"],
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_without_matplotlib_one_line_explains_how_to_install_it(
    treecli: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # what Python does for a package that is not there
    before = sorted(folder.iterdir())
    assert treecli(*arguments) == (
        2,
        "",
        "Error: drawing needs the package matplotlib\nHint: pip install 'treecli[plot]'\n",
    )
    assert sorted(folder.iterdir()) == before


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    "arguments", [["plot", "importance", "days.json", "-o", "-"], ["show", "days.json", "-f", "png"]]
)
@pytest.mark.usefixtures("folder")
def test_a_terminal_is_not_given_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    from treecli.cli.app import run

    monkeypatch.chdir(tmp_path)
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    assert run(arguments) == 2
    assert terminal.getvalue() == ""
    assert "a terminal cannot show" in capsys.readouterr().err
