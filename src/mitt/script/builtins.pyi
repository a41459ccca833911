
Cell: TypeAlias = None | bool | int | float | Decimal | str
CellInput: TypeAlias = Cell
TableInput: TypeAlias = Table | Sequence[Mapping[str, Any]] | Mapping[str, Any]


class Object(dict[str, Any]):
    """A JSON object: a dict whose keys can also be read as attributes."""
    def __getattr__(self, name: str) -> Any: ...


class Table:
    """Named columns, and rows with one cell per column."""
    name: str
    columns: list[str]
    rows: list[list[Cell]]
    def __init__(self, columns: Iterable[str], rows: Iterable[Iterable[Any]] = ..., name: str = ...) -> None: ...
    @classmethod
    def from_records(cls, records: Iterable[Mapping[str, Any]], name: str = ...) -> Table: ...
    def records(self) -> list[Object]: ...
    def markdown(self) -> str: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Object]: ...
    @overload
    def __getitem__(self, key: str) -> list[Any]: ...
    @overload
    def __getitem__(self, key: int) -> Object: ...
    @overload
    def __getitem__(self, key: slice) -> Table: ...


class Tables(Sequence[Table]):
    """The tables of a document, by position or by name."""
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, key: int | str) -> Table: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Table]: ...


class Document:
    """A document of the session, read only."""
    name: str
    media_type: str
    title: str | None
    warnings: list[str]
    @property
    def text(self) -> str: ...
    @property
    def tables(self) -> Tables: ...


class Documents:
    """The session's documents, by position or by name."""
    @property
    def names(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Document]: ...
    def __contains__(self, name: object) -> bool: ...
    def __getitem__(self, key: int | str) -> Document: ...


class ToolError(Exception):
    """A tool refused a call or failed."""
    kind: Literal["unknown-tool", "arguments", "plugin", "trap"]
    message: str
    tool: str | None


documents: Documents
