"""What a request of the SDK's says of its client: era, caller, capabilities, wanted reports."""

from collections.abc import Mapping
from typing import Any, get_args

import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from appfunctions_mcp.metadata import AppFunctionCaller

Context = ServerRequestContext[Any, Any]

CALLER_SCOPE_KEY = "appfunctions_mcp.caller"
"""Where an HTTP request's ASGI scope names its caller."""
ANONYMOUS_CALLER = AppFunctionCaller(name="anonymous")

_LOG_LEVELS: tuple[str, ...] = get_args(types.LoggingLevel)
_LEVEL_KEY = "appfunctions_mcp.log_level"


def is_modern(ctx: Context) -> bool:
    """Whether the request is of the era without a handshake."""
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def caller_of(ctx: Context, otherwise: AppFunctionCaller) -> AppFunctionCaller:
    """Who calls.

    Args:
        ctx: The request.
        otherwise: Who calls where no HTTP request says it.
    """
    if ctx.request is None:
        return otherwise
    caller = ctx.request.scope.get(CALLER_SCOPE_KEY, ANONYMOUS_CALLER)
    return caller if isinstance(caller, AppFunctionCaller) else ANONYMOUS_CALLER


def connection_of(ctx: Context) -> Connection:
    """The connection that all requests of a client share; the SDK has no public way to it."""
    return ctx.session._connection  # noqa: SLF001 - no public way in 2.3


def client_capabilities(ctx: Context) -> Mapping[str, Any]:
    """What the client has declared: with this request, or at the handshake."""
    if is_modern(ctx):
        declared = (ctx.meta or {}).get(types.CLIENT_CAPABILITIES_META_KEY)
        return declared if isinstance(declared, dict) else {}
    params = ctx.session.client_params
    return params.capabilities.model_dump(by_alias=True, exclude_none=True) if params else {}


def set_log_level(ctx: Context, level: str) -> None:
    """Notes from which level on the client wants log messages, for its connection."""
    connection_of(ctx).state[_LEVEL_KEY] = level


def log_levels(ctx: Context) -> frozenset[str]:
    """The levels that the client asked for: with this request, or for the connection."""
    if is_modern(ctx):
        lowest = (ctx.meta or {}).get(types.LOG_LEVEL_META_KEY)
    else:
        lowest = connection_of(ctx).state.get(_LEVEL_KEY)
    if lowest not in _LOG_LEVELS:
        return frozenset()
    return frozenset(_LOG_LEVELS[_LOG_LEVELS.index(lowest) :])
