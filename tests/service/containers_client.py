#!/usr/bin/env python3
"""Drives the PyPI package `openai`, unchanged, through `/v1/containers` and the files of containers.

    containers_client.py --base-url http://127.0.0.1:PORT/v1 --key TOKEN [--other-key TOKEN]

The server must require a token. With `--other-key`, a token of another tenant, that tenant must find nothing.

Prints one line for each check, and ends with status 1 if one failed.
"""

import argparse
import sys
import traceback

import openai
from openai import OpenAI

CHECKS = []
CSV = b"month,users\n1,100\n2,150\n"


def check(name):
    """Adds a check."""

    def add(function):
        CHECKS.append((name, function))
        return function

    return add


def refused(kind, call):
    """Returns the error of a call, which must be of this kind."""
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"expected {kind.__name__}, got an answer")


@check("a container is made, found, listed and deleted")
def lifecycle(client, _other):
    made = client.containers.create(name="analysis", expires_after={"anchor": "last_active_at", "minutes": 5})
    assert made.id.startswith("cntr_") and made.object == "container", made
    assert made.status == "running" and made.name == "analysis", made
    assert made.expires_after.minutes == 5 and made.expires_after.anchor == "last_active_at", made
    assert made.memory_limit == "1g" and made.created_at > 1_700_000_000, made
    found = client.containers.retrieve(made.id)
    assert (found.id, found.created_at) == (made.id, made.created_at), found
    listed = [it.id for it in client.containers.list(name="analysis")]
    assert made.id in listed, listed
    assert client.containers.delete(made.id) is None
    refused(openai.NotFoundError, lambda: client.containers.retrieve(made.id))


@check("pages follow each other in both orders")
def pages(client, _other):
    made = [client.containers.create(name="page").id for _ in range(5)]
    try:
        for order in ("asc", "desc"):
            listed = [it.id for it in client.containers.list(name="page", limit=2, order=order)]
            assert sorted(listed) == sorted(made) and len(listed) == 5, listed
        refused(openai.BadRequestError, lambda: client.containers.list(limit=101))
    finally:
        for container in made:
            client.containers.delete(container)


@check("files are added in both ways, and read, listed and deleted")
def files(client, _other):
    uploaded = client.files.create(file=("notes.txt", b"hello"), purpose="user_data")
    container = client.containers.create(name="files", file_ids=[uploaded.id], memory_limit="4g")
    try:
        first = list(client.containers.files.list(container.id))
        assert [it.path for it in first] == ["/mnt/data/notes.txt"], first
        assert first[0].source == "user" and first[0].bytes == 5, first
        added = client.containers.files.create(container.id, file=("sales.csv", CSV))
        assert added.object == "container.file" and added.container_id == container.id, added
        assert added.path == "/mnt/data/sales.csv" and added.bytes == len(CSV), added
        assert client.containers.files.content.retrieve(added.id, container_id=container.id).read() == CSV
        found = client.containers.files.retrieve(added.id, container_id=container.id)
        assert found == type(found)(**added.model_dump()), found
        again = client.containers.files.create(container.id, file_id=uploaded.id)
        assert again.path == "/mnt/data/notes.txt", again
        listed = [it.path for it in client.containers.files.list(container.id, order="asc", limit=1)]
        # The file is there already, with the same content.
        assert listed == ["/mnt/data/notes.txt", "/mnt/data/sales.csv"], listed
        assert client.containers.files.delete(added.id, container_id=container.id) is None
        refused(
            openai.NotFoundError,
            lambda: client.containers.files.retrieve(added.id, container_id=container.id),
        )
    finally:
        client.containers.delete(container.id)
    # The upload does not belong to the container.
    assert client.files.content(uploaded.id).read() == b"hello"
    client.files.delete(uploaded.id)


@check("what a container cannot have is refused")
def refusals(client, _other):
    create = client.containers.create
    cases = [
        {"memory_limit": "2g"},
        {"expires_after": {"anchor": "last_active_at", "minutes": 0}},
        {"network_policy": {"type": "allowlist", "allowed_domains": ["example.org"]}},
        {"skills": [{"type": "skill_reference", "skill_id": "x"}]},
    ]
    for case in cases:
        error = refused(openai.BadRequestError, lambda case=case: create(name="a", **case))
        assert error.body and error.body.get("message"), error.body
    refused(openai.NotFoundError, lambda: create(name="a", file_ids=["file-missing"]))
    refused(openai.NotFoundError, lambda: client.containers.retrieve("cntr_missing"))


@check("another tenant finds nothing")
def tenants(client, other):
    if other is None:
        return "skipped: no --other-key"
    container = client.containers.create(name="secret")
    file = client.containers.files.create(container.id, file=("a.txt", b"x"))
    calls = [
        lambda: other.containers.retrieve(container.id),
        lambda: other.containers.delete(container.id),
        lambda: other.containers.files.list(container.id),
        lambda: other.containers.files.create(container.id, file=("b.txt", b"y")),
        lambda: other.containers.files.retrieve(file.id, container_id=container.id),
        lambda: other.containers.files.content.retrieve(file.id, container_id=container.id),
        lambda: other.containers.files.delete(file.id, container_id=container.id),
    ]
    for call in calls:
        refused(openai.NotFoundError, call)
    assert container.id not in [it.id for it in other.containers.list()]
    client.containers.delete(container.id)
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--other-key")
    arguments = parser.parse_args()
    client = OpenAI(base_url=arguments.base_url, api_key=arguments.key, max_retries=0)
    other = arguments.other_key and OpenAI(base_url=arguments.base_url, api_key=arguments.other_key, max_retries=0)
    failed = 0
    for name, run in CHECKS:
        try:
            note = run(client, other)
            print(f"ok   {name}{f' ({note})' if note else ''}", flush=True)
        except Exception:
            failed += 1
            print(f"FAIL {name}\n{traceback.format_exc()}", flush=True)
    print(f"{failed} of {len(CHECKS)} checks failed" if failed else f"all {len(CHECKS)} checks passed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
