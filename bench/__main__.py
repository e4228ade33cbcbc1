"""`python -m bench`: compares treecli and its peers on the same tasks, in one run."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

from bench import claims, contest, datasets, instructions, peers, table, works
from bench.results import TREECLI, Result
from treecli.kernels import are_compiled

PARTS = ("S", "M", "L", "D", "R", "reading", "applying", "handling")
"""S, M, L, D and R are training tasks; the others use the files and trees of L."""

QUICK_ROUNDS = 2


def main(arguments: list[str] | None = None) -> int:
    given = parsed(arguments)
    if not are_compiled():
        say("the kernels are not compiled: this would measure Python; run make again where a C compiler is")
        return 2
    # Programs keep the byte code of their modules, as they do for a user: else each start would compile changed ones.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if (load := os.getloadavg()[0]) > 1:
        say(f"the machine is busy (load {load:.1f}): compare the column cpu rather than the seconds")
    if given.growth:
        from bench import growth

        return growth.measured(Path(given.plots), is_quick=given.quick, say=say)
    sizes = datasets.QUICK_SIZES if given.quick else datasets.SIZES
    results = measured(given.only, present(given.peers), sizes, QUICK_ROUNDS if given.quick else contest.ROUNDS)
    made = claims.claims(results)
    print("\n".join(table.lines(results)), end="\n\n")
    print("\n".join(claims.lines(made)))
    if given.quick:
        print("\nThese are smaller data sets than the claims are about.")
    if given.output:
        facts = {
            "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
            "sizes": sizes,
            "results": [result.as_json() for result in results],
            "claims": [{"claim": claim.text, "measured": claim.measured, "holds": claim.holds} for claim in made],
        }
        Path(given.output).write_text(json.dumps(facts, indent=1) + "\n")
    has_failed = any(result.error for result in results if result.program == TREECLI)
    return 1 if has_failed or (given.check and not all(claim.holds for claim in made)) else 0


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller data sets, about three minutes in all")
    parser.add_argument("--only", type=listed(PARTS), default=list(PARTS), metavar="PARTS", help=",".join(PARTS))
    parser.add_argument(
        "--peers", type=listed(peers.names()), default=peers.names(), metavar="NAMES", help=",".join(peers.names())
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write the results as JSON too")
    parser.add_argument("--check", action="store_true", help="exit code 1 if a claim does not hold")
    parser.add_argument("--growth", action="store_true", help="instead: how time and memory grow with the data")
    parser.add_argument(
        "--plots", default=datasets.HERE / "plots", metavar="FOLDER", help="where --growth writes; default: bench/plots"
    )
    return parser.parse_args(arguments)


def listed(known: Sequence[str]) -> Callable[[str], list[str]]:
    """A parser for names separated by commas; empty text is an empty list."""

    def read(text: str) -> list[str]:
        asked = [name for name in text.split(",") if name]
        for name in asked:
            if name not in known:
                raise argparse.ArgumentTypeError(f"'{name}' is none of {', '.join(known)}")
        return asked

    return read


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def present(names: list[str]) -> list[ModuleType]:
    """The installed peers; a message says how to install the others."""
    here = []
    for peer in map(peers.load, names):
        if peer.is_here():
            here.append(peer)
        else:
            say(f"{peer.TITLE} is not here ({peer.SOURCE})")
    return here


def measured(parts: list[str], here: list[ModuleType], sizes: dict[str, int], rounds: int) -> list[Result]:
    """The results of all requested tasks, including failed ones."""
    results: list[Result] = []
    for work in works.growing(sizes):
        if work.task.set_name in parts:
            results += contest.held(work, here, say, rounds)
    if "M" in parts:
        results.append(contest.used(works.folding(sizes), say, rounds))
    if "L" in parts:
        results.append(same_model(sizes))
    if "D" in parts:
        results += contest.held(works.deep(sizes), [], say, rounds)
    if "S" in parts:
        results += [contest.used(use, say) for use in works.starting()]
        results += instructions.counted(works.small(), say)
    task = works.full_tree(sizes)
    if "reading" in parts:
        results += contest.probed("L reading", works.probe("reading", task.file("csv"), task.file("arff")), say)
    large = works.Work(task, {"gini": works.GINI})
    model = large.model("gini")
    if not model.exists() and {"applying", "handling"} & set(parts):
        contest.once(Result(large.name, TREECLI, "gini"), large.command("gini"), say)
    if "applying" in parts:
        results += [contest.used(use, say, rounds) for use in works.applying(sizes)]
        results += routed(model, task, here)
    if "handling" in parts:
        results += contest.probed("L tree JSON", works.probe("model_file", model), say)
        results += [contest.used(use, say, 1) for use in works.handling(sizes)]
    return results


def routed(model: Path, task: works.Task, here: list[ModuleType]) -> list[Result]:
    """Prediction of rows in memory, if scikit-learn is installed for comparison."""
    sklearn = next((peer for peer in here if peer.TITLE == "scikit-learn"), None)
    if sklearn is None:
        return []
    if not task.model("sklearn").exists():
        contest.once(Result(task.name, sklearn.TITLE), sklearn.fit_command(task), say)
    return contest.probed("L routing", works.probe("routing", model, task.model("sklearn"), task.data), say)


def same_model(sizes: dict[str, int]) -> Result:
    """Whether the model file is identical for any number of threads."""
    one, two = (works.Work(works.full_tree(sizes), {}).model(way) for way in ("gini --jobs 1", "gini"))
    is_same = one.exists() and two.exists() and one.read_bytes() == two.read_bytes()
    return Result("L same model", TREECLI, "--jobs 1 and 2", error="" if is_same else "the models differ")


if __name__ == "__main__":
    sys.exit(main())
