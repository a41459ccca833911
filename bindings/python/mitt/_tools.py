"""Python functions as tools and models.

A tool's JSON Schema comes from the annotations of the function, its description from the docstring.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ._errors import Error, reportable

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._mitt import Stop
    from ._process import ProcessStop
    from ._waiting import Loop

#: What a function gets from Mitt: a request and a flag. It returns whether it succeeded, and an answer.
Answering = "Callable[[str, Stop], tuple[bool, str]]"


class Definition:
    """A function that is a tool."""

    __slots__ = ("call", "json")

    def __init__(
        self,
        function: Callable[..., Any],
        loop: Loop,
        *,
        name: str | None,
        description: str | None,
        title: str | None,
        parameters: dict[str, Any] | None,
        read_only: bool,
        idempotent: bool,
        destructive: bool,
        timeout: float | None,
    ) -> None:
        from . import _schema

        signature = _schema.Signature(function, parameters)
        own = getattr(function, "__name__", None)
        if name is None and (own is None or not own.isidentifier()):
            raise Error("the function has no name", code="arguments", place="name", hint='name the tool: `name="shop__price"`')
        definition: dict[str, Any] = {
            "name": f"app__{own}" if name is None else name,
            "description": signature.description if description is None else description,
            "parameters": signature.parameters,
            "title": title,
            "timeout_ms": None if timeout is None else round(timeout * 1000),
            "read_only": read_only,
            "idempotent": idempotent,
            "destructive": destructive,
        }
        self.json = json.dumps(definition, ensure_ascii=False)
        self.call = answering(function, lambda request: signature.arguments(json.loads(request)), to_json, loop)


def answering(
    function: Callable[..., Any],
    arguments: Callable[[str], dict[str, Any] | tuple[Any]],
    answer: Callable[[Any], str],
    loop: Loop,
    failed: Callable[[BaseException], None] | None = None,
) -> Callable[[str, Any], tuple[bool, str]]:
    """Returns what Mitt calls instead of ``function``. Coroutines run in ``loop``."""

    def called(request: str, stop: Stop | ProcessStop) -> tuple[bool, str]:
        try:
            given = arguments(request)
            result = function(**given) if isinstance(given, dict) else function(*given)
            if hasattr(result, "__await__"):
                result = loop.result(_awaited(result), stop)
            return True, answer(result)
        # A function may raise anything, also what ends a program; here it ends a call.
        except BaseException as error:
            if failed is not None:
                failed(error)
            return False, _reported(error)

    return called


async def _awaited(result: Any) -> Any:
    return await result


def _reported(error: BaseException) -> str:
    if isinstance(error, Error):
        return error.report()
    name = type(error).__name__
    try:
        text = str(error)
    # Its class may be one of the program, whose methods raise anything.
    except BaseException:
        text = ""
    return reportable({"message": f"{name}: {text}" if text else name})


def to_json(value: Any) -> str:
    """Returns the result of a tool as JSON."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
        # Half of a surrogate pair is no text.
        text.encode()
        return text
    except (TypeError, ValueError, RecursionError) as error:
        raise Error(f"the tool gave a result that is not JSON: {error}") from error


def _plain(value: Any) -> Any:
    import dataclasses
    import datetime
    import decimal
    import enum

    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, (set, frozenset)):
        return list(value)
    dump = getattr(value, "model_dump", None)
    if dump is not None:
        return dump(mode="json")
    raise TypeError(f"an object of the type {type(value).__name__}")


def model_answer(answer: Any) -> str:
    """Returns the answer of a model as JSON: a text is a message."""
    if isinstance(answer, str):
        return json.dumps({"role": "assistant", "content": answer}, ensure_ascii=False)
    dump = getattr(answer, "model_dump", None)
    if dump is not None:
        # Responses of OpenAI's package and of those that are made like it.
        answer = dump(mode="json", exclude_none=True)
    if not isinstance(answer, dict):
        raise TypeError(f"expected the model to return a dict or a str, got {type(answer).__name__}")
    return json.dumps(answer, ensure_ascii=False)
