"""Hints for options and choices that other programs name differently."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from treecli.errors import did_you_mean, nearest

OPTIONS = {
    # scikit-learn
    "--ccp-alpha": "--prune cost-complexity --alpha",
    "--class-weight": "--priors",
    "--cv": "--folds",
    "--max-leaf-nodes": "--max-leaves",
    "--min-impurity-decrease": "--min-gain",
    "--min-samples-leaf": "--min-leaf",
    "--min-samples-split": "--min-split",
    "--n-jobs": "--jobs",
    "--random-state": "--seed",
    # rpart
    "--loss": "--costs",
    "--maxcompete": "--competitors",
    "--maxdepth": "--max-depth",
    "--maxsurrogate": "--max-surrogates",
    "--minbucket": "--min-leaf",
    "--minsplit": "--min-split",
    "--xval": "--folds",
    # Weka's J48
    "-A": "--laplace",
    "-B": "--nominal binary",
    "-C": "--confidence",
    "-J": "--no-cut-cost",
    "-M": "--min-leaf",
    "-N": "--tune-fold",
    "-Q": "--seed",
    "-R": "--prune reduced-error",
    "-S": "--no-raise",
    "-U": "--prune none",
    # any program
    "--algorithm": "--like",
    "--class": "--target",
    "--data": "DATA",
    "--exclude": "--ignore",
    "--file": "--output",
    "--input": "DATA",
    "--label": "--target",
    "--model": "MODEL",
    "--na-values": "--na",
    "--out": "--output",
    "--outfile": "--output",
    "--sep": "--delimiter",
    "--separator": "--delimiter",
    "--silent": "--quiet",
    "--threads": "--jobs",
    "-j": "--jobs",
}
"""Options of other programs, and their equivalents. The first word is an option or an argument of the command."""

WORDS: dict[str, dict[str, tuple[str, ...]]] = {
    "--criterion": {
        "absolute_error": ("absolute",),
        "anova": ("variance",),
        "entropy": ("gain",),
        "friedman_mse": ("variance",),
        "infogain": ("gain",),
        "information": ("gain",),
        "information-gain": ("gain",),
        "log_loss": ("gain",),
        "mae": ("absolute",),
        "misclassification": ("error",),
        "mse": ("variance",),
        "squared_error": ("variance",),
    },
    "--like": {
        "c4.5": ("c45",),
        "c5": ("c50", "c45"),
        "c5.0": ("c50", "c45"),
        "r": ("rpart",),
        "scikit": ("sklearn",),
        "scikit-learn": ("sklearn",),
        "see5": ("c50", "c45"),
        "spss": ("chaid",),
        "weka": ("j48",),
    },
    "--format": {
        "gif": ("png",),
        "graphviz": ("dot",),
        "gv": ("dot",),
        "htm": ("html",),
        "jpeg": ("png",),
        "jpg": ("png",),
        "md": ("markdown", "mermaid"),
        "pdf": ("svg", "latex", "markdown"),
        "tex": ("latex",),
        "tsv": ("csv",),
        "txt": ("text", "table"),
        "weka": ("j48",),
        "xls": ("csv",),
        "xlsx": ("csv",),
        "xml": ("json",),
        "yaml": ("json",),
        "yml": ("json",),
    },
    "--prune": {
        "c4.5": ("pessimistic",),
        "c45": ("pessimistic",),
        "ccp": ("cost-complexity",),
        "cp": ("cost-complexity",),
        "ebp": ("pessimistic",),
        "error-based": ("pessimistic",),
        "j48": ("pessimistic",),
        "mep": ("min-error",),
        "rep": ("reduced-error",),
    },
}
"""Other programs' words for the choices of an option: the closest choices, best first."""

SENTENCES = {
    ("--missing", "na"): "--missing sets how missing values are treated; --na NA sets which text means missing",
    ("--missing", "?"): "--missing sets how missing values are treated; --na '?' sets which text means missing",
}
"""Hints for words that have no equivalent choice."""

MOST_LISTED = 4
"""An abbreviation that matches more options than this is not resolved."""

SAME_CHOICES = {"--method": "--prune"}
"""Options that share the choices of another."""


def for_word(option: str, word: str, known: Collection[str]) -> str | None:
    """Return a hint for an unknown choice of an option, or None if nothing is close."""
    option = SAME_CHOICES.get(option, option)
    folded = word.casefold()
    if (option, folded) in SENTENCES:
        return SENTENCES[option, folded]
    for near in (folded, *WORDS.get(option, {}).get(folded, ())):
        if near in known:
            return f"did you mean '{near}'?"
    return did_you_mean(word, known)


def for_option(typed: str, known: Collection[str], arguments: Iterable[str]) -> str | None:
    """Return a hint for an unknown option, given the command's options and arguments, or None."""
    dashed = typed.replace("_", "-")
    if dashed in known:
        return f"did you mean '{dashed}'?"
    instead = OPTIONS.get(dashed)
    if instead is not None:
        if instead.split()[0] in known:
            return f"did you mean '{instead}'?"
        if instead in arguments:
            return f"{instead} is an argument: leave '{typed}' out"
    whole = sorted(name for name in known if len(dashed) > 2 and name.startswith(dashed))
    if 0 < len(whole) <= MOST_LISTED:
        return f"options are not abbreviated; did you mean {' or '.join(map(repr, whole))}?"
    # Without the dashes, which all options share and which would make any two of them similar.
    near = nearest(dashed.lstrip("-"), {name.lstrip("-"): name for name in known})
    return None if near is None else f"did you mean '{near}'?"


def for_unknown_option(
    typed: str, words: Sequence[str], known: Collection[str], arguments: Iterable[str]
) -> tuple[str, str | None]:
    """Return an unknown option as typed, and a hint or None; `words` are the whole command line.

    For `-max_depth`, a parser reports only `-m`.
    """
    whole = next((word.partition("=")[0] for word in words if word.startswith(typed)), typed)
    if len(typed) == 2 and len(whole) > 2:
        hint = for_option(f"-{whole}", [name for name in known if name[:2] == "--"], ())
        if hint is not None:
            return whole, hint
    return typed, for_option(typed, known, arguments)
