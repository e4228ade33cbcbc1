"""The tasks: each is run by treecli, in one or more variants, and by every suitable peer."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from bench import datasets

TREECLI = str(Path(sys.executable).with_name("treecli"))

SHALLOW = 10
"""The depth limit."""

GINI = ("--criterion", "gini")
"""The options for the tree that scikit-learn, YDF and LightGBM grow on numbers."""


@dataclass(frozen=True)
class Task:
    """Training a tree on a file, as described to a peer."""

    name: str
    set_name: str
    n_rows: int
    depth: int | None = None
    criterion: str = "squared"
    """The error of a numeric target: squared or absolute."""
    is_pruned: bool = False

    @property
    def is_classification(self) -> bool:
        return self.set_name != "R"

    @property
    def has_numbers_only(self) -> bool:
        return self.set_name != "M"

    @property
    def data(self) -> Path:
        return self.file("csv")

    def file(self, suffix: str) -> Path:
        """The data file in this format."""
        return datasets.iris(suffix) if self.set_name == "S" else datasets.file_of(self.set_name, self.n_rows, suffix)

    def model(self, maker: str) -> Path:
        """The model file of a program."""
        folder = datasets.CACHE / "models"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{self.name} {self.n_rows} {maker}".replace(" ", "-")


@dataclass(frozen=True)
class Work:
    """A task, and treecli's variants of it: their names and options."""

    task: Task
    ways: dict[str, tuple[str, ...]]

    @property
    def name(self) -> str:
        return self.task.name

    def model(self, way: str) -> Path:
        """The model file of treecli."""
        return self.task.model(f"{way}.json")

    def command(self, way: str) -> list[str]:
        """The treecli command."""
        depth = () if self.task.depth is None else ("--max-depth", str(self.task.depth))
        return [TREECLI, "train", str(self.task.data), *self.ways[way], *depth, "-o", str(self.model(way))]


@dataclass(frozen=True)
class Use:
    """A treecli command on an existing model, or a probe: its name and its command line."""

    name: str
    way: str
    command: list[str]


def growing(sizes: dict[str, int]) -> list[Work]:
    """All training tasks, from file to model file."""
    mixed = {
        "default": (),
        "--like c45": ("--like", "c45", "--prune", "none"),
        "--like cart": ("--like", "cart", "--prune", "none"),
    }
    return [
        Work(Task("S", "S", 150), {"default": ()}),
        Work(Task("M full", "M", sizes["M"]), mixed),
        Work(
            Task("M pruned", "M", sizes["M"], is_pruned=True),
            {"--like c45": ("--like", "c45"), "--like cart": ("--like", "cart")},
        ),
        Work(Task("M depth 10", "M", sizes["M"], SHALLOW), mixed),
        Work(
            full_tree(sizes),
            {
                "gini": GINI,
                "gini --jobs 1": (*GINI, "--jobs", "1"),
                "default": (),
                "--like sklearn": ("--like", "sklearn"),
            },
        ),
        Work(Task("L depth 10", "L", sizes["L"], SHALLOW), {"gini": GINI, "default": ()}),
        Work(Task("R depth 10", "R", sizes["R"], SHALLOW), {"variance": ()}),
        Work(Task("R absolute", "R", sizes["R"], SHALLOW, "absolute"), {"absolute": ("--criterion", "absolute")}),
    ]


def full_tree(sizes: dict[str, int]) -> Task:
    """The task whose tree is used to measure commands on large trees."""
    return Task("L full", "L", sizes["L"])


def starting() -> list[Use]:
    """Commands that should respond at once: help, and a small model."""
    model = str(Work(Task("S", "S", 150), {"default": ()}).model("default"))
    commands = {"--help": ["--help"], "show": ["show", model], "rules": ["rules", model], "info": ["info", model]}
    return [Use("S use", way, [TREECLI, *arguments]) for way, arguments in commands.items()]


def deep(sizes: dict[str, int]) -> Work:
    """A full tree that is ten times as deep by the gain ratio, without peers."""
    return Work(Task("D full", "D", sizes["D"]), {"gini": GINI, "default": ()})


def folding(sizes: dict[str, int]) -> Use:
    """Training on M with pruning by ten folds, which no peer does."""
    work = Work(Task("M folds", "M", sizes["M"]), {"--like cart": ("--like", "cart")})
    return Use(work.name, "--like cart", work.command("--like cart"))


def small() -> list[Use]:
    """The commands whose instructions are counted: training on S, and those that should respond at once."""
    work = Work(Task("S", "S", 150), {"default": ()})
    return [Use("S", "train", [*work.command("default"), "-q"]), *starting()]


def applying(sizes: dict[str, int]) -> list[Use]:
    """Commands that apply the large tree to the rows of L."""
    task = full_tree(sizes)
    model, data = str(Work(task, {}).model("gini")), str(task.data)
    return [
        Use("L apply", "evaluate", [TREECLI, "evaluate", model, data]),
        Use("L apply", "predict", [TREECLI, "predict", model, data]),
    ]


def handling(sizes: dict[str, int]) -> list[Use]:
    """Commands on the large tree itself."""
    task = full_tree(sizes)
    model, output = str(Work(task, {}).model("gini")), str(task.model("pruned.json"))
    others = str(datasets.file_of("L", sizes["L"] // 3, seed=datasets.SEED_OF_OTHERS))
    pruning = {
        "prune pessimistic": ["--method", "pessimistic", "--no-raise", "-o", output],
        "prune pessimistic --raise": ["--method", "pessimistic", "--raise", "--data", str(task.data), "-o", output],
        "prune cost-complexity": ["--method", "cost-complexity", "--alpha", "1e-6", "-o", output],
        "prune --path": ["--path", "-f", "csv"],
        "prune reduced-error": ["--method", "reduced-error", "--data", others, "-o", output],
    }
    uses = [Use("L tree", way, [TREECLI, "prune", model, *options]) for way, options in pruning.items()]
    return uses + [Use("L tree", verb, [TREECLI, verb, model]) for verb in ("info", "show", "rules")]


def probe(name: str, *arguments: object) -> list[str]:
    """The command that runs a probe."""
    return [sys.executable, "-m", f"bench.probes.{name}", *(str(argument) for argument in arguments)]
