"""What calls, scripts and models give."""

from __future__ import annotations

import io
import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ._errors import error_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from . import _mitt
    from ._process import ProcessSession

    Core: TypeAlias = _mitt.Session | ProcessSession

__all__ = ["Approval", "Artifact", "Made", "Result", "Run", "RunUsage", "ScriptResult", "Sheet", "Usage"]


class Sheet(NamedTuple):
    """A sheet of a workbook that was delivered."""

    name: str
    rows: int


class Usage(NamedTuple):
    """What a call used."""

    fuel: int
    """Fuel of the sandbox."""
    peak_memory_bytes: int
    duration: float
    """Seconds."""


class RunUsage(NamedTuple):
    """Tokens of a model."""

    input: int
    cached: int
    output: int
    reasoning: int


class Approval(NamedTuple):
    """A call that waits for a decision: see ``Session.resume``."""

    id: str
    tool: str
    title: str | None
    version: str
    arguments: Any
    arguments_sha256: str
    depth: int


class Artifact:
    """A delivered file.

    Its content stays in the session, which is kept while the object lives; a pickled one has its content in it.
    """

    __slots__ = ("_content", "_core", "media_type", "name", "pages", "sha256", "sheets", "size", "warnings")

    name: str
    media_type: str
    size: int
    """Bytes."""
    sha256: str
    pages: int | None
    """Number of pages of a PDF."""
    sheets: tuple[Sheet, ...]
    """Sheets of a workbook."""
    warnings: tuple[str, ...]
    """What could not be written as it was asked for."""

    def __init__(self, core: Core | None, json_of: dict[str, Any]) -> None:
        self._core = core
        self._content: bytes | None = None
        self.name = json_of["name"]
        self.media_type = json_of["media_type"]
        self.size = json_of["size"]
        self.sha256 = json_of["sha256"]
        self.pages = json_of["pages"]
        self.sheets = tuple(Sheet(sheet["name"], sheet["rows"]) for sheet in json_of["sheets"])
        self.warnings = tuple(json_of["warnings"])

    def read(self) -> bytes:
        """Returns the content.

        Raises ``Error`` with the code ``host`` if the file was removed from the folder of the session.
        """
        if self._content is not None:
            return self._content
        assert self._core is not None
        return self._core.artifact(self.name)

    def __bytes__(self) -> bytes:
        return self.read()

    def save(self, path: str | os.PathLike[str]) -> str:
        """Writes the content to a file, or to its name in a folder that exists, and returns the path."""
        target = os.fspath(path)
        if os.path.isdir(target):
            target = os.path.join(target, os.path.basename(self.name))
        content = self.read()
        with open(target, "wb") as file:
            file.write(content)
        return target

    def __repr__(self) -> str:
        return f"<mitt.Artifact {self.name!r}, {self.media_type}, {self.size} bytes>"

    def __getstate__(self) -> dict[str, Any]:
        state = {name: getattr(self, name) for name in self.__slots__}
        state["_content"], state["_core"] = self.read(), None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)


class Result:
    """The result of a call or a script."""

    __slots__ = ("_notes", "approval", "artifacts", "attempts", "call", "printed", "tool", "usage", "value")

    value: Any
    """The result of the tool as JSON."""
    artifacts: tuple[Artifact, ...]
    """The files that the call delivered."""
    tool: str
    call: int
    """Number of the call in its session."""
    attempts: int
    printed: str
    """What the call printed."""
    usage: Usage
    approval: Approval | None
    """The decision that the call waits for."""

    def __init__(self, core: Core, report: dict[str, Any]) -> None:
        self._notes: tuple[str, ...] = ()
        self.value = report["result"]
        self.artifacts = tuple(Artifact(core, item) for item in report["artifacts"])
        self.tool = report["tool"]
        self.call = report["call"]
        self.attempts = report["attempts"]
        self.printed = report["printed"]
        self.usage = usage_of(report["usage"])
        self.approval = None if report["approval"] is None else approval_of(report["approval"])

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of tables that were arguments, with their names, and of all delivered files."""
        return self._notes + tuple(warning for artifact in self.artifacts for warning in artifact.warnings)

    @property
    def table(self) -> str | None:
        """The name of the table that the result is or refers to, for ``Session.table``; ``None`` if there is none."""
        value = self.value
        if isinstance(value, dict) and "$ref" not in value:
            tables = [item for item in value.values() if isinstance(item, dict) and "$ref" in item]
            value = tables[0] if len(tables) == 1 else None
        reference = value.get("$ref") if isinstance(value, dict) else None
        return reference if isinstance(reference, str) else None

    def for_model(self) -> str:
        """Returns the result as text for a model: its value as JSON, and the names of files."""
        if not self.artifacts:
            return json.dumps(self.value, ensure_ascii=False)
        files = [{"name": item.name, "size": item.size, "warnings": item.warnings} for item in self.artifacts]
        return json.dumps({"result": self.value, "files": files}, ensure_ascii=False)

    def __repr__(self) -> str:
        return f"<mitt.Result of {self.tool}, {len(self.artifacts)} files>"


class ScriptResult(Result):
    """The result of a script. ``value`` is that of its last expression."""

    __slots__ = ("details", "stderr", "stdout")

    stdout: str
    stderr: str
    details: dict[str, Any]
    """All that is known of it: fuel, time, calls of tools, and for an error its kind, line and column."""

    def __init__(self, core: Core, report: dict[str, Any]) -> None:
        details: dict[str, Any] = report["result"]
        super().__init__(core, {**report, "result": details.get("result")})
        self.details = details
        self.stdout = self.details["stdout"]
        self.stderr = self.details["stderr"]


class Run:
    """What a model did about a task."""

    __slots__ = ("artifacts", "calls", "missing", "output", "text", "turns", "usage")

    text: str
    """The last text of the model."""
    output: Any
    """The value of the answer, if the run has an ``output_schema``; otherwise ``None``. ``text`` is the same as JSON, with all digits."""
    turns: int
    """How often the model was asked."""
    artifacts: tuple[Artifact, ...]
    """The files that were delivered."""
    missing: tuple[str, ...]
    """Kinds of files that were asked for and are not there."""
    calls: tuple[Result | Exception, ...]
    """Each call, in order: its result, or its error."""
    usage: RunUsage

    def __init__(self, core: Core, report: dict[str, Any]) -> None:
        delivered = set(report["delivered"])
        self.text = report["text"]
        self.output = report["output"]
        self.turns = report["turns"]
        self.artifacts = tuple(item for item in artifacts_of(core) if item.name in delivered)
        self.missing = tuple(report["missing"])
        self.calls = tuple(_call(core, call) for call in report["calls"])
        usage = report["usage"]
        self.usage = RunUsage(usage["input"], usage["cached"], usage["output"], usage["reasoning"])

    def __repr__(self) -> str:
        return f"<mitt.Run, {self.turns} turns, {len(self.calls)} calls, {len(self.artifacts)} files>"


class Made(NamedTuple):
    """A file that was made without a session."""

    content: bytes
    warnings: tuple[str, ...]
    """What could not be written as it was asked for."""
    pages: int | None = None
    """Number of pages of a PDF."""
    slides: int | None = None
    sheets: tuple[Sheet, ...] = ()

    @property
    def media_type(self) -> str:
        """The media type of the content."""
        return _media_type(self.content)

    def __bytes__(self) -> bytes:
        return self.content

    def __repr__(self) -> str:
        # The content may have megabytes.
        counted = [f"{name}={count}" for name, count in (("pages", self.pages), ("slides", self.slides)) if count is not None]
        sheets = [f"sheets={[sheet.name for sheet in self.sheets]!r}"] if self.sheets else []
        warnings = [f"warnings={self.warnings!r}"] if self.warnings else []
        return f"<mitt.Made {', '.join([self.media_type, f'{len(self.content)} bytes', *counted, *sheets, *warnings])}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the content to a file."""
        with open(path, "wb") as file:
            file.write(self.content)


_OFFICE = "application/vnd.openxmlformats-officedocument"
#: Files in archives of Office, and their media types. Those with macros come first.
_OFFICE_TYPES = {
    "word/vbaProject.bin": "application/vnd.ms-word.document.macroEnabled.12",
    "xl/vbaProject.bin": "application/vnd.ms-excel.sheet.macroEnabled.12",
    "word/document.xml": f"{_OFFICE}.wordprocessingml.document",
    "xl/workbook.xml": f"{_OFFICE}.spreadsheetml.sheet",
    "ppt/presentation.xml": f"{_OFFICE}.presentationml.presentation",
}


def _media_type(content: bytes) -> str:
    """Returns the media type of a file that Mitt made."""
    if content.startswith(b"%PDF-"):
        return "application/pdf"
    if not content.startswith(b"PK"):
        return "text/html"
    # It takes long to import, and few programs ask.
    import zipfile

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = frozenset(archive.namelist())
    except zipfile.BadZipFile:
        return "application/zip"
    return next((media_type for name, media_type in _OFFICE_TYPES.items() if name in names), "application/zip")


def usage_of(usage: dict[str, Any]) -> Usage:
    return Usage(usage["fuel"], usage["peak_memory_bytes"], usage["duration_us"] / 1e6)


def approval_of(request: dict[str, Any]) -> Approval:
    return Approval(
        request["id"], request["tool"], request["title"], request["version"], request["arguments"], request["arguments_sha256"],
        request["depth"],
    )  # fmt: skip


def artifacts_of(core: Core) -> Sequence[Artifact]:
    """Returns the delivered files of a session."""
    return [Artifact(core, item) for item in json.loads(core.artifacts())]


def result_of(core: Core, text: str, notes: Sequence[str] = ()) -> Result:
    """Returns the result of a call, or raises its error. ``notes`` are warnings about its arguments."""
    report = json.loads(text)
    result = _made(core, report)
    result._notes = tuple(notes)
    if not report["ok"]:
        raise error_of(report["error"], result)
    return result


def script_result_of(core: Core, text: str) -> ScriptResult:
    """Returns the result of a script, or raises its error."""
    result = result_of(core, text)
    assert isinstance(result, ScriptResult)
    return result


def _made(core: Core, report: dict[str, Any]) -> Result:
    value = report["result"]
    is_script = report["tool"].endswith("__run") and isinstance(value, dict) and "stdout" in value and "stderr" in value
    return ScriptResult(core, report) if is_script else Result(core, report)


def _call(core: Core, report: dict[str, Any]) -> Result | Exception:
    result = _made(core, report)
    return result if report["ok"] else error_of(report["error"], result)


def made_of(made: tuple[bytes, str]) -> Made:
    content, report = made[0], json.loads(made[1])
    sheets = tuple(Sheet(sheet["name"], sheet["rows"]) for sheet in report.get("sheets") or ())
    return Made(content, tuple(report["warnings"]), report.get("pages"), report.get("slides"), sheets)
