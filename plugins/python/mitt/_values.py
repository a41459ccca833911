"""Values between a script and its host: JSON text, tables, and numbers that keep their digits.

Knows no host function and no import machinery; it is tested without a component.
"""

import base64
import dataclasses
import datetime
import decimal
import enum
import json
import math
import numbers
import uuid
from collections import abc

# The host refuses arguments that are nested deeper; stopping here also ends a structure that contains itself.
MAX_DEPTH = 64

# Rows that `print(table)` shows. A model needs the shape of a table and a few values, not all of it.
PREVIEW_ROWS = 20

_quote = json.encoder.encode_basestring


class Unencodable(Exception):
    """A value that JSON has no form for. The path grows while the exception leaves the structure."""

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason
        self.path = []

    @property
    def pointer(self):
        """JSON pointer of the value, empty for the outermost one."""
        return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in reversed(self.path))


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


def decode(text):
    """JSON text of the host as Python values."""
    return json.loads(text, object_pairs_hook=_object, parse_float=number)


def encode(value, *, plain=False):
    """A Python value as JSON text.

    `plain` takes only what a reader would call a JSON value: it neither consumes iterators nor turns bytes into base64.
    It serves the result of a script, where anything else is shown by `repr` instead.

    Raises `Unencodable`.
    """
    parts = []
    _write(value, parts.append, MAX_DEPTH, plain)
    return scalar_text("".join(parts))


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


def _object(pairs):
    value = Object(pairs)
    if len(value) == 2:
        columns, rows = value.get("columns"), value.get("rows")
        if type(columns) is list and type(rows) is list:
            if all(type(row) is list and len(row) == len(columns) for row in rows):
                return Table(columns, rows)
    return value


def _write(value, write, depth, plain):
    kind = type(value)
    if kind is str:
        write(_quote(value))
    elif value is None:
        write("null")
    elif kind is bool:
        write("true" if value else "false")
    elif kind is int:
        write(int.__repr__(value))
    elif kind is float:
        write(_float(value))
    elif depth == 0:
        raise Unencodable(f"nested deeper than {MAX_DEPTH} levels, or contains itself")
    elif kind is list or kind is tuple:
        _write_items(value, write, depth, plain)
    elif kind is dict or kind is Object:
        _write_mapping(value, write, depth, plain)
    else:
        _write_other(value, write, depth, plain)


def _write_items(items, write, depth, plain):
    separator = "["
    index = -1
    try:
        for index, item in enumerate(items):
            write(separator)
            separator = ","
            _write(item, write, depth - 1, plain)
    except Unencodable as error:
        error.path.append(index)
        raise
    write("[]" if index < 0 else "]")


def _write_mapping(mapping, write, depth, plain):
    separator = "{"
    key = None
    try:
        for key, item in mapping.items():
            write(separator)
            separator = ","
            write(_quote(_key(key)))
            write(":")
            _write(item, write, depth - 1, plain)
    except Unencodable as error:
        error.path.append(key)
        raise
    write("{}" if separator == "{" else "}")


def _key(key):
    if isinstance(key, enum.Enum):
        key = key.value
    if isinstance(key, str):
        return str.__str__(key)
    if isinstance(key, (int, decimal.Decimal)) and not isinstance(key, bool):
        return str(key)
    if isinstance(key, (datetime.date, datetime.time)):
        return key.isoformat()
    raise Unencodable(f"expected a string as key, got {_described(key)}")


def _float(value):
    if not math.isfinite(value):
        raise Unencodable(f"JSON has no {value!r}; use None where there is no number")
    return float.__repr__(value)


def _write_other(value, write, depth, plain):
    if isinstance(value, enum.Enum):
        _write(value.value, write, depth - 1, plain)
    elif isinstance(value, ExactFloat):
        write(value.lexeme)
    elif isinstance(value, str):
        write(_quote(str.__str__(value)))
    elif isinstance(value, int):
        write(int.__repr__(value))
    elif isinstance(value, float):
        write(_float(value))
    elif isinstance(value, decimal.Decimal):
        write(_decimal(value))
    elif isinstance(value, (datetime.date, datetime.time)):
        write(_quote(value.isoformat()))
    elif isinstance(value, uuid.UUID):
        write(_quote(str(value)))
    elif isinstance(value, Table):
        _write_mapping({"columns": value.columns, "rows": value.rows}, write, depth, plain)
    elif hasattr(value, "_asdict") and isinstance(value, tuple):
        # Named tuples are records; as rows of a table their names are the columns.
        _write_mapping(value._asdict(), write, depth, plain)
    elif isinstance(value, (list, tuple)):
        _write_items(value, write, depth, plain)
    elif isinstance(value, abc.Mapping):
        _write_mapping(value, write, depth, plain)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        _write_mapping(fields, write, depth, plain)
    elif plain:
        raise Unencodable(f"not a JSON value: {_described(value)}")
    elif isinstance(value, (bytes, bytearray, memoryview)):
        write(_quote(base64.b64encode(value).decode("ascii")))
    elif isinstance(value, abc.Set) and not isinstance(value, (abc.KeysView, abc.ItemsView)):
        raise Unencodable(f"a {type(value).__name__} has no order; pass sorted(…)")
    elif isinstance(value, abc.Iterable) and not isinstance(value, type):
        _write_items(value, write, depth, plain)
    else:
        raise Unencodable(_advice(value))


def _decimal(value):
    if not value.is_finite():
        raise Unencodable(f"JSON has no {value}; use None where there is no number")
    return str(value).replace("E+", "e").replace("E", "e")


def _advice(value):
    described = _described(value)
    if isinstance(value, datetime.timedelta):
        return f"JSON has no {described}; pass str(…) or …total_seconds()"
    if isinstance(value, numbers.Rational):
        return f"JSON has no {described}; pass float(…) or a Decimal"
    if hasattr(value, "media_type"):
        return f"{described} is a document; pass its .text or one of its .tables"
    return f"JSON has no {described}"


def _described(value):
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:60] + '…'}"


def _names(names):
    return ", ".join(repr(name) for name in names) or "none"


def _markdown_row(cells):
    return "|" + "".join(f" {_markdown_cell(cell)} |" for cell in cells)


def _markdown_cell(cell):
    if cell is None:
        return ""
    return str(cell).replace("|", "\\|").replace("\n", " ")
