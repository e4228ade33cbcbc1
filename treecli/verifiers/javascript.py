"""Runs a JavaScript artefact in Node."""

from __future__ import annotations

import json

from treecli.exporters import Options
from treecli.predict.program import Program
from treecli.verifiers import Answer, Row
from treecli.verifiers._exchange import answers_in, run, tool, workshop

_HARNESS = """
"use strict";
const fs = require("fs");
const predict = require("./artefact.js")[process.argv[2]];
const labels = JSON.parse(fs.readFileSync("labels.json", "ascii"));
const columns = fs.readFileSync("columns.txt", "ascii").split("\\n").filter(Boolean)
    .map((name) => Buffer.from(name.slice(1), "hex").toString("utf8"));
const read = (cell) => {
    if (cell === "-") return null;
    const data = Buffer.from(cell.slice(1), "hex");
    return cell[0] === "s" ? data.toString("utf8") : data.readDoubleBE(0);
};
const written = (answer) => {
    if (typeof answer === "string") return "s" + Buffer.from(answer, "utf8").toString("hex");
    // By name: an object has keys that are whole numbers before all others.
    if (typeof answer === "object") return labels.map((label) => written(answer[label])).join(" ");
    const data = Buffer.alloc(8);
    data.writeDoubleBE(answer, 0);
    return "n" + data.toString("hex");
};
const answers = fs.readFileSync("rows.txt", "ascii").split("\\n").slice(0, -1).map((line) => {
    const cells = line.split(" ");
    const row = Object.fromEntries(columns.map((name, place) => [name, read(cells[place])]));
    try {
        return written(predict(row));
    } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        return "!";
    }
});
process.stdout.write(answers.map((answer) => answer + "\\n").join(""));
"""


def answers(text: str, program: Program, options: Options, rows: list[Row]) -> list[Answer]:
    """Return the function's answer for every row."""
    node = tool(["node", "nodejs"], "Node", "nodejs")
    files = {"artefact.js": text, "harness.js": _HARNESS, "labels.json": json.dumps(program.schema.target.labels)}
    with workshop(files, program, rows) as folder:
        return answers_in(run([node, "harness.js", options.name or "predict"], folder))
