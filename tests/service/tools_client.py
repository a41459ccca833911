#!/usr/bin/env python3
"""Generates clients of `mitt serve` with the unchanged PyPI package `openapi-python-client`, and calls tools with one.

    tools_client.py BASE_URL [KEY]

One line for each check; the exit code is 1 if one failed. Run it with a Python in which `openapi-python-client`, `httpx` and
`attrs` are installed.
"""

import importlib
import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

FAILED = []
# Media types of files in the document.
FILES = ["application/zip", "image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"]


def check(name, found, expected=True):
    """Prints whether a check passed."""
    if found == expected:
        print(f"ok    {name}")
    else:
        print(f"FAIL  {name}: expected {expected!r}, got {found!r}")
        FAILED.append(name)
    return found == expected


def request(base, key, path, body=None, headers=()):
    """Returns status and JSON of a response."""
    data = None if body is None else json.dumps(body).encode()
    asked = urllib.request.Request(base + path, data=data, method="GET" if body is None else "POST")
    asked.add_header("Content-Type", "application/json")
    if key:
        asked.add_header("Authorization", f"Bearer {key}")
    for name, value in headers:
        asked.add_header(name, value)
    try:
        with urllib.request.urlopen(asked, timeout=120) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null")


def generate(name, document, work):
    """Generates a client for a document without warnings; returns its package."""
    path = work / f"{name}.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    config = work / f"{name}.yaml"
    # The generator knows few media types of files; it reads the others as bytes.
    overrides = "".join(f"  {media_type}: application/octet-stream\n" for media_type in FILES)
    config.write_text(
        f"package_name_override: {name}\nproject_name_override: {name}\npost_hooks: []\n"
        f"content_type_overrides:\n{overrides}",
        encoding="utf-8",
    )
    command = [
        sys.executable, "-m", "openapi_python_client", "generate", "--path", str(path), "--config", str(config),
        "--meta", "none", "--output-path", str(work / name), "--overwrite", "--fail-on-warning",
    ]
    made = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    if not check(f"a client is generated from {name} without warnings", made.returncode, 0):
        print((made.stdout + made.stderr)[:4000])
        return False
    return True


def main():
    base = sys.argv[1].rstrip("/")
    key = sys.argv[2] if len(sys.argv) > 2 else ""
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        sys.path.insert(0, folder)
        status, document = request(base, key, "/v1/tools/openapi.json")
        check("the document of the tools is there", status, 200)
        status, listed = request(base, key, "/v1/tools")
        check("the list of tools is there", status, 200)
        names = {tool["name"] for tool in listed["tools"]}
        operations = {
            operation["operationId"] for methods in document["paths"].values() for operation in methods.values()
        }
        check("list and document have the same tools", operations, names)
        long = [tool["name"] for tool in listed["tools"] if len(tool["summary"]) > 300]
        check("summaries have at most 300 characters", long, [])
        status, some = request(base, key, "/v1/tools/openapi.json?tools=table-tool&short=true")
        check("a part of the tools can be chosen", (status, len(some["paths"]) < len(document["paths"])), (200, True))
        described = [path for path, it in some["paths"].items() if "description" in it["post"]]
        check("a short document has summaries alone", described, [])

        if generate("mitt_tools", document, work):
            call_generated(base, key)
        status, whole = request(base, key, "/openapi.json")
        if check("the document of the service is there", status, 200):
            generate("mitt_service", whole, work)

        call_directly(base, key)
    if FAILED:
        print(f"tools: failed: {', '.join(FAILED)}")
        sys.exit(1)


def call_generated(base, key):
    """Calls a tool with the generated client."""
    client = importlib.import_module("mitt_tools")
    if key:
        connection = client.AuthenticatedClient(base_url=base, token=key)
    else:
        connection = client.Client(base_url=base)
    api = [it for it in (pathlib.Path(client.__file__).parent / "api").glob("*/table_tool_sort.py")]
    if not check("the tool has a module", len(api), 1):
        return
    sort = importlib.import_module(f"mitt_tools.api.{api[0].parent.name}.table_tool_sort")
    models = importlib.import_module("mitt_tools.models")
    arguments = models.TableToolSortArguments.from_dict(
        {
            "data": {"columns": ["a", "b"], "rows": [["x", 3], ["y", 1], ["z", 2]]},
            "keys": [{"column": "b", "order": "ascending"}],
        }
    )
    answer = sort.sync_detailed(client=connection, body=arguments)
    if not check("the tool answers the generated client", int(answer.status_code), 200):
        print(answer.content[:2000])
        return
    result = answer.parsed.to_dict()
    check("the rows are sorted", [row[0] for row in result["data"]["rows"]], ["y", "z", "x"])


def call_directly(base, key):
    """Checks what a generated client does not show."""
    def post(tool, body, headers=()):
        return request(base, key, f"/v1/tools/{tool}", body, headers)

    status, problem = post("table_tool__sort", {"data": 1, "keys": 2})
    check("wrong arguments are refused with their places", (status, problem.get("code")), (422, "arguments"))
    check("each problem has a place", all("pointer" in it for it in problem.get("errors", [{}])))
    status, problem = post("table_tool__sotr", {})
    check("an unknown tool is not found", (status, problem.get("code")), (404, "unknown_tool"))
    check("its neighbour is named", "table_tool__sort" in (problem.get("hint") or ""))
    status, result = post("python__run", {"code": "2 ** 64 + 1"})
    check("a script runs", (status, "18446744073709551617" in json.dumps(result)), (200, True))
    status, problem = post("document_tool__read_table", {"name": "file-AAAAAAAAAAAAAAAAAAAAA"})
    check("a file that does not exist is refused", (status, problem["errors"][0]["pointer"]), (422, "/name"))
    status, problem = post("python__run", {"code": "1"}, [("X-Mitt-Session", "cntr_missing")])
    check("a sandbox that does not exist is refused", status, 404)

    status, sandbox = request(base, key, "/v1/containers", {"name": "tools"})
    if check("a sandbox is made", status // 100, 2):
        session = [("X-Mitt-Session", sandbox["id"])]
        code = "open('kept.csv', 'w').write('a,b\\n1,2\\n')"
        status, result = post("python__run", {"code": code}, session)
        files = [it["name"] for it in result.get("files", [])]
        check("a call in a sandbox writes a file", (status, files), (200, ["kept.csv"]))
        status, result = post("document_tool__read_table", {"name": "kept.csv"}, session)
        check("the next call reads it", (status, result.get("columns")), (200, ["a", "b"]))


if __name__ == "__main__":
    main()
