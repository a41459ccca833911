#!/usr/bin/env python3
"""Drives structured outputs and required calls with the PyPI package `openai`, unchanged: `parse` with Pydantic models, streams,
`tool_choice`, and their refusals.

    structured_client.py --base-url http://127.0.0.1:PORT/v1 --key TOKEN [--model NAME]

The server's model must be `mock_model.py` beside this file: `[json]`, `[mended]`, `[no call]`, and calls that are required.
Prints one line for each check, and ends with status 1 at the first one that fails.
"""

import argparse
import sys
import time
import traceback
from typing import Optional

import openai
from openai import OpenAI
from openai.types.responses import Response
from pydantic import BaseModel

from openai_client import CHAT_WEATHER, WEATHER, annotations_of, equal, items_of, raises, read, said, strict

SAVE = {**WEATHER, "name": "save"}
SUM = '[json] {"total": 7, "parts": [{"name": "a", "value": 3.5}], "note": null} [/json]'
WRONG = '[json] {"total": "seven", "parts": [], "note": null} [/json] [mended]{"total": 7, "parts": [], "note": null}[/mended]'
HOPELESS = "[json] It is seven. [/json] [mended]{}[/mended]"
DELIVER = (
    '[python]\nimport report\nprint(report.deliver("# Hello", filename="hello.pdf").name)\n[/python] '
    '[mended]{"total": 1, "parts": [], "note": null}[/mended]'
)
CHECKS = []


class Part(BaseModel):
    name: str
    value: float


class Sum(BaseModel):
    total: int
    parts: list[Part]
    note: Optional[str]


def check(name):
    def add(function):
        CHECKS.append((name, function))
        return function

    return add


@check("responses: parse into a model")
def _(client, model):
    response = client.responses.parse(model=model, input=SUM, text_format=Sum)
    equal(response.output_parsed, Sum(total=7, parts=[Part(name="a", value=3.5)], note=None))
    equal(response.text.format.name, "Sum")
    # The next response has a form of its own: none.
    after = strict(client.responses.create(model=model, input="[say free]", previous_response_id=response.id))
    equal((after.output_text, after.text.format.type), ("free", "text"))
    again = client.responses.parse(model=model, input=SUM, text_format=Sum, previous_response_id=after.id)
    equal(again.output_parsed.total, 7)


@check("responses: a wrong answer is mended, and only the right one is seen")
def _(client, model):
    response = client.responses.parse(model=model, input=WRONG, text_format=Sum)
    equal(response.output_parsed.total, 7)
    with client.responses.stream(model=model, input=WRONG, text_format=Sum) as stream:
        events = list(stream)
        final = stream.get_final_response()
    equal(final.output_parsed.total, 7)
    deltas = "".join(it.delta for it in events if it.type == "response.output_text.delta")
    equal(deltas, '{"total": 7, "parts": [], "note": null}')


@check("responses: an answer that is never right fails with its place")
def _(client, model):
    format = {"type": "json_schema", "name": "sum", "schema": Sum.model_json_schema(), "strict": True}
    response = strict(client.responses.create(model=model, input=HOPELESS, text={"format": format}))
    equal((response.status, response.output_text), ("failed", ""))
    assert "`total` is missing (rule `/required` of the schema)" in response.error.message, response.error
    equal((response.error.code, response.error.failed_generation), ("server_error", "{}"))
    # `parse` returns it as well: a message that is no JSON would be an exception without a reason.
    response = client.responses.parse(model=model, input=HOPELESS, text_format=Sum)
    equal((response.status, response.output_parsed), ("failed", None))
    with client.responses.stream(model=model, input=HOPELESS, text_format=Sum) as stream:
        kinds = [it.type for it in stream]
    equal(kinds[-1], "response.failed")
    # The conversation goes on.
    after = client.responses.create(model=model, input="[say on]", previous_response_id=response.id)
    equal(after.output_text, "on")


@check("responses: files are beside the JSON")
def _(client, model):
    response = client.responses.parse(model=model, input=DELIVER, text_format=Sum)
    equal(response.output_parsed.total, 1)
    kinds = {annotation.type for _, annotation in annotations_of(response)}
    equal(kinds, {"file_citation", "url_citation"})


@check("responses: any JSON object")
def _(client, model):
    text = {"format": {"type": "json_object"}}
    response = strict(client.responses.create(model=model, input='[json] {"a": [1]} [/json]', text=text))
    equal(response.output_text, '{"a": [1]}')
    response = client.responses.create(model=model, input='[json] [1] [/json] [mended]{}[/mended]', text=text)
    equal((response.status, response.output_text), ("completed", "{}"))


@check("responses: a required call, of one response")
def _(client, model):
    named = {"type": "function", "name": "get_weather"}
    for choice in ("required", named, {"type": "allowed_tools", "mode": "required", "tools": [named]}):
        tools = [SAVE, WEATHER]
        first = strict(client.responses.create(model=model, input="Hello", tools=tools, tool_choice=choice))
        (call,) = items_of(first, "function_call")
        equal((call.name, call.arguments), ("get_weather", "{}"))
        output = [{"type": "function_call_output", "call_id": call.call_id, "output": "rain"}]
        auto = choice if isinstance(choice, dict) and choice["type"] == "allowed_tools" else "auto"
        if auto != "auto":
            auto = {**auto, "mode": "auto"}
        second = strict(client.responses.create(
            model=model, input=output, previous_response_id=first.id, tools=tools, tool_choice=auto))
        equal(second.output_text, "done: rain")


@check("responses: a required call with a form, and the answer in it")
def _(client, model):
    first = client.responses.parse(model=model, input="Hello [mended]{}[/mended]", text_format=Sum, tools=[WEATHER], tool_choice="required")
    (call,) = items_of(first, "function_call")
    equal(first.output_text, "")
    output = [{"type": "function_call_output", "call_id": call.call_id, "output": "rain"}]
    text = {"format": {"type": "json_schema", "name": "sum", "schema": {"type": "object"}}}
    second = client.responses.create(model=model, input=output, previous_response_id=first.id, text=text)
    equal((second.status, second.output_text), ("completed", "{}"))


@check("responses: a call that the model does not make")
def _(client, model):
    response = strict(client.responses.create(model=model, input="[no call]", tools=[WEATHER], tool_choice="required"))
    equal(response.status, "failed")
    assert "without the required call of `get_weather`" in response.error.message, response.error


@check("responses: a required script")
def _(client, model):
    container = client.containers.create(name="work")
    tool = {"type": "code_interpreter", "container": container.id}
    response = strict(client.responses.create(
        model=model, input="Hello", tools=[tool], tool_choice={"type": "code_interpreter"}))
    assert items_of(response, "code_interpreter_call"), response.output
    client.containers.delete(container.id)


@check("responses: refusals name the place")
def _(client, model):
    schema = {"type": "object", "properties": {"a": {"type": "string", "nullable": True}}}
    for options, param in [
        ({"text": {"format": {"type": "json_schema", "name": "x", "schema": schema}}},
         "text.format.schema.properties.a.nullable"),
        ({"text": {"format": {"type": "json_schema", "name": "a b", "schema": {}}}}, "text.format.name"),
        ({"tools": [WEATHER], "tool_choice": {"type": "function", "name": "get_wether"}}, "tool_choice.name"),
    ]:
        with raises(openai.BadRequestError, param=param):
            client.responses.create(model=model, input="x", **options)
    try:
        client.responses.create(model=model, input="x", **options)
    except openai.BadRequestError as error:
        assert "did you mean `get_weather`?" in error.message, error.message


@check("chat: parse into a model, mended and streamed")
def _(client, model):
    for text in (SUM, WRONG):
        completion = client.chat.completions.parse(model=model, response_format=Sum, **said(text))
        equal(completion.choices[0].message.parsed.total, 7)
        with client.chat.completions.stream(model=model, response_format=Sum, **said(text)) as stream:
            for _ in stream:
                pass
            equal(stream.get_final_completion().choices[0].message.parsed.total, 7)
    completion = client.chat.completions.parse(model=model, response_format=Sum, **said(DELIVER))
    message = completion.choices[0].message
    equal(message.parsed.total, 1)
    equal([it.url_citation.title for it in message.annotations], ["hello.pdf"])
    completion = client.chat.completions.create(
        model=model, response_format={"type": "json_object"}, **said('[json] {"a": 1} [/json]'))
    equal(completion.choices[0].message.content, '{"a": 1}')


@check("chat: an answer that is never right is one error, which is not repeated")
def _(client, model):
    def runs():
        return sum(1 for it in client.get("/runs?limit=100", cast_to=object)["runs"])

    before = runs()
    for ask in (
        lambda: client.chat.completions.parse(model=model, response_format=Sum, **said(HOPELESS)),
        lambda: list(client.chat.completions.stream(model=model, response_format=Sum, **said(HOPELESS)).__enter__()),
    ):
        try:
            ask()
            raise AssertionError("no error")
        except openai.APIError as error:
            equal((error.code, error.body["failed_generation"]), ("json_validate_failed", "{}"))
            assert "`total` is missing (rule `/required` of the schema)" in error.message, error.message
    try:
        client.chat.completions.create(model=model, response_format={"type": "json_object"}, **said("[json] 1 [/json] [mended]2[/mended]"))
    except openai.BadRequestError as error:
        equal(error.code, "json_validate_failed")
    # Other runs that fail are not repeated either: the service has tried itself.
    with raises(openai.InternalServerError):
        client.chat.completions.create(model=model, **said("[fail]"))
    equal(runs(), before + 4)


@check("chat: a required call")
def _(client, model):
    for choice in ("required", {"type": "function", "function": {"name": "get_weather"}}):
        messages = [{"role": "user", "content": "Hello"}]
        completion = client.chat.completions.create(
            model=model, messages=messages, tools=[CHAT_WEATHER], tool_choice=choice)
        message = completion.choices[0].message
        equal([it.function.name for it in message.tool_calls], ["get_weather"])
        messages += [message, {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "rain"}]
        completion = client.chat.completions.create(model=model, messages=messages, tools=[CHAT_WEATHER])
        equal(completion.choices[0].message.content, "done: rain")
    with raises(openai.BadRequestError, param="tool_choice.function.name"):
        client.chat.completions.create(
            model=model, tools=[CHAT_WEATHER], tool_choice={"type": "function", "function": {"name": "x"}}, **said("x"))


def main():
    options = argparse.ArgumentParser(description="Drives structured outputs through Mitt's interfaces of OpenAI.")
    options.add_argument("--base-url", required=True, help="such as http://127.0.0.1:6488/v1")
    options.add_argument("--key", required=True, help="token of the server")
    options.add_argument("--model", help="default: the first model of the server")
    options = options.parse_args()
    client = OpenAI(base_url=options.base_url, api_key=options.key, timeout=120)
    model = options.model or next(iter(client.models.list())).id
    for name, run in CHECKS:
        began = time.monotonic()
        try:
            run(client, model)
        except Exception:
            print(f"FAILED  {name}", flush=True)
            traceback.print_exc()
            sys.exit(1)
        print(f"ok      {name} ({time.monotonic() - began:.2f} s)", flush=True)
    print(f"openai {openai.__version__}: all checks passed")


if __name__ == "__main__":
    main()
