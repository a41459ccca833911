"""Stands in for what componentize-py generates from the WIT, so that the modules run on any Python from 3.11 on.

Only shapes and recorded calls; the real bindings are exercised by the host's own tests.
"""

import copy
import dataclasses
import enum
import importlib
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
        """What was written to a stream."""
        return "".join(self.output[stream])

    def load_module(self, name):
        # A copy, as each answer of a host is new.
        return copy.deepcopy(self.skills.get(name))

    def list_documents(self):
        info = types.SimpleNamespace
        return [
            info(name=name, media_type="text/x", title=None, characters=len(name), warnings=[])
            for name in self.documents
        ]

    def document_text(self, name, offset, length):
        return types.SimpleNamespace(text=name[offset : offset + length])

    def document_tables(self, name):
        return [
            types.SimpleNamespace(name=table, data=types.SimpleNamespace(columns=columns, rows=rows))
            for table, columns, rows in self.documents[name]
        ]

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
        if isinstance(answer, Failure):
            raise Err(answer)
        return answer


def function(tool, *parameters):
    """A function from the name of its tool and parameters in WIT notation."""
    name = tool.partition("__")[2]
    parsed = [parameter.split(": ") for parameter in parameters]
    return Function(name, tool, f"Does {name}.\n\nMore.", [
        Parameter(name, kind, not kind.startswith("option")) for name, kind in parsed
    ])


def load(host):
    """Import the plugin's modules anew over a host; gives the package `mitt`."""
    for name in [name for name in sys.modules if name == "mitt" or name.startswith(("mitt.", "wit_world"))]:
        del sys.modules[name]
    if str(PLUGIN) not in sys.path:
        sys.path.insert(0, str(PLUGIN))
    _module("componentize_py_types", Err=Err)
    _module("wit_world")
    _module("wit_world.imports")
    _module("wit_world.imports.types", **vars(TYPES))
    _module(
        "wit_world.imports.documents",
        list=host.list_documents, text=host.document_text, tables=host.document_tables,
    )
    _module(
        "wit_world.imports.workspace", list=host.list_files, read=host.read, write=host.write, remove=host.remove
    )
    # Looked up when called, because tests replace it.
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
