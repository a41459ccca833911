# The environment of a script besides monty. Compiled once, before the first script, behind `rows.py`.

import itertools as _mitt_itertools


class Table:
    """Named columns, and rows with one cell per column."""

    # The host makes tables without __init__. `rows.py` says what these are.
    _source = ""
    _rows = None
    _names = None
    _known = None
    _changes = -1
    _most = 4096
    _is_given = False
    _is_cut = False
    _cut = None
    _lacks = False
    # A part refers to the table from which it was cut out.
    _of = None
    _first = 0
    _length = None

    def __init__(self, columns, rows=(), name=""):
        self.name = name
        self._columns = list(columns)
        self._rows = [list(row) for row in rows]
        for index, row in enumerate(self._rows):
            if len(row) != len(self._columns):
                raise ValueError(f"row {index}: expected {len(self._columns)} cells, got {len(row)}")

    def __getattr__(self, name):
        if name == "columns" or name == "rows":
            if _mitt_probe["on"]:
                return None
            if name == "rows":
                return _mitt_lists(self)
            _mitt_settle(self)
            return self._columns
        raise AttributeError(f"'Table' object has no attribute '{name}'")

    def __mitt_export__(self):
        """Return the attributes that the host sees."""
        rows = _mitt_settle(self)
        if rows is None:
            return {"columns": self._columns, "_source": _mitt_source_of(self)}
        return {"columns": self._columns, "_source": self._source, "rows": rows}

    def records(self):
        rows = _mitt_settle(self)
        if rows is None:
            return mitt_part(_mitt_source_of(self), 0, len(self), self._columns)
        return _mitt_records(self._columns, rows)

    def to_dicts(self):
        return self.records()

    def column(self, name):
        rows = _mitt_settle(self)
        if name not in self._columns:
            raise KeyError(f"no column {name!r}; there are: {_mitt_names(self._columns)}")
        index = self._columns.index(name)
        if rows is None:
            return mitt_column(_mitt_source_of(self), index)
        return [row[index] for row in rows]

    def markdown(self):
        rows = _mitt_cells(self)
        lines = [_mitt_markdown_row(self._columns), "|" + " --- |" * len(self._columns)]
        lines += [_mitt_markdown_row(row) for row in rows]
        return "\n".join(lines)

    def __len__(self):
        rows = _mitt_settle(self)
        if rows is not None:
            return len(rows)
        return mitt_length(self._source) if self._of is None else self._length

    def __iter__(self):
        return _mitt_itertools.chain.from_iterable(_MittParts(self))

    def __contains__(self, key):
        if isinstance(key, str):
            return key in self.columns
        return key in self.records()

    def __getitem__(self, key):
        if isinstance(key, str):
            return self.column(key)
        if isinstance(key, (list, tuple)):
            return _mitt_selected(self, key)
        if isinstance(key, slice):
            return _mitt_sliced(self, key)
        return _mitt_row(self, key)

    def __eq__(self, other):
        if not isinstance(other, Table):
            return NotImplemented
        return self is other or (self.columns == other.columns and _mitt_cells(self) == _mitt_cells(other))

    def __repr__(self):
        name = f"{self.name!r}, " if self.name else ""
        return f"Table({name}columns={self.columns!r}, {len(self)} rows)"

    def __str__(self):
        left_out = len(self) - 20
        return self[:20].markdown() + (f"\n({left_out} more rows)" if left_out > 0 else "")


def _mitt_sliced(table, key):
    rows = _mitt_settle(table)
    if rows is None and (key.step is None or key.step == 1):
        places = range(len(table))[key]
        return _mitt_part_of(table, places[0] if places else 0, len(places))
    if rows is None:
        # Rows with gaps are those of the table, too, whether it was changed before or not.
        whole = table if table._of is None else table._of
        _mitt_own(whole)
        rows = _mitt_settle(table)
    # The lists are shared, so that the rows stay those of the table.
    return _mitt_listed_part_of(table, [_mitt_list(rows, place) for place in range(len(rows))[key]])


def _mitt_selected(table, names):
    rows = _mitt_settle(table)
    for name in names:
        if name not in table._columns:
            raise KeyError(f"no column {name!r}; there are: {_mitt_names(table._columns)}")
    indices = [table._columns.index(name) for name in names]
    if rows is None:
        return mitt_select(_mitt_source_of(table), table.name, list(zip(indices, names)))
    return Table(names, [[row[index] for index in indices] for row in rows], table.name)


def _mitt_from_records(records, name=""):
    records = [dict(record) for record in records]
    columns = list(dict.fromkeys([column for record in records for column in record]))
    return Table(columns, [[record.get(column) for column in columns] for record in records], name)


def _mitt_from_rows(rows, columns=None, name=""):
    rows = list(rows)
    if columns is None and rows and isinstance(rows[0], dict):
        return _mitt_from_records(rows, name)
    if columns is None:
        # The first row is the header.
        if not rows:
            raise ValueError("from_rows() without columns takes them from the first row, and there is none")
        columns, rows = rows[0], rows[1:]
    return Table(columns, rows, name)


Table.from_records = _mitt_from_records
Table.from_dicts = _mitt_from_records
Table.from_rows = _mitt_from_rows
# An instance, because a class itself cannot leave monty.
mitt_register(Table([]))


def _mitt_markdown_row(cells):
    return "|" + "".join([f" {_mitt_markdown_cell(cell)} |" for cell in cells])


def _mitt_markdown_cell(cell):
    if cell is None:
        return ""
    return str(cell).replace("|", "\\|").replace("\n", " ")


def _mitt_names(names):
    return ", ".join([repr(name) for name in names]) or "none"


class Documents:
    """The session's documents, in the order in which they were given."""

    def __init__(self):
        self._run = 0
        self._loaded = []

    def _all(self):
        run = mitt_run()
        if self._run != run:
            self._loaded = [Document(*info) for info in mitt_documents()]
            self._run = run
        return self._loaded

    def __getattr__(self, name):
        if name == "names":
            return [document.name for document in self._all()]
        raise AttributeError(f"'Documents' object has no attribute '{name}'")

    def __iter__(self):
        return iter(self.names)

    def __len__(self):
        return len(self._all())

    def __contains__(self, name):
        return name in self.names

    def __getitem__(self, key):
        for document in self._all():
            if document.name == key:
                return document
        if isinstance(key, int):
            raise KeyError(
                f"documents are found by name: documents[{(self.names or ['name'])[0]!r}]; "
                f"in order they are list(documents.values())[{key}]"
            )
        raise KeyError(f"no document {key!r}; there are: {_mitt_names(self.names)}")

    def get(self, name, default=None):
        return self[name] if name in self.names else default

    def keys(self):
        return self.names

    def values(self):
        return list(self._all())

    def items(self):
        return [(document.name, document) for document in self._all()]

    def __repr__(self):
        return f"documents({', '.join([repr(name) for name in self.names])})"


class Document:
    """A document of the session, read only."""

    def __init__(self, name, media_type, title, warnings, characters):
        self.name = name
        self.media_type = media_type
        self.title = title
        self.warnings = warnings
        self._characters = characters

    def __getattr__(self, name):
        # Read once, then kept as an attribute.
        if name == "text":
            self.text = mitt_text(self.name, self._characters)
            return self.text
        if name == "tables":
            self.tables = Tables(mitt_tables(self.name))
            return self.tables
        raise AttributeError(f"'Document' object has no attribute '{name}'")

    def __repr__(self):
        return f"Document({self.name!r}, {self.media_type!r}, {self._characters} characters)"


class Tables:
    """A list of tables that also finds them by name."""

    def __init__(self, tables):
        self._tables = tables

    def __iter__(self):
        return iter(self._tables)

    def __len__(self):
        return len(self._tables)

    def __getitem__(self, key):
        if not isinstance(key, str):
            return self._tables[key]
        for table in self._tables:
            if table.name == key:
                return table
        raise KeyError(f"no table {key!r}; there are: {_mitt_names([table.name for table in self._tables])}")

    def __repr__(self):
        return repr(self._tables)


documents = Documents()
inputs = {}


def _mitt_call(tool, /, *arguments, **named):
    return mitt_call(tool, arguments, named)


def _mitt_files():
    return mitt_files()


def _mitt_remove(name):
    return mitt_remove(name)


def help(*what):
    print(mitt_help(*what))


def exit(code=None):
    if code is None:
        raise SystemExit()
    raise SystemExit(code)


quit = exit

mitt = mitt_module("mitt")
mitt.Document = Document
mitt.Table = Table
mitt.ToolError = ToolError
mitt.call = _mitt_call
mitt.documents = documents
mitt.files = _mitt_files
mitt.remove = _mitt_remove

import sys as _mitt_sys

_mitt_sys.exit = exit

_mitt_modules = {}
_mitt_last = {"run": 0}


def _mitt_import(name):
    mitt_check(name)
    run = mitt_run()
    if _mitt_last["run"] != run:
        # A skill may have changed since the last script.
        _mitt_last["run"] = run
        _mitt_modules.clear()
        _mitt_modules.update(_mitt_given)
        _mitt_sys.argv = _mitt_sys.argv[:1] + mitt_arguments()
    if name in _mitt_modules:
        return _mitt_modules[name]
    module, parts = mitt_load(name)
    if not parts:
        _mitt_modules[name] = module
        return module
    # Registered before its parts run: they may import it.
    _mitt_modules[name] = module
    before = mitt_library(True)
    try:
        for path, source in parts:
            _mitt_run(module, path, source)
    except BaseException:
        _mitt_modules.pop(name)
        raise
    finally:
        mitt_library(before)
    return module


def _mitt_run(module, path, source):
    before = mitt_begin(path)
    names = path.split(".")[1:]
    for index in range(len(names)):
        if not hasattr(module, names[index]):
            setattr(module, names[index], mitt_module(".".join(path.split(".")[: index + 2])))
        module = getattr(module, names[index])
    scope = {
        "__name__": path,
        "Table": Table,
        "documents": documents,
        "help": help,
        "mitt": mitt,
    }
    given = set(scope)
    exec(source, scope)
    # An exception skips this, so that the file of the error stays known.
    mitt_begin(before)
    for name, value in scope.items():
        if name not in given and name != "__builtins__":
            setattr(module, name, value)


# The modules that are not skills. They are the same in every script.
_mitt_given = {"mitt": mitt, "sys": _mitt_sys}
for _mitt_name, _mitt_source in mitt_libraries():
    _mitt_given[_mitt_name] = mitt_module(_mitt_name)
    _mitt_run(_mitt_given[_mitt_name], _mitt_name, _mitt_source)
