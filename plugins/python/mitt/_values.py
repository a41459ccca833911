"""Values between a script and its host: objects, tables, and numbers that keep their digits.

Knows no host function and no import machinery; it is tested without a component.
"""

import decimal
import math

# Rows that `print(table)` shows. A model needs the shape of a table and a few values, not all of it.
PREVIEW_ROWS = 20


class ExactFloat(float):
    """A float whose source had more digits than a float holds.

    Calculations give ordinary floats. Passed on to a tool unchanged, it is written with the digits that were read, so
    that copying a table does not round it.
    """

    __slots__ = ("lexeme",)

    def __new__(cls, lexeme):
        self = super().__new__(cls, lexeme)
        self.lexeme = lexeme
        return self

    def __reduce__(self):
        return ExactFloat, (self.lexeme,)


def number(lexeme):
    """A JSON number as int, float, or Decimal where a float would be infinite."""
    if lexeme.lstrip("-").isdigit():
        return int(lexeme)
    value = float(lexeme)
    if math.isinf(value):
        return decimal.Decimal(lexeme)
    # Digits decide whether the exact comparison is needed: 15 always survive the way through a float.
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
            # `copy`, `pickle` and `inspect` ask for dunder names; a list of keys would be noise there.
            if name.startswith("__"):
                raise AttributeError(name) from None
            raise AttributeError(f"no field {name!r}; there are: {_names(self)}") from None


class Table:
    """Named columns, and rows with one cell per column.

    - `table.columns`: list of names; `table.rows`: list of lists; both may be changed
    - `table["DAU"]`: values of a column; `table[0]`: a row as dict; `table[:5]`: a shorter table
    - `for row in table`: rows as dicts; `len(table)`: number of rows; `table.records()`: list of dicts
    - `table.markdown()`: the table as Markdown, for a report
    - `Table(columns, rows)` and `Table.from_records(dicts)` make one

    A tool takes it wherever it takes a table; a list of dicts is fine there too.
    """

    __slots__ = ("columns", "name", "rows")
    __hash__ = None

    def __init__(self, columns, rows=(), name=""):
        self.name = name
        self.columns = list(columns)
        self.rows = [list(row) for row in rows]
        for index, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(f"row {index}: expected {len(self.columns)} cells, got {len(row)}")

    @classmethod
    def from_records(cls, records, name=""):
        """A table of dicts: columns in order of first appearance, `None` where a dict lacks one."""
        records = [dict(record) for record in records]
        columns = list(dict.fromkeys(column for record in records for column in record))
        return cls(columns, ([record.get(column) for column in columns] for record in records), name)

    @classmethod
    def _of_lists(cls, columns, rows, name=""):
        """A table of lists that fit and that nobody else has."""
        self = cls.__new__(cls)
        self.name, self.columns, self.rows = name, columns, rows
        return self

    def records(self):
        """The rows as a list of dicts."""
        return list(self)

    def markdown(self):
        """The whole table as Markdown, for a report; `print(table)` shows the first rows only."""
        header = [_markdown_row(self.columns), "|" + " --- |" * len(self.columns)]
        return "\n".join([*header, *(_markdown_row(row) for row in self.rows)])

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return (Object(zip(self.columns, row)) for row in self.rows)

    def __contains__(self, key):
        # Like `table[key]`: a string is a column.
        if isinstance(key, str):
            return key in self.columns
        return any(key == record for record in self)

    def __getitem__(self, key):
        if isinstance(key, slice):
            return Table(self.columns, self.rows[key], self.name)
        if isinstance(key, str):
            try:
                index = self.columns.index(key)
            except ValueError:
                raise KeyError(f"no column {key!r}; there are: {_names(self.columns)}") from None
            return [row[index] for row in self.rows]
        return Object(zip(self.columns, self.rows[key]))

    def __eq__(self, other):
        if not isinstance(other, Table):
            return NotImplemented
        return self.columns == other.columns and self.rows == other.rows

    def __repr__(self):
        name = f"{self.name!r}, " if self.name else ""
        return f"Table({name}columns={self.columns!r}, {len(self.rows)} rows)"

    def __str__(self):
        left_out = len(self.rows) - PREVIEW_ROWS
        return self[:PREVIEW_ROWS].markdown() + (f"\n({left_out} more rows)" if left_out > 0 else "")


def scalar_text(text):
    """Text without surrogates, which have no UTF-8 form and would end the instance on their way to the host."""
    if text.isascii():
        return text
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        # By way of UTF-16 two halves that belong together become the character that they mean.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _names(names):
    return ", ".join(repr(name) for name in names) or "none"


def _markdown_row(cells):
    return "|" + "".join(f" {_markdown_cell(cell)} |" for cell in cells)


def _markdown_cell(cell):
    if cell is None:
        return ""
    return str(cell).replace("|", "\\|").replace("\n", " ")
