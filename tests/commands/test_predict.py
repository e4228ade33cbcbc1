"""treecli predict."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.example_models import playtennis, regression
from treecli.models import write_model

DAYS = """Humidity,note,Outlook,Wind,Temperature
High,"a, b",Sunny,Weak,Hot
?,,Sunny,Weak,Hot
High,"say ""hi"" now",Overcast,Weak,Hot
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_model(str(tmp_path / "days.json"), playtennis())
    write_model(str(tmp_path / "houses.json"), regression())
    (tmp_path / "days.csv").write_text(DAYS)
    (tmp_path / "houses.csv").write_text("area,district\n70,hills\n,harbour\n")
    return tmp_path


def test_the_data_are_passed_on_with_a_prediction_for_every_row(treecli: Runner, folder: Path) -> None:
    code, out, err = treecli("predict", "days.json", "days.csv")
    assert (code, err) == (0, "")
    assert out == (
        "Humidity,note,Outlook,Wind,Temperature,prediction\n"
        'High,"a, b",Sunny,Weak,Hot,No\n'
        "?,,Sunny,Weak,Hot,No\n"
        'High,"say ""hi"" now",Overcast,Weak,Hot,Yes\n'
    )


def test_probabilities_and_leaves_are_added_on_request(treecli: Runner, folder: Path) -> None:
    out = treecli("predict", "days.json", "days.csv", "--proba", "--leaf").out
    rows = list(csv.DictReader(io.StringIO(out)))
    # Sunny: 3 days were High and No, 2 Normal and Yes; so 0.6 and 0.4 where Humidity is not known, over two leaves.
    assert [(row["proba_No"], row["proba_Yes"], row["leaf"]) for row in rows] == [
        ("1", "0", "4"),
        ("0.6", "0.4", ""),
        ("0", "1", "2"),
    ]


# Both targets; values of each have a fraction or a comma.
EUROPEAN = "x;u;size;class\n1,5;a;0,5;big, red\n2,5;b;1,25;b\n3,5;a;0,5;b\n4,25;b;2,75;big, red\n"
DIALECTS = {
    "semicolon.csv": EUROPEAN,
    "quoted.csv": EUROPEAN.replace("1,5", '"1,5"'),
    "tab.tsv": EUROPEAN.replace(";", "\t"),
    "tab.csv": EUROPEAN.replace(";", "\t"),
    "comma.csv": "\n".join(f'"{line}"' for line in EUROPEAN.splitlines()).replace(";", '","'),
}


@pytest.mark.parametrize("output", ["out.csv", "out.tsv", "out.arff"])
@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("target", ["size", "class"])
def test_predictions_with_decimal_commas_read_back_like_the_data(
    treecli: Runner, tmp_path: Path, name: str, output: str, target: str
) -> None:
    (tmp_path / name).write_text(DIALECTS[name])
    asked = ["--decimal", ","] if name == "comma.csv" else []
    assert treecli("train", name, *asked, "-t", target, "-o", "model.json", "--min-leaf", "2").code == 0
    added = ["--proba"] if target == "class" else []
    done = treecli("predict", "model.json", name, *asked, *added, "--leaf", "-o", output)
    assert done.code == 0, done.err
    again = [] if output.endswith("arff") else asked
    kinds = {
        column["name"]: column["kind"]
        for column in json.loads(treecli("info", output, *again, "-f", "json").out)["attributes"]
    }
    assert kinds["x"] == "numeric"
    assert kinds["prediction"] == ("numeric" if target == "size" else "nominal")
    assert kinds.get("proba_big, red", "numeric") == "numeric"
    on_output = treecli("evaluate", "model.json", output, *again, "-f", "json")
    assert on_output.out == treecli("evaluate", "model.json", name, *asked, "-f", "json").out


@pytest.mark.parametrize(
    ("name", "text", "written"),
    [
        ("a.csv", "area;district\n70,5;hills\n", "area;district;prediction\n70,5;hills;25\n"),
        ("b.csv", 'area;district\n"70,5";hills\n', "area;district;prediction\n70,5;hills;25\n"),
        ("c.csv", "area|district\n70.5|hills\n", "area|district|prediction\n70.5|hills|25\n"),
        ("d.csv", "area\tdistrict\n70.5\thills\n", "area,district,prediction\n70.5,hills,25\n"),
        ("e.tsv", "area\tdistrict\n70,5\thills\n", "area;district;prediction\n70,5;hills;25\n"),
        ("f.arff", "@relation r\n@attribute area numeric\n@attribute district {hills}\n@data\n70.5,hills\n",
         "area,district,prediction\n70.5,hills,25\n"),
    ],
)  # fmt: skip
def test_csv_has_the_delimiter_of_the_data_unless_a_tab(
    treecli: Runner, folder: Path, name: str, text: str, written: str
) -> None:
    (folder / name).write_text(text)
    assert treecli("predict", "houses.json", name).out == written


def test_a_numeric_prediction_is_given_in_full_precision(treecli: Runner, folder: Path) -> None:
    (folder / "third.csv").write_text("area,district\n70,hills\n?,harbour\n?,old town\n")
    out = treecli("predict", "houses.json", "third.csv", "--leaf").out
    # 12 · 2/6 + 20 · 4/6 = 17.333…
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["leaf"] for row in rows] == ["5", "", ""]
    assert [float(row["prediction"]) for row in rows] == pytest.approx([25, 24, 52 / 3], rel=1e-15)


def test_json_holds_the_same_rows(treecli: Runner, folder: Path) -> None:
    facts = json.loads(treecli("predict", "days.json", "days.csv", "--leaf", "-f", "json").out)
    assert facts["schema_version"] == 1
    assert facts["columns"] == ["Humidity", "note", "Outlook", "Wind", "Temperature", "prediction", "leaf"]
    assert facts["rows"][1] == {
        "Humidity": "?",
        "note": "",
        "Outlook": "Sunny",
        "Wind": "Weak",
        "Temperature": "Hot",
        "prediction": "No",
        "leaf": None,
    }


@pytest.mark.parametrize(("format", "begin"), [("table", "area  district  "), ("markdown", "| area | district | ")])
def test_tables_are_to_be_had_too(treecli: Runner, folder: Path, format: str, begin: str) -> None:
    out = treecli("predict", "houses.json", "houses.csv", "-f", format).out
    assert out.startswith(begin)
    assert len(out.splitlines()) == {"table": 3, "markdown": 4}[format]


def test_a_column_that_is_called_prediction_already_is_kept(treecli: Runner, folder: Path) -> None:
    (folder / "again.csv").write_text("area,prediction,district,prediction_2\n50,x,hills,y\n")
    code, out, err = treecli("predict", "houses.json", "again.csv")
    assert (code, out) == (0, "area,prediction,district,prediction_2,prediction_3\n50,x,hills,y,12\n")
    assert err == "the data has a column 'prediction', so the new one is named 'prediction_3'\n"


def test_a_file_is_written_whole(treecli: Runner, folder: Path) -> None:
    expected = treecli("predict", "days.json", "days.csv").out
    code, out, _ = treecli("predict", "days.json", "days.csv", "-o", "out.csv")
    assert (code, out) == (0, "")
    assert (folder / "out.csv").read_bytes().decode() == expected
    assert treecli("predict", "days.json", "days.csv", "-o", "-").out == expected


def test_data_from_stdin_are_passed_on_as_well(treecli: Runner, folder: Path) -> None:
    expected = treecli("predict", "days.json", "days.csv")
    assert treecli("predict", "days.json", "-", "--from", "csv", input=DAYS) == expected


def test_a_file_without_a_header_gets_one(treecli: Runner, folder: Path) -> None:
    from tests.example_models import HOUSES, Inner, model_of
    from treecli.data import Attribute, Schema
    from treecli.splits import threshold

    schema = Schema((Attribute("column1", "numeric"),), HOUSES.target)
    model = model_of(schema, Inner(threshold.Split(0, 1.5), ((1.0, 10.0, 0.0), (1.0, 20.0, 0.0))))
    write_model(str(folder / "bare.json"), model)
    (folder / "bare.csv").write_text("1\n2\n")
    out = treecli("predict", "bare.json", "bare.csv", "--no-header").out
    assert out == "column1,prediction\n1,10\n2,20\n"


@pytest.mark.parametrize(
    ("policy", "code", "prediction"), [("missing", 0, "Yes"), ("majority", 0, "No"), ("error", 3, None)]
)
def test_an_unseen_label_follows_the_option(
    treecli: Runner, folder: Path, policy: str, code: int, prediction: str | None
) -> None:
    (folder / "fog.csv").write_text("Humidity,Outlook,Wind,Temperature\nHigh,Fog,Weak,Hot\n")
    outcome = treecli("predict", "days.json", "fog.csv", "--unseen", policy)
    assert outcome.code == code
    assert "'Fog'" in outcome.err
    assert (outcome.out.rstrip().rpartition(",")[2] or None) == prediction


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("houses.json", "houses.csv", "--proba"), 2, "numeric"),
        (("houses.json", "houses.csv", "--weights", "area"), 2, "no such option"),
        (("houses.json", "days.csv"), 3, "area"),
        (("houses.csv", "houses.csv"), 4, "houses.csv"),
        (("houses.json", "absent.csv"), 3, "absent.csv"),
    ],
)
def test_impossible_requests_are_refused(
    treecli: Runner, folder: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    outcome = treecli("predict", *arguments)
    assert (outcome.code, outcome.out) == (code, "")
    assert message in outcome.err


def test_a_failure_leaves_the_old_output_file_alone(treecli: Runner, folder: Path) -> None:
    (folder / "out.csv").write_text("old")
    assert treecli("predict", "houses.json", "days.csv", "-o", "out.csv").code == 3
    assert (folder / "out.csv").read_text() == "old"


WEIGHED = """% a comment
@relation 'play tennis'
@attribute 'Outlook' {Sunny, Overcast, 'Rain'}
@attribute Temperature string
@ATTRIBUTE Humidity {High,Normal}
@attribute Wind {Weak,'Strong',"it's"} % another
@attribute when date 'yyyy-MM-dd'
@attribute chill REAL
@attribute n integer [0,10]
@data
Sunny,'Hot, dry',High,Weak,'2024-01-31',1.50,7, {2}
?,'?',Normal,"it's",?,?,?
"""


def test_arff_keeps_declarations_texts_and_weights(treecli: Runner, folder: Path) -> None:
    (folder / "days.arff").write_text(WEIGHED)
    assert treecli("predict", "days.json", "days.arff", "-o", "out.arff", "-q").code == 0
    assert (folder / "out.arff").read_text() == (
        """@relation 'play tennis'

@attribute Outlook {Sunny, Overcast, 'Rain'}
@attribute Temperature string
@attribute Humidity {High,Normal}
@attribute Wind {Weak,'Strong',"it's"}
@attribute when date 'yyyy-MM-dd'
@attribute chill REAL
@attribute n integer [0,10]
@attribute prediction {No,Yes}

@data
Sunny,'Hot, dry',High,Weak,2024-01-31,1.50,7,No, {2}
?,'?',Normal,'it\\'s',?,?,?,Yes, {1}
"""
    )
    assert treecli("predict", "days.json", "out.arff", "-o", "again.arff", "-q").code == 0


def test_parquet_keeps_types_and_gets_columns(treecli: Runner, folder: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table(
        {
            "Outlook": pyarrow.array(["Sunny", None]).dictionary_encode(),
            "Temperature": ["Hot", "Cool"],
            "Humidity": ["High", "Normal"],
            "Wind": ["Weak", "Strong"],
            "n": pyarrow.array([1, None], pyarrow.int16()),
            "list": [[1, 2], []],
        }
    )
    parquet.write_table(table, folder / "days.parquet")
    assert treecli("predict", "days.json", "days.parquet", "--leaf", "-o", "out.parquet").code == 0
    written = parquet.read_table(folder / "out.parquet")
    assert written.select(table.column_names) == table
    assert written["prediction"].to_pylist() == ["No", "Yes"]
    assert written["leaf"].to_pylist() == [4.0, None]


def test_labels_of_the_model_are_declared_first(treecli: Runner, folder: Path) -> None:
    (folder / "new.csv").write_text("Outlook,Temperature,Humidity,Wind\nFoggy,Hot,High,Weak\nRain,Hot,High,Weak\n")
    assert treecli("predict", "days.json", "new.csv", "-f", "arff", "-q", "-o", "out").code == 0
    assert "@attribute Outlook {Sunny,Overcast,Rain,Foggy}\n" in (folder / "out").read_text()
