"""The service through the MCP SDK's low-level server: its only users are here.

`build_server` makes the server that SDK transports and clients take; `SdkEngine` runs it
over the transport of `server/stdio.py`; `http_manager` is its streamable HTTP.
"""

from appfunctions_mcp.server.sdk.request_contexts import ANONYMOUS_CALLER, CALLER_SCOPE_KEY
from appfunctions_mcp.server.sdk.service_server import ServiceServer, build_server
from appfunctions_mcp.server.sdk.stdio_engine import SdkEngine
from appfunctions_mcp.server.sdk.streamable_http import http_manager

__all__ = [
    "ANONYMOUS_CALLER",
    "CALLER_SCOPE_KEY",
    "SdkEngine",
    "ServiceServer",
    "build_server",
    "http_manager",
]
