"""The properties that must hold for every generated input."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz import models, texts
from tests.fuzz.worker import Answer, Worker

CODES = (0, 1, 2, 3, 4)

ERROR_LINES = re.compile(r"(Warning: .*\n)*Error: .*\n(Hint: .*\n)?")

TRAINING_OPTIONS: tuple[tuple[str, ...], ...] = (
    (),
    ("--criterion", "gini", "--nominal", "subset"),
    ("--nominal", "binary", "--threshold", "datavalue"),
    ("--missing", "branch"),
    ("--missing", "surrogate"),
    ("--like", "j48"),
    ("--like", "c45"),
    ("--like", "rpart"),
    ("--like", "sklearn"),
    ("--like", "chaid"),
    ("--prune", "pessimistic"),
    ("--prune", "mdl"),
    ("--discretize", "width:3"),
    ("--max-leaves", "3", "--competitors", "1"),
)

MODEL_COMMANDS: tuple[tuple[str, ...], ...] = (
    *(("show", "MODEL", "-f", form) for form in ("text", "json", "j48", "svg", "html", "dot", "mermaid", "latex")),
    *(("rules", "MODEL", "-f", form) for form in ("text", "json", "csv", "markdown", "prolog", "latex")),
    *(("export", "MODEL", "--to", language) for language in ("python", "sql", "c", "javascript", "java", "pmml")),
    ("show", "MODEL", "--details", "--counts", "--ids"),
    ("rules", "MODEL", "--lint"),
    ("rules", "MODEL", "--simplify", "exact"),
    ("rules", "MODEL", "--wording", "plain"),
    ("info", "MODEL"),
    ("info", "MODEL", "-f", "json"),
    ("predict", "MODEL", "DATA", "--proba", "--leaf", "--flags"),
    ("evaluate", "MODEL", "DATA"),
    ("evaluate", "MODEL", "MODEL", "DATA", "-f", "csv"),
    ("evaluate", "MODEL", "DATA", "-f", "json", "--errors", "wrong.csv"),
    ("explain", "MODEL", "DATA", "--row", "1"),
)

TREE_COMMANDS = (*MODEL_COMMANDS, ("prune", "MODEL", "-o", "pruned.json"))


class FindingError(AssertionError):
    """An input that breaks a promise."""


class Bench:
    """Two workers, a folder, and what is run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workers = (Worker(is_compiled=True), Worker(is_compiled=False))
        self.n_inputs = 0
        self.n_accepted = 0

    def both(self, arguments: list[str]) -> Answer:
        """The outcome of a command line, which must be proper and the same for both forms of the kernels."""
        first, second = (self._proper(worker, arguments) for worker in self.workers)
        if first != second:
            raise FindingError(f"compiled and uncompiled differ: treecli {arguments}\n{first}\n{second}")
        return first

    def once(self, arguments: list[str]) -> Answer:
        """The outcome of a command line, which must be proper, with compiled kernels."""
        return self._proper(self.workers[0], arguments)

    def _proper(self, worker: Worker, arguments: list[str]) -> Answer:
        outcome = worker.run(arguments, self.folder)
        if outcome.defect is not None:
            raise FindingError(f"treecli {arguments} ({worker.name}):\n{outcome.defect}")
        if outcome.code not in CODES:
            raise FindingError(f"treecli {arguments} ({worker.name}): exit code {outcome.code}")
        if outcome.code and not ERROR_LINES.fullmatch(outcome.err):
            raise FindingError(f"treecli {arguments} ({worker.name}): stderr is {outcome.err!r}")
        return outcome

    def close(self) -> None:
        for worker in self.workers:
            worker.close()


def data_target(bench: Bench, name: str, files: st.SearchStrategy[tuple[bytes, list[str]]]) -> Callable[[], None]:
    """Reading a file: info and train end properly and alike; a model that was written loads and applies."""

    @given(files, st.sampled_from(TRAINING_OPTIONS))
    def check(file: tuple[bytes, list[str]], training: tuple[str, ...]) -> None:
        data, options = file
        bench.n_inputs += 1
        (bench.folder / name).write_bytes(data)
        if bench.both(["info", name, "-q", "-f", "json", *options]).code:
            return
        model = bench.folder / "model.json"
        written = []
        for worker in bench.workers:
            model.unlink(missing_ok=True)
            outcome = bench._proper(worker, ["train", name, "-o", model.name, "-q", *training, *options])
            written.append((outcome.code, outcome.err, model.read_bytes() if model.exists() else None))
        if written[0] != written[1]:
            raise FindingError(f"compiled and uncompiled models differ: train {name} {training} {options}")
        code, error, _ = written[0]
        if (code == 0) != model.exists():
            raise FindingError(f"train {training}: exit code {code}, model written: {model.exists()}, {error}")
        if code:
            return
        bench.n_accepted += 1
        for command in (["show", "model.json"], ["rules", "model.json"], ["info", "model.json"]):
            if bench.once(command).code:
                raise FindingError(f"a model that train wrote is refused: {command}")
        for command in ("predict", "evaluate"):
            outcome = bench.both([command, "model.json", name, "-q", *options])
            if outcome.code:
                raise FindingError(f"{command} refuses the file that train took: {outcome.err}")

    return check


def model_target(
    bench: Bench, name: str, seeds: tuple[tuple[Path, Path], ...], known: tuple[tuple[str, ...], ...] = MODEL_COMMANDS
) -> Callable[[], None]:
    """Loading a model: it is refused with code 4 by every command, or works in every command."""

    @given(st.data(), st.sampled_from(seeds), st.lists(st.sampled_from(known), min_size=3, max_size=3))
    def check(data: st.DataObject, seed: tuple[Path, Path], commands: list[tuple[str, ...]]) -> None:
        path, rows = seed
        bench.n_inputs += 1
        (bench.folder / name).write_bytes(data.draw(models.changed_json(path)))
        _apply(bench, name, rows, commands)

    return check


def text_target(bench: Bench, name: str, seeds: tuple[tuple[bytes, Path], ...]) -> Callable[[], None]:
    """Loading rules as text, with the same promise."""

    @given(st.data(), st.sampled_from(seeds), st.lists(st.sampled_from(MODEL_COMMANDS), min_size=3, max_size=3))
    def check(data: st.DataObject, seed: tuple[bytes, Path], commands: list[tuple[str, ...]]) -> None:
        text, rows = seed
        bench.n_inputs += 1
        (bench.folder / name).write_bytes(data.draw(models.changed_text(text)))
        _apply(bench, name, rows, commands)

    return check


def _apply(bench: Bench, name: str, rows: Path, commands: list[tuple[str, ...]]) -> None:
    is_refused = bench.both(["info", name, "-f", "json"]).code == 4
    bench.n_accepted += not is_refused
    for command in commands:
        arguments = [{"MODEL": name, "DATA": str(rows)}.get(word, word) for word in command]
        outcome = bench.once(arguments)
        if is_refused and outcome.code not in (2, 4):
            raise FindingError(f"info refuses the model, but {arguments} ends with {outcome.code}: {outcome.err}")
        if not is_refused and outcome.code == 4:
            raise FindingError(f"info takes the model, but {arguments} refuses it: {outcome.err}")


def all_targets(bench: Bench) -> dict[str, Callable[[], None]]:
    """The properties by name."""
    seeds = bench.folder / "seeds"
    seeds.mkdir(exist_ok=True)
    return {
        "csv": data_target(bench, "data.csv", texts.csv_files()),
        "arff": data_target(bench, "data.arff", texts.arff_files()),
        "tree": model_target(bench, "tree.json", models.trained(seeds), TREE_COMMANDS),
        "rules": model_target(bench, "rules.json", models.rule_models(seeds)),
        "ruletext": text_target(bench, "rules.txt", models.rule_texts(seeds)),
    }
