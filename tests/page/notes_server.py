#!/usr/bin/env python3
"""An MCP server over standard input and output with one tool that may destroy something, for the approvals of the story."""

import json
import sys

TOOL = {
    "name": "remove_note",
    "description": "Removes a note for good.",
    "inputSchema": {
        "type": "object",
        "properties": {"number": {"type": "integer"}, "text": {"type": "string"}},
        "required": ["number"],
    },
    "annotations": {"title": "Remove a note", "readOnlyHint": False, "destructiveHint": True},
}


def answer(method, parameters):
    if method == "initialize":
        version = parameters.get("protocolVersion", "2025-06-18")
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "notes", "version": "1"}}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": f"removed note {parameters['arguments']['number']}"}]}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = answer(message["method"], message.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
