"""Tables of the host: columns as Python values, references for tools, tables of a script.

A table of the host never changes. Scripts use `_values.Table`, which reads from here.
"""

import datetime
import decimal
import itertools
import math

from componentize_py_types import Err
from wit_world.imports import catalog
from wit_world.imports import tables as host
from wit_world.imports.types import Cell_Boolean, Cell_Null, Cell_Number, Cell_Text

from mitt import _json, _values
from mitt._values import PART_ROWS, Table

# A float keeps all digits of a decimal whose digits are below this.
_EXACT = 10**15
# The ordinal of 1970-01-01, and the days of 400 years, after which the calendar repeats.
_EPOCH = datetime.date(1970, 1, 1).toordinal()
_CYCLE = 146_097
_DAY = 86_400_000_000

# References that were made for the arguments of the current call.
_passed = []


class Handle:
    """A table of the host, whose cells are read in parts."""

    __slots__ = ("_document", "_table", "length", "names")

    def __init__(self, table, names=None, length=None, document=None):
        self._table = table
        self.names = [column.name for column in table.columns()] if names is None else names
        self.length = table.rows() if length is None else length
        # Name of the document, and index of the table in it.
        self._document = document

    def column(self, index, start, length):
        """Return cells of a column."""
        return _column(_asked(self._table.slice, index, start, length))

    def columns(self, start, length):
        """Return cells of all columns, one list per column."""
        return [self.column(index, start, length) for index in range(len(self.names))]

    def range(self, start, length):
        """Return some rows."""
        return Handle(self._table.range(start, length), self.names)

    def select(self, indices, names):
        """Return some columns under these names."""
        columns = [(index, _values.scalar_text(name)) for index, name in zip(indices, names)]
        return Handle(_asked(self._table.select, columns), list(names), self.length)

    def reference(self):
        """Return the reference of the table for the arguments of the current call."""
        reference = self._named()
        if reference is None:
            reference = catalog.keep(self._table)
            _passed.append(reference)
        return reference

    def kept(self):
        """Return the reference of the table for readers of the script's result."""
        return self._named() or catalog.keep(self._table)

    def _named(self):
        if self._document is None:
            return None
        name, index = self._document
        entries = [entry for entry in catalog.list() if entry.document == name]
        return entries[index].reference if index < len(entries) else None


def settle():
    """Drop the references of a finished call: the session keeps only a hundred."""
    while _passed:
        catalog.forget(_passed.pop())


def of_document(table, name, document):
    """Return a table of a document. `document` is its name and the index of the table in it."""
    return Table._of_handle(Handle(table, document=document), name)


def opened(value):
    """Return the table of a reference in a tool's result; None if it cannot be opened.

    The handle keeps the table, even if the session, which keeps a hundred results, drops it.
    """
    reference = value["$ref"]
    try:
        table = catalog.open(reference)
    except Err:
        return None
    catalog.forget(reference)
    return Table._of_handle(Handle(table, list(value["columns"]), value["row_count"]))


def built(names, rows):
    """Make a table of the host from rows of a script; None if a cell has a form in JSON only."""
    builder = host.Builder([_values.scalar_text(name) for name in names])
    iterator = iter(rows)
    while part := list(itertools.islice(iterator, PART_ROWS)):
        chunks = [_chunk(cells) for cells in zip(*part, strict=True)]
        if None in chunks:
            return None
        _asked(builder.append, chunks)
    return Handle(_asked(host.Builder.finish, builder), list(names))


def _asked(function, *arguments):
    try:
        return function(*arguments)
    except Err as error:
        # Raise outside the handler: `Err` is a frozen dataclass, which is useless as the context of an exception.
        message = error.value.value
    raise ValueError(message)


def _column(chunk):
    """Convert a part of a column to Python values."""
    values = chunk.values
    cells = _READ[type(values)](values.value)
    if chunk.validity:
        return [cell if bit == "1" else None for cell, bit in zip(cells, _bits(chunk.validity, len(cells)))]
    return cells


def _bits(data, length):
    return f"{int.from_bytes(data, 'little'):0{length}b}"[::-1][:length]


def _empty(length):
    return [None] * length


def _booleans(bits):
    return [bit == "1" for bit in _bits(bits.bytes, bits.length)]


def _decimals(decimals):
    units, divisor = decimals.units, 10**decimals.scale
    if divisor == 1 or not units:
        return units
    if max(units) < _EXACT and min(units) > -_EXACT:
        # The quotient of two integers is the float nearest to the decimal.
        return [unit / divisor if unit % divisor else unit // divisor for unit in units]
    return [_decimal(unit, decimals.scale) for unit in units]


def _wide_decimals(decimals):
    data = decimals.units
    units = (int.from_bytes(data[at : at + 16], "little", signed=True) for at in range(0, len(data), 16))
    return [_decimal(unit, decimals.scale) for unit in units]


def _decimal(units, scale):
    """Convert a decimal like the number that its shortest form is."""
    if units % 10**scale == 0:
        return units // 10**scale
    digits = str(abs(units)).rjust(scale + 1, "0")
    sign = "-" if units < 0 else ""
    return _values.number(f"{sign}{digits[:-scale]}.{digits[-scale:]}".rstrip("0"))


def _floats(values):
    if all(map(math.isfinite, values)):
        return values
    return [value if math.isfinite(value) else None for value in values]


def _texts(texts):
    data, offsets = texts.bytes, texts.offsets
    text = data.decode()
    if len(text) != len(data):
        # Offsets count bytes, which are characters only in ASCII.
        return [data[start:end].decode() for start, end in itertools.pairwise(offsets)]
    return [text[start:end] for start, end in itertools.pairwise(offsets)]


def _dictionary(dictionary):
    return list(map(_texts(dictionary.values).__getitem__, dictionary.keys))


def _each(shown):
    """Make a function for lists from one for values. Dates and times repeat, so each is converted once."""

    def read(values):
        known = {value: shown(value) for value in set(values)}
        return list(map(known.__getitem__, values))

    return read


def _date(days):
    ordinal = _EPOCH + days
    if ordinal > 0:
        return datetime.date.fromordinal(ordinal).isoformat()
    # `datetime` has no year 0, which has the calendar of the year 400.
    return "0000" + datetime.date.fromordinal(ordinal + _CYCLE).isoformat()[4:]


def _time(micros):
    seconds, fraction = divmod(micros, 1_000_000)
    text = f"{seconds // 3_600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return text + f".{fraction:06}".rstrip("0") if fraction else text


def _date_time(micros):
    days, time = divmod(micros, _DAY)
    return f"{_date(days)}T{_time(time)}"


def _cell(cell):
    kind = type(cell)
    if kind is Cell_Null:
        return None
    if kind is Cell_Number:
        return _values.number(cell.value)
    return cell.value


_READ = {
    host.Values_Empty: _empty,
    host.Values_Booleans: _booleans,
    host.Values_Integers: lambda values: values,
    host.Values_Decimals: _decimals,
    host.Values_WideDecimals: _wide_decimals,
    host.Values_Floats: _floats,
    host.Values_Texts: _texts,
    host.Values_Dictionary: _dictionary,
    host.Values_Dates: _each(_date),
    host.Values_Times: _each(_time),
    host.Values_DateTimes: _each(_date_time),
    host.Values_Mixed: lambda cells: list(map(_cell, cells)),
}

_NONE = type(None)


def _chunk(cells):
    """Convert values of a script to a part of a column; None if a value cannot be a cell."""
    kinds = set(map(type, cells))
    validity = b""
    if _NONE in kinds and len(kinds) > 1:
        validity = _packed([cell is not None for cell in cells])
    kinds.discard(_NONE)
    if not kinds:
        return host.Chunk(b"", host.Values_Empty(len(cells)))
    if kinds == {str}:
        return host.Chunk(validity, host.Values_Texts(_packed_texts(cells)))
    if kinds == {bool}:
        return host.Chunk(validity, host.Values_Booleans(host.Bits(len(cells), _packed(cells))))
    if kinds == {int}:
        units = [cell or 0 for cell in cells]
        if -(1 << 63) <= min(units) and max(units) < 1 << 63:
            return host.Chunk(validity, host.Values_Integers(units))
    mixed = list(map(_cell_of, cells))
    return None if None in mixed else host.Chunk(b"", host.Values_Mixed(mixed))


def _packed(flags):
    bits = "".join(["1" if flag else "0" for flag in reversed(flags)])
    return int(bits, 2).to_bytes((len(flags) + 7) // 8, "little")


def _packed_texts(cells):
    data = [_values.scalar_text(cell).encode() if cell else b"" for cell in cells]
    return host.Texts([0, *itertools.accumulate(map(len, data))], b"".join(data))


def _cell_of(value):
    if value is None:
        return Cell_Null()
    if isinstance(value, str):
        return Cell_Text(_values.scalar_text(str.__str__(value)))
    if isinstance(value, bool):
        return Cell_Boolean(value)
    if type(value) is float and math.isfinite(value):
        return Cell_Number(repr(value))
    if isinstance(value, (int, float, decimal.Decimal)):
        return Cell_Number(_json.encode(value))
    if isinstance(value, (datetime.date, datetime.time)):
        return Cell_Text(value.isoformat())
    return None


_values.to_host = built
_json.open_table = opened
