"""Replaces the modules that componentize-py generates from the WIT, so that the plugin runs on any Python from 3.11 on.

It has only shapes and records calls. The host's own tests exercise the real bindings.
"""

import copy
import dataclasses
import enum
import importlib
import itertools
import json
import pathlib
import sys
import types

PLUGIN = pathlib.Path(__file__).resolve().parent.parent


@dataclasses.dataclass(frozen=True)
class Err(Exception):
    value: object


def _case(name):
    return dataclasses.make_dataclass(name, [("value", str)])


TYPES = types.SimpleNamespace(
    Cell_Null=dataclasses.make_dataclass("Cell_Null", []),
    Cell_Boolean=_case("Cell_Boolean"),
    Cell_Number=_case("Cell_Number"),
    Cell_Text=_case("Cell_Text"),
    Error_InvalidArgument=_case("Error_InvalidArgument"),
    Error_NotFound=_case("Error_NotFound"),
    Error_Quota=_case("Error_Quota"),
    Error_Other=_case("Error_Other"),
)

_RECORDS = {
    "Bits": "length bytes", "Chunk": "validity values", "Column": "name", "Decimals": "scale units",
    "Dictionary": "keys values", "Entry": "reference name document columns rows", "Texts": "offsets bytes",
    "WideDecimals": "scale units",
}
_VALUES = "Empty Booleans Integers Decimals WideDecimals Floats Texts Dictionary Dates Times DateTimes Mixed".split()
TABLES = types.SimpleNamespace(
    **{name: dataclasses.make_dataclass(name, fields.split()) for name, fields in _RECORDS.items()},
    **{f"Values_{name}": _case(f"Values_{name}") for name in _VALUES},
)


class Column:
    """A column of a table of the host: a case of `values`, and its Python values; None is null."""

    def __init__(self, kind, cells, scale=0):
        self.kind, self.cells, self.scale = kind, cells, scale

    def chunk(self, start, length):
        cells = self.cells[start : start + length]
        if self.kind == "Mixed":
            return TABLES.Chunk(b"", TABLES.Values_Mixed(cells))
        validity = pack([cell is not None for cell in cells]) if None in cells else b""
        return TABLES.Chunk(validity, getattr(TABLES, f"Values_{self.kind}")(self.values(cells)))

    def values(self, cells):
        if self.kind == "Empty":
            return len(cells)
        if self.kind == "Texts":
            return texts(cells)
        if self.kind == "Dictionary":
            known = list(dict.fromkeys(cell or "" for cell in cells))
            return TABLES.Dictionary([known.index(cell or "") for cell in cells], texts(known))
        if self.kind == "Booleans":
            return TABLES.Bits(len(cells), pack(cells))
        cells = [cell or 0 for cell in cells]
        if self.kind == "Decimals":
            return TABLES.Decimals(self.scale, cells)
        if self.kind == "WideDecimals":
            return TABLES.WideDecimals(self.scale, b"".join(cell.to_bytes(16, "little", signed=True) for cell in cells))
        return cells


def pack(flags):
    data = bytearray((len(flags) + 7) // 8)
    for index, flag in enumerate(flags):
        data[index // 8] |= bool(flag) << index % 8
    return bytes(data)


def texts(cells):
    data = [(cell or "").encode() for cell in cells]
    return TABLES.Texts([0, *itertools.accumulate(map(len, data))], b"".join(data))


class Table:
    """A table of the host."""

    def __init__(self, names, columns, n_rows=None):
        self.names, self.data = names, columns
        self.n_rows = len(columns[0].cells) if n_rows is None else n_rows
        self.slices = []

    @classmethod
    def of_cells(cls, names, rows):
        return cls(names, [Column("Mixed", [row[index] for row in rows]) for index in range(len(names))], len(rows))

    def columns(self):
        return [TABLES.Column(name) for name in self.names]

    def rows(self):
        return self.n_rows

    def slice(self, column, start, length):
        self.slices.append((column, start, length))
        if column >= len(self.data):
            raise Err(TYPES.Error_InvalidArgument(f"no column {column}"))
        return self.data[column].chunk(start, length)

    def range(self, start, length):
        columns = [Column(it.kind, it.cells[start : start + length], it.scale) for it in self.data]
        return Table(self.names, columns, max(0, min(length, self.n_rows - start)))

    def select(self, columns):
        names = [name for _, name in columns]
        if len(set(names)) < len(names):
            raise Err(TYPES.Error_InvalidArgument("a name comes twice"))
        return Table(names, [self.data[index] for index, _ in columns], self.n_rows)


class Builder:
    """Makes a table. Keeps its chunks unchanged."""

    def __init__(self, columns):
        self.columns, self.parts = columns, []

    def append(self, chunks):
        if len(chunks) != len(self.columns):
            raise Err(TYPES.Error_InvalidArgument("wrong number of chunks"))
        self.parts.append(chunks)

    @staticmethod
    def finish(builder):
        table = Table(builder.columns, [Column("Empty", [])] * len(builder.columns), 0)
        table.parts = builder.parts
        return table


Stream = enum.Enum("Stream", "STDOUT STDERR")
Function = dataclasses.make_dataclass("Function", ["name", "tool", "description", "parameters"])
Helper = dataclasses.make_dataclass("Helper", ["name", "source"])
Module = dataclasses.make_dataclass("Module", ["functions", "helpers"])

FailureKind = enum.Enum("FailureKind", "UNKNOWN_TOOL ARGUMENTS PLUGIN TRAP")
Failure = dataclasses.make_dataclass("Failure", ["kind", "message"])
Parameter = dataclasses.make_dataclass("Parameter", ["name", "type", "required"])


class Host:
    """The functions that a component imports, over plain Python values."""

    def __init__(self):
        self.calls = []
        self.answers = {}
        self.files = {}
        self.quota = 1 << 20
        # Tables of results by reference, and how many there were in total.
        self.kept = {}
        self.n_kept = 0
        self.documents = {
            "2023.csv": [("", ["日期", "DAU"], [[TYPES.Cell_Text("2023-12-31"), TYPES.Cell_Number("100")]])],
            "2024.xlsx": [
                ("DAU", ["日期", "DAU"], [[TYPES.Cell_Text("2024-12-31"), TYPES.Cell_Number("150.5")]]),
                ("other", ["a"], [[TYPES.Cell_Null()], [TYPES.Cell_Boolean(True)]]),
            ],
        }
        self.output = {Stream.STDOUT: [], Stream.STDERR: []}
        self.lines = []
        self.arguments = []
        self.skills = {
            "excel_tool": Module([function("excel_tool__create_excel", "data: table", "filename: option<string>")], []),
            "report": Module([
                function("report__deliver", "language: option<string>", "markdown: string", "from: option<string>"),
            ], []),
            "table_tool": Module([function("table_tool__growth", "data: table", "columns: list<string>")], []),
        }

    def text(self, stream):
        """Return what was written to a stream."""
        return "".join(self.output[stream])

    def load_module(self, name):
        # A copy, because each answer of a host is new.
        return copy.deepcopy(self.skills.get(name))

    def list_documents(self):
        info = types.SimpleNamespace
        return [
            info(
                name=name, media_type="text/x", title=None, characters=len(name), warnings=[],
                tables=[info(name=table) for table, *_ in self.documents[name]],
            )
            for name in self.documents
        ]

    def document_text(self, name, offset, length):
        return types.SimpleNamespace(text=name[offset : offset + length])

    def document_tables(self, name):
        return [Table.of_cells(columns, rows) for _, columns, rows in self.documents[name]]

    def list_tables(self):
        entries = []
        for name, tables in self.documents.items():
            for index, (table, columns, rows) in enumerate(tables):
                entries.append(TABLES.Entry(f"{name}#{index + 1}", table, name, columns, len(rows)))
        return entries + [TABLES.Entry(name, "", None, table.names, table.n_rows) for name, table in self.kept.items()]

    def open_table(self, reference):
        if reference not in self.kept:
            raise Err(TYPES.Error_NotFound(f"no table `{reference}`"))
        return self.kept[reference]

    def keep(self, table):
        self.n_kept += 1
        self.kept[f"t:{self.n_kept}"] = table
        if len(self.kept) > 100:
            del self.kept[next(iter(self.kept))]
        return f"t:{self.n_kept}"

    def give(self, table):
        """Return the JSON of a table in the result of a tool."""
        return json.dumps({"columns": table.names, "row_count": table.n_rows, "$ref": self.keep(table)})

    def list_files(self):
        return [types.SimpleNamespace(name=name, size=len(self.files[name])) for name in sorted(self.files)]

    def read(self, name):
        if name not in self.files:
            raise Err(TYPES.Error_NotFound("no file"))
        return self.files[name]

    def write(self, name, content):
        if len(content) > self.quota:
            raise Err(TYPES.Error_Quota(f"workspace: limit {self.quota} bytes"))
        self.files[name] = content

    def remove(self, name):
        self.read(name)
        del self.files[name]

    def call(self, name, arguments):
        self.calls.append((name, arguments))
        answer = self.answers.get(name, "null")
        if callable(answer):
            answer = answer()
        if isinstance(answer, Failure):
            raise Err(answer)
        return answer


def function(tool, *parameters):
    """Make a function from the name of its tool and parameters in WIT notation."""
    name = tool.partition("__")[2]
    parsed = [parameter.split(": ") for parameter in parameters]
    return Function(name, tool, f"Does {name}.\n\nMore.", [
        Parameter(name, kind, not kind.startswith("option")) for name, kind in parsed
    ])


def load(host):
    """Import the plugin's modules anew with a host. Return the package `mitt`."""
    for name in [name for name in sys.modules if name == "mitt" or name.startswith(("mitt.", "wit_world"))]:
        del sys.modules[name]
    if str(PLUGIN) not in sys.path:
        sys.path.insert(0, str(PLUGIN))
    _module("componentize_py_types", Err=Err)
    _module("wit_world")
    _module("wit_world.imports")
    _module("wit_world.imports.types", **vars(TYPES))
    _module("wit_world.imports.tables", Table=Table, Builder=Builder, **vars(TABLES))
    _module(
        "wit_world.imports.catalog",
        list=host.list_tables, open=host.open_table, keep=host.keep, forget=lambda name: host.kept.pop(name, None),
    )
    _module(
        "wit_world.imports.documents",
        list=host.list_documents, text=host.document_text, tables=host.document_tables,
    )
    _module(
        "wit_world.imports.workspace", list=host.list_files, read=host.read, write=host.write, remove=host.remove
    )
    # Looked up for each call, because tests replace it.
    _module("wit_world.imports.tools", call=lambda name, arguments: host.call(name, arguments))
    _module(
        "wit_world.imports.script_host",
        Stream=Stream,
        write=lambda stream, text: host.output[stream].append(text),
        at=host.lines.append,
        arguments=lambda: host.arguments,
        modules=lambda: sorted(host.skills),
        load_module=host.load_module,
    )
    return importlib.import_module("mitt")


def _module(name, **content):
    module = types.ModuleType(name)
    vars(module).update(content)
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)
