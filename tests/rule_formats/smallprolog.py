"""A small Prolog, enough for the clauses of `rules -f prolog`: control, comparisons, arithmetic, and the cut."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_TOKEN = re.compile(
    r"""\s*(?:%[^\n]*\n\s*)*(?:
    (?P<quoted>'(?:[^'\\]|\\.|\\x[0-9a-f]+\\)*')
    |(?P<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)
    |(?P<variable>[A-Z_][A-Za-z0-9_]*)
    |(?P<name>[a-z][A-Za-z0-9_]*)
    |(?P<sign>:-|->|=<|==|\\\+|[!;,()\[\]|=><+*/-])
    |(?P<end>\.(?=\s|$)))""",
    re.VERBOSE,
)
INFIX = {":-": 1200, ";": 1100, "->": 1050, ",": 1000, "/": 400}
INFIX |= dict.fromkeys(("=", "==", "is", ">", "=<"), 700) | dict.fromkeys(("+", "-"), 500) | {"*": 400}
RIGHT = {";", "->", ","}

Term = Any
"""A number, ("atom", text), ("variable", name), or (name, argument, …) in a tuple that starts with "call"."""

Bindings = dict[str, Term]


def clauses(text: str) -> list[Term]:
    """The clauses of a file, without directives."""
    tokens: list[tuple[str, str]] = []
    place = 0
    while text[place:].strip():
        match = _TOKEN.match(text, place)
        assert match is not None, text[place : place + 40]
        assert match.lastgroup is not None, text[place : place + 40]
        tokens.append((match.lastgroup, match[match.lastgroup]))
        place = match.end()
        if re.fullmatch(r"\s*(%[^\n]*\s*)*", text[place:]):
            break
    found, parser = [], _Parser(tokens)
    while parser.tokens:
        term = parser.term(1200)
        assert parser.tokens.pop(0)[0] == "end"
        if term[:2] != ("call", "directive"):
            found.append(term)
    return found


class _Parser:
    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens = tokens

    def term(self, most: int) -> Term:
        left = self._primary(most)
        while self.tokens and self.tokens[0][1] in INFIX and self.tokens[0][0] != "quoted":
            operator = self.tokens[0][1]
            rank = INFIX[operator]
            if rank > most:
                break
            self.tokens.pop(0)
            left = ("call", operator, left, self.term(rank if operator in RIGHT else rank - 1))
        return left

    def _primary(self, most: int) -> Term:
        kind, text = self.tokens.pop(0)
        if kind == "number":
            return float(text) if "." in text or "e" in text else int(text)
        if kind == "quoted":
            return ("atom", _unquoted(text[1:-1]))
        if kind == "variable":
            return ("variable", text)
        if text == "(":
            inner = self.term(1200)
            assert self.tokens.pop(0)[1] == ")"
            return inner
        if text == "[":
            items = [] if self.tokens[0][1] == "]" else self._arguments()
            assert self.tokens.pop(0)[1] == "]"
            return ("list", *items)
        if text == "-":
            number = self.term(200)
            assert isinstance(number, int | float), "only numbers are negated"
            return -number
        if text == ":-":
            self.term(1150)
            return ("call", "directive")
        if text == "\\+":
            return ("call", "\\+", self.term(900))
        if text == "!" or (kind == "name" and (not self.tokens or self.tokens[0][1] != "(")):
            if kind == "name" and text == "dynamic":
                return self.term(1150)
            return ("atom", text)
        assert kind == "name", (kind, text, most)
        self.tokens.pop(0)
        arguments = self._arguments()
        assert self.tokens.pop(0)[1] == ")"
        return ("call", text, *arguments)

    def _arguments(self) -> list[Term]:
        found = [self.term(999)]
        while self.tokens[0][1] == ",":
            self.tokens.pop(0)
            found.append(self.term(999))
        return found


def _unquoted(body: str) -> str:
    escape = re.compile(r"\\(?:x([0-9a-f]+)\\|(.))")
    return escape.sub(lambda match: chr(int(match[1], 16)) if match[1] else match[2], body)


class CutError(Exception):
    """The clause was chosen for good."""


class Program:
    """The clauses of predicates, asked by `ask`."""

    def __init__(self, text: str) -> None:
        self._clauses = clauses(text)

    def ask(self, name: str, *arguments: Term) -> Term:
        """The last argument of the first solution of a predicate with these other arguments."""
        for found in self._call(name, [*arguments, ("variable", "Answer")], {}):
            return _value(("variable", "Answer"), found)
        raise AssertionError(f"{name} has no solution")

    def _call(self, name: str, arguments: list[Term], bindings: Bindings) -> Iterator[Bindings]:
        for clause in self._clauses:
            _, _, head, body = clause
            if head[1] != name or len(head) - 2 != len(arguments):
                continue
            own: Bindings = {}
            for place, (parameter, argument) in enumerate(zip(head[2:], arguments, strict=True)):
                value = _value(argument, bindings)
                if parameter[1] != "_" and not (place == len(arguments) - 1 and value[0] == "variable"):
                    own[parameter[1]] = value
            try:
                for found in self._solve(body, own):
                    result = _value(head[-1], found)
                    last = arguments[-1]
                    yield bindings if last == ("variable", "_") else bindings | {last[1]: result}
            except CutError as cut:
                (found,) = cut.args
                yield bindings | {arguments[-1][1]: _value(head[-1], found)}
                return

    def _solve(self, goal: Term, bindings: Bindings) -> Iterator[Bindings]:
        if goal == ("atom", "!"):
            yield bindings | {"!": True}
            return
        if goal == ("atom", "true"):
            yield bindings
            return
        _, name, *parts = goal
        if name == ",":
            for found in self._solve(parts[0], bindings):
                if "!" in found:
                    kept = {key: value for key, value in found.items() if key != "!"}
                    raise CutError(next(self._solve(parts[1], kept)))
                yield from self._solve(parts[1], found)
        elif name == ";" and parts[0][:2] == ("call", "->"):
            test, then = parts[0][2:]
            found = next(self._solve(test, bindings), None)
            yield from self._solve(parts[1], bindings) if found is None else self._solve(then, found)
        elif name == ";":
            yield from self._solve(parts[0], bindings)
            yield from self._solve(parts[1], bindings)
        elif name == "\\+":
            if next(self._solve(parts[0], bindings), None) is None:
                yield bindings
        else:
            yield from self._simple(name, parts, bindings)

    def _simple(self, name: str, parts: list[Term], bindings: Bindings) -> Iterator[Bindings]:
        """The solutions of a goal that is no control construct."""
        if name in ("=", "is"):
            value = _value(parts[1], bindings) if name == "=" else _computed(parts[1], bindings)
            yield bindings | {parts[0][1]: value}
        elif name in _TESTS:
            if _TESTS[name](*(_value(part, bindings) for part in parts)):
                yield bindings
        elif name in (">", "=<"):
            one, other = (_computed(part, bindings) for part in parts)
            if (one > other) == (name == ">"):
                yield bindings
        else:
            yield from self._call(name, parts, bindings)


_TESTS: dict[str, Any] = {
    "number": lambda term: isinstance(term, int | float),
    "atom": lambda term: isinstance(term, tuple) and term[0] == "atom",
    "==": lambda one, other: one == other,
    "memberchk": lambda term, items: term in items[1:],
}


def _value(term: Term, bindings: Bindings) -> Term:
    return bindings.get(term[1], term) if isinstance(term, tuple) and term[0] == "variable" else term


def _computed(term: Term, bindings: Bindings) -> float:
    value = _value(term, bindings)
    if isinstance(value, int | float):
        return value
    _, name, *parts = value
    numbers = [_computed(part, bindings) for part in parts]
    if name == "float":
        return float(numbers[0])
    return numbers[0] * numbers[1] if name == "*" else numbers[0] + numbers[1]
