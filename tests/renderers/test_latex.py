"""show -f latex"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.example_models import chain, every_kind, playtennis, regression
from tests.renderers.hostile import hostile
from treecli.model import TreeModel
from treecli.renderers import View, latex

DOCUMENT = r"""\documentclass{article}
\usepackage{forest,textcomp}
\usepackage[T1]{fontenc}
\begin{document}
%s\end{document}
"""


WHOLE = View()


def text_of(model: TreeModel, view: View = WHOLE) -> str:
    return "".join(latex.render(model, view))


def has_forest() -> bool:
    return shutil.which("pdflatex") is not None and bool(
        subprocess.run(["kpsewhich", "forest.sty", "elocalloc.sty"], capture_output=True).stdout.count(b"\n") == 2
    )


def test_the_tree_is_nested_in_brackets() -> None:
    _, tree = text_of(playtennis(), View(node=1)).split("line width=#1}},\n")
    assert tree == (
        "  [{\\textbf{Humidity?}\\\\\\scriptsize where Outlook = Sunny\\\\\\scriptsize 5 cases, 60 \\% No}\n"
        # 3 of 5 cases: 0.4 + 3.6 * 0.6; 2 of 5: 0.4 + 3.6 * 0.4.
        "    [{\\textbf{No}\\\\\\scriptsize 3 cases, 100 \\%}, branch={= High}, width=2.56pt, fill=tree3f90da!45, "
        "draw=tree3f90da]\n"
        "    [{\\textbf{Yes}\\\\\\scriptsize 2 cases, 100 \\%}, branch={= Normal}, width=1.84pt, fill=treeffa90e!45, "
        "draw=treeffa90e]]\n"
        "\\end{forest}\n"
    )


def test_it_starts_with_the_required_packages() -> None:
    assert text_of(playtennis()).splitlines()[:4] == [
        r"% needs \usepackage{forest,textcomp} and \usepackage[T1]{fontenc}",
        r"\definecolor{tree3f90da}{HTML}{3F90DA}",
        r"\definecolor{treeffa90e}{HTML}{FFA90E}",
        r"\begin{forest}",
    ]


@pytest.mark.parametrize("model", [playtennis(), regression(), every_kind(), hostile(), chain(300)])
def test_brackets_and_braces_balance_whatever_the_names(model: TreeModel) -> None:
    plain = re.sub(r"\\[{}%&#$_]|\{[][]\}", "", text_of(model))
    depth = {"{": 0, "[": 0}
    for sign in plain:
        if sign in "{[":
            depth[sign] += 1
        elif sign in "}]":
            depth["{" if sign == "}" else "["] -= 1
        assert min(depth.values()) >= 0
    assert depth == {"{": 0, "[": 0}
    assert len(re.findall(r"\\textbf", plain)) == model.tree.n_nodes


@pytest.mark.skipif(not has_forest(), reason="pdflatex with the package forest is not installed")
def test_latex_sets_hostile_names(tmp_path: Path) -> None:
    # Of the fonts of pdflatex, none has the signs beyond Latin.
    text = "".join(sign if ord(sign) < 0x250 else "?" for sign in text_of(hostile()) + text_of(regression()))
    (tmp_path / "tree.tex").write_text(DOCUMENT % text, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-draftmode", "tree.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
    )
    assert done.returncode == 0, done.stdout[-2000:]
