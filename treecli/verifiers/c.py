"""Compiles a C artefact and runs it."""

from __future__ import annotations

from treecli.exporters import Options
from treecli.exporters.c import C
from treecli.predict.program import Program
from treecli.verifiers import Answer, Row
from treecli.verifiers._exchange import answers_in, run, tool, workshop

_HARNESS = """
#include "artefact.c"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int more(void) {
    const int letter = getchar();
    if (letter == EOF) return 0;
    ungetc(letter, stdin);
    return 1;
}

static unsigned digit(int letter) {
    return letter <= '9' ? letter - '0' : letter - 'a' + 10;
}

static double read_number(void) {
    const int kind = getchar();
    uint64_t bits = 0;
    if (kind == '-') { getchar(); return NAN; }
    for (int i = 0; i < 16; i++) bits = bits << 4 | digit(getchar());
    getchar();
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static char *read_label(char *room) {
    if (getchar() == '-') { getchar(); return NULL; }
    char *end = room;
    int letter;
    while ((letter = getchar()) != ' ' && letter != '\\n') {
        const unsigned high = digit(letter);
        *end++ = (char)(high << 4 | digit(getchar()));
    }
    *end = 0;
    return room;
}

static void print_number(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    printf("n%016llx", (unsigned long long)bits);
}

static void print_label(const char *label) {
    if (label == NULL) { putchar('!'); return; }
    putchar('s');
    for (; *label; label++) printf("%02x", (unsigned char)*label);
}

int main(void) {
    static char room[@N_COLUMNS@ + 1][@LONGEST@ + 1];
    (void)room; (void)read_number; (void)read_label; (void)print_number; (void)print_label;
    while (more()) {
        @NAME@_row row = {0};
@READING@
@ANSWERING@
        putchar('\\n');
    }
    return 0;
}
"""

_ANSWERING = {
    "label": "print_label(@NAME@(&row));",
    "number": "const double answer = @NAME@(&row); "
    "if (@REFUSES@ && isnan(answer)) putchar('!'); else print_number(answer);",
    "proba": "double said[@N_SAID@]; if (@NAME@(&row, said)) putchar('!'); "
    "else for (int i = 0; i < @N_SAID@; i++) { if (i) putchar(' '); print_number(said[i]); }",
}


def answers(text: str, program: Program, options: Options, rows: list[Row]) -> list[Answer]:
    """Return the function's answer for every row."""
    compiler = tool(["cc", "gcc", "clang"], "a C compiler", "gcc")
    name = options.name or C.DEFAULT_NAME
    reading = []
    variables = C.variables(program, name)
    for place, attribute in enumerate(program.attributes):
        field = variables[attribute]
        is_numeric = program.schema.columns[attribute].is_numeric
        reading.append(f"        row.{field} = {'read_number()' if is_numeric else f'read_label(room[{place}])'};")
    kind = "proba" if options.proba else "label" if program.schema.is_classification else "number"
    longest = max((len(cell.encode()) for row in rows for cell in row if isinstance(cell, str)), default=1)
    filled = {
        "READING": "\n".join(reading) or "        getchar();",
        "ANSWERING": f"        {_ANSWERING[kind]}",
        "NAME": name,
        "N_SAID": str(len(program.prediction[0])),
        "N_COLUMNS": str(len(program.attributes)),
        "LONGEST": str(longest),
        "REFUSES": str(int(bool(program.refused or program.refused_missing))),
    }
    harness = _HARNESS
    for word, filling in filled.items():
        harness = harness.replace(f"@{word}@", filling)
    with workshop({"artefact.c": text, "harness.c": harness}, program, rows) as folder:
        run([compiler, "-std=c99", "-O1", "-o", "harness", "harness.c", "-lm"], folder)
        return answers_in(run(["sh", "-c", "./harness < rows.txt"], folder))
