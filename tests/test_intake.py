"""From a file's columns to a data set, and the notices about it."""

from __future__ import annotations

import csv
import gzip
import io
import subprocess
import sys

import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from treecli.data import MISSING, UNSEEN
from treecli.errors import DataError, UsageError
from treecli.intake import ReadOptions, read_for_model, read_training
from treecli.interchange.echo import echo_rows

PLAY_TENNIS = """\
Day,Outlook,Humidity,PlayTennis
D1,Sunny,85,No
D2,Sunny,90,No
D3,Overcast,78,Yes
D4,Rain,,Yes
"""

ARFF = """\
@relation r
@attribute size {small,large,huge}
@attribute grade {3,1,2}
@attribute play {no,yes}
@data
large,1,yes
small,3,no
large,2,yes
small,1,no
"""


@pytest.fixture
def write(tmp_path):
    def write_text(text, name="data.csv"):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write_text


def attribute_of(taken, name):
    """An attribute or the target, and its values."""
    schema = taken.dataset.schema
    for attribute, values in zip(schema.attributes, taken.dataset.columns, strict=True):
        if attribute.name == name:
            return attribute, values.tolist()
    assert schema.target.name == name
    return schema.target, taken.dataset.target.tolist()


class TestTraining:
    def test_kinds_target_and_missing_values_are_inferred_and_said(self, write):
        taken = read_training(write(PLAY_TENNIS, "playtennis.csv"), ReadOptions())
        schema = taken.dataset.schema
        assert [(attribute.name, attribute.kind, attribute.labels) for attribute in schema.attributes] == [
            ("Outlook", "nominal", ("Sunny", "Overcast", "Rain")),
            ("Humidity", "numeric", ()),
        ]
        assert (schema.target.name, schema.target.labels) == ("PlayTennis", ("No", "Yes"))
        assert taken.notices == (
            "playtennis.csv: 4 rows; target 'PlayTennis' (nominal: No, Yes); 2 attributes: 1 numeric, 1 nominal",
            "left out 'Day': every value is different, so it identifies rows and predicts nothing"
            " (use it with --keep Day)",
            "missing values: Humidity 1",
        )
        assert taken.warnings == ()
        assert taken.left_out == (("Day", "every value is different"),)

    def test_an_identifier_can_be_kept(self, write):
        taken = read_training(write(PLAY_TENNIS), ReadOptions(keep=("Day",)))
        assert attribute_of(taken, "Day")[1] == [0, 1, 2, 3]
        assert taken.warnings == ()

    def test_identifiers_are_kept_with_a_warning_when_another_program_would(self, write):
        taken = read_training(write(PLAY_TENNIS), ReadOptions(), keep_identifiers=True)
        assert attribute_of(taken, "Day")[1] == [0, 1, 2, 3]
        assert taken.warnings == (
            "'Day' is used although every value is different: it identifies rows and predicts nothing"
            " (leave it out with --ignore Day)",
        )

    @pytest.mark.parametrize(
        ("column", "types"),
        [
            (["a", "b", "a"], ()),
            (["a", "b", "?"], ()),
            (["1", "2", "3"], ()),
            (["a", "b", "c"], (("id", "ordinal:a<b<c"),)),
        ],
    )
    def test_what_repeats_or_is_missing_or_has_an_order_is_no_identifier(self, write, column, types):
        rows = "".join(f"{value},{label}\n" for value, label in zip(column, "xyx", strict=True))
        assert read_training(write(f"id,class\n{rows}"), ReadOptions(types=types)).left_out == ()

    def test_a_label_that_only_a_left_out_row_shares_does_not_hide_an_identifier(self, write):
        taken = read_training(write("id,n,class\na,1,x\nb,1,y\na,2,?\n"), ReadOptions())
        assert taken.left_out == (("id", "every value is different"),)

    def test_the_target_is_the_last_column_that_is_used(self, write):
        path = write("a,b,c,d\n1,2,3,4\n5,6,7,8\n")
        assert read_training(path, ReadOptions()).dataset.schema.target.name == "d"
        assert read_training(path, ReadOptions(ignore=("d",))).dataset.schema.target.name == "c"
        assert read_training(path, ReadOptions(weights="d")).dataset.schema.target.name == "c"
        taken = read_training(path, ReadOptions(target="a"))
        assert [attribute.name for attribute in taken.dataset.schema.attributes] == ["b", "c", "d"]

    def test_ignored_columns_are_listed(self, write):
        assert read_training(write(PLAY_TENNIS), ReadOptions(ignore=("Day",))).left_out == (
            ("Day", "ignored as asked"),
        )

    def test_rows_without_a_target_are_left_out_and_counted(self, write):
        taken = read_training(write("a,class\n1,x\n2,?\n3,\n4,y\n"), ReadOptions())
        assert attribute_of(taken, "a")[1] == [1, 4]
        assert taken.warnings == ("left out 2 rows without a value of the target 'class'",)

    @pytest.mark.parametrize(
        ("text", "warning"),
        [
            ("a,b,class\n1,5,x\n2,5,y\n", "'b' has only one value (5): no split can use it"),
            ("a,b,class\n1,r,x\n2,r,y\n", "'b' has only one value (r): no split can use it"),
            ("a,b,class\n1,,x\n2,?,y\n", "'b' has no value in any row: no split can use it"),
            ("a,b,class\n1,5,x\n2,6,x\n", "the target 'class' has only one class: the tree is a single leaf"),
            ("a,b,y\n1,5,2.5\n2,6,2.5\n", "the target 'y' has only one value: the tree is a single leaf"),
        ],
    )
    def test_what_cannot_be_of_use_is_warned_of(self, write, text, warning):
        assert read_training(write(text), ReadOptions()).warnings == (warning,)

    def test_an_empty_column_is_numeric(self, write):
        taken = read_training(write("a,b,class\n1,,x\n2,?,y\n"), ReadOptions())
        attribute, values = attribute_of(taken, "b")
        assert attribute.kind == "numeric"
        assert np.isnan(values).all()

    def test_few_whole_numbers_are_regression_unless_asked_otherwise(self, write):
        path = write("a,play\n1,0\n2,1\n3,1\n")
        taken = read_training(path, ReadOptions())
        assert not taken.dataset.schema.is_classification
        assert taken.notices[1] == (
            "the target 'play' has few whole numbers (0, 1) and is read as numeric: regression"
            " (for classification: --type play=nominal)"
        )
        taken = read_training(path, ReadOptions(types=(("play", "nominal"),)))
        assert taken.dataset.schema.target.labels == ("0", "1")
        assert len(taken.notices) == 1

    @pytest.mark.parametrize("values", [range(11), [0.5, 1, 2]])
    def test_many_or_fractional_numbers_are_plainly_regression(self, write, values):
        rows = "".join(f"{index % 3},{value}\n" for index, value in enumerate(values))
        assert len(read_training(write(f"a,y\n{rows}"), ReadOptions()).notices) == 1

    def test_long_lists_are_shortened(self, write):
        names = [f"n{number}" for number in range(23)]
        path = write(",".join([*names, "class"]) + "\n" + "?," * 23 + "x\n" + "1," * 23 + "y\n")
        assert read_training(path, ReadOptions()).notices[-1] == (
            "missing values: n0 1, n1 1, n2 1, n3 1, n4 1, n5 1 and 17 more"
        )

    def test_a_header_of_numbers_is_asked_about(self, write):
        taken = read_training(write("5.1,3.5,setosa\n4.9,3.0,setosa\n6.0,2.2,virginica\n"), ReadOptions())
        assert taken.notices[1] == "the header contains numbers (5.1, 3.5): if the first line is data, use --no-header"

    def test_a_name_is_quoted_for_the_shell_in_a_cure(self, write):
        taken = read_training(write("the id,a,class\nu,1,x\nv,2,y\n"), ReadOptions())
        assert taken.notices[1].endswith("(use it with --keep 'the id')")


class TestTypes:
    def test_numbers_become_labels_as_they_are_written(self, write):
        taken = read_training(write("a,class\n007,x\n1e5,y\n007,x\n"), ReadOptions(types=(("a", "nominal"),)))
        assert attribute_of(taken, "a")[0].labels == ("007", "1e5")

    def test_an_order_gives_the_codes(self, write):
        path = write("a,class\nhigh,x\nlow,y\n?,x\n")
        taken = read_training(path, ReadOptions(types=(("a", "ordinal:low<mid<high"),)))
        attribute, values = attribute_of(taken, "a")
        assert (attribute.kind, attribute.labels) == ("ordinal", ("low", "mid", "high"))
        assert values == [2, 0, MISSING]

    def test_an_order_of_numbers_is_one_of_texts(self, write):
        taken = read_training(write("a,class\n10,x\n9,y\n"), ReadOptions(types=(("a", "ordinal:9<10"),)))
        assert attribute_of(taken, "a")[1] == [1, 0]

    def test_an_order_lists_every_value(self, write):
        path = write("a,class\nlow,x\nmidd,y\n")
        with pytest.raises(DataError) as caught:
            read_training(path, ReadOptions(types=(("a", "ordinal:low<mid<high"),)))
        assert caught.value.message == "data.csv:3: 'midd' is not in the order given for 'a' (low < mid < high)"
        assert caught.value.hint == "did you mean 'mid'?"

    def test_text_in_a_column_asked_for_as_numeric_is_named_by_its_line(self, write):
        path = write('a,class\n1,"x\ny"\n\n2,x\nmany,y\n')
        with pytest.raises(DataError) as caught:
            read_training(path, ReadOptions(types=(("a", "numeric"),)))
        assert caught.value.message == "data.csv:6: found 'many' in 'a', expected a number"

    def test_a_declaration_wins_over_looks_and_a_request_over_both(self, write):
        path = write(ARFF, "data.arff")
        assert attribute_of(read_training(path, ReadOptions()), "grade")[0].labels == ("3", "1", "2")
        attribute, values = attribute_of(read_training(path, ReadOptions(types=(("grade", "numeric"),))), "grade")
        assert (attribute.kind, values) == ("numeric", [1, 3, 2, 1])
        taken = read_training(path, ReadOptions(types=(("grade", "ordinal:1<2<3"),)))
        assert attribute_of(taken, "grade")[1] == [0, 2, 1, 0]

    def test_a_numeric_declaration_can_be_overruled_by_the_text(self, write):
        path = write("@relation r\n@attribute a real\n@attribute c {x,y}\n@data\n1.0,x\n1,y\n1.0,y\n", "data.arff")
        taken = read_training(path, ReadOptions(types=(("a", "nominal"),)))
        assert attribute_of(taken, "a")[0].labels == ("1.0", "1")

    @pytest.mark.parametrize("text", ["number", "ordinal", "ordinal:", "Nominal", "", "ordinal:a<a"])
    def test_an_unknown_kind_is_a_usage_error(self, write, text):
        with pytest.raises(UsageError, match=f"--type a={text}: "):
            read_training(write("a,class\na,x\nb,y\n"), ReadOptions(types=(("a", text),)))

    def test_one_column_has_one_type(self, write):
        with pytest.raises(UsageError, match="--type is given twice for 'a'"):
            read_training(write("a,c\n1,x\n"), ReadOptions(types=(("a", "nominal"), ("a", "numeric"))))


class TestWeights:
    def test_a_column_of_weights_is_no_attribute(self, write):
        taken = read_training(write("a,w,class\n1,2,x\n2,0,y\n3,0.5,?\n"), ReadOptions(weights="w"))
        assert [attribute.name for attribute in taken.dataset.schema.attributes] == ["a"]
        assert taken.dataset.weights.tolist() == [2, 0]
        assert taken.dataset.has_weights
        assert taken.notices[-1] == "rows have weights, which sum to 2"

    def test_without_weights_every_row_counts_once(self, write):
        dataset = read_training(write("a,class\n1,x\n2,y\n"), ReadOptions()).dataset
        assert dataset.weights.tolist() == [1, 1]
        assert not dataset.has_weights

    def test_the_rows_of_an_arff_file_bring_their_weights(self, write):
        text = "@relation r\n@attribute a real\n@attribute c {x,y}\n@data\n1,x,{2}\n2,y\n"
        dataset = read_training(write(text, "data.arff"), ReadOptions()).dataset
        assert dataset.weights.tolist() == [2, 1]
        assert dataset.has_weights
        with pytest.raises(UsageError, match="already have weights"):
            read_training(write(text, "data.arff"), ReadOptions(weights="a"))

    @pytest.mark.parametrize(
        ("weight", "message"),
        [
            ("-1", "data.csv:3: found the weight -1 in 'w', expected a number of 0 or more"),
            ("?", "data.csv:3: found no weight in 'w', expected a number of 0 or more"),
            ("inf", "data.csv:3: found the weight inf in 'w', expected a number of 0 or more"),
            ("much", "data.csv:3: found 'much' in 'w', expected a number"),
        ],
    )
    def test_a_bad_weight_is_named_by_its_line(self, write, weight, message):
        with pytest.raises(DataError) as caught:
            read_training(write(f"a,w,class\n1,1,x\n2,{weight},y\n"), ReadOptions(weights="w"))
        assert caught.value.message == message

    def test_weights_of_nothing_but_0_are_refused(self, write):
        with pytest.raises(DataError, match="every weight is 0"):
            read_training(write("a,w,class\n1,0,x\n2,0,y\n"), ReadOptions(weights="w"))


class TestNumbersAndOtherTexts:
    """A column of numbers and a few texts is nominal; a notice explains how to read it as numeric."""

    @staticmethod
    def remarks(path, **options):
        return list(read_training(path, ReadOptions(**options)).remarks)

    def test_one_text_among_numbers_is_named_with_the_options_that_make_it_missing(self, write):
        path = write("age,class\n" + "21,x\n22.5,y\n" * 5 + "NA,x\n,y\n?,x\n")
        assert self.remarks(path) == [
            "'age': 10 numbers and 1 'NA', read as nominal; for missing values: --na '' --na '?' --na NA"
        ]
        # The advice of the notice works.
        taken = read_training(path, ReadOptions(na=("", "?", "NA")))
        assert taken.dataset.schema.attributes[0].kind == "numeric"
        assert int(np.isnan(taken.dataset.columns[0]).sum()) == 3

    def test_several_texts_are_counted_together(self, write):
        path = write("x,class\n" + "1,a\n2,b\n" * 5 + "n/a,a\nnone,b\nn/a,a\n")
        assert self.remarks(path) == [
            "'x': 10 numbers and 3 other texts ('n/a', 'none'), read as nominal;"
            " for missing values: --na '' --na '?' --na n/a --na none"
        ]

    def test_the_target_is_no_exception(self, write):
        path = write("a,y\n" + "x,1\nz,2\n" * 5 + "x,no data\n")
        assert self.remarks(path, na=("-",)) == [
            "'y': 10 numbers and 1 'no data', read as nominal; for missing values: --na - --na 'no data'"
        ]

    @pytest.mark.parametrize(
        "cells",
        [
            ["1", "2", "a", "b"],  # no more numbers than texts
            ["a", "b", "a"],
            ["1", "2", "?"],
            [*"123456789", *"123456789", *"abcdef"],  # more than a handful
        ],
    )
    def test_other_columns_need_no_notice(self, write, cells):
        assert self.remarks(write("a,class\n" + "".join(f"{cell},x\n{cell},y\n" for cell in cells))) == []

    def test_what_was_asked_for_or_declared_needs_no_notice(self, write):
        text = "a,class\n1,x\n2,y\n1,x\nNA,y\n"
        assert self.remarks(write(text), types=(("a", "nominal"),)) == []
        arff = "@relation r\n@attribute a {1,2,NA}\n@attribute c {x,y}\n@data\n1,x\n2,y\n1,x\nNA,y\n"
        assert self.remarks(write(arff, "data.arff")) == []

    def test_a_text_among_the_numbers_of_a_model_is_answered_with_the_same_options(self, write):
        schema = read_training(write("a,class\n1,x\n2,y\n"), ReadOptions()).dataset.schema
        with pytest.raises(DataError, match=r"new\.csv:3: found 'NA' in 'a', expected a number") as caught:
            read_for_model(write("a,class\n1,x\nNA,y\n", "new.csv"), ReadOptions(), schema)
        assert caught.value.hint == "if it means missing, use --na '' --na '?' --na NA"


class TestRefusals:
    @pytest.mark.parametrize(
        "options",
        [
            {"target": "Outlok"},
            {"ignore": ("Outlok",)},
            {"keep": ("Outlok",)},
            {"weights": "Outlok"},
            {"types": (("Outlok", "nominal"),)},
        ],
    )
    def test_an_unknown_column_is_answered_with_the_nearest(self, write, options):
        with pytest.raises(UsageError, match=r"data\.csv: found no column 'Outlok'") as caught:
            read_training(write(PLAY_TENNIS), ReadOptions(**options))
        assert caught.value.hint == "did you mean 'Outlook'?"

    @pytest.mark.parametrize(
        "options",
        [
            {"target": "Outlook", "ignore": ("Outlook",)},
            {"target": "Humidity", "weights": "Humidity"},
            {"keep": ("Day",), "ignore": ("Day",)},
        ],
    )
    def test_one_column_cannot_be_two_things(self, write, options):
        with pytest.raises(UsageError, match="is named by --"):
            read_training(write(PLAY_TENNIS), ReadOptions(**options))

    def test_a_file_of_nothing_but_identifiers_is_refused_with_a_cure(self, write):
        with pytest.raises(DataError, match="found no attribute to learn from except the target 'class'") as caught:
            read_training(write("id,class\na,x\nb,y\n"), ReadOptions())
        assert caught.value.hint == "use a column that looks like an identifier with --keep id"

    @pytest.mark.parametrize(
        ("text", "hint"),
        [
            (
                "x,class\n1,a\n2,b\nNA,a\n4,b\n",
                "'x': 3 numbers and 1 'NA', read as nominal; for missing values: --na '' --na '?' --na NA",
            ),
            (
                "id,x,class\nu,1,a\nv,2,b\nw,NA,a\nz,4,b\n",
                "'x': 3 numbers and 1 'NA', read as nominal; for missing values: --na '' --na '?' --na NA",
            ),
            ('x,class\n"1,5",a\n"2,5",b\n', "if the numbers in 'x' have decimal commas, use --decimal ,"),
            ("x;class\n1,5;a\n2,5;b\nNA;a\n", "if the numbers in 'x' have decimal commas, use --decimal ,"),
        ],
    )
    def test_an_identifier_that_may_be_numeric_is_refused_with_the_options_that_make_it_so(self, write, text, hint):
        with pytest.raises(DataError, match="found no attribute to learn from except the target 'class'") as caught:
            read_training(write(text), ReadOptions())
        assert caught.value.hint == hint

    def test_a_file_of_one_column_may_have_another_delimiter(self, write):
        with pytest.raises(DataError, match="found no attribute to learn from") as caught:
            read_training(write("a:class\n1:x\n2:y\n"), ReadOptions())
        assert "--delimiter" in caught.value.hint

    def test_ignoring_everything_leaves_no_target(self, write):
        with pytest.raises(DataError, match="no column is left to be the target"):
            read_training(write("a,b\n1,2\n"), ReadOptions(ignore=("a", "b")))

    def test_a_target_without_values_is_refused(self, write):
        with pytest.raises(DataError, match="the target 'class' has no value in any row"):
            read_training(write("a,class\n1,?\n2,\n"), ReadOptions())

    def test_an_infinite_target_is_refused(self, write):
        with pytest.raises(DataError, match=r"data\.csv:3: found inf in the target 'y', expected a finite number"):
            read_training(write("a,y\n1,2.5\n2,inf\n"), ReadOptions())


class TestForAModel:
    @pytest.fixture
    def schema(self, write):
        return read_training(write(PLAY_TENNIS), ReadOptions()).dataset.schema

    def test_columns_are_matched_by_name_and_the_rest_is_left_out(self, write, schema):
        path = write("PlayTennis,Humidity,Wind,Outlook\nYes,70,Weak,Rain\n?,?,Weak,?\n", "new.csv")
        taken = read_for_model(path, ReadOptions(), schema)
        assert attribute_of(taken, "Outlook")[1] == [2, MISSING]
        assert attribute_of(taken, "PlayTennis")[1] == [1, MISSING]
        assert attribute_of(taken, "Humidity")[1][0] == 70
        assert np.isnan(attribute_of(taken, "Humidity")[1][1])
        assert taken.left_out == (("Wind", "not in the model"),)
        assert taken.notices == ("new.csv: 2 rows",)
        assert taken.warnings == ()

    def test_labels_that_the_model_does_not_know_are_unseen_and_counted(self, write, schema):
        path = write("Outlook,Humidity,PlayTennis\nFog,70,Maybe\nRain,80,Maybe\n")
        taken = read_for_model(path, ReadOptions(), schema)
        assert attribute_of(taken, "Outlook")[1] == [UNSEEN, 2]
        assert attribute_of(taken, "PlayTennis")[1] == [UNSEEN, UNSEEN]
        assert taken.warnings == (
            "'Outlook' holds labels that the model does not know in 1 row: 'Fog'",
            "'PlayTennis' holds labels that the model does not know in 2 rows: 'Maybe'",
        )

    def test_nominal_attributes_see_the_text_of_numbers(self, write):
        path = write("a,class\n007,x\n7,y\n007,x\n")
        schema = read_training(path, ReadOptions(types=(("a", "nominal"),))).dataset.schema
        assert read_for_model(path, ReadOptions(), schema).dataset.columns[0].tolist() == [0, 1, 0]

    def test_labels_that_are_numbers_become_numeric(self, write):
        schema = read_training(write("grade,play\n1,no\n2,yes\n"), ReadOptions()).dataset.schema
        path = write(ARFF, "data.arff")
        assert read_for_model(path, ReadOptions(), schema).dataset.columns[0].tolist() == [1, 3, 2, 1]

    def test_a_missing_attribute_is_answered_with_the_nearest_column(self, write, schema):
        path = write("outlook,Humidity,PlayTennis\nRain,70,Yes\n")
        with pytest.raises(DataError, match="found no column 'Outlook', which the model needs") as caught:
            read_for_model(path, ReadOptions(), schema)
        assert caught.value.hint == "did you mean 'outlook'?"

    def test_text_in_a_numeric_attribute_is_named_by_its_line(self, write, schema):
        path = write("Outlook,Humidity,PlayTennis\nRain,70,Yes\nRain,wet,Yes\n")
        with pytest.raises(DataError, match=r"data\.csv:3: found 'wet' in 'Humidity', expected a number"):
            read_for_model(path, ReadOptions(), schema)

    def test_the_target_may_be_absent_where_it_is_not_needed(self, write, schema):
        path = write("Outlook,Humidity\nRain,70\n")
        assert read_for_model(path, ReadOptions(), schema, needs_target=False).dataset.target is None
        with pytest.raises(DataError, match="found no column 'PlayTennis', the target of the model"):
            read_for_model(path, ReadOptions(), schema)

    def test_a_target_that_is_not_needed_may_be_unreadable(self, write):
        schema = read_training(write("a,y\n1,2.5\n2,3.5\n"), ReadOptions()).dataset.schema
        path = write("a,y\n1,unknown\n")
        assert read_for_model(path, ReadOptions(), schema, needs_target=False).dataset.target is None
        with pytest.raises(DataError, match="found 'unknown' in 'y'"):
            read_for_model(path, ReadOptions(), schema)

    def test_another_column_can_hold_the_true_values(self, write, schema):
        path = write("Outlook,Humidity,truth\nRain,70,Yes\n")
        taken = read_for_model(path, ReadOptions(target="truth"), schema)
        assert taken.dataset.target.tolist() == [1]
        assert taken.left_out == ()

    def test_weights_are_used_where_asked_for(self, write, schema):
        path = write("Outlook,Humidity,PlayTennis,w\nRain,70,Yes,3\n")
        assert read_for_model(path, ReadOptions(), schema).dataset.weights.tolist() == [1]
        assert read_for_model(path, ReadOptions(weights="w"), schema).dataset.weights.tolist() == [3]

    def test_echoed_rows_match_the_rows_read(self, write, schema):
        path = write("\nOutlook,Humidity,PlayTennis\n\nRain,70,Yes\n  \n?,,?\n")
        n_rows = read_for_model(path, ReadOptions(), schema).dataset.n_rows
        assert len(list(echo_rows(path, ReadOptions())[1])) == n_rows == 2


LABELS = st.text(alphabet="ab ,'\"%{}\\é-", min_size=1, max_size=4).map(str.strip).filter(bool)
ROWS = st.lists(
    st.tuples(
        st.none() | st.floats(allow_nan=False),
        st.none() | st.integers(-(2**53), 2**53),
        st.none() | LABELS,
        st.sampled_from(["yes", "no"]),
    ),
    min_size=2,
    max_size=6,
)
NAMES = ["real", "whole number", "it's, a label", "class"]


def as_delimited(rows, delimiter):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(NAMES)
    writer.writerows([["" if cell is None else cell for cell in row] for row in rows])
    return text.getvalue().encode()


def as_arff(rows):
    def quoted(text):
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    labels = ",".join(quoted(label) for label in dict.fromkeys(row[2] for row in rows if row[2] is not None))
    kinds = ["real", "numeric", f"{{{labels}}}" if labels else "numeric", "{yes,no}"]
    lines = [f"@attribute {quoted(name)} {kind}" for name, kind in zip(NAMES, kinds, strict=True)]
    lines.append("@data")
    for row in rows:
        cells = ("?" if cell is None else quoted(cell) if isinstance(cell, str) else repr(cell) for cell in row)
        lines.append(",".join(cells))
    return "\n".join(["@relation r", *lines]).encode()


def as_parquet(rows):
    types = [pyarrow.float64(), pyarrow.int64(), pyarrow.string(), pyarrow.string()]
    columns = [pyarrow.array(column, kind) for column, kind in zip(zip(*rows, strict=True), types, strict=True)]
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.table(columns, NAMES), sink)
    return sink.getvalue().to_pybytes()


@given(rows=ROWS)
@settings(max_examples=40, deadline=None)
def test_one_table_is_the_same_in_every_format(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("formats")
    written = {
        "csv": as_delimited(rows, ","),
        "tsv": as_delimited(rows, "\t"),
        "arff": as_arff(rows),
        "parquet": as_parquet(rows),
    }
    options = ReadOptions(types=(("it's, a label", "nominal"),))
    for suffix, data in written.items():
        for path, content in ((folder / f"d.{suffix}", data), (folder / f"d.{suffix}.gz", gzip.compress(data))):
            path.write_bytes(content)
            dataset = read_training(str(path), options, keep_identifiers=True).dataset
            read = []
            for attribute, values in zip(
                [*dataset.schema.attributes, dataset.schema.target], [*dataset.columns, dataset.target], strict=True
            ):
                if attribute.is_numeric:
                    read.append([None if np.isnan(value) else value for value in values.tolist()])
                else:
                    read.append([None if code == MISSING else attribute.labels[code] for code in values.tolist()])
            assert read == [list(column) for column in zip(*rows, strict=True)], suffix


def test_importing_intake_loads_nothing_heavy():
    heavy = "{'numpy', 'pandas', 'pyarrow', 'arff', 'zstandard'}"
    program = f"import sys, treecli.intake; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
