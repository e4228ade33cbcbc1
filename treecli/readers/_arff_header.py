"""The declarations at the head of an ARFF file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from treecli.data import Kind
from treecli.errors import DataError, did_you_mean
from treecli.readers._arff_rows import QUOTED, UnreadableError, shown, unquote
from treecli.readers._table import BLANKS, check_names
from treecli.records import dataclass

_KEYWORDS = ("@relation", "@attribute", "@data")
_KIND_OF_TYPE: dict[str, Kind] = {
    "numeric": "numeric",
    "real": "numeric",
    "integer": "numeric",
    "string": "nominal",
    "date": "nominal",
}
_RELATION = re.compile(rf"{QUOTED}|[^\s'\"]\S*")
_NAME = re.compile(rf"@attribute[ \t]+({QUOTED}|[^ \t{{'\"][^ \t{{]*)[ \t]*", re.IGNORECASE)
_NOMINAL = re.compile(rf"\{{((?:{QUOTED}|[^{{}}'\"])*+)\}}[ \t]*")
_LABEL = re.compile(rf"[ \t]*({QUOTED}|[^ \t,'\"{{}}]+)[ \t]*(?:,[ \t]*|\Z)")
# A numeric range or a date format may follow the type; neither is used.
_SIMPLE = re.compile(rf"(\w+)[ \t]*(?:\[[^\]]*\]|{QUOTED})?[ \t]*")
_KEYWORD = re.compile(r"[^ \t]+")
# liac-arff gets all other characters as escapes, where its escapes can express them.
_PLAIN = re.compile(r"[A-Za-z0-9\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Declaration:
    """An `@attribute`: its name, its type in lower case, its kind, and the labels if it is nominal."""

    name: str
    type_name: str
    kind: Kind
    labels: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Header:
    """The declarations of an ARFF file, the offset of its rows, and the number of lines before them."""

    declarations: tuple[Declaration, ...]
    offset: int
    n_lines: int


def read_header(text: bytes, file_name: str) -> Header:
    """The declarations of an ARFF file."""
    if not text.strip():
        raise DataError(f"{file_name}: the file is empty, expected @relation, @attribute and @data")
    numbers: list[int] = []
    parts: list[tuple[str, str, list[str] | None]] = []
    number = 0
    for number, line, end in _lines(text):
        keyword = line[: _KEYWORD.match(line).end()].lower()  # type: ignore[union-attr]
        if keyword == "@data":
            return _header(numbers, parts, end, number, file_name)
        if keyword == "@attribute":
            try:
                parts.append(_split(line))
            except UnreadableError as error:
                raise DataError(f"{file_name}:{number}: {error.message}", error.hint) from None
            numbers.append(number)
        elif keyword != "@relation":
            raise DataError(
                f"{file_name}:{number}: found '{shown(keyword)}', expected @relation, @attribute or @data",
                did_you_mean(keyword, _KEYWORDS) or "is it another format? see --from",
            )
    raise DataError(f"{file_name}:{number}: found no @data before the end of the file")


def _header(
    numbers: Sequence[int],
    parts: Sequence[tuple[str, str, list[str] | None]],
    offset: int,
    n_lines: int,
    file_name: str,
) -> Header:
    if not parts:
        raise DataError(f"{file_name}:{n_lines}: found @data, expected @attribute before it")
    check_names([name for name, _, _ in parts], lambda position: f"{file_name}:{numbers[position]}")
    try:
        declarations = _decode(parts)
    except UnreadableError as error:
        raise DataError(f"{file_name}:{numbers[error.line]}: {error.message}", error.hint) from None
    return Header(tuple(declarations), offset, n_lines)


def _lines(text: bytes) -> Iterator[tuple[int, str, int]]:
    """The number, the text and the end offset of every line that is neither blank nor a comment."""
    number = offset = 0
    while offset < len(text):
        end = text.find(b"\n", offset) + 1 or len(text)
        line = text[offset:end].decode().strip(f"{BLANKS}\n")
        offset = end
        number += 1
        if line and not line.startswith("%"):
            yield number, line, offset


def _split(line: str) -> tuple[str, str, list[str] | None]:
    """The name, the type and the label tokens of an `@attribute` line."""
    named = _NAME.match(line)
    if named is None:
        raise UnreadableError("found no name after @attribute", "expected @attribute NAME TYPE")
    name = unquote(named[1])
    rest = line[named.end() :]
    nominal = _NOMINAL.match(rest)
    simple = _SIMPLE.match(rest)
    if nominal is not None:
        type_name, tokens, after = "nominal", _label_tokens(nominal[1], name), rest[nominal.end() :]
    elif simple is not None:
        type_name, tokens, after = simple[1].lower(), None, rest[simple.end() :]
    else:
        raise UnreadableError(
            f"cannot read the type of '{name}'", "expected {label,label,…} with every quote closed, or numeric"
        )
    if type_name == "relational":
        raise UnreadableError(
            f"'{name}' is relational, expected one value per row", "unnest it, or leave it out of the file"
        )
    if tokens is None and type_name not in _KIND_OF_TYPE:
        raise UnreadableError(
            f"found the type '{simple[1] if simple else ''}' of '{name}', expected {', '.join(_KIND_OF_TYPE)} or {{…}}",
            did_you_mean(type_name, _KIND_OF_TYPE),
        )
    if after and not after.startswith("%"):
        raise UnreadableError(f"found «{shown(after)}» after the type of '{name}', expected the end of the line")
    return name, type_name, tokens


def _label_tokens(labels: str, name: str) -> list[str]:
    tokens = []
    position = 0
    labels = labels.rstrip(BLANKS)
    while position < len(labels):
        label = _LABEL.match(labels, position)
        if label is None:
            raise UnreadableError(
                f"cannot read the labels of '{name}' from «{shown(labels[position:].strip(BLANKS))}»",
                "quote labels that contain spaces",
            )
        if label[1] == "?":
            raise UnreadableError(f"'{name}' has the bare label ?, which means missing", "quote it: '?'")
        tokens.append(label[1])
        position = label.end()
    if not tokens:
        raise UnreadableError(f"'{name}' has no labels, expected {{label,label,…}}")
    return tokens


def _decode(parts: Sequence[tuple[str, str, list[str] | None]]) -> list[Declaration]:
    """The declarations, with labels decoded by liac-arff.

    liac-arff 2.5 gets a rewritten header. On the original it would take the last quote of a line for the end of a
    quoted name, keep escapes in names, reject dates, misread some escapes, and need exponential time for an open brace.
    """
    import arff

    types = []
    for position, (_, _, tokens) in enumerate(parts):
        try:
            types.append("STRING" if tokens is None else f"{{{','.join(map(_escaped, tokens))}}}")
        except UnreadableError as error:
            raise UnreadableError(error.message, error.hint, position) from None
    header = "".join(f"@ATTRIBUTE a{position} {type_text}\n" for position, type_text in enumerate(types))
    decoded = arff.loads(f"@RELATION r\n{header}@DATA\n")["attributes"]
    declarations = []
    for position, ((name, type_name, tokens), (_, labels)) in enumerate(zip(parts, decoded, strict=True)):
        if tokens is None:
            declarations.append(Declaration(name, type_name, _KIND_OF_TYPE[type_name], None))
            continue
        if len(set(labels)) < len(labels):
            repeated = next(label for label, n_times in Counter(labels).items() if n_times > 1)
            raise UnreadableError(f"'{name}' declares the label '{shown(repeated)}' twice", None, position)
        declarations.append(Declaration(name, type_name, "nominal", tuple(labels)))
    return declarations


def _escaped(token: str) -> str:
    """An equivalent token that liac-arff reads correctly."""
    text = unquote(token)
    return "'" + "".join(c if _PLAIN.match(c) else f"\\u{ord(c):04x}" for c in text) + "'"


def declarations_as_written(text: bytes, n_attributes: int) -> tuple[str, list[str]]:
    """The name of the relation, and the type of each attribute as written in the header, without comments."""
    relation = ""
    types: list[str] = []
    for _, line, _ in _lines(text):
        keyword, _, rest = line.partition(" ") if " " in line else line.partition("\t")
        if keyword.lower() == "@relation" and rest.strip():
            name = _RELATION.match(rest.strip())
            relation = unquote(name[0]) if name else rest.strip()
        elif keyword.lower().startswith("@attribute"):
            named = _NAME.match(line)
            assert named is not None
            declared = _NOMINAL.match(line, named.end()) or _SIMPLE.match(line, named.end())
            assert declared is not None
            types.append(declared[0].strip())
            if len(types) == n_attributes:
                break
    return relation, types
