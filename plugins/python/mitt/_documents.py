"""The session's documents as Python objects. Nothing is asked of the host before a script looks."""

from componentize_py_types import Err
from wit_world.imports import documents as host
from wit_world.imports.types import Cell_Null, Cell_Number

from mitt import _values


class Documents:
    """The session's documents, in the order in which they were given.

    - `documents["2024.xlsx"]` or `documents[0]`: a document
    - `for document in documents`, `len(documents)`, `"2024.xlsx" in documents`
    - `documents.names`: their names
    """

    def __init__(self):
        self._loaded = None

    def refresh(self):
        """Ask the host again: since the last script of this instance documents may have been added."""
        self._loaded = None

    @property
    def names(self):
        """Names of the documents."""
        return [document.name for document in self]

    def __iter__(self):
        return iter(self._all())

    def __len__(self):
        return len(self._all())

    def __contains__(self, name):
        return any(document.name == name for document in self)

    def __getitem__(self, key):
        if not isinstance(key, str):
            return self._all()[key]
        for document in self:
            if document.name == key:
                return document
        raise KeyError(f"no document {key!r}; there are: {_values._names(self.names)}")

    def __repr__(self):
        return f"documents({', '.join(repr(name) for name in self.names)})"

    def _all(self):
        if self._loaded is None:
            self._loaded = [Document(info) for info in host.list()]
        return self._loaded


class Document:
    """A document of the session, read only.

    - `document.text`: the whole text, as Markdown
    - `document.tables`: list of its tables, also by name: `document.tables["DAU"]`
    - `document.name`, `document.media_type`, `document.title`, `document.warnings`
    """

    def __init__(self, info):
        self.name = info.name
        self.media_type = info.media_type
        self.title = info.title
        self.warnings = list(info.warnings)
        self._characters = info.characters
        self._text = None
        self._tables = None

    @property
    def text(self):
        """The whole text, as Markdown."""
        if self._text is None:
            self._text = _asked(host.text, self.name, 0, self._characters).text
        return self._text

    @property
    def tables(self):
        """The tables, in order."""
        if self._tables is None:
            self._tables = Tables(_table(named) for named in _asked(host.tables, self.name))
        return self._tables

    def __repr__(self):
        return f"Document({self.name!r}, {self.media_type!r}, {self._characters} characters)"


class Tables(list):
    """A list of tables that also finds them by name."""

    __slots__ = ()

    def __getitem__(self, key):
        if not isinstance(key, str):
            return super().__getitem__(key)
        for table in self:
            if table.name == key:
                return table
        raise KeyError(f"no table {key!r}; there are: {_values._names(table.name for table in self)}")


def _asked(function, *arguments):
    try:
        return function(*arguments)
    except Err as error:
        # Out of the handler first: `Err` is a frozen dataclass, which as context of another exception helps nobody.
        message = error.value.value
    raise OSError(message)


def _table(named):
    data = named.data
    return _values.Table._of_lists(data.columns, [[_cell(cell) for cell in row] for row in data.rows], named.name)


def _cell(cell):
    kind = type(cell)
    if kind is Cell_Null:
        return None
    if kind is Cell_Number:
        return _values.number(cell.value)
    return cell.value
