"""Tables between processes: Arrow's stream format, by pyarrow."""

from __future__ import annotations

from typing import Any

from ._errors import Error


def _pyarrow() -> Any:
    try:
        import pyarrow  # type: ignore[import-untyped]
        import pyarrow.ipc  # type: ignore[import-untyped]
    except ImportError as error:
        message = "tables between processes need pyarrow"
        raise Error(message, code="disabled", hint="install pyarrow, or use the host in this process", text=message) from error
    return pyarrow


def to_ipc(table: Any) -> bytes:
    """Returns an object with ``__arrow_c_stream__`` as bytes."""
    pyarrow = _pyarrow()
    sink = pyarrow.BufferOutputStream()
    try:
        reader = pyarrow.RecordBatchReader.from_stream(table)
        with pyarrow.ipc.new_stream(sink, reader.schema) as writer:
            for batch in reader:
                writer.write_batch(batch)
    except Exception as error:
        if isinstance(error, ValueError) and not isinstance(error, pyarrow.ArrowException):
            # It is no capsule of a stream.
            raise
        # A producer may raise anything.
        raise Error(f"stream: {error}", code="input", place="stream") from error
    made: bytes = sink.getvalue().to_pybytes()
    return made


def from_ipc(data: bytes) -> Any:
    """Returns the table in bytes of ``to_ipc``."""
    return _pyarrow().ipc.open_stream(data).read_all()


class SentTable:
    """A table of a session in another process: what ``mitt.Table`` is, over a table of pyarrow."""

    def __init__(self, data: bytes) -> None:
        self._table = from_ipc(data)

    @property
    def rows(self) -> int:
        """Number of rows."""
        rows: int = self._table.num_rows
        return rows

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._table.column_names)

    @property
    def warnings(self) -> list[str]:
        """The columns that are not what they are in the session: cells of several types are texts."""
        mixed = (b"mitt:column-type", b"mixed")
        return [
            f"column `{field.name}` (index {index}): its cells of several types are texts"
            for index, field in enumerate(self._table.schema)
            if mixed in (field.metadata or {}).items()
        ]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._table.schema.__arrow_c_schema__()
