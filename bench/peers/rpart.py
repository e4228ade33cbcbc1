"""rpart in R: full trees of numbers, without cross-validation, surrogates or competitors."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

from bench.peers._script import answer

if TYPE_CHECKING:
    from bench.works import Task

__all__ = ["SOURCE", "TITLE", "answer", "can", "fit_command", "is_here", "score_command"]

TITLE = "rpart"
SOURCE = "apt install r-cran-rpart"

MOST_ROWS = 50_000
"""More rows take minutes."""

FIT = """
suppressMessages(library(rpart))
a <- commandArgs(TRUE)
d <- read.csv(a[1], stringsAsFactors = TRUE)
names(d)[ncol(d)] <- "target"
n <- rpart.control(cp = 0, minsplit = 2, minbucket = 1, maxdepth = as.integer(a[3]), xval = 0,
                   maxcompete = 0, maxsurrogate = 0, usesurrogate = 0)
s <- system.time(m <- rpart(target ~ ., data = d, control = n))["elapsed"]
saveRDS(m, a[2])
cat(sprintf('{"fit": %.3f}\n', s))
"""

SCORE = """
suppressMessages(library(rpart))
a <- commandArgs(TRUE)
d <- read.csv(a[1], stringsAsFactors = TRUE)
m <- readRDS(a[2])
t <- d[[ncol(d)]]
q <- if (is.factor(t)) mean(predict(m, d, "class") == t) else 1 - sum((predict(m, d) - t)^2) / sum((t - mean(t))^2)
cat(sprintf('{"leaves": %d, "accuracy": %.6f}\n', sum(m$frame$var == "<leaf>"), q))
"""

DEEPEST = 30
"""It numbers nodes with 32 bits."""


def is_here() -> bool:
    asked = 'quit(status = !requireNamespace("rpart", quietly = TRUE))'
    return shutil.which("Rscript") is not None and not subprocess.run(["Rscript", "-e", asked], check=False).returncode


def can(task: Task) -> bool:
    # With three classes it tries all groupings of labels: 2^49 for 50 of them.
    return task.has_numbers_only and task.n_rows <= MOST_ROWS and task.criterion == "squared"


def _r(script: str, task: Task) -> list[str]:
    depth = str(DEEPEST if task.depth is None else task.depth)
    return ["Rscript", "--vanilla", "-e", script, str(task.data), str(task.model("rpart")), depth]


def fit_command(task: Task) -> list[str]:
    return _r(FIT, task)


def score_command(task: Task) -> list[str]:
    return _r(SCORE, task)
