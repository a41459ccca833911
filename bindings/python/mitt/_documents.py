"""Documents of a session."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["Document", "DocumentTable", "Page", "Tool"]


class DocumentTable(NamedTuple):
    """A table in a document. ``Session.table`` gives its columns."""

    name: str
    place: str | None
    """Where it is in the document, such as ``page 3``."""
    rows: int
    columns: tuple[str, ...]


class Page(NamedTuple):
    """A page, slide, sheet or chapter."""

    label: str
    """Such as ``page 3``."""
    text: str


class Document:
    """A file that a session has read. It is a copy: it does not change, and outlives the session."""

    __slots__ = ("characters", "media_type", "name", "pages", "sha256", "size", "tables", "text", "title", "warnings")

    name: str
    """Its name in the session, by which tools refer to it."""
    media_type: str
    title: str | None
    size: int
    """Bytes."""
    sha256: str
    characters: int
    text: str
    """The text as Markdown, with each table at its place."""
    pages: tuple[Page, ...]
    """Pages, slides, sheets or chapters; none if the document has none."""
    tables: tuple[DocumentTable, ...]
    warnings: tuple[str, ...]
    """What could not be read."""

    def __init__(self, json_of: dict[str, Any]) -> None:
        self.name = json_of["name"]
        self.media_type = json_of["media_type"]
        self.title = json_of["title"]
        self.size = json_of["size"]
        self.sha256 = json_of["sha256"]
        self.characters = json_of["characters"]
        self.text = text = json_of.get("text", "")
        self.tables = tuple(
            DocumentTable(table["name"], table["place"], table["rows"], tuple(table["columns"]))
            for table in json_of["tables"]
        )
        self.warnings = tuple(json_of["warnings"])
        places = json_of.get("places", ())
        ends = [place["offset"] for place in places[1:]] + [len(text)]
        self.pages = tuple(
            Page(place["label"], text[place["offset"] : end]) for place, end in zip(places, ends)
        )

    def __repr__(self) -> str:
        return f"<mitt.Document {self.name!r}, {self.characters} characters, {len(self.tables)} tables>"


class Tool(NamedTuple):
    """A tool of a session."""

    name: str
    skill: str
    title: str | None
    description: str
    parameters: dict[str, Any]
    """JSON Schema of the arguments."""
    result: dict[str, Any] | None
    """JSON Schema of the result."""
    read_only: bool
    idempotent: bool
    destructive: bool

    def function(self) -> dict[str, Any]:
        """Returns the tool as OpenAI's and most other interfaces for models have it."""
        function = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": function}


def tool_of(json_of: dict[str, Any]) -> Tool:
    return Tool(**{name: json_of[name] for name in Tool._fields})
