"""`worksheet --to html` in a real browser: what a student fills in is saved as `worksheet --mark` reads it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.browser.chromium import Browser
from tests.conftest import Runner

CATCH = """
window.saved = null;
const usual = URL.createObjectURL;
URL.createObjectURL = blob => { blob.text().then(text => { window.saved = text; }); return usual.call(URL, blob); };
HTMLAnchorElement.prototype.click = () => {};
"""
"""Keeps the text of the file that the page offers, in place of the download."""

SAVED = """return new Promise(done => {
  const wait = () => window.saved ? done(window.saved) : setTimeout(wait, 10);
  wait();
})"""


@pytest.mark.parametrize("size", [(390, 800), (1200, 900)])
def test_the_answers_are_saved_for_marking(
    browser: Browser, treecli: Runner, tmp_path: Path, size: tuple[int, int]
) -> None:
    assert treecli("worksheet", "--seed", "7", "--to", "html", "-o", "sheets", "-q").code == 0
    with (tmp_path / "sheets" / "key.csv").open(encoding="utf-8", newline="") as file:
        right = {row["blank"]: row["answer"] for row in csv.DictReader(file)}
    browser.resize(*size)
    browser.open(tmp_path / "sheets" / "sheet-7.html")
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    browser.run(CATCH)
    student = 'Zoë "Z", the 2nd'
    fill = "for (const own of document.querySelectorAll('[data-blank]')) own.value = arguments[0][own.dataset.blank];"
    browser.run(fill + "document.getElementById('student').value = arguments[1];", right, student)
    browser.click("#save")
    text = browser.run(SAVED)
    assert [row["blank"] for row in csv.DictReader(io.StringIO(text))] == list(right)
    (tmp_path / "answers.csv").write_text(text, encoding="utf-8")
    done = treecli("worksheet", "--mark", "answers.csv", "--key", "sheets/key.csv", "-f", "json")
    assert json.loads(done.out)["students"] == [
        {"student": student, "sheet": "7", "points": len(right), "of": len(right), "unanswered": 0}
    ]
    assert browser.complaints() == []
    assert {address.partition(":")[0] for address in browser.requests()} <= {"file", "data", "blob"}
