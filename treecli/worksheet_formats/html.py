"""A web page to fill in, without the answers; it saves what was filled in as CSV."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from treecli.worksheet_formats._page import body
from treecli.worksheets.sheet import Blank, Sheet

SUFFIX = ".html"

HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>TITLE</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 46rem; margin: 0 auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; }
table { border-collapse: collapse; margin: 0.5rem 0; display: block; overflow-x: auto; }
th, td { text-align: left; padding: 0.1rem 1rem 0.1rem 0; border-bottom: 1px solid #8886; }
input, select, button { font: inherit; }
input.number { width: 6rem; }
h3 { margin: 1.5rem 0 0; }
@media print { button { display: none; } input, select { border: 0; border-bottom: 1px solid; appearance: none; } }
</style>
</head>
<body>
"""

TAIL = """<p><button type="button" id="save">Save the answers</button></p>
<script>
document.getElementById("save").addEventListener("click", () => {
  const cell = text => '"' + text.replace(/"/g, '""') + '"';
  const name = document.getElementById("student").value.trim();
  const lines = ["student,sheet,blank,answer"];
  for (const own of document.querySelectorAll("[data-blank]")) {
    lines.push([name, document.body.dataset.sheet, own.dataset.blank, own.value].map(cell).join(","));
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([lines.join("\\n") + "\\n"], { type: "text/csv" }));
  link.download = "answers-" + document.body.dataset.sheet + ".csv";
  link.click();
  URL.revokeObjectURL(link.href);
});
</script>
</body>
</html>
"""


def render(sheet: Sheet) -> Iterator[str]:
    """Return a page with fields for the answers."""
    title = escape(f"{sheet.title} ({sheet.number})")
    yield HEAD.replace("TITLE", title).replace("<body>", f'<body data-sheet="{sheet.number}">')
    yield f'<h1>{escape(sheet.title)}</h1>\n<p><label>Name <input id="student" autocomplete="name"></label></p>\n'
    yield from body(sheet, _field)
    yield TAIL


def _field(blank: Blank) -> str:
    named = f'data-blank="{escape(blank.key)}" aria-label="{escape(blank.key)}"'
    if blank.is_number:
        return f'<input class="number" inputmode="decimal" autocomplete="off" {named}>'
    choices = "".join(f"<option>{escape(choice)}</option>" for choice in blank.choices)
    return f"<select {named}><option></option>{choices}</select>"
