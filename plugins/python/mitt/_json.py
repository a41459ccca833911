"""JSON text between a script and its host.

Knows no functions of the host; it is tested without a component. CPython's encoder and decoder, which are written in C,
handle all plain values: a table of 100 rows costs one check of its cell types and one call.
"""

import base64
import dataclasses
import datetime
import decimal
import enum
import itertools
import json
import math
import numbers
import uuid
from collections import abc

from mitt import _values
from mitt._rows import Row
from mitt._values import ExactFloat, Object, Table

# The host refuses deeper arguments. The limit also ends a structure that contains itself.
MAX_DEPTH = 64

_quote = json.encoder.encode_basestring

_NONE = type(None)
# Types that CPython's encoder writes correctly. A subclass may need another form: an enum, an exact float.
_PLAIN = frozenset((str, int, float, bool, _NONE))
_STRING = frozenset((str,))
_LIST = frozenset((list,))
_ROWS = frozenset((dict, Object, Row))


# Most cells of a script's table in the arguments of a call. A larger table is made in the host first.
MAX_INLINE_CELLS = 10_000
# Most cells of a table that is shown completely as the value of a script, and the number of rows that are shown of a
# larger one.
MAX_SHOWN_CELLS = 1_000
FIRST_ROWS = 10

# A function that returns the table of an object with `$ref`, or None. Set by `_tables`.
open_table = None


class Unencodable(Exception):
    """A value without a JSON form. The path grows while the exception leaves the structure."""

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason
        self.path = []

    @property
    def pointer(self):
        """The JSON pointer of the value; empty for the outermost one."""
        return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in reversed(self.path))


def decode(text):
    """Convert JSON text of the host to Python values."""
    return _decoded(text, _decoder, _scan)


def decode_result(text):
    """Do what `decode` does for the result of a tool: references to tables of the host become tables."""
    return _decoded(text, _result_decoder, _scan_result)


def _decoded(text, decoder, scan):
    try:
        value, end = scan(text, 0)
    except StopIteration:
        end = -1
    # There may be space around the value, or an error to report.
    return value if end == len(text) else decoder.decode(text)


def encode(value, *, plain=False):
    """Convert a Python value to JSON text.

    `plain` accepts only JSON values: it neither consumes iterators nor converts bytes to Base64. It is for the result
    of a script, where all other values are shown by `repr`.

    Raises `Unencodable`.
    """
    return _values.scalar_text(_text(value, MAX_DEPTH, plain))


def _decode_float(lexeme):
    value = float(lexeme)
    # A float keeps fifteen digits.
    return value if len(lexeme) <= 16 and value not in _INFINITE else _values.number(lexeme)


def _decode_object(pairs):
    value = Object(pairs)
    if len(value) == 2 and "rows" in value and "columns" in value:
        columns, rows = value["columns"], value["rows"]
        if type(columns) is list and type(rows) is list:
            if set(map(type, rows)) <= _LIST and set(map(len, rows)) <= {len(columns)}:
                return Table._of_lists(columns, rows)
    return value


def _decode_result_object(pairs):
    value = _decode_object(pairs)
    if "$ref" in value and type(value) is Object:
        is_table = type(value.get("columns")) is list and type(value.get("row_count")) is int
        if is_table and type(value["$ref"]) is str:
            table = open_table(value)
            return value if table is None else table
    return value


_INFINITE = (math.inf, -math.inf)
_decoder = json.JSONDecoder(object_pairs_hook=_decode_object, parse_float=_decode_float)
_scan = _decoder.scan_once
_result_decoder = json.JSONDecoder(object_pairs_hook=_decode_result_object, parse_float=_decode_float)
_scan_result = _result_decoder.scan_once


def _refused(value):
    # Never called: the encoder gets only plain values.
    raise TypeError(type(value).__name__)


_encode_plain = json.encoder.c_make_encoder(None, _refused, _quote, None, ":", ",", False, False, False)


def _text(value, depth, plain):
    kind = type(value)
    if kind is str:
        return _quote(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        return int.__repr__(value)
    if kind is float:
        return _float(value)
    if depth == 0:
        raise Unencodable(f"nested deeper than {MAX_DEPTH} levels, or contains itself")
    if kind is list or kind is tuple:
        return _list(value, depth, plain)
    if kind is dict or kind is Object or kind is Row:
        return _dict(value, depth, plain)
    return _other(value, depth, plain)


def _list(items, depth, plain):
    if not items:
        return "[]"
    kinds = set(map(type, items))
    if kinds <= _PLAIN or (depth > 1 and _are_plain_rows(items, kinds)):
        try:
            return "".join(_encode_plain(items, 0))
        except ValueError:
            # A number that JSON does not have. The slow path finds its place.
            pass
    return _items(items, depth, plain)


def _are_plain_rows(items, kinds):
    """Return True if these are lists or dicts of plain values only: the rows of a table."""
    every = itertools.chain.from_iterable
    if kinds <= _ROWS:
        cells = map(dict.values, items)
        return set(map(type, every(cells))) <= _PLAIN and set(map(type, set(every(items)))) <= _STRING
    return kinds == _LIST and set(map(type, every(items))) <= _PLAIN


def _items(items, depth, plain):
    parts = []
    try:
        for item in items:
            parts.append(_text(item, depth - 1, plain))
    except Unencodable as error:
        error.path.append(len(parts))
        raise
    return f"[{','.join(parts)}]"


def _dict(mapping, depth, plain):
    if set(map(type, mapping.values())) <= _PLAIN and set(map(type, mapping)) <= _STRING:
        try:
            return "".join(_encode_plain(mapping, 0))
        except ValueError:
            pass
    return _mapping(mapping, depth, plain)


def _mapping(mapping, depth, plain):
    parts = []
    key = None
    try:
        for key, item in mapping.items():
            parts.append(f"{_quote(_key(key))}:{_text(item, depth - 1, plain)}")
    except Unencodable as error:
        error.path.append(key)
        raise
    return f"{{{','.join(parts)}}}"


def _key(key):
    if type(key) is str:
        return key
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
        raise Unencodable(f"JSON has no {float.__repr__(value)}; use None where there is no number")
    return float.__repr__(value)


def _other(value, depth, plain):
    if isinstance(value, enum.Enum):
        return _text(value.value, depth - 1, plain)
    if isinstance(value, ExactFloat):
        return value.lexeme
    if isinstance(value, str):
        return _quote(str.__str__(value))
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, decimal.Decimal):
        return _decimal(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return _quote(value.isoformat())
    if isinstance(value, uuid.UUID):
        return _quote(str(value))
    if isinstance(value, Table):
        return _table(value, depth, plain)
    if hasattr(value, "_asdict") and isinstance(value, tuple):
        # A named tuple is a record. In a table its names are the columns.
        return _dict(value._asdict(), depth, plain)
    if isinstance(value, (list, tuple)):
        return _items(value, depth, plain)
    if isinstance(value, abc.Mapping):
        return _mapping(value, depth, plain)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return _dict(fields, depth, plain)
    if plain:
        raise Unencodable(f"not a JSON value: {type(value).__name__}")
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _quote(base64.b64encode(value).decode("ascii"))
    if isinstance(value, abc.Set) and not isinstance(value, (abc.KeysView, abc.ItemsView)):
        raise Unencodable(f"a {type(value).__name__} has no order; pass sorted(…)")
    if isinstance(value, abc.Iterable) and not isinstance(value, type):
        return _items(value, depth, plain)
    raise Unencodable(_advice(value))


def _table(table, depth, plain):
    """Write a table by reference, unless it is small and the script made or changed it. The value of a script has small
    tables in full."""
    columns = _text(table.columns, depth - 1, plain)
    try:
        handle = table._in_host(MAX_SHOWN_CELLS if plain else MAX_INLINE_CELLS)
    except ValueError as error:
        raise Unencodable(str(error)) from None
    if handle is not None and not plain:
        return f'{{"$ref":{_quote(handle.reference())}}}'
    if handle is not None and len(table) * len(table.columns) > MAX_SHOWN_CELLS:
        first = _text(list(_values.Rows(handle)[:FIRST_ROWS]), depth - 1, plain)
        reference = _quote(handle.kept())
        return f'{{"columns":{columns},"row_count":{len(table)},"first_rows":{first},"$ref":{reference}}}'
    rows = _text(list(table._sequence()), depth - 1, plain)
    return f'{{"columns":{columns},"rows":{rows}}}'


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
