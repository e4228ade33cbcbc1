"""Evaluates PMML with PMML4S, in a JVM within this process."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from treecli.errors import CheckError, UsageError
from treecli.exporters import Options
from treecli.exporters.pmml import prediction_fields
from treecli.predict.program import Program
from treecli.verifiers import REFUSED, Answer, Row
from treecli.verifiers._exchange import SHORT_LIVED

MUCH_WORK = 1_000_000
"""So many nodes times rows take about a second."""

LONG_LIVED = ("-XX:+UseSerialGC",)
"""Settings of a Java machine that does much work."""


def answers(text: str, program: Program, options: Options, rows: list[Row]) -> list[Answer]:
    """Return the document's answer for every row."""
    jpype = _machine(is_short=len(program.steps) * len(rows) < MUCH_WORK)
    columns = [program.schema.columns[index].name for index in program.attributes]
    prediction, probabilities = prediction_fields(program)
    wanted = probabilities if options.proba else [prediction]
    row_type = jpype.JClass("java.util.HashMap")
    try:
        model = jpype.JClass("org.pmml4s.model.Model").fromString(text)
        found = []
        for row in rows:
            given = row_type()
            for name, cell in zip(columns, row, strict=True):
                given.put(name, jpype.JDouble(cell) if isinstance(cell, float) else cell)
            said = model.predict(given)
            found.append(_answer([said.get(name) for name in wanted], program))
    except jpype.JException as error:
        raise CheckError(f"the artefact does not run: PMML4S: {error}", "nothing was written") from error
    return found


def _machine(*, is_short: bool) -> Any:
    """Return the bridge to a JVM with the evaluator; start the JVM if necessary.

    Java's second compiler takes a second, and more than halves the time of long work.
    """
    package, bridge = find_spec("pypmml"), find_spec("jpype")
    if package is None or package.origin is None or bridge is None:
        raise UsageError(
            "--verify: needs a PMML evaluator (pypmml), which is not installed",
            "pip install 'treecli[verify]', or leave out --verify",
        )
    import jpype

    if not jpype.isJVMStarted():
        jars = sorted((Path(package.origin).parent / "jars").glob("*.jar"))
        try:
            # -Xrs leaves Ctrl-C to Python.
            settings = SHORT_LIVED if is_short else LONG_LIVED
            jpype.startJVM("-Xrs", *settings, classpath=[str(jar) for jar in jars], convertStrings=True)
        except jpype.JVMNotFoundException as error:
            raise UsageError(
                "--verify: needs Java, which is not installed",
                "on Debian and Ubuntu: apt install default-jre-headless; or leave out --verify",
            ) from error
    return jpype


def _answer(said: list[Any], program: Program) -> Answer:
    """Convert the evaluator's answer, which is empty or NaN for a row that it rejects."""
    if any(value is None or value != value for value in said):
        return REFUSED if program.refused or program.refused_missing else None
    if program.schema.is_classification and len(said) == 1:
        return str(said[0])
    numbers = tuple(map(float, said))
    return numbers if program.schema.is_classification else numbers[0]
