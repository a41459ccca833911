"""Files without a session: Markdown is rendered, templates are filled."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from . import _mitt
from ._options import millis, text_of
from ._results import Made, made_of
from ._waiting import run, wait

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["afill", "arender", "fill", "render"]

Format = Literal["pdf", "docx", "html", "pptx", "xlsx"]


def render(
    markdown: str,
    format: Format,
    *,
    title: str | None = None,
    author: str | None = None,
    language: str | None = None,
    paper: Literal["a4", "letter"] | None = None,
    contents: bool = False,
    theme: str | None = None,
    created: float | None = None,
    cancel: _mitt.Cancel | None = None,
) -> Made:
    """Makes a file from Markdown.

    ``contents`` adds a table of contents, ``theme`` is the text of a file of a theme, and ``created`` are seconds since 1970.

    Raises ``Error`` with the code ``arguments`` if the text or an option is wrong, ``disabled`` if this build lacks the format, and
    ``cancelled``.
    """
    options = _render_options(title, author, language, paper, contents, theme, created)
    return made_of(run(_mitt.render(format, markdown, options), cancel))


async def arender(
    markdown: str,
    format: Format,
    *,
    title: str | None = None,
    author: str | None = None,
    language: str | None = None,
    paper: Literal["a4", "letter"] | None = None,
    contents: bool = False,
    theme: str | None = None,
    created: float | None = None,
    cancel: _mitt.Cancel | None = None,
) -> Made:
    """Does what ``render`` does, without blocking the event loop."""
    options = _render_options(title, author, language, paper, contents, theme, created)
    return made_of(await wait(_mitt.render(format, markdown, options), cancel))


def fill(
    template: bytes,
    values: Mapping[str, Any] | str,
    *,
    as_xlsx: bool = False,
    content: str | None = None,
    created: float | None = None,
    cancel: _mitt.Cancel | None = None,
) -> Made:
    """Fills a template of Word or Excel with values, which are an object or its JSON text.

    ``as_xlsx`` makes a plain workbook out of one with macros; ``content`` is Markdown for the place of the content in a Word file.

    Raises ``Error`` with the code ``input`` if the template is wrong, ``arguments`` if values are missing or do not fit, and
    ``cancelled``.
    """
    return made_of(run(_filling(template, values, as_xlsx, content, created), cancel))


async def afill(
    template: bytes,
    values: Mapping[str, Any] | str,
    *,
    as_xlsx: bool = False,
    content: str | None = None,
    created: float | None = None,
    cancel: _mitt.Cancel | None = None,
) -> Made:
    """Does what ``fill`` does, without blocking the event loop."""
    return made_of(await wait(_filling(template, values, as_xlsx, content, created), cancel))


def _render_options(
    title: str | None,
    author: str | None,
    language: str | None,
    paper: str | None,
    contents: bool,
    theme: str | None,
    created: float | None,
) -> str:
    options = {
        "title": title, "author": author, "language": language, "paper": paper, "contents": contents or None, "theme": theme,
        "created_ms": millis(created),
    }  # fmt: skip
    return text_of(options)


def _filling(
    template: bytes, values: Mapping[str, Any] | str, as_xlsx: bool, content: str | None, created: float | None
) -> _mitt.Work:
    text = values if isinstance(values, str) else json.dumps(values, ensure_ascii=False)
    options = {"as_xlsx": as_xlsx or None, "content": content, "created_ms": millis(created)}
    return _mitt.fill(bytes(template), text, text_of(options))


