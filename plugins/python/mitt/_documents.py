"""The session's documents as Python objects. The host is asked when a script reads them."""

from collections import abc

from componentize_py_types import Err
from wit_world.imports import documents as host

from mitt import _tables, _values


class Documents(abc.Mapping):
    """The session's documents by name, in the order in which they were given: a mapping.

    - `documents["2024.xlsx"]`, `documents.get("2024.xlsx")`, `"2024.xlsx" in documents`, `len(documents)`
    - `for name in documents`, `for document in documents.values()`, `for name, document in documents.items()`
    - `documents.names`: list of their names
    """

    def __init__(self):
        self._loaded = None

    def refresh(self):
        """Forget the documents: others may have been added since the last script of this instance."""
        self._loaded = None

    @property
    def names(self):
        """Names of the documents."""
        return list(self._all())

    def __iter__(self):
        return map(Name, self._all())

    def __len__(self):
        return len(self._all())

    def __getitem__(self, key):
        try:
            return self._all()[key]
        except (KeyError, TypeError):
            problem = f"no document {key!r}; there are: {_values._names(self.names)}"
        if isinstance(key, (int, slice)):
            example = next(iter(self._all()), "name")
            problem = (
                f"documents are found by name: documents[{example!r}]; in order they are list(documents.values())[{key!r}]"
            )
        raise KeyError(problem)

    def __repr__(self):
        return f"documents({', '.join(repr(name) for name in self.names)})"

    def _all(self):
        if self._loaded is None:
            self._loaded = {info.name: Document(info) for info in host.list()}
        return self._loaded


class Name(str):
    """The name of a document. Its errors explain how to get the document itself."""

    __slots__ = ()

    def __getattr__(self, name):
        if name in _OF_DOCUMENTS:
            raise AttributeError(
                f"{str(self)!r} is the name of a document: use documents[name].{name}, or iterate over documents.values()"
            )
        raise AttributeError(f"'str' object has no attribute {name!r}")

    def __reduce__(self):
        return str, (str(self),)


_OF_DOCUMENTS = ("media_type", "name", "tables", "text", "title", "warnings")


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
        self._table_names = [table.name for table in info.tables]
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
            handles = _asked(host.tables, self.name)
            self._tables = Tables(
                _tables.of_document(handle, name, (self.name, index))
                for index, (handle, name) in enumerate(zip(handles, self._table_names))
            )
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
        # Raise outside the handler: `Err` is a frozen dataclass, which is useless as the context of an exception.
        message = error.value.value
    raise OSError(message)
