"""A sheet as a part of the page: its rows, blanks to fill in, and its answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.lesson.markup import Markup, tag, void
from treecli.wording import number_text, quoted

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.lesson.sheets import Sheet
    from treecli.lesson.wordings import Speaker


def sheet_markup(sheet: Sheet, number: int, speaker: Speaker) -> Markup:
    """Return a sheet; the page's script shows one at a time, and checks what is filled in."""
    say = speaker.say
    schema = sheet.dataset.schema
    names = [quoted(own.name) for own in (*schema.attributes, schema.target)]
    head = tag("tr", *(tag("th", tag("bdi", name), scope="col") for name in names))
    rows = [tag("tr", *(tag("td", tag("bdi", text)) for text in row)) for row in _rows(sheet.dataset)]
    table = tag(
        "div",
        tag("table", tag("thead", head), tag("tbody", *rows)),
        cls="scroll",
        tabindex=0,
        role="group",
        aria_label=say("cards_label"),
    )
    blanks = [
        tag(
            "li",
            tag(
                "label",
                f"{answer.name} = ",
                void("input", type="text", inputmode="decimal", autocomplete="off", size=8, data_blank=place),
            ),
            " ",
            tag("output", cls="told"),
        )
        for place, answer in enumerate(sheet.answers)
    ]
    choices = [tag("option", say("choose"), value=""), *(tag("option", name, value=name) for name in sheet.names)]
    root = tag(
        "li",
        tag("label", say("sheet_root"), " ", tag("select", *choices, data_best=sheet.best)),
        " ",
        tag("output", cls="told"),
    )
    answers = ", ".join(f"{answer.name} = {answer.text}" for answer in sheet.answers)
    key = tag("details", tag("summary", say("sheet_answers")), tag("p", f"{answers}; {sheet.best}"))
    buttons = tag(
        "p",
        tag("button", say("check"), type="submit"),
        " ",
        tag("button", say("another_sheet"), type="button", cls="another"),
        " ",
        tag("output", cls="told total"),
        cls="scripted",
    )
    form = tag("form", tag("ol", *blanks, root), buttons, cls="blanks", data_sheet=number)
    return tag(
        "article",
        tag("h3", say("sheet", n=number + 1)),
        tag("p", say("sheet_task")),
        tag("div", table, form, cls="paper"),
        key,
        cls="sheet",
        data_sheet=number,
    )


def _rows(dataset: Dataset) -> list[list[str]]:
    """The rows of a sheet as texts, the target last."""
    assert dataset.target is not None
    columns = [*zip(dataset.schema.attributes, dataset.columns, strict=True), (dataset.schema.target, dataset.target)]
    texts = []
    for column, values in columns:
        if column.is_numeric:
            texts.append(["?" if value != value else number_text(value) for value in values.tolist()])
        else:
            texts.append(["?" if code < 0 else quoted(column.labels[code]) for code in values.tolist()])
    return [list(row) for row in zip(*texts, strict=True)]
