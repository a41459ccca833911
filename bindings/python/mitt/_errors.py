"""Errors of Mitt."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _mitt

if TYPE_CHECKING:
    from ._results import Result

__all__ = ["Error", "LimitReached"]

#: Kinds that a tool or a model may report.
_REPORTABLE = frozenset({"arguments", "input", "denied", "plugin"})


class LimitReached(NamedTuple):
    """A limit that was reached."""

    name: str
    """Name of the limit, such as ``fuel``."""
    limit: int
    """Its value."""
    used: int
    """What was used, or was asked for."""


class Error(Exception):
    """An error of Mitt.

    Tools and models that are Python functions may raise it too: ``raise mitt.Error("no such article", code="input")``. The model that
    made the call sees message and hint.
    """

    message: str
    """What happened, in one line."""
    code: str
    """The class of the error: ``unknown-tool``, ``arguments``, ``denied``, ``blocked``, ``limit``, ``trap``, ``plugin``, ``input``,
    ``load``, ``model``, ``disabled``, ``paused``, ``busy``, ``cancelled``, ``host``, ``internal``, ``forked`` or another one."""
    place: str | None
    """Where the mistake is: a parameter, an option such as ``options.limits.call.fuel``, a JSON pointer into arguments, or a file."""
    hint: str | None
    """Advice."""
    details: tuple[str, ...]
    """Further problems, one line each."""
    retryable: bool
    """``True`` if the same call may succeed later."""
    retry_after: float | None
    """Seconds after which a busy host may have a place."""
    limit: LimitReached | None
    """The limit that was reached."""
    problem: str | None
    """The kind of a problem with a document, such as that it needs a password."""
    answer: str | None
    """What the model said, if it never gave an answer that follows the schema of the run."""
    text: str
    """The whole error with details and hints, for people and models."""
    result: Result | None
    """What the call did until it failed: printed text, files, usage, and the approval that it waits for."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "plugin",
        place: str | None = None,
        hint: str | None = None,
        details: tuple[str, ...] = (),
        retryable: bool = False,
        retry_after: float | None = None,
        limit: LimitReached | None = None,
        problem: str | None = None,
        answer: str | None = None,
        text: str | None = None,
        result: Result | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.place = place
        self.hint = hint
        self.details = tuple(details)
        self.retryable = retryable
        self.retry_after = retry_after
        self.limit = limit
        self.problem = problem
        self.answer = answer
        self.text = message if text is None else text
        self.result = result

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[Any, ...]:
        fields = {name: value for name, value in self.__dict__.items() if name != "message"}
        return (_rebuilt, (type(self), self.message, fields))

    def report(self) -> str:
        """Returns what a tool or a model reports to Mitt."""
        report: dict[str, Any] = {"message": self.message, "hint": self.hint, "retryable": self.retryable}
        if self.code in _REPORTABLE:
            report["kind"] = self.code
        return reportable(report)

    def to_json(self) -> dict[str, Any]:
        """Returns what ``error_of`` reads."""
        wait = None if self.retry_after is None else round(self.retry_after * 1000)
        return {
            "message": self.message, "kind": self.code, "place": self.place, "hint": self.hint, "details": self.details,
            "retryable": self.retryable, "retry_after_ms": wait, "problem": self.problem, "answer": self.answer, "text": self.text,
            "limit": None if self.limit is None else self.limit._asdict(),
        }  # fmt: skip


def reportable(fields: dict[str, Any]) -> str:
    """Returns an error as JSON. Half of a surrogate pair is no text, and becomes a question mark."""
    return json.dumps(fields, ensure_ascii=False).encode("utf-8", "replace").decode()


def _rebuilt(kind: type[Error], message: str, fields: dict[str, Any]) -> Error:
    error = kind(message)
    error.__dict__.update(fields)
    return error


def error_of(json_of: dict[str, Any], result: Result | None = None) -> Error:
    """Returns the exception for the JSON of an error."""
    limit, wait = json_of.get("limit"), json_of.get("retry_after_ms")
    return Error(
        json_of["message"],
        code=json_of["kind"],
        place=json_of["place"],
        hint=json_of["hint"],
        details=tuple(json_of["details"]),
        retryable=json_of["retryable"],
        retry_after=None if wait is None else wait / 1000,
        limit=None if limit is None else LimitReached(limit["name"], limit["limit"], limit["used"]),
        problem=json_of.get("problem"),
        answer=json_of.get("answer"),
        text=json_of["text"],
        result=result,
    )


def _error_of_text(text: str) -> Error:
    return error_of(json.loads(text))


_mitt.set_error_factory(_error_of_text)
