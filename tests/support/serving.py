"""Serves an app of the tests by a process of its own, as the command line and the variable ask.

The variable `APPFUNCTIONS_ENGINE` says which engine: `sdk`, or else our own.
"""

import os
import sys
from typing import Literal

from appfunctions_mcp.service import AppFunctionService

Engine = Literal["lean", "sdk"]


def chosen_engine() -> Engine:
    """What is to speak MCP."""
    return "sdk" if os.environ.get("APPFUNCTIONS_ENGINE") == "sdk" else "lean"


def serve(service: AppFunctionService, transport: str, *options: str) -> None:
    """Serves until the client is gone or a signal comes.

    Args:
        service: The app.
        transport: `stdio`, or `http`, which says on stderr when it is ready.
        options: `--threads` of stdio; the port of HTTP, then `--sessions`.
    """
    if transport == "stdio":
        from appfunctions_mcp.server.engine import serve_stdio

        serve_stdio(service, engine=chosen_engine(), threads="--threads" in options)
    else:
        from appfunctions_mcp.server.http import serve_http

        serve_http(
            service,
            port=int(options[0]),
            sessions="--sessions" in options,
            engine=chosen_engine(),
            on_ready=lambda url: print(f"ready {url}", file=sys.stderr, flush=True),
        )
