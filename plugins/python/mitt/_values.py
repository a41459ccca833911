"""Values between a script and its host: objects, tables, and numbers that keep their digits.

Knows no host function and no import machinery; it is tested without a component.
"""

import decimal
import math
import weakref
from collections import abc

from mitt._rows import PART_ROWS, Object, Rows, RowStore, _names

# Rows that `print(table)` shows. A model needs the shape of a table and a few values.
PREVIEW_ROWS = 20

# Most cells of a table whose rows are lists; those of a larger one would fill the memory.
MAX_LISTS_CELLS = 1_000_000

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


class Table:
    """Named columns, and rows with one cell per column.

    - `len(table)`; `table.columns`: list of names, which may be changed
    - `for row in table`: rows as dicts, fetched part by part; `table[0]`: a row as dict. A changed row changes the table:
      `row["total"] = row["a"] + row["b"]` adds a column, which is `None` in other rows
    - `table.to_dicts()`: copies of the rows, as a list of dicts
    - `table["DAU"]` or `table.column("DAU")`: values of a column
    - `table[["date", "DAU"]]`: some columns; `table[10:20]`: some rows; both are tables
    - `table.rows`: list of lists, which may be changed
    - `table.markdown()`: the table as Markdown, for a report
    - `Table(columns, rows)`, `Table.from_rows(rows, columns)` and `Table.from_dicts(dicts)` make one

    A tool takes it wherever it takes a table; a list of dicts is fine there too. A table of a document or of a tool's result
    stays in the host until its rows are read, and is passed on without copying.
    """

    __slots__ = ("_columns", "_first", "_handle", "_known", "_padded", "_rows", "_store", "_version", "_window", "name", "__weakref__")
    __hash__ = None

    def __init__(self, columns, rows=(), name=""):
        self._begin(list(columns), name)
        self._rows = [list(row) for row in rows]
        for index, row in enumerate(self._rows):
            if len(row) != len(self._columns):
                raise ValueError(f"row {index}: expected {len(self._columns)} cells, got {len(row)}")

    def _begin(self, columns, name, handle=None, store=None):
        self.name = name
        self._columns, self._handle = columns, handle
        # The rows as lists, once they are in the script; those as tuples of a table that is too large for that.
        self._rows = self._window = None
        # The rows as dicts, shared with the table from which this one was cut out, and the place of the first one there;
        # None for a table that is no part of another one.
        self._store, self._first = store, None
        # The names and their version that the store has.
        self._known = list(columns)
        self._version = self._padded = 0 if store is None else store.version

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
        self._begin(columns, name)
        self._rows = rows
        return self

    @classmethod
    def _of_handle(cls, handle, name=""):
        """Make a table of the host without reading it."""
        self = cls.__new__(cls)
        self._begin(list(handle.names), name, handle, RowStore(handle.names, handle))
        self._store.owner = weakref.ref(self)
        return self

    @property
    def columns(self):
        """The names of the columns, which may be changed."""
        self._settled()
        return self._columns

    @columns.setter
    def columns(self, columns):
        self._settled()
        self._columns = list(columns)

    @property
    def rows(self):
        """The rows as lists, which may be changed; of a table above a million cells, as tuples that are fetched part by part."""
        if self._settled() is None:
            if self._handle.length * len(self._handle.names) > MAX_LISTS_CELLS:
                # Shared, because it caches the part that was read last.
                self._window = self._window or Rows(self._handle)
                return self._window
            if self._first is None:
                self._store.own()
                self._rows = list(self._store.lists)
            else:
                self._rows = [list(row) for row in Rows(self._handle)]
                self._detach()
        return self._rows

    @rows.setter
    def rows(self, rows):
        self._settled()
        self._rows = rows if type(rows) is list else list(rows)

    def _settled(self, pad=True):
        """Take over what the script did to rows and columns. Return the rows as lists; None while the host has them.

        `pad` gives all rows a cell in each column.
        """
        store = self._store
        if store is None:
            self._known = list(self._columns)
            return self._rows
        if self._columns != self._known:
            if self._first is None:
                # With columns that rows added meanwhile.
                self._columns += store.names[len(self._known) :]
                store.rename(self._columns)
            else:
                # Names of a part are its own.
                if store.lists is not None and self._rows is None:
                    self._rows = store.lists[self._first : self._first + self._handle.length]
                if self._rows is not None:
                    self._rows = [list(row) for row in self._rows]
                self._detach()
                return self._rows
            self._known, self._version = list(self._columns), store.version
            self._padded = self._version
        if self._rows is None and store.lists is not None:
            first = self._first or 0
            self._rows = store.lists[first : first + self._handle.length]
        if store.has_deleted() and self._first is None and self._rows is not None:
            store.settle(self._rows)
        if store.version != self._version:
            self._version = store.version
            self._columns[:] = store.names
            self._known = list(self._columns)
        if pad and self._padded != store.version and self._rows is not None:
            self._padded = store.version
            store.pad(self._rows)
        return self._rows

    def _detach(self):
        """Make a part a table of its own, whose rows are no longer those of the other one."""
        self._first, self._version, self._padded = None, 0, 0
        self._store = None
        if self._rows is None:
            self._store = RowStore(self._columns, self._handle)
            self._store.owner = weakref.ref(self)
        self._known = list(self._columns)

    def _of_script(self):
        """Return the store of the rows of a table in the script."""
        if self._store is None:
            self._store = RowStore(self._columns)
            self._store.owner = weakref.ref(self)
            self._known, self._version, self._padded = list(self._columns), 0, 0
        return self._store

    def to_dicts(self):
        """Copies of the rows, as a list of dicts."""
        rows, columns = self._settled(), self._columns
        if rows is None:
            rows = Rows(self._handle)
        return [Object(zip(columns, row)) for row in rows]

    records = to_dicts

    def column(self, name):
        """The values of a column, as a list."""
        rows = self._settled()
        try:
            index = self._columns.index(name)
        except ValueError:
            raise KeyError(f"no column {name!r}; there are: {_names(self._columns)}") from None
        if rows is not None:
            return [row[index] for row in rows]
        cells = []
        for start in range(0, self._handle.length, PART_ROWS):
            cells += self._handle.column(index, start, PART_ROWS)
        return cells

    def markdown(self):
        """The whole table as Markdown, for a report; `print(table)` shows the first rows only."""
        header = [_markdown_row(self.columns), "|" + " --- |" * len(self.columns)]
        return "\n".join([*header, *(_markdown_row(row) for row in self._sequence())])

    def __len__(self):
        rows = self._settled(pad=False)
        return len(rows) if rows is not None else self._handle.length

    def __iter__(self):
        if self._settled() is None:
            return self._store.iterate(self._first or 0, self._handle.length)
        return self._of_script().listed(self._rows)

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
        rows = self._settled(pad=False)
        place = range(len(self))[key]
        return self._store.at((self._first or 0) + place) if rows is None else self._of_script().of(rows, place)

    def _some_rows(self, key):
        rows = self._settled()
        start, stop, step = key.indices(len(self))
        length = max(stop - start, 0)
        if rows is None and step == 1:
            part = Table.__new__(Table)
            part._begin(list(self._columns), self.name, self._handle.range(start, length), self._store)
            part._first = (self._first or 0) + start
            return part
        part = Table.__new__(Table)
        if rows is None:
            part._begin(list(self._columns), self.name)
            part._rows = [list(row) for row in Rows(self._handle)[key]]
            return part
        # The lists are shared, so the rows stay those of this table.
        store = self._of_script()
        for place in range(start, stop, step):
            store.of(rows, place) if type(rows[place]) is not list else None
        part._begin(list(self._columns), self.name, store=store)
        part._first, part._rows = 0, rows[key]
        return part

    def _some_columns(self, names):
        rows = self._settled()
        for name in names:
            if name not in self._columns:
                raise KeyError(f"no column {name!r}; there are: {_names(self._columns)}")
        indices = [self._columns.index(name) for name in names]
        if rows is None:
            return Table._of_handle(self._handle.select(indices, names), self.name)
        return Table(names, ([row[index] for index in indices] for row in rows), self.name)

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
        rows = self._settled()
        return rows if rows is not None else Rows(self._handle)

    def _in_host(self, most_cells):
        """Return the handle of the table in the host; None if it must be written in full, because it is small or has
        cells with a form in JSON only."""
        rows, handle = self._settled(), self._handle
        if handle is None or not self._is_unchanged():
            if len(self) * len(self._columns) <= most_cells:
                return None
            return to_host(self._columns, rows)
        if handle.names != self._columns:
            if len(handle.names) != len(self._columns):
                raise ValueError(f"a table of {len(handle.names)} columns has {len(self._columns)} names")
            handle = handle.select(range(len(self._columns)), self._columns)
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


def _markdown_row(cells):
    return "|" + "".join(f" {_markdown_cell(cell)} |" for cell in cells)


def _markdown_cell(cell):
    if cell is None:
        return ""
    return str(cell).replace("|", "\\|").replace("\n", " ")
