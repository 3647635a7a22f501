"""A server on stdio that answers as no good server would: lines in, lines out, nothing else.

Run as `python tests/support/raw_tools_server.py KIND`; KIND says how it behaves.
"""

import json
import sys
from typing import Any

TOOLS: list[dict[str, Any]] = [
    {"name": "refuse", "inputSchema": {"type": "object"}},
    {"name": "fail"},
    {"name": "odd", "inputSchema": {"type": "object", "properties": {}}},
    {
        "name": "unfit",
        "inputSchema": {"type": "object"},
        "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}},
    },
    {"name": "silent", "inputSchema": {"type": "object"}},
    {"name": "bare", "inputSchema": {"type": "object"}},
    {"name": "bare", "description": "The second one.", "inputSchema": {"type": "object"}},
]
ANSWERS: dict[str, dict[str, Any]] = {
    "refuse": {"error": {"code": -32602, "message": "there is no argument 'a'"}},
    "fail": {"error": {"code": -32000, "message": ""}},
    "odd": {"result": {"content": "text"}},
    "unfit": {"result": {"content": [], "structuredContent": {"n": "many"}}},
    "silent": {"result": {"content": [], "isError": True}},
    "bare": {"result": {"content": [], "structuredContent": {"n": None}}},
}


def answer_to(request: dict[str, Any], kind: str) -> dict[str, Any]:
    """The members of the answer beside the id."""
    method, params = request["method"], request.get("params", {})
    if method == "initialize":
        capabilities = {"tools": {"listChanged": True}}
        info = {"name": "raw", "version": "1"}
        version = "2025-11-25"
        return {
            "result": {
                "protocolVersion": version, "capabilities": capabilities, "serverInfo": info
            }
        }  # fmt: skip
    if method == "tools/list":
        return listing(params, kind)
    if method == "tools/call":
        return ANSWERS[params["name"]]
    return {"error": {"code": -32601, "message": f"no method {method}"}}


def listing(params: dict[str, Any], kind: str) -> dict[str, Any]:
    """A page with one tool each, or none at all."""
    if kind == "no list":
        return {"error": {"code": -32603, "message": "the list is lost"}}
    if kind == "nameless":
        return {"result": {"tools": [{"name": "", "inputSchema": {"type": "object"}}]}}
    place = int(params.get("cursor", 0))
    tool = {"inputSchema": {"type": "object"}, **TOOLS[place % len(TOOLS)]}
    if kind == "endless" or place + 1 < len(TOOLS):
        return {"result": {"tools": [tool], "nextCursor": str(place + 1)}}
    return {"result": {"tools": [tool]}}


def main(kind: str) -> None:
    """Serves until there is nothing more to read."""
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request and kind != "mute":
            answer = {"jsonrpc": "2.0", "id": request["id"], **answer_to(request, kind)}
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
