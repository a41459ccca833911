"""Options of hosts, sessions and calls."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, Union

from ._errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "AgentLimits", "BlockingLimits", "CallLimits", "CallOptions", "ConcurrencyLimits", "Limits", "MemoryLimits", "PartsLimits", "Rules",
    "SessionLimits", "TablePreview",
]  # fmt: skip


class CallLimits(TypedDict, total=False):
    """Limits that every call is lowered to."""

    time_ms: int
    fuel: int
    memory_bytes: int
    table_elements: int
    instances: int
    handles: int
    output_bytes: int
    transfer_bytes: int


class PartsLimits(TypedDict, total=False):
    """Limits of the files in a file."""

    time_ms: int
    fuel: int
    bytes: int
    files: int


class SessionLimits(TypedDict, total=False):
    """Limits of every session."""

    arguments_bytes: int
    arguments_depth: int
    nested_arguments_bytes: int
    tool_calls: int
    call_depth: int
    handles: int
    artifact_bytes: int
    artifacts_bytes: int
    artifact_files: int
    workspace_bytes: int
    workspace_files: int
    document_bytes: int
    documents_bytes: int
    documents: int
    document_characters: int
    table_characters: int
    result_characters: int
    model_turns: int
    journal_bytes: int
    parts: PartsLimits


class ConcurrencyLimits(TypedDict, total=False):
    """Limits of calls that run and wait at once."""

    total: int
    per_tenant: int
    queue: int
    wait_ms: int


class MemoryLimits(TypedDict, total=False):
    """Limits of memory in bytes."""

    host: int
    per_call: int
    per_session: int
    per_tenant: int


class BlockingLimits(TypedDict, total=False):
    """Limits of rendering and compiling."""

    places: int
    per_tenant: int
    queue: int
    wait_ms: int
    render_time_ms: int


class Limits(TypedDict, total=False):
    """Limits of a host. What is missing has the default of the library."""

    call: CallLimits
    session: SessionLimits
    concurrency: ConcurrencyLimits
    memory: MemoryLimits
    blocking: BlockingLimits


class AgentLimits(TypedDict, total=False):
    """Limits of a run with a model."""

    turns: int
    calls: int
    tokens: int
    time_ms: int
    wrong_turns: int
    script_repairs: int
    context_characters: int
    context_tokens: int


class Rules(NamedTuple):
    """Rules about content: one word per line, or YAML if the name ends in ``.yaml``."""

    name: str
    text: str


class TablePreview(TypedDict, total=False):
    """How a table in a result is shown if it has more cells: by its first rows and a reference."""

    cells: int
    first_rows: int


class CallOptions(NamedTuple):
    """Options that all calls have."""

    timeout: float | None = None
    """Seconds. It can only lower the limit of the tool."""
    created: float | None = None
    """The time that delivered files state, in seconds since 1970."""
    tables: Literal["whole", "model"] | TablePreview = "whole"
    """How tables in the result are shown: whole, as models see them, or by reference if they have more cells."""

    def _fields_of_json(self) -> dict[str, Any]:
        return {"timeout_ms": millis(self.timeout), "created_ms": millis(self.created), "tables": self.tables}


#: A file of rules, or rules.
RulesSource = Union["Rules", str, "os.PathLike[str]"]


def millis(seconds: float | None) -> int | None:
    """Returns whole milliseconds."""
    return None if seconds is None else round(seconds * 1000)


def paths(given: Iterable[str | os.PathLike[str]]) -> list[str]:
    return [os.fspath(path) for path in given]


def rules_of(given: Iterable[RulesSource]) -> list[dict[str, str]]:
    """Returns sets of rules. Those of files are read."""
    sets = []
    for rules in given:
        if not isinstance(rules, Rules):
            path = os.fspath(rules)
            try:
                with open(path, encoding="utf-8") as file:
                    rules = Rules(os.path.basename(path), file.read())
            except (OSError, ValueError) as error:
                reason = error.strerror if isinstance(error, OSError) else str(error)
                raise Error(f"cannot read the rules `{path}`: {reason}", code="input", place=path) from error
        sets.append({"name": rules.name, "text": rules.text})
    return sets


def text_of(options: Mapping[str, Any]) -> str:
    """Returns options as JSON text, without those that were not given."""
    given = {name: value for name, value in options.items() if value is not None}
    return json.dumps(given, ensure_ascii=False) if given else ""


_DEFAULT = CallOptions()


def call_options(options: CallOptions | None) -> dict[str, Any]:
    return {} if options is None or options == _DEFAULT else options._fields_of_json()
