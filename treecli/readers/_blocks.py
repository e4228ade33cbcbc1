"""Columns of delimited text, by a kernel that reads blocks of lines in parallel."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from treecli.kernels import parsing
from treecli.kernels.powers import powers_of_ten
from treecli.readers._rows import cell_text
from treecli.readers._table import BLANKS, known_texts, number_of, tidy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import CodeArray, FloatArray
    from treecli.files.pieces import LargeFile
    from treecli.readers._rows import Dialect
    from treecli.readers._table import Cells

    Located = AbstractContextManager[tuple[bytes | bytearray, int, int]]

Given = TypeVar("Given")
Made = TypeVar("Made")

BLOCK_BYTES = 1 << 21
"""Bytes per task: enough to outweigh the overhead, few enough to keep all threads busy."""

SNIFFED_BYTES = 1 << 16
"""Bytes at the start of a long text that show which columns hold numbers."""

# With one of these as delimiter, a number could seem to continue or end at the wrong place.
_DELIMITERS_IN_NUMBERS = "0123456789+-.eE"


class Grammar(NamedTuple):
    """The grammar of text that the kernel reads, beyond a dialect.

    `quotes` are the characters that quote a cell. Characters of `strange` are refused unless in quotes; those of
    `strange_anywhere` always. `are_quotes_meant`: the rules of ARFF for quoted cells, not those of CSV (see
    `parsing.parse_block`).
    """

    dialect: Dialect
    quotes: str
    strange: str = ""
    strange_anywhere: str = ""
    are_quotes_meant: bool = False


class _Block(NamedTuple):
    """Whole lines of a text, and the row number of the first line if every line before it is a row."""

    text: bytes | LargeFile
    start: int
    stop: int
    n_lines: int
    first_row: int

    def located(self) -> Located:
        """Bytes, and where the block begins and ends in them."""
        return _located(self.text, self.start, self.stop)


class _Reading(NamedTuple):
    """The columns as numbers, or as codes into texts in order of appearance."""

    n_rows: int
    numbers: dict[int, FloatArray]
    texts: dict[int, tuple[CodeArray, Collection[str]]]
    others: Sequence[int]
    """Columns read as numbers in which some cell is neither missing nor a number that the kernel can read."""


def parse_in_blocks(
    text: bytes | LargeFile, offset: int, n_columns: int, grammar: Grammar, as_text: Collection[int]
) -> list[Cells] | None:
    """Values and labels of every column of the rows from an offset, in the form of `_columns.parse`.

    None if rows are uneven, a quote is never closed, a character is refused or not UTF-8, a carriage return is quoted
    or not followed by a newline, or there is no row; of a large file also if its last line does not end, or if a block
    ends inside quotes.
    """
    modes = np.array(
        [parsing.AS_TEXTS if column in as_text else parsing.AS_NUMBERS for column in range(n_columns)], dtype=np.uint8
    )
    if offset < len(text) and not (text.endswith(b"\n") if isinstance(text, bytes) else text.ends_with_a_line()):
        if not isinstance(text, bytes):
            return None
        # The kernel looks for the newline, not for the end of the text.
        text = text[offset:] + b"\n"
        offset = 0
    try:
        if len(text) - offset > SNIFFED_BYTES:
            with _located(text, offset, offset + SNIFFED_BYTES) as (own, start, stop):
                head = bytes(own[start : own.rfind(b"\n", start, stop) + 1])
            sniffed = _read(_blocks_of(head, 0, BLOCK_BYTES), grammar, modes)
            modes[[] if sniffed is None else sniffed.others] = parsing.AS_TEXTS
        blocks = _blocks_of(text, offset, BLOCK_BYTES)
        reading = _read(blocks, grammar, modes)
        if reading is None and len(blocks) > 1 and isinstance(text, bytes):
            # A block may have ended at a newline inside quotes. A single block cannot.
            blocks = _blocks_of(text, offset, len(text))
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
    cells: list[Cells] = []
    for column in range(n_columns):
        if column in texts:
            codes, raw_texts = texts[column]
            known = _known_texts(raw_texts, grammar)
            cells.append(tidy(codes, known, as_text=column in as_text, decimal=grammar.dialect.decimal))
        else:
            cells.append((reading.numbers[column], None))
    return cells


def _known_texts(raw_texts: Collection[str], grammar: Grammar) -> Iterator[str | None]:
    """The texts of cells, None for missing; raw texts that still need unquoting start with a quote."""
    missing_texts = grammar.dialect.missing_texts
    if not grammar.are_quotes_meant:
        quote = grammar.dialect.quote
        yield from known_texts((cell_text(raw, quote) if raw[:1] == quote else raw for raw in raw_texts), missing_texts)
        return
    for raw in raw_texts:
        # Escapes and doubled quotes were refused, so this is a complete unquoting.
        yield from (raw[1:-1],) if raw[:1] in {*grammar.quotes} else known_texts((raw,), missing_texts)


@contextmanager
def _located(text: bytes | LargeFile, start: int, stop: int) -> Iterator[tuple[bytes | bytearray, int, int]]:
    """Lend bytes, and where a range of the text begins and ends in them."""
    if isinstance(text, bytes):
        yield text, start, stop
        return
    with text.piece(start, stop) as own:
        yield own, 0, stop - start


def _blocks_of(text: bytes | LargeFile, offset: int, block_bytes: int) -> list[_Block]:
    """Blocks of the lines from an offset; the last line ends with a newline."""

    def end_and_lines(start: int) -> tuple[int, int]:
        """Where the last line ends that ends in this range, 0 if none does, and the number of lines that do."""
        with _located(text, start, min(start + block_bytes, len(text))) as (own, first, last):
            end = own.rfind(b"\n", first, last) + 1
            return (start + end - first if end else 0), parsing.count_lines(own, first, last)

    blocks = []
    n_rows = 0
    for stop, n_lines in _in_threads(end_and_lines, range(offset, len(text), max(block_bytes, 1))):
        if stop:
            blocks.append(_Block(text, offset, stop, n_lines, n_rows))
            offset = stop
            n_rows += n_lines
    return blocks


def _read(blocks: Sequence[_Block], grammar: Grammar, modes: NDArray[np.uint8]) -> _Reading | None:
    """The columns in the given modes; None if the text is not plain."""
    number_columns = np.flatnonzero(modes == parsing.AS_NUMBERS)
    text_columns = np.flatnonzero(modes == parsing.AS_TEXTS)
    slots = np.zeros(len(modes), dtype=np.int32)
    slots[number_columns] = np.arange(len(number_columns))
    slots[text_columns] = np.arange(len(text_columns))
    n_lines = sum(block.n_lines for block in blocks)
    numbers = np.empty((len(number_columns), n_lines))
    codes = np.empty((len(text_columns), n_lines), dtype=np.int32)
    holds_other = np.zeros(len(modes), dtype=np.uint8)
    syntax = _syntax(grammar)
    columns = parsing.Columns(modes, slots, numbers, codes, holds_other)

    def read(block: _Block) -> tuple[int, list[list[str]]]:
        """The number of rows in a block, and the distinct texts of each column of codes."""
        # At most half full, so that a lookup takes few probes.
        code_at = np.full((len(text_columns), 1 << (2 * block.n_lines).bit_length()), -1, dtype=np.int32)
        starts = np.empty((len(text_columns), block.n_lines), dtype=np.int64)
        stops = np.empty_like(starts)
        n_texts = np.zeros(len(text_columns), dtype=np.int32)
        found = parsing.Texts(code_at, starts, stops, n_texts)
        with block.located() as (text, begin, end):
            n_rows = parsing.parse_block(text, begin, end, block.first_row, syntax, columns, found)
            texts = [
                [text[start:stop].decode() for start, stop in zip(first[:n].tolist(), last[:n].tolist(), strict=True)]
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
    """The result for each item, in order, computed on all cores."""
    n_threads = min(len(items), os.cpu_count() or 1)
    if n_threads < 2:
        return [work(item) for item in items]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(n_threads) as threads:
        return list(threads.map(work, items))


def _syntax(grammar: Grammar) -> parsing.Syntax:
    """A grammar, as the kernel takes it."""
    dialect = grammar.dialect
    roles = bytearray(256)
    for characters, role in (
        (BLANKS, parsing.SPACE),
        (grammar.strange, parsing.STRANGE),
        (f"\0{grammar.strange_anywhere}", parsing.STRANGE_ANYWHERE),
        (f"{dialect.delimiter}\r\n", parsing.END),
        (grammar.quotes, parsing.QUOTE),
    ):
        for character in characters:
            roles[ord(character)] = role
    missing_texts = [text.encode() for text in sorted(dialect.missing_texts)]
    bounds = np.cumsum([0, *map(len, missing_texts)], dtype=np.int64)
    can_number_be_missing = any(number_of(text, dialect.decimal) is not None for text in dialect.missing_texts)
    is_delimiter_in_numbers = dialect.delimiter in f"{_DELIMITERS_IN_NUMBERS}{dialect.decimal}"
    return parsing.Syntax(
        delimiter=ord(dialect.delimiter),
        decimal=ord(dialect.decimal),
        role=bytes(roles),
        are_quotes_meant=grammar.are_quotes_meant,
        missing_texts=b"".join(missing_texts),
        missing_bounds=bounds,
        are_bare_numbers_final=not (can_number_be_missing or is_delimiter_in_numbers),
        powers=parsing.Powers(*powers_of_ten()),
    )
