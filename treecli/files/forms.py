"""The output format, as selected by the suffix of a file's name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from treecli import plugins
from treecli.errors import UsageError
from treecli.files import names
from treecli.files.compression import without_suffix
from treecli.files.guard import STREAM

Known = Mapping[str, str] | str
"""Formats by suffix, or the folder whose members they are."""

REPORTS = {".txt": "table", ".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex"}
"""The report formats by suffix."""

REPORTS_FOR_PEOPLE = {suffix: form for suffix, form in REPORTS.items() if form != "csv"}
"""The report formats without CSV, which is data."""

FAMILIES = ("writers", "renderers", "rule_formats", "trace_formats", "exporters")
"""The folders whose members are file formats."""

MODEL = ".json"
"""The suffix of a model file."""


def suffix_of(path: str) -> str:
    """The format suffix of a path, ignoring a compression suffix; empty if there is none."""
    return names.suffix_of(without_suffix(path))


def stem_of(path: str) -> str:
    """The name of a file without its suffixes."""
    return names.stem_of(without_suffix(path))


@cache
def of_family(folder: str) -> dict[str, str]:
    """The members of a folder by suffix: SUFFIX, or the member's name. A SUFFIX of None: no suffix selects it."""
    forms = {name: getattr(plugins.load(folder, name), "SUFFIX", f".{name}") for name in plugins.names(folder)}
    return {suffix: name for name, suffix in forms.items() if suffix is not None}


def chosen(output: str | None, known: Known, default: str, option: str = "-f") -> str:
    """The format that the suffix selects; the default for stdout and for a name without a suffix."""
    suffix = "" if output is None or output == STREAM else suffix_of(output)
    if not suffix:
        return default
    forms = of_family(known) if isinstance(known, str) else known
    if suffix not in forms:
        raise UsageError(
            f"{output}: found the suffix '{suffix}', expected one of {', '.join(forms)}",
            f"set the format with {option} to write it to a file of any name",
        )
    return forms[suffix]


def check_model(output: str) -> None:
    """Raises if the suffix of a model file to be written belongs to another format."""
    suffix = suffix_of(output)
    if not suffix or suffix == MODEL or output == STREAM:
        return
    if suffix in REPORTS or any(suffix in of_family(family) for family in FAMILIES):
        raise UsageError(
            f"{output}: found the suffix '{suffix}', but a model is written as JSON",
            f"name it {names.name_of(output).removesuffix(suffix)}{MODEL}; other commands write other formats",
        )
