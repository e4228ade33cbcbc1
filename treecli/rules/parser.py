"""Parser for rule files; reading.py makes a rule list of the result.

One statement per line; a rule may span several lines up to THEN. docs/rules.md has the grammar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import NamedTuple, NoReturn

from treecli.errors import did_you_mean
from treecli.records import dataclass
from treecli.rules.formulaparser import FormulaParser, Term
from treecli.rules.stream import number_of, refuse
from treecli.rules.text import FIRST_MATCH, LAPLACE, MISSING_VALUES, SINGLE_PRECISION, STAND_INS, UNSEEN_LABELS, VOTE
from treecli.rules.tokens import Token

STATEMENTS = ("IF", "DEFAULT", "target", "attribute", "derived", "cases", "decide", "missing", "unseen", "priors")

KINDS = ("numeric", "nominal", "ordinal")
COMPARISONS = ("<", "<=", ">", ">=")
FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
TAUTOLOGY = "true"


class Test(NamedTuple):
    """A condition on one attribute: comparisons, or labels (`is_other`: all but these), or neither."""

    name: Token
    comparisons: tuple[tuple[str, Token], ...] = ()
    labels: tuple[Token, ...] = ()
    is_other: bool = False
    takes_known: bool = True
    missing: bool = False
    unseen: bool = False


class Statement(NamedTuple):
    """A rule, or the default (without tests), as written."""

    tests: tuple[Test, ...]
    predicted: Token
    """The label or number; the target's name if there is a formula."""
    items: tuple[Token, ...]
    """The items in parentheses."""

    counts: tuple[tuple[Token, float], ...]
    """The pairs in braces."""

    formula: tuple[Term, ...] = ()

    stand_ins: dict[str, Token] = {}  # noqa: RUF012 - a statement is not changed
    """For attributes in the formula: what stands for a missing value, by the lines before the rule."""


class Declaration(NamedTuple):
    """The declaration of a column."""

    name: Token
    kind: str
    labels: tuple[Token, ...]


@dataclass(slots=True)
class Contents:
    """The parsed contents of a rule file."""

    rules: list[Statement] = field(default_factory=list)
    default: Statement | None = None
    target: Declaration | None = None
    attributes: list[Declaration] = field(default_factory=list)
    derived: list[Token] = field(default_factory=list)
    """The records of derived columns, as JSON."""
    cases: tuple[tuple[Token, float], ...] | None = None
    priors: str | tuple[tuple[Token, float], ...] | None = None
    votes: bool = False
    unseen: str | None = None
    single_precision: bool = False
    laplace: bool = False
    stand_ins: dict[str, Token] = field(default_factory=dict)
    """The values that replace missing ones in the formulas that follow, by attribute."""


def parse(text: str, name: str) -> Contents:
    """Parse a rule file; `name` is its name in messages."""
    return _Parser(text, name).contents()


class _Parser(FormulaParser):
    def contents(self) -> Contents:
        found = Contents()
        self._declared = found.attributes
        while True:
            self._skip_newlines()
            if self._next.kind == "end":
                return found
            self._statement(found)
            if self._next.kind not in ("newline", "end"):
                self._refuse("the end of the line")

    def _statement(self, found: Contents) -> None:
        token = self._next
        keyword = token.text.casefold() if token.kind == "word" else ""
        if keyword == "if":
            self._take()
            found.rules.append(self._rule()._replace(stand_ins=found.stand_ins))
        elif keyword == "default":
            self._take()
            if found.default is not None:
                refuse(self._name, token, "rules, for there is a DEFAULT already", "leave one of them out")
            found.default = self._conclusion(())._replace(stand_ins=found.stand_ins)
        elif keyword == "target":
            self._take()
            if found.target is not None:
                refuse(self._name, token, "attributes or rules, for there is a target already")
            found.target = self._declaration()
        elif keyword == "attribute":
            self._take()
            found.attributes.append(self._declaration())
        elif keyword == "derived":
            self._take()
            if self._next.kind != "quoted":
                self._refuse("the record of a derived column, as quoted JSON")
            found.derived.append(self._take())
        elif keyword == "cases":
            self._take()
            found.cases = self._numbers()
        elif keyword == "priors":
            self._take()
            found.priors = self._take().text if self._next.kind == "word" else self._numbers()
        elif not self._setting(keyword, found):
            self._refuse("IF, DEFAULT or a declaration", did_you_mean(token.text, STATEMENTS))

    def _setting(self, keyword: str, found: Contents) -> bool:
        """Parse a line that is one of a few phrases; return False if no such line begins with this keyword."""
        if keyword == "decide":
            found.votes = self._phrase((FIRST_MATCH, VOTE)) == VOTE
        elif keyword == "missing":
            if self._phrase((MISSING_VALUES, STAND_INS)) == STAND_INS:
                own = {key.text: value for key, value in self._pairs("a number or a label")}
                found.stand_ins = found.stand_ins | own
        elif keyword == "unseen":
            phrase = self._phrase(tuple(UNSEEN_LABELS.values()))
            (found.unseen,) = (policy for policy, said in UNSEEN_LABELS.items() if said == phrase)
        elif keyword == "numbers":
            self._phrase((SINGLE_PRECISION,))
            found.single_precision = True
        elif keyword == "probabilities":
            self._phrase((LAPLACE,))
            found.laplace = True
        else:
            return False
        return True

    def _phrase(self, known: Sequence[str]) -> str:
        """Parse a line that must be one of these phrases; case and quotes are ignored."""
        first, words = self._next, []
        while self._next.kind in ("word", "quoted"):
            words.append(self._take().text)
        said = " ".join(words).casefold()
        found = next((phrase for phrase in known if said == phrase.replace('"', "").casefold()), None)
        if found is None:
            expected = " or ".join(f"'{phrase}'" for phrase in known)
            refuse(self._name, Token("word", " ".join(words), first.line, first.column), expected)
        return found

    def _declaration(self) -> Declaration:
        name = self._value("a column's name")
        self._sign(":")
        kind = self._take()
        if kind.kind != "word" or kind.text.casefold() not in KINDS:
            refuse(self._name, kind, ", ".join(KINDS[:-1]) + f" or {KINDS[-1]}", did_you_mean(kind.text, KINDS))
        if kind.text.casefold() == "numeric":
            return Declaration(name, "numeric", ())
        between = "<" if kind.text.casefold() == "ordinal" else ","
        return Declaration(name, kind.text.casefold(), self._braced(between))

    def _numbers(self) -> tuple[tuple[Token, float], ...]:
        """Parse names with numbers, in braces."""
        pairs = []
        for key, token in self._pairs("a number"):
            number = number_of(token)
            if number is None:
                refuse(self._name, token, "a number")
            pairs.append((key, number))
        return tuple(pairs)

    def _rule(self) -> Statement:
        tests: list[Test] = []
        self._skip_newlines()
        if self._next.kind == "word" and self._next.text.casefold() == TAUTOLOGY:
            token = self._take()
            if not self._is_word("then"):
                tests.append(self._test(token))
        else:
            tests.append(self._condition())
        while True:
            self._skip_newlines()
            if self._is_word("and") and tests:
                self._take()
                self._skip_newlines()
                tests.append(self._condition())
            elif self._is_word("then"):
                self._take()
                return self._conclusion(tuple(tests))
            else:
                self._blame(("AND", "THEN"))

    def _blame(self, expected: Sequence[str]) -> NoReturn:
        """Raise the error for a missing keyword, at the word that is probably a misspelling of it.

        The misspelled keyword was parsed as part of the preceding value.
        """
        first, *others = self._words or [self._next]
        for word in others:
            hint = did_you_mean(word.text, expected)
            if hint is not None or number_of(first) is not None:
                refuse(self._name, word, " or ".join(expected), hint)
        self._refuse(" or ".join(expected), did_you_mean(self._next.text, expected))

    def _condition(self) -> Test:
        if not self._is_sign("("):
            return self._test(self._value("an attribute"))
        self._take()
        test = self._test(self._value("an attribute"))
        self._sign(")")
        return test

    def _test(self, first: Token) -> Test:
        """Parse a condition after its first token."""
        token = self._next
        if token.kind == "sign" and token.text in COMPARISONS:
            self._take()
            second = self._value("a number or a label")
            if self._next.kind == "sign" and self._next.text in COMPARISONS:
                upper = self._take().text
                bounds = ((FLIPPED[token.text], first), (upper, self._value("a number or a label")))
                return self._with_others(Test(second, bounds))
            if number_of(first) is not None and number_of(second) is None and not self._is_ordinal(first, second):
                return self._with_others(Test(second, ((FLIPPED[token.text], first),)))
            return self._with_others(Test(first, ((token.text, second),)))
        if token.kind == "sign" and token.text in ("=", "!="):
            self._take()
            label = self._value("a label")
            return self._with_others(Test(first, labels=(label,), is_other=token.text == "!="))
        if self._is_word("is"):
            self._take()
            return self._special(first)
        is_other = self._is_word("not")
        if is_other:
            self._take()
        if not self._is_word("in"):
            self._refuse("in" if is_other else "=, !=, <, <=, >, >=, in or is")
        self._take()
        labels = self._braced(",")
        if not labels:
            refuse(self._name, first, "labels in the braces after it")
        return self._with_others(Test(first, labels=labels, is_other=is_other))

    def _is_ordinal(self, name: Token, label: Token) -> bool:
        """Return whether an ordinal attribute of this name is declared, and has this label: names may be numbers."""
        return any(
            own.kind == "ordinal" and own.name.text == name.text and any(each.text == label.text for each in own.labels)
            for own in self._declared
        )

    def _special(self, name: Token) -> Test:
        is_not = self._is_word("not")
        if is_not:
            self._take()
        word = self._take()
        said = word.text.casefold() if word.kind == "word" else ""
        if is_not and said == "missing":
            said = "known"
        elif is_not or said not in ("known", "missing", "unseen"):
            hint = did_you_mean(word.text, ("known", "missing", "unseen")) if word.kind == "word" else None
            expected = "missing" if is_not else "known, missing or unseen"
            refuse(self._name, word, expected, hint or "a label is asked for by =")
        return self._with_others(
            Test(name, takes_known=said == "known", missing=said == "missing", unseen=said == "unseen")
        )

    def _with_others(self, test: Test) -> Test:
        """Parse the optional "or missing" and "or unseen" after a condition."""
        if not self._is_word("or"):
            return test
        missing, unseen = test.missing, test.unseen
        while self._is_word("or"):
            self._take()
            word = self._take()
            said = word.text.casefold() if word.kind == "word" else ""
            if said not in ("missing", "unseen"):
                refuse(self._name, word, "missing or unseen after OR", "write two rules for other alternatives")
            missing, unseen = missing or said == "missing", unseen or said == "unseen"
        return test._replace(missing=missing, unseen=unseen)

    def _conclusion(self, tests: tuple[Test, ...]) -> Statement:
        predicted = self._value("what is predicted")
        formula = self._formula() if self._is_sign("=") else ()
        items: list[Token] = []
        if self._is_sign("("):
            self._take()
            while True:
                first = self._value("how good the rule is")
                items.append(first)
                if self._is_sign(")"):
                    break
                self._sign(",", ", or )")
            self._take()
        counts = self._numbers() if self._is_sign("{") else ()
        return Statement(tests, predicted, tuple(items), counts, formula)
