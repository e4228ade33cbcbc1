"""Columns out of plain delimited text, by a kernel of our own that reads blocks of lines side by side."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from treecli.kernels import parsing
from treecli.readers._table import known_texts, number_of, tidy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import CodeArray, FloatArray
    from treecli.readers._rows import Dialect
    from treecli.readers._table import Cells

Given = TypeVar("Given")
Made = TypeVar("Made")

BLOCK_BYTES = 1 << 21
"""What a thread reads at a time: enough to be worth its while, little enough that all threads have work to the end."""

SNIFFED_BYTES = 1 << 16
"""So much of a long text shows which of its columns hold numbers."""

# What str.strip takes away of ASCII, less what ends lines.
_SPACES = "\t\v\f\x1c\x1d\x1e\x1f "

# With these between cells it would not be plain where a number or the space before a cell ends.
_UNSUITABLE_DELIMITERS = "0123456789+-.eE\v\f\x1c\x1d\x1e\x1f "


class Grammar(NamedTuple):
    """What text is plain, beyond its dialect.

    A cell may stand between two of either of the `quotes`. Characters of `strange` are not plain unless in quotes;
    those of `strange_anywhere` never are. `are_quotes_meant` says that a quoted cell keeps its spaces and is not
    missing, whatever it holds; such cells are not plain.
    """

    dialect: Dialect
    quotes: str
    strange: str = ""
    strange_anywhere: str = ""
    are_quotes_meant: bool = False


class _Block(NamedTuple):
    """Whole lines of a text, and the row that the first of them is if every line before is a row."""

    text: bytes
    start: int
    stop: int
    n_lines: int
    first_row: int


class _Reading(NamedTuple):
    """What the columns hold: numbers, or codes into texts in order of appearance."""

    n_rows: int
    numbers: dict[int, FloatArray]
    texts: dict[int, tuple[CodeArray, Collection[str]]]
    others: Sequence[int]
    """Columns read as numbers in which some cell is neither missing nor a number that the kernel can read."""


def parse_in_blocks(
    text: bytes, offset: int, n_columns: int, grammar: Grammar, as_text: Collection[int]
) -> list[Cells] | None:
    """Values and labels of every column of the rows from an offset on, as `_columns.parse` gives them.

    None where the text is not plain: rows are uneven, a quote is inside a cell or a line end inside quotes, a
    character is strange or no UTF-8; and where there is no row at all.
    """
    if grammar.dialect.delimiter in _UNSUITABLE_DELIMITERS:
        return None
    modes = np.array(
        [parsing.AS_TEXTS if column in as_text else parsing.AS_NUMBERS for column in range(n_columns)], dtype=np.uint8
    )
    try:
        if len(text) - offset > SNIFFED_BYTES:
            head = text[offset : text.rfind(b"\n", offset, offset + SNIFFED_BYTES) + 1]
            sniffed = _read(_blocks_of(head, 0), grammar, modes)
            modes[[] if sniffed is None else sniffed.others] = parsing.AS_TEXTS
        blocks = _blocks_of(text, offset)
        reading = _read(blocks, grammar, modes)
        if reading is None or not reading.n_rows:
            return None
        texts = reading.texts
        if reading.others:
            modes[:] = parsing.PASSED_OVER
            modes[reading.others] = parsing.AS_TEXTS
            again = _read(blocks, grammar, modes)
            assert again is not None
            texts |= again.texts
    except UnicodeDecodeError:
        return None
    missing_texts = grammar.dialect.missing_texts
    cells: list[Cells] = []
    for column in range(n_columns):
        if column in texts:
            codes, words = texts[column]
            cells.append(tidy(codes, known_texts(words, missing_texts), as_text=column in as_text))
        else:
            cells.append((reading.numbers[column], None))
    return cells


def _blocks_of(text: bytes, offset: int) -> list[_Block]:
    """The lines from an offset on."""
    ranges = []
    end = text.rfind(b"\n") + 1
    while offset < end:
        stop = text.find(b"\n", min(offset + BLOCK_BYTES, end) - 1) + 1
        ranges.append((text, offset, stop))
        offset = stop
    if offset < len(text):
        # The kernel looks for the newline, not for the end.
        last = text[offset:] + b"\n"
        ranges.append((last, 0, len(last)))
    blocks = []
    n_rows = 0
    for (own, start, stop), n_lines in zip(
        ranges, _in_threads(lambda own: parsing.count_lines(*own), ranges), strict=True
    ):
        blocks.append(_Block(own, start, stop, n_lines, n_rows))
        n_rows += n_lines
    return blocks


def _read(blocks: Sequence[_Block], grammar: Grammar, modes: NDArray[np.uint8]) -> _Reading | None:
    """The columns in the modes that are asked for; None where the text is not plain."""
    number_columns = np.flatnonzero(modes == parsing.AS_NUMBERS)
    text_columns = np.flatnonzero(modes == parsing.AS_TEXTS)
    slots = np.zeros(len(modes), dtype=np.int32)
    slots[number_columns] = np.arange(len(number_columns))
    slots[text_columns] = np.arange(len(text_columns))
    n_lines = sum(block.n_lines for block in blocks)
    numbers = np.empty((len(number_columns), n_lines))
    codes = np.empty((len(text_columns), n_lines), dtype=np.int32)
    holds_other = np.zeros(len(modes), dtype=np.uint8)
    rules = _rules(grammar)

    def read(block: _Block) -> tuple[int, list[list[str]]]:
        """The number of rows in a block, and the different texts of each column of codes."""
        # At most half full, so that a text is found or missed after a few probes.
        code_at = np.full((len(text_columns), 1 << (2 * block.n_lines).bit_length()), -1, dtype=np.int32)
        starts = np.empty((len(text_columns), block.n_lines), dtype=np.int64)
        stops = np.empty_like(starts)
        n_texts = np.zeros(len(text_columns), dtype=np.int32)
        places = (numbers, codes, code_at, starts, stops, n_texts, holds_other)
        n_rows = parsing.parse_block(
            block.text, block.start, block.stop, *rules, modes, slots, block.first_row, *places
        )
        texts = [
            [block.text[start:stop].decode() for start, stop in zip(first[:n].tolist(), last[:n].tolist(), strict=True)]
            for first, last, n in zip(starts, stops, n_texts.tolist(), strict=True)
        ]
        return n_rows, texts

    done = _in_threads(read, blocks)
    if any(n_rows == parsing.REFUSED for n_rows, _ in done):
        return None
    code_of: list[dict[str, int]] = [{} for _ in text_columns]
    end = 0
    for block, (n_rows, texts) in zip(blocks, done, strict=True):
        own = slice(block.first_row, block.first_row + n_rows)
        for slot, (seen, words) in enumerate(zip(code_of, texts, strict=True)):
            renumbered = [seen.setdefault(word, len(seen)) for word in words]
            if renumbered != list(range(len(words))):
                codes[slot, own] = np.array(renumbered, dtype=np.int32)[codes[slot, own]]
        if end < block.first_row:  # there were blank lines
            numbers[:, end : end + n_rows] = numbers[:, own]
            codes[:, end : end + n_rows] = codes[:, own]
        end += n_rows
    return _Reading(
        end,
        {column: numbers[slot, :end] for slot, column in enumerate(number_columns.tolist())},
        {column: (codes[slot, :end], code_of[slot]) for slot, column in enumerate(text_columns.tolist())},
        np.flatnonzero(holds_other).tolist(),
    )


def _in_threads(work: Callable[[Given], Made], items: Sequence[Given]) -> list[Made]:
    """What comes of each item, in order; all cores share the work."""
    n_threads = min(len(items), os.cpu_count() or 1)
    if n_threads < 2:
        return [work(item) for item in items]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(n_threads) as threads:
        return list(threads.map(work, items))


def _rules(grammar: Grammar) -> tuple[object, ...]:
    """What the kernel is told about every block alike."""
    dialect = grammar.dialect
    roles = bytearray(256)
    for characters, role in (
        (_SPACES, parsing.SPACE),
        (grammar.strange, parsing.STRANGE),
        (f"\0{grammar.strange_anywhere}", parsing.STRANGE_ANYWHERE),
        (f"{dialect.delimiter}\r\n", parsing.END),
        (grammar.quotes, parsing.QUOTE),
    ):
        for character in characters:
            roles[ord(character)] = role
    missing_texts = [text.encode() for text in sorted(dialect.missing_texts)]
    bounds = np.cumsum([0, *map(len, missing_texts)], dtype=np.int64)
    may_numbers_be_missing = any(number_of(text) is not None for text in dialect.missing_texts)
    return (
        ord(dialect.delimiter),
        bytes(roles),
        grammar.are_quotes_meant,
        b"".join(missing_texts),
        bounds,
        may_numbers_be_missing,
        *_powers_of_ten(),
    )


@cache
def _powers_of_ten() -> tuple[array[float], array[int], array[int], array[int]]:
    """The powers that doubles hold; then all of them by the first and the second 64 of their bits, cut off after
    those, and by the binary exponent that belongs to them if the point is before the first bit."""
    exact = array("d", [10.0**exponent for exponent in range(parsing.LARGEST_EXACT_EXPONENT + 1)])
    high, low, shifts = array("Q"), array("Q"), array("i")
    for exponent in range(-parsing.LARGEST_EXPONENT, parsing.LARGEST_EXPONENT + 1):
        power = 10 ** abs(exponent)
        if exponent < 0:
            shift = -127 - power.bit_length()
            bits = (1 << -shift) // power
        else:
            shift = power.bit_length() - 128
            bits = power >> shift if shift >= 0 else power << -shift
        high.append(bits >> 64)
        low.append(bits & 0xFFFFFFFFFFFFFFFF)
        shifts.append(shift + 128)
    return exact, high, low, shifts
