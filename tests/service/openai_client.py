#!/usr/bin/env python3
"""Drives the PyPI packages `openai` (sync and async) and `litellm`, unchanged, through Mitt's interfaces of OpenAI.

    openai_client.py --base-url http://127.0.0.1:PORT/v1 --key TOKEN [--model NAME] [--no-litellm]

The server's model must be `mock_model.py` beside this file, whose first lines list the answers that are expected here:
`[say TEXT]`, `[slow N]`, `[function NAME JSON]`, `[python] CODE`, `[fail]`, echoes, and `done: …` after a result. The
server must require a token, have the skills `python` and `report`, and allow at least 4 runs at the same time.

Prints one line for each check, and ends with status 1 at the first one that fails.
"""

import argparse
import asyncio
import base64
import json
import os
import sys
import time
import traceback
import urllib.request

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

import openai
from openai import AsyncOpenAI, OpenAI
from openai.types.responses import Response, ResponseStreamEvent
from openai.types.responses.response_item import ResponseItem
from pydantic import TypeAdapter

TERMINAL = {"response.completed", "response.failed", "response.incomplete", "error"}
WEATHER = {
    "type": "function",
    "name": "get_weather",
    "description": "Returns the weather of a city",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    "strict": False,
}
CHAT_WEATHER = {
    "type": "function",
    "function": {key: WEATHER[key] for key in ("name", "description", "parameters")},
}
CALL = '[function get_weather {"city": "Oslo"}]'
DELIVER = '[python]\nimport report\nprint(report.deliver("# Hello", filename="hello.pdf").name)\n[/python]'
EVENT = TypeAdapter(ResponseStreamEvent)
ITEM = TypeAdapter(ResponseItem)

CHECKS = []


def check(name):
    """Adds a check."""

    def add(function):
        CHECKS.append((name, function))
        return function

    return add


def equal(got, expected):
    assert got == expected, f"expected {expected!r}, got {got!r}"


def raises(kind, code=None, param=None):
    """Expects an exception of the client with this code and place."""

    class Expected:
        def __enter__(self):
            return self

        def __exit__(self, got, error, _):
            assert got is not None, f"expected {kind.__name__}, got an answer"
            if not isinstance(error, kind):
                return False
            if code is not None:
                equal(error.code, code)
            if param is not None:
                equal(error.param, param)
            assert error.message, "the error has no message"
            return True

    return Expected()


def strict(response):
    """Parses a response again, with the validation that the client itself leaves out."""
    data = response.to_dict(mode="json")
    Response.model_validate(data)
    for key in ("completed_at", "presence_penalty", "frequency_penalty", "store", "background", "service_tier"):
        assert key in data, f"Open Responses demands `{key}`"
    return response


def read(stream):
    """Reads a stream to its end, and checks what holds for every stream."""
    events = list(stream)
    for event in events:
        EVENT.validate_python(event.to_dict(mode="json"))
    equal([it.sequence_number for it in events], list(range(len(events))))
    equal(events[0].type, "response.created")
    equal(sum(it.type in TERMINAL for it in events), 1)
    assert events[-1].type in TERMINAL, events[-1].type
    added = {it.output_index for it in events if it.type == "response.output_item.added"}
    done = {it.output_index for it in events if it.type == "response.output_item.done"}
    equal(added, done)
    return events


def text_of(events):
    return "".join(it.delta for it in events if it.type == "response.output_text.delta")


def wait(client, id, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        response = client.responses.retrieve(id)
        if response.status not in ("queued", "in_progress"):
            return strict(response)
        time.sleep(0.1)
    raise AssertionError(f"{id} is {response.status} after {seconds} s")


def items_of(response, kind):
    return [it for it in response.output if it.type == kind]


def annotations_of(response):
    return [
        (part, annotation)
        for message in items_of(response, "message")
        for part in message.content
        for annotation in part.annotations
    ]


def fetched(url):
    with urllib.request.urlopen(url) as answer:
        return answer.read()


# Models ------------------------------------------------------------------------------------------------------------------


@check("models: list, get, missing")
def _(client, model):
    names = [it.id for it in client.models.list()]
    assert model in names, names
    equal(client.models.retrieve(model).id, model)
    with raises(openai.NotFoundError, "model_not_found"):
        client.models.retrieve("missing/model")


# Responses ---------------------------------------------------------------------------------------------------------------


@check("responses: plain, with what Open Responses demands")
def _(client, model):
    response = strict(client.responses.create(model=model, input="[say Hello there]"))
    equal(response.output_text, "Hello there")
    equal(response.status, "completed")
    assert response.id.startswith("resp_"), response.id
    assert response.usage.input_tokens > 0 and response.usage.output_tokens > 0, response.usage
    equal(response.usage.total_tokens, response.usage.input_tokens + response.usage.output_tokens)


@check("responses: instructions, metadata and options are repeated")
def _(client, model):
    response = strict(client.responses.create(
        model=model, input="[say ok]", instructions="be brief", metadata={"a": "b"}, temperature=0.5,
        reasoning={"effort": "low"}, text={"format": {"type": "text"}}, truncation="auto", user="u",
        max_output_tokens=1000, parallel_tool_calls=False, service_tier="auto", include=["reasoning.encrypted_content"],
    ))
    equal((response.instructions, response.metadata, response.temperature), ("be brief", {"a": "b"}, 0.5))
    equal((response.truncation, response.max_output_tokens), ("auto", 1000))


@check("responses: earlier messages")
def _(client, model):
    response = strict(client.responses.create(model=model, input=[
        {"role": "system", "content": "You are a pirate."},
        {"role": "user", "content": "My name is Alice."},
        {"type": "message", "role": "assistant", "content": "Hello Alice!"},
        {"role": "user", "content": [{"type": "input_text", "text": "What is my name?"}]},
    ]))
    assert "What is my name?" in response.output_text, response.output_text


@check("responses: retrieve, input_items, delete")
def _(client, model):
    response = client.responses.create(model=model, input=[
        {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"},
        {"role": "user", "content": "[say stored]"},
    ])
    again = strict(client.responses.retrieve(response.id))
    equal(again.output_text, response.output_text)
    equal([it.id for it in again.output], [it.id for it in response.output])
    items = list(client.responses.input_items.list(response.id, order="asc", limit=2))
    equal(len(items), 3)
    for item in items:
        ITEM.validate_python(item.to_dict(mode="json"))
    equal(items[2].content[0].text, "[say stored]")
    client.responses.delete(response.id)
    with raises(openai.NotFoundError, "not_found"):
        client.responses.retrieve(response.id)


@check("responses: stream")
def _(client, model):
    events = read(client.responses.create(model=model, input="[say streamed in pieces]", stream=True))
    equal(text_of(events), "streamed in pieces")
    kinds = [it.type for it in events]
    for kind in ("response.in_progress", "response.content_part.added", "response.output_text.done"):
        assert kind in kinds, kinds
    equal(strict(events[-1].response).output_text, "streamed in pieces")


@check("responses: the client's own accumulation of a stream")
def _(client, model):
    with client.responses.stream(model=model, input="[say accumulated]") as stream:
        for _ in stream:
            pass
        equal(stream.get_final_response().output_text, "accumulated")


@check("responses: background and polling")
def _(client, model):
    response = strict(client.responses.create(model=model, input="[slow 10]", background=True))
    assert response.status in ("queued", "in_progress"), response.status
    done = wait(client, response.id)
    equal((done.status, done.output_text.split()[-1], done.background), ("completed", "10", True))


@check("responses: a stream in the background is joined again and misses nothing")
def _(client, model):
    seen = []
    with client.responses.create(model=model, input="[slow 15]", background=True, stream=True) as stream:
        for event in stream:
            seen.append(event)
            if event.type == "response.output_text.delta":
                break
    id = seen[0].response.id
    rest = list(client.responses.retrieve(id, stream=True, starting_after=seen[-1].sequence_number))
    numbers = [it.sequence_number for it in seen + rest]
    equal(numbers, list(range(len(numbers))))
    equal(rest[-1].type, "response.completed")
    equal(text_of(seen + rest), rest[-1].response.output_text)
    again = read(client.responses.retrieve(id, stream=True))
    equal([it.type for it in again], [it.type for it in seen + rest])


@check("responses: a closed connection cancels nothing")
def _(client, model):
    with client.responses.create(model=model, input="[slow 10]", stream=True) as stream:
        id = next(iter(stream)).response.id
    equal(wait(client, id).status, "completed")


@check("responses: cancel")
def _(client, model):
    response = client.responses.create(model=model, input="[slow 300]", background=True)
    time.sleep(0.5)
    cancelled = strict(client.responses.cancel(response.id))
    equal(cancelled.status, "cancelled")
    equal(wait(client, response.id).status, "cancelled")
    equal(client.responses.cancel(response.id).status, "cancelled")


@check("responses: previous_response_id continues the run, and an earlier response in another run")
def _(client, model):
    first = client.responses.create(model=model, input="[say one]")
    second = strict(client.responses.create(model=model, input="[say two]", previous_response_id=first.id))
    equal((second.output_text, second.previous_response_id), ("two", first.id))
    equal(strict(client.responses.retrieve(first.id)).output_text, "one")
    branch = strict(client.responses.create(model=model, input="[say three]", previous_response_id=first.id))
    equal((branch.output_text, branch.previous_response_id), ("three", first.id))
    assert branch.id.rsplit("_", 1)[0] != first.id.rsplit("_", 1)[0], "a run of its own"
    more = client.responses.create(model=model, input="[say four]", previous_response_id=branch.id)
    equal(more.output_text, "four")
    with raises(openai.BadRequestError, "previous_response_not_found", "previous_response_id"):
        client.responses.create(model=model, input="x", previous_response_id="resp_missing_1")
    client.responses.delete(second.id)
    equal(client.responses.retrieve(first.id).output_text, "one")


@check("responses: item references lead to the run")
def _(client, model):
    first = client.responses.create(model=model, input="[say one]")
    reference = {"type": "item_reference", "id": first.output[-1].id}
    second = client.responses.create(model=model, input=[
        {"role": "user", "content": "[say one]"}, reference, {"role": "user", "content": "[say two]"},
    ])
    equal((second.output_text, second.previous_response_id), ("two", first.id))


@check("responses: functions of the caller")
def _(client, model):
    first = strict(client.responses.create(model=model, input=CALL, tools=[WEATHER]))
    (call,) = items_of(first, "function_call")
    equal((first.status, call.name, json.loads(call.arguments)), ("completed", "get_weather", {"city": "Oslo"}))
    with raises(openai.BadRequestError, "missing_function_call_output", "input"):
        client.responses.create(model=model, input="x", previous_response_id=first.id, tools=[WEATHER])
    output = {"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}
    second = strict(client.responses.create(
        model=model, input=[output], previous_response_id=first.id, tools=[WEATHER],
    ))
    assert second.output_text.startswith("done: ") and "sunny" in second.output_text, second.output_text
    equal(items_of(second, "function_call"), [])
    equal(len(items_of(client.responses.retrieve(first.id), "function_call")), 1)


@check("responses: two functions at once, streamed")
def _(client, model):
    time_tool = {**WEATHER, "name": "get_time"}
    tools = [WEATHER, time_tool]
    prompt = CALL + ' [function get_time {"city": "Rome"}]'
    events = read(client.responses.create(model=model, input=prompt, tools=tools, stream=True))
    kinds = [it.type for it in events]
    equal(kinds.count("response.function_call_arguments.done"), 2)
    assert "response.function_call_arguments.delta" in kinds
    first = events[-1].response
    outputs = [
        {"type": "function_call_output", "call_id": it.call_id, "output": it.name}
        for it in items_of(first, "function_call")
    ]
    events = read(client.responses.create(
        model=model, input=outputs, previous_response_id=first.id, tools=tools, stream=True,
    ))
    assert text_of(events).startswith("done: "), text_of(events)


@check("responses: functions without state (store=False)")
def _(client, model):
    items = [{"role": "user", "content": CALL}]
    first = client.responses.create(model=model, input=items, tools=[WEATHER], store=False)
    (call,) = items_of(first, "function_call")
    items += [it.to_dict(mode="json") for it in first.output]
    items.append({"type": "function_call_output", "call_id": call.call_id, "output": "rain"})
    second = client.responses.create(model=model, input=items, tools=[WEATHER], store=False)
    assert "rain" in second.output_text, second.output_text
    with raises(openai.NotFoundError):
        client.responses.retrieve(second.id)
    # The run is gone, so the same request gets a new one, which hears of the result.
    third = client.responses.create(model=model, input=items, tools=[WEATHER], store=False)
    assert "rain" in third.output_text, third.output_text


@check("responses: tool_choice none leaves no tools")
def _(client, model):
    response = client.responses.create(model=model, input=CALL, tools=[WEATHER], tool_choice="none")
    equal(response.output_text, "there is no tool get_weather")


@check("responses: Mitt's own tools are items that the client parses")
def _(client, model):
    events = read(client.responses.create(model=model, input="[python] print(6 * 7)", stream=True))
    response = strict(events[-1].response)
    (call,) = items_of(response, "mcp_call")
    equal((call.name, call.status, call.server_label), ("python__run", "completed", "mitt"))
    assert "42" in call.output, call.output
    assert "42" in response.output_text, response.output_text


@check("responses: a delivered file without a container")
def _(client, model):
    response = strict(client.responses.create(model=model, input=DELIVER))
    found = dict((it.type, (part, it)) for part, it in annotations_of(response))
    part, file = found["file_citation"]
    equal(file.filename, "hello.pdf")
    content = client.files.content(file.file_id).read()
    assert content.startswith(b"%PDF"), content[:20]
    equal(client.files.retrieve(file.file_id).purpose, "assistants_output")
    url = found["url_citation"][1]
    equal(part.text[url.start_index:url.end_index], f"[hello.pdf]({url.url})")
    equal(fetched(url.url), content)
    with raises(openai.BadRequestError, "file_in_use"):
        client.files.delete(file.file_id)
    client.responses.delete(response.id)
    with raises(openai.NotFoundError):
        client.files.content(file.file_id)


@check("responses: code_interpreter with a container")
def _(client, model):
    uploaded = client.files.create(file=("numbers.csv", b"a,b\n1,2\n3,4\n"), purpose="user_data")
    tool = {"type": "code_interpreter", "container": {"type": "auto", "file_ids": [uploaded.id]}}
    code = "[python] print(len(documents['numbers.csv'].tables[0]))"
    events = read(client.responses.create(model=model, input=code, tools=[tool], stream=True))
    kinds = [it.type for it in events]
    for kind in ("in_progress", "interpreting", "completed"):
        assert f"response.code_interpreter_call.{kind}" in kinds, kinds
    assert "response.code_interpreter_call_code.done" in kinds, kinds
    first = strict(events[-1].response)
    (call,) = items_of(first, "code_interpreter_call")
    equal((call.status, call.code), ("completed", code.removeprefix("[python] ")))
    assert "2" in call.outputs[0].logs, call.outputs
    container = client.containers.retrieve(call.container_id)
    equal(container.id, call.container_id)
    tool = {"type": "code_interpreter", "container": call.container_id}
    second = strict(client.responses.create(model=model, input=DELIVER, tools=[tool]))
    citation = next(it for _, it in annotations_of(second) if it.type == "container_file_citation")
    equal((citation.container_id, citation.filename), (call.container_id, "hello.pdf"))
    content = client.containers.files.content.retrieve(citation.file_id, container_id=citation.container_id)
    assert content.read().startswith(b"%PDF")
    names = [it.path.rsplit("/", 1)[-1] for it in client.containers.files.list(call.container_id)]
    equal(sorted(names), ["hello.pdf", "numbers.csv"])
    client.containers.delete(call.container_id)
    with raises(openai.APIStatusError):
        client.responses.create(model=model, input="x", tools=[tool])
    client.files.delete(uploaded.id)


@check("responses: code_interpreter reads and writes files of its container")
def _(client, model):
    uploaded = client.files.create(file=("numbers.csv", b"a,b\n1,2\n3,4\n"), purpose="user_data")
    tool = {"type": "code_interpreter", "container": {"type": "auto", "file_ids": [uploaded.id]}}
    code = """[python]
import csv, os
rows = list(csv.DictReader(open("/mnt/data/numbers.csv")))
open("/mnt/data/sums.csv", "w").write("sum\\n" + str(sum(int(it["a"]) for it in rows)) + "\\n")
print(sorted(os.listdir("/mnt/data")), len(open("numbers.csv").readlines()))
[/python]"""
    first = strict(client.responses.create(model=model, input=code, tools=[tool]))
    (call,) = items_of(first, "code_interpreter_call")
    assert "['numbers.csv', 'sums.csv'] 3" in call.outputs[0].logs, call.outputs
    citation = next(it for _, it in annotations_of(first) if it.type == "container_file_citation")
    equal((citation.container_id, citation.filename), (call.container_id, "sums.csv"))
    content = client.containers.files.content.retrieve(citation.file_id, container_id=citation.container_id)
    equal(content.read(), b"sum\n4\n")
    code = '[python] print("found", open("sums.csv").read().count("4"))'
    second = strict(client.responses.create(model=model, input=code, tools=[tool], previous_response_id=first.id))
    (again,) = items_of(second, "code_interpreter_call")
    equal(again.container_id, call.container_id)
    assert "found 1" in again.outputs[0].logs, again.outputs
    client.containers.delete(call.container_id)
    client.files.delete(uploaded.id)


@check("responses: files and images of the input become documents")
def _(client, model):
    uploaded = client.files.create(file=("one.txt", b"first"), purpose="user_data")
    data = base64.b64encode(b"a,b\n1,2\n").decode()
    code = "[python] print(sorted(documents))"
    response = strict(client.responses.create(model=model, input=[{"role": "user", "content": [
        {"type": "input_text", "text": code},
        {"type": "input_file", "file_id": uploaded.id},
        {"type": "input_file", "file_data": f"data:text/csv;base64,{data}", "filename": "two.csv"},
    ]}]))
    (call,) = items_of(response, "mcp_call")
    assert "one.txt" in call.output and "two.csv" in call.output, call.output
    client.files.delete(uploaded.id)


@check("responses: refusals name the place and what to use instead")
def _(client, model):
    for options, param in [
        ({"text": {"format": {"type": "grammar"}}}, "text.format.type"),
        ({"tools": [{"type": "web_search"}]}, "tools[0].type"),
        ({"tools": [{"type": "file_search", "vector_store_ids": []}]}, "tools[0].type"),
        ({"tools": [WEATHER], "tool_choice": "any"}, "tool_choice"),
        ({"conversation": "conv_1"}, "conversation"),
        ({"background": True, "store": False}, "background"),
    ]:
        with raises(openai.BadRequestError, param=param):
            client.responses.create(model=model, input="x", **options)
    with raises(openai.BadRequestError) as _:
        client.responses.create(model=model, input=17)
    with raises(openai.NotFoundError, "model_not_found"):
        client.responses.create(model="missing", input="x")


@check("responses: a model that fails")
def _(client, model):
    response = strict(client.responses.create(model=model, input="[fail]"))
    equal(response.status, "failed")
    assert response.error.message, response.error
    equal(read(client.responses.create(model=model, input="[fail]", stream=True))[-1].type, "response.failed")


# Chat --------------------------------------------------------------------------------------------------------------------


def said(text, **more):
    return {"messages": [{"role": "user", "content": text}], **more}


@check("chat: plain, history")
def _(client, model):
    completion = client.chat.completions.create(model=model, **said("[say Hello]"))
    equal((completion.choices[0].message.content, completion.choices[0].finish_reason), ("Hello", "stop"))
    assert completion.usage.total_tokens > 0
    completion = client.chat.completions.create(model=model, messages=[
        {"role": "system", "content": "be brief"}, {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b"}, {"role": "user", "content": "what?"},
    ])
    assert "what?" in completion.choices[0].message.content


@check("chat: stream with usage")
def _(client, model):
    chunks = list(client.chat.completions.create(
        model=model, stream=True, stream_options={"include_usage": True}, **said("[say streamed text]"),
    ))
    equal("".join(it.choices[0].delta.content or "" for it in chunks if it.choices), "streamed text")
    equal(chunks[-2].choices[0].finish_reason, "stop")
    assert chunks[-1].choices == [] and chunks[-1].usage.completion_tokens > 0, chunks[-1]
    with client.chat.completions.stream(model=model, **said("[say helper]")) as stream:
        equal(stream.get_final_completion().choices[0].message.content, "helper")


@check("chat: functions, plain and streamed")
def _(client, model):
    for stream in (False, True):
        messages = [{"role": "user", "content": CALL}]
        if stream:
            with client.chat.completions.stream(model=model, messages=messages, tools=[CHAT_WEATHER]) as events:
                choice = events.get_final_completion().choices[0]
        else:
            choice = client.chat.completions.create(
                model=model, messages=messages, tools=[CHAT_WEATHER],
            ).choices[0]
        equal(choice.finish_reason, "tool_calls")
        (call,) = choice.message.tool_calls
        equal((call.function.name, json.loads(call.function.arguments)), ("get_weather", {"city": "Oslo"}))
        messages.append({"role": "assistant", "content": None, "tool_calls": [
            {"id": call.id, "type": "function",
             "function": {"name": call.function.name, "arguments": call.function.arguments}},
        ]})
        messages.append({"role": "tool", "tool_call_id": call.id, "content": "snow"})
        # Once for the run that waits, once more for a new run.
        for _ in range(2):
            answer = client.chat.completions.create(model=model, messages=messages, tools=[CHAT_WEATHER])
            assert "snow" in answer.choices[0].message.content, answer.choices[0].message.content
        messages.append({"role": "assistant", "content": "It snows."})
        messages.append({"role": "user", "content": "[say and so on]"})
        answer = client.chat.completions.create(model=model, messages=messages, tools=[CHAT_WEATHER])
        equal(answer.choices[0].message.content, "and so on")


@check("chat: delivered files are links in the text")
def _(client, model):
    content = client.chat.completions.create(model=model, **said(DELIVER)).choices[0].message.content
    link = content.rsplit("[hello.pdf](", 1)[1].split(")", 1)[0]
    assert fetched(link).startswith(b"%PDF")


@check("chat: files of the conversation become documents")
def _(client, model):
    data = base64.b64encode(b"a,b\n1,2\n").decode()
    content = client.chat.completions.create(model=model, messages=[{"role": "user", "content": [
        {"type": "text", "text": "[python] print(sorted(documents))"},
        {"type": "file", "file": {"file_data": f"data:text/csv;base64,{data}", "filename": "two.csv"}},
    ]}]).choices[0].message.content
    assert "two.csv" in content, content


@check("chat: store=False")
def _(client, model):
    completion = client.chat.completions.create(model=model, store=False, **said("[say gone]"))
    equal(completion.choices[0].message.content, "gone")


@check("chat: refusals and errors")
def _(client, model):
    for options, param in [
        ({"n": 2}, "n"), ({"stop": ["."]}, "stop"), ({"logprobs": True}, "logprobs"),
        ({"response_format": {"type": "grammar"}}, "response_format.type"),
    ]:
        with raises(openai.BadRequestError, param=param):
            client.chat.completions.create(model=model, **said("x"), **options)
    with raises(openai.NotFoundError, "model_not_found"):
        client.chat.completions.create(model="missing", **said("x"))
    with raises(openai.APIStatusError):
        client.with_options(max_retries=0).chat.completions.create(model=model, **said("[fail]"))
    with raises(openai.APIError):
        list(client.chat.completions.create(model=model, stream=True, **said("[fail]")))


# Files -------------------------------------------------------------------------------------------------------------------


@check("files: upload, list, retrieve, content with ranges, delete")
def _(client, model):
    content = os.urandom(300_000)
    files = [
        client.files.create(file=(f"月报-{number}.bin", content), purpose="assistants",
                            expires_after={"anchor": "created_at", "seconds": 3600})
        for number in range(3)
    ]
    equal((files[0].bytes, files[0].filename, files[0].status), (300_000, "月报-0.bin", "processed"))
    equal(files[0].expires_at, files[0].created_at + 3600)
    listed = {it.id for it in client.files.list(purpose="assistants", limit=2)}
    assert {it.id for it in files} <= listed, listed
    assert not {it.id for it in files} & {it.id for it in client.files.list(purpose="batch")}
    equal(client.files.retrieve(files[1].id).filename, "月报-1.bin")
    equal(client.files.content(files[1].id).read(), content)
    part = client.files.content(files[1].id, extra_headers={"Range": "bytes=10-19"})
    equal((part.response.status_code, part.read()), (206, content[10:20]))
    for file in files:
        assert client.files.delete(file.id).deleted
    with raises(openai.NotFoundError, "not_found"):
        client.files.retrieve(files[0].id)
    with raises(openai.NotFoundError):
        client.files.content(files[0].id)
    with raises(openai.BadRequestError, param="purpose"):
        client.files.create(file=("a.txt", b"x"), purpose="nonsense")


# Errors ------------------------------------------------------------------------------------------------------------------


@check("errors: a wrong token, a missing response, a wrong method")
def _(client, model):
    other = client.with_options(api_key="wrong", max_retries=0)
    for request in (other.models.list, lambda: other.responses.create(model=model, input="x")):
        with raises(openai.AuthenticationError, "invalid_api_key"):
            request()
    with raises(openai.NotFoundError, "not_found"):
        client.responses.retrieve("resp_missing_1")
    with raises(openai.APIStatusError) as _:
        client.put("/models", cast_to=object)


# Async -------------------------------------------------------------------------------------------------------------------


async def asynchronous(client, model):
    response = strict(await client.responses.create(model=model, input="[say async]"))
    equal(response.output_text, "async")
    events = [it async for it in await client.responses.create(model=model, input="[say flow]", stream=True)]
    equal(text_of(events), "flow")
    background = await client.responses.create(model=model, input="[slow 3]", background=True)
    events = [it async for it in await client.responses.retrieve(background.id, stream=True)]
    equal(events[-1].response.output_text, "slow 1 slow 2 slow 3")
    chunks = [it async for it in await client.chat.completions.create(
        model=model, stream=True, **said("[say chunks]"))]
    equal("".join(it.choices[0].delta.content or "" for it in chunks if it.choices), "chunks")
    file = await client.files.create(file=("a.txt", b"abc"), purpose="user_data")
    equal((await client.files.content(file.id)).read(), b"abc")
    assert (await client.files.delete(file.id)).deleted
    texts = await asyncio.gather(*(
        client.responses.create(model=model, input=f"[say {number}]") for number in range(4)
    ))
    equal([it.output_text for it in texts], ["0", "1", "2", "3"])
    await client.close()


# LiteLLM -----------------------------------------------------------------------------------------------------------------


def through_litellm(base_url, key, model):
    import litellm

    to = {"model": f"openai/{model}", "api_base": base_url, "api_key": key}
    answer = litellm.completion(**to, **said("[say from litellm]"))
    equal(answer.choices[0].message.content, "from litellm")
    chunks = litellm.completion(**to, stream=True, **said("[say in pieces]"))
    equal("".join(it.choices[0].delta.content or "" for it in chunks), "in pieces")
    answer = litellm.completion(**to, tools=[CHAT_WEATHER], **said(CALL))
    (call,) = answer.choices[0].message.tool_calls
    messages = [
        {"role": "user", "content": CALL}, answer.choices[0].message.model_dump(),
        {"role": "tool", "tool_call_id": call.id, "content": "fog"},
    ]
    answer = litellm.completion(**to, tools=[CHAT_WEATHER], messages=messages)
    assert "fog" in answer.choices[0].message.content
    response = litellm.responses(**to, input="[say a response]")
    texts = [part.text for it in response.output if it.type == "message" for part in it.content]
    equal("".join(texts), "a response")
    events = list(litellm.responses(**to, input="[say events]", stream=True))
    deltas = [it.delta for it in events if str(getattr(it.type, "value", it.type)) == "response.output_text.delta"]
    equal("".join(deltas), "events")
    try:
        litellm.completion(**{**to, "model": "openai/missing"}, **said("x"))
    except litellm.NotFoundError:
        pass
    else:
        raise AssertionError("expected litellm.NotFoundError, got an answer")


def main():
    options = argparse.ArgumentParser(description="Drives clients of OpenAI through Mitt's interfaces.")
    options.add_argument("--base-url", required=True, help="such as http://127.0.0.1:6488/v1")
    options.add_argument("--key", required=True, help="token of the server")
    options.add_argument("--model", help="default: the first model of the server")
    options.add_argument("--no-litellm", action="store_true", help="leave out litellm")
    options.add_argument("--only", help="only checks whose name contains this")
    options = options.parse_args()
    client = OpenAI(base_url=options.base_url, api_key=options.key, timeout=120)
    model = options.model or next(iter(client.models.list())).id
    checks = [(name, lambda it=it: it(client, model)) for name, it in CHECKS]
    other = AsyncOpenAI(base_url=options.base_url, api_key=options.key, timeout=120)
    checks.append(("async: responses, background, chat, files, four at once",
                   lambda: asyncio.run(asynchronous(other, model))))
    if not options.no_litellm:
        checks.append(("litellm: completion, stream, functions, responses, errors",
                       lambda: through_litellm(options.base_url, options.key, model)))
    for name, run in checks:
        if options.only and options.only not in name:
            continue
        began = time.monotonic()
        try:
            run()
        except Exception:
            print(f"FAILED  {name}", flush=True)
            traceback.print_exc()
            sys.exit(1)
        print(f"ok      {name} ({time.monotonic() - began:.2f} s)", flush=True)
    print(f"openai {openai.__version__}: all checks passed")


if __name__ == "__main__":
    main()
