"""JSON Schemas from annotations, and arguments as the types that the annotations name."""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import inspect
import re
import types
import typing
from typing import Any, Union

from ._errors import Error

_SCALARS: dict[Any, str] = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
_LISTS = (list, tuple, set, frozenset, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection)
_MAPPINGS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
#: Formats of texts for types of ``datetime``, and an example of each.
_TIMES = {"date": ("date", "2024-12-31"), "datetime": ("date-time", "2024-12-31T08:30:00"), "time": ("time", "08:30:00")}
#: What a model sees of them. Hosts do not pass formats on.
_FORMS = {name: f"{format}, such as {example}" for name, (format, example) in _TIMES.items()}
_DECIMAL = r"^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$"
_SECTION = re.compile(r"^\s*(Args|Arguments|Parameters|Returns|Raises|Yields|Example|Examples)\s*:?\s*$", re.M)
_GOOGLE = re.compile(r"^[ \t]+(\w+)[ \t]*(?:\([^)]*\))?:[ \t]+(.+?)$", re.M)
_SPHINX = re.compile(r"^[ \t]*:param\s+(?:[\w\[\], |]+\s+)?(\w+):\s*(.+?)$", re.M)


class Signature:
    """Parameters and description of a function."""

    def __init__(self, function: Any, parameters: dict[str, Any] | None) -> None:
        docs = inspect.getdoc(function) or ""
        first = min((match.start() for match in (*_SECTION.finditer(docs), *_SPHINX.finditer(docs))), default=len(docs))
        self.description = docs[:first].strip()
        self._hints: dict[str, Any] = {}
        if parameters is not None:
            self.parameters = parameters
            return
        try:
            hints = typing.get_type_hints(function, include_extras=True)
        except (NameError, TypeError) as error:
            message = f"the annotations of `{_name(function)}` cannot be read: {error}"
            raise Error(message, code="arguments", hint="import the types at run time, or give `parameters`") from error
        described = dict(_SPHINX.findall(docs)) | dict(_GOOGLE.findall(docs[first:]))
        properties: dict[str, Any] = {}
        required = []
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
                message = f"parameter `{name}` of `{_name(function)}` cannot be given by its name"
                raise Error(message, code="arguments", place=name, hint="use parameters that have names, or give `parameters`")
            annotation = hints.get(name, Any)
            self._hints[name] = annotation
            schema = schema_of(annotation, name)
            form = schema.get("description")
            if name in described and form is None:
                schema["description"] = described[name].strip()
            elif name in described and form in _FORMS.values():
                schema["description"] = f"{described[name].strip()} ({form})"
            if parameter.default is parameter.empty:
                required.append(name)
            elif _is_plain(parameter.default):
                schema["default"] = parameter.default
            properties[name] = schema
        definitions: dict[str, Any] = {}
        properties = _hoisted(properties, definitions)
        self.parameters = {"type": "object", "properties": properties, "required": required}
        if definitions:
            self.parameters["$defs"] = definitions

    def arguments(self, given: dict[str, Any]) -> dict[str, Any]:
        """Returns arguments as the types of the annotations."""
        return {name: _converted(self._hints.get(name, Any), value, f"/{name}") for name, value in given.items()}


def _name(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _is_plain(value: Any) -> bool:
    return isinstance(value, (str, bool, int, float))


def schema_of(annotation: Any, place: str) -> dict[str, Any]:
    """Returns the schema of an annotation.

    Raises ``Error`` with the code ``arguments`` if it names a type that JSON cannot express.
    """
    origin, items = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is Any or annotation is inspect.Parameter.empty or annotation is object:
        return {}
    if annotation in _SCALARS:
        return {"type": _SCALARS[annotation]}
    if origin is typing.Annotated:
        schema = schema_of(items[0], place)
        for extra in items[1:]:
            text = extra if isinstance(extra, str) else getattr(extra, "description", None)
            if isinstance(text, str):
                schema["description"] = text
        return schema
    if origin is typing.Literal:
        return _enumeration(list(items), place)
    if origin is Union or origin is types.UnionType:
        return {"anyOf": [schema_of(item, place) for item in items]}
    if annotation in _LISTS or origin in _LISTS:
        inner = [item for item in items if item is not Ellipsis]
        return {"type": "array", "items": schema_of(inner[0], f"{place}[]") if len(inner) == 1 else {}}
    if annotation in _MAPPINGS or origin in _MAPPINGS:
        return {"type": "object", "additionalProperties": schema_of(items[1], f"{place}.*") if items else True}
    if isinstance(annotation, type):
        made = _schema_of_class(annotation, place)
        if made is not None:
            return made
    message = f"the type {annotation!r} of `{place}` cannot be written as JSON"
    hint = "use str, int, float, bool, date, datetime, Decimal, list, dict, Literal, Enum, TypedDict or a dataclass"
    raise Error(message, code="arguments", place=place, hint=hint)


def _hoisted(schema: Any, definitions: dict[str, Any]) -> Any:
    """Returns a schema without the definitions of its models, which are added to those of the root: references begin there."""
    if isinstance(schema, list):
        return [_hoisted(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    own = schema.get("$defs")
    # A parameter may have this name: then it has a schema, and no definitions.
    if not isinstance(own, dict) or not all(isinstance(item, dict) for item in own.values()):
        return {key: _hoisted(item, definitions) for key, item in schema.items()}
    number, suffix = 1, ""
    while True:
        renamed = {f"#/$defs/{name}": f"#/$defs/{name}{suffix}" for name in own}
        moved = {f"{name}{suffix}": _referring(item, renamed) for name, item in own.items()}
        # Models of several modules may have the same name.
        if all(definitions.get(name, item) == item for name, item in moved.items()):
            break
        number += 1
        suffix = f"_{number}"
    definitions.update(moved)
    return {key: _referring(item, renamed) for key, item in schema.items() if key != "$defs"}


def _referring(schema: Any, renamed: dict[str, str]) -> Any:
    """Returns a schema with other references."""
    if isinstance(schema, list):
        return [_referring(item, renamed) for item in schema]
    if isinstance(schema, dict):
        return {key: _referring(item, renamed) for key, item in schema.items()}
    return renamed.get(schema, schema) if isinstance(schema, str) else schema


def _enumeration(values: list[Any], place: str) -> dict[str, Any]:
    kinds = {_SCALARS.get(type(value)) for value in values}
    if None in kinds:
        raise Error(f"a value of `{place}` cannot be written as JSON", code="arguments", place=place)
    return {"type": kinds.pop(), "enum": values} if len(kinds) == 1 else {"enum": values}


def _module_type(annotation: type) -> str | None:
    """Returns the name of a type of ``datetime`` or ``decimal``, which this package does not import: it takes time."""
    is_one = annotation.__module__ == "datetime" and annotation.__name__ in _TIMES
    return annotation.__name__ if is_one or (annotation.__module__, annotation.__name__) == ("decimal", "Decimal") else None


def _schema_of_class(annotation: type, place: str) -> dict[str, Any] | None:
    name = _module_type(annotation)
    if name == "Decimal":
        return {"anyOf": [{"type": "number"}, {"type": "string", "pattern": _DECIMAL}]}
    if name is not None:
        return {"type": "string", "format": _TIMES[name][0], "description": _FORMS[name]}
    if issubclass(annotation, enum.Enum):
        return _enumeration([member.value for member in annotation], place)
    if hasattr(annotation, "model_json_schema"):
        return dict(annotation.model_json_schema())
    if dataclasses.is_dataclass(annotation):
        hints = typing.get_type_hints(annotation, include_extras=True)
        fields = [field for field in dataclasses.fields(annotation) if field.init]
        missing = dataclasses.MISSING
        required = [it.name for it in fields if it.default is missing and it.default_factory is missing]
        properties = {field.name: schema_of(hints[field.name], f"{place}.{field.name}") for field in fields}
        return {"type": "object", "properties": properties, "required": required}
    if typing.is_typeddict(annotation):
        hints = typing.get_type_hints(annotation)
        properties = {name: schema_of(hint, f"{place}.{name}") for name, hint in hints.items()}
        return {"type": "object", "properties": properties, "required": sorted(getattr(annotation, "__required_keys__"))}
    return None


def _of_module(annotation: Any, name: str, value: Any, place: str) -> Any:
    """Returns a date, a time or a decimal that a call gives as JSON."""
    if name == "Decimal":
        # The shortest text of a number is the one that was written, up to 15 digits.
        text, expected = str(value), "a number"
        is_written = isinstance(value, (int, float, str)) and not isinstance(value, bool) and re.match(_DECIMAL, text)
        made = annotation if is_written else None
    else:
        # Python 3.10 does not read the Z of UTC.
        text = re.sub("[zZ]$", "+00:00", value) if isinstance(value, str) and name != "date" else str(value)
        expected = f"a {_TIMES[name][0]} such as `{_TIMES[name][1]}`"
        made = annotation.fromisoformat
    try:
        if made is not None:
            return made(text)
    except ValueError:
        pass
    raise Error(f"{place}: expected {expected}, got `{value}`", code="arguments", place=place)


def _converted(annotation: Any, value: Any, place: str) -> Any:
    origin, items = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _converted(items[0], value, place)
    if origin is Union or origin is types.UnionType:
        others = [item for item in items if item is not type(None)]
        return value if value is None or len(others) != 1 else _converted(others[0], value, place)
    if isinstance(value, list) and (origin in _LISTS or annotation in _LISTS):
        inner = [item for item in items if item is not Ellipsis]
        values = [_converted(inner[0], item, f"{place}/{at}") for at, item in enumerate(value)] if len(inner) == 1 else value
        made = origin or annotation
        return made(values) if made in (tuple, set, frozenset) else values
    if isinstance(value, dict) and origin in _MAPPINGS and items:
        return {key: _converted(items[1], item, f"{place}/{key}") for key, item in value.items()}
    if isinstance(annotation, type):
        if issubclass(annotation, enum.Enum):
            return annotation(value)
        name = _module_type(annotation)
        if name is not None:
            return _of_module(annotation, name, value, place)
        if annotation is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        validate = getattr(annotation, "model_validate", None)
        if isinstance(value, dict) and validate is not None:
            return validate(value)
        if isinstance(value, dict) and dataclasses.is_dataclass(annotation):
            hints = typing.get_type_hints(annotation, include_extras=True)
            return annotation(**{name: _converted(hints.get(name, Any), item, f"{place}/{name}") for name, item in value.items()})
    return value
