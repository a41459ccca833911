"""Values between a script and its host: objects, tables, and numbers that keep their digits.

Knows no host function and no import machinery; it is tested without a component.
"""

import decimal
import functools
import math
from collections import abc

# Rows that `print(table)` shows. A model needs the shape of a table and a few values.
PREVIEW_ROWS = 20

# Rows of one request to the host.
PART_ROWS = 4_096

# Most cells of a table whose rows are lists; those of a larger one would fill the memory.
MAX_LISTS_CELLS = 1_000_000

# Most columns for which code is generated, because more are rare, and the rows from which generating it saves time.
MAX_FAST_COLUMNS = 64
MIN_FAST_ROWS = 500

# A function that makes a table in the host from names and rows. Returns a handle, or None if it cannot. Set by
# `_tables`.
to_host = None


class ExactFloat(float):
    """A float whose source had more digits than a float holds.

    Calculations return ordinary floats. A tool gets an unchanged value with all its digits, so that copying a table
    does not round it.
    """

    __slots__ = ("lexeme",)

    def __new__(cls, lexeme):
        self = super().__new__(cls, lexeme)
        self.lexeme = lexeme
        return self

    def __reduce__(self):
        return ExactFloat, (self.lexeme,)


def number(lexeme):
    """Convert a JSON number to int or float, or to Decimal if a float would be infinite."""
    if lexeme.lstrip("-").isdigit():
        return int(lexeme)
    value = float(lexeme)
    if math.isinf(value):
        return decimal.Decimal(lexeme)
    # A float always keeps 15 digits, so the exact comparison is needed only for more.
    if len(lexeme) > 16 and decimal.Decimal(repr(value)) != decimal.Decimal(lexeme):
        return ExactFloat(lexeme)
    return value


class Object(dict):
    """A JSON object: a dict whose keys can also be read as attributes, `artifact.name` for `artifact["name"]`.

    Names of dict methods stay methods: `result["items"]`, not `result.items`.
    """

    __slots__ = ()

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            # `copy`, `pickle` and `inspect` look for dunder names; an error with a list of keys would not help them.
            if name.startswith("__"):
                raise AttributeError(name) from None
            raise AttributeError(f"no field {name!r}; there are: {_names(self)}") from None


class Table:
    """Named columns, and rows with one cell per column.

    - `len(table)`; `table.columns`: list of names, which may be changed
    - `for row in table`: rows as dicts, fetched part by part; `table[0]`: a row as dict; `table.to_dicts()`: list of dicts
    - `table["DAU"]` or `table.column("DAU")`: values of a column
    - `table[["date", "DAU"]]`: some columns; `table[10:20]`: some rows; both are tables
    - `table.rows`: list of lists, which may be changed
    - `table.markdown()`: the table as Markdown, for a report
    - `Table(columns, rows)`, `Table.from_rows(rows, columns)` and `Table.from_dicts(dicts)` make one

    A tool takes it wherever it takes a table; a list of dicts is fine there too. A table of a document or of a tool's result
    stays in the host until its rows are read, and is passed on without copying.
    """

    __slots__ = ("_handle", "_rows", "_window", "columns", "name")
    __hash__ = None

    def __init__(self, columns, rows=(), name=""):
        self.name = name
        self.columns = list(columns)
        self._handle = self._window = None
        self._rows = [list(row) for row in rows]
        for index, row in enumerate(self._rows):
            if len(row) != len(self.columns):
                raise ValueError(f"row {index}: expected {len(self.columns)} cells, got {len(row)}")

    @classmethod
    def from_dicts(cls, dicts, name=""):
        """A table of dicts: columns in order of first appearance, `None` where a dict lacks one."""
        dicts = [dict(row) for row in dicts]
        columns = list(dict.fromkeys(column for row in dicts for column in row))
        return cls(columns, ([row.get(column) for column in columns] for row in dicts), name)

    from_records = from_dicts

    @classmethod
    def from_rows(cls, rows, columns=None, name=""):
        """A table of rows. Without `columns`, rows are dicts, or the first one has the names."""
        rows = list(rows)
        if columns is not None:
            return cls(columns, rows, name)
        if not rows:
            raise ValueError("from_rows() without columns takes them from the first row, and there is none")
        if isinstance(rows[0], abc.Mapping):
            return cls.from_dicts(rows, name)
        return cls(rows[0], rows[1:], name)

    @classmethod
    def _of_lists(cls, columns, rows, name=""):
        """Make a table of lists that have the right lengths and no other owner."""
        self = cls.__new__(cls)
        self.name, self.columns, self._handle, self._window, self._rows = name, columns, None, None, rows
        return self

    @classmethod
    def _of_handle(cls, handle, name=""):
        """Make a table of the host without reading it."""
        self = cls.__new__(cls)
        self.name, self.columns, self._handle, self._window, self._rows = name, list(handle.names), handle, None, None
        return self

    @property
    def rows(self):
        """The rows as lists, which may be changed; of a table above a million cells, as tuples that are fetched part by part."""
        if self._rows is None:
            if self._handle.length * len(self._handle.names) > MAX_LISTS_CELLS:
                # Shared, because it caches the part that was read last.
                self._window = self._window or Rows(self._handle)
                return self._window
            self._rows = [list(row) for row in Rows(self._handle)]
        return self._rows

    @rows.setter
    def rows(self, rows):
        self._rows = rows

    def to_dicts(self):
        """The rows as a list of dicts."""
        return list(self)

    records = to_dicts

    def column(self, name):
        """The values of a column, as a list."""
        try:
            index = self.columns.index(name)
        except ValueError:
            raise KeyError(f"no column {name!r}; there are: {_names(self.columns)}") from None
        if self._rows is not None:
            return [row[index] for row in self._rows]
        cells = []
        for start in range(0, self._handle.length, PART_ROWS):
            cells += self._handle.column(index, start, PART_ROWS)
        return cells

    def markdown(self):
        """The whole table as Markdown, for a report; `print(table)` shows the first rows only."""
        header = [_markdown_row(self.columns), "|" + " --- |" * len(self.columns)]
        return "\n".join([*header, *(_markdown_row(row) for row in self._sequence())])

    def __len__(self):
        return len(self._rows) if self._rows is not None else self._handle.length

    def __iter__(self):
        columns = self.columns
        if self._rows is not None:
            return (Object(zip(columns, row)) for row in self._rows)
        # A script may have repeated a name, which needs the slow path.
        is_plain = 0 < len(columns) == len(self._handle.names) == len(set(columns)) <= MAX_FAST_COLUMNS
        if is_plain and self._handle.length >= MIN_FAST_ROWS:
            return _objects(self._handle, columns)
        return (Object(zip(columns, row)) for row in Rows(self._handle))

    def __contains__(self, key):
        # Like `table[key]`: a string selects a column.
        if isinstance(key, str):
            return key in self.columns
        return any(key == record for record in self)

    def __getitem__(self, key):
        if isinstance(key, str):
            return self.column(key)
        if isinstance(key, slice):
            return self._some_rows(key)
        if isinstance(key, (list, tuple)):
            return self._some_columns(key)
        return Object(zip(self.columns, self.rows[key]))

    def _some_rows(self, key):
        start, stop, step = key.indices(len(self))
        if self._rows is None and step == 1:
            part = Table._of_handle(self._handle.range(start, max(stop - start, 0)), self.name)
            part.columns = list(self.columns)
            return part
        return Table(self.columns, self.rows[key], self.name)

    def _some_columns(self, names):
        for name in names:
            if name not in self.columns:
                raise KeyError(f"no column {name!r}; there are: {_names(self.columns)}")
        indices = [self.columns.index(name) for name in names]
        if self._rows is None:
            return Table._of_handle(self._handle.select(indices, names), self.name)
        return Table(names, ([row[index] for index in indices] for row in self._rows), self.name)

    def __eq__(self, other):
        if not isinstance(other, Table):
            return NotImplemented
        if self.columns != other.columns or len(self) != len(other):
            return False
        return all(list(row) == list(right) for row, right in zip(self._sequence(), other._sequence()))

    def __repr__(self):
        name = f"{self.name!r}, " if self.name else ""
        return f"Table({name}columns={self.columns!r}, {len(self)} rows)"

    def __str__(self):
        left_out = len(self) - PREVIEW_ROWS
        return self[:PREVIEW_ROWS].markdown() + (f"\n({left_out} more rows)" if left_out > 0 else "")

    def __reduce__(self):
        return Table, (self.columns, [list(row) for row in self._sequence()], self.name)

    def _sequence(self):
        """Return the rows for reading only."""
        return self._rows if self._rows is not None else Rows(self._handle)

    def _in_host(self, most_cells):
        """Return the handle of the table in the host; None if it must be written in full, because it is small or has
        cells with a form in JSON only."""
        handle = self._handle
        if handle is None or not self._is_unchanged():
            if len(self) * len(self.columns) <= most_cells:
                return None
            return to_host(self.columns, self._rows)
        if handle.names != self.columns:
            if len(handle.names) != len(self.columns):
                raise ValueError(f"a table of {len(handle.names)} columns has {len(self.columns)} names")
            handle = handle.select(range(len(self.columns)), self.columns)
        return handle

    def _is_unchanged(self):
        """Return True if the rows equal those of the host, although they were read and may have been changed."""
        if self._rows is None:
            return True
        if len(self._rows) != self._handle.length:
            return False
        return all(_is_same(row, right) for row, right in zip(self._rows, Rows(self._handle)))


def _is_same(row, other):
    row = tuple(row)
    # `1 == 1.0 == True`, and a float without all its digits equals one that has them.
    return row == other and list(map(type, row)) == list(map(type, other))


class Rows(abc.Sequence):
    """The rows of a table in the host, as tuples, because they cannot be changed."""

    __slots__ = ("_handle", "_part", "_start")

    def __init__(self, handle):
        self._handle = handle
        self._start, self._part = 0, []

    def __len__(self):
        return self._handle.length

    def __iter__(self):
        for start in range(0, self._handle.length, PART_ROWS):
            yield from self._fetched(start, PART_ROWS)

    def __getitem__(self, key):
        if isinstance(key, slice):
            return [self[index] for index in range(*key.indices(len(self)))]
        index = range(len(self))[key]
        if not self._start <= index < self._start + len(self._part):
            self._start = index // PART_ROWS * PART_ROWS
            self._part = self._fetched(self._start, PART_ROWS)
        return self._part[index - self._start]

    def _fetched(self, start, length):
        columns = self._handle.columns(start, length)
        return list(zip(*columns)) if columns else [()] * min(length, len(self) - start)


def _objects(handle, columns):
    """Iterate over rows as dicts. The columns have different names."""
    parts = (handle.columns(start, PART_ROWS) for start in range(0, handle.length, PART_ROWS))
    return _dict_generator(len(columns))(columns, parts)


@functools.cache
def _dict_generator(width):
    """Return a generator of dicts from parts of columns. Code for this number of columns is twice as fast as `zip` for
    each row."""
    names = "".join(f"k{index}, " for index in range(width))
    cells = "".join(f"v{index}, " for index in range(width))
    pairs = ", ".join(f"k{index}: v{index}" for index in range(width))
    source = (
        f"def dicts(names, parts):\n    {names}= names\n    for columns in parts:\n"
        f"        for {cells}in zip(*columns):\n            yield Object({{{pairs}}})\n"
    )
    scope = {"Object": Object, "zip": zip}
    exec(source, scope)
    return scope["dicts"]


def scalar_text(text):
    """Return text without surrogates, which have no UTF-8 form and would trap on their way to the host."""
    if text.isascii():
        return text
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        # UTF-16 joins two halves of a pair to their character.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _names(names):
    return ", ".join(repr(name) for name in names) or "none"


def _markdown_row(cells):
    return "|" + "".join(f" {_markdown_cell(cell)} |" for cell in cells)


def _markdown_cell(cell):
    if cell is None:
        return ""
    return str(cell).replace("|", "\\|").replace("\n", " ")
