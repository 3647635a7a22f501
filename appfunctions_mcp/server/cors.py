"""What web pages of other origins may send and read: the headers of CORS, and the preflight.

A browser's own credentials are never admitted; a page shows its token itself.
"""

from collections.abc import Sequence

from appfunctions_mcp.server.http_messages import HttpRequest, RawHeaders, respond

ALLOWED_HEADERS = (
    "accept",
    "authorization",
    "content-type",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
)
"""What a page may send; the headers that repeat arguments (`Mcp-Param-…`) too."""
EXPOSED_HEADERS = ("mcp-protocol-version", "mcp-session-id", "www-authenticate")
"""What a page may read."""
PREFLIGHT_SECONDS = 600
"""How long a browser may go by one preflight."""

_PARAMETER_HEADERS = "mcp-param-"


def headers_for_page(origin: str) -> RawHeaders:
    """The headers that let a page of an allowed origin read an answer."""
    return [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-expose-headers", ", ".join(EXPOSED_HEADERS).encode()),
        (b"vary", b"origin"),
    ]


async def answer_options(request: HttpRequest, methods: Sequence[str]) -> None:
    """Answers OPTIONS, a browser's preflight among them.

    Args:
        request: The request.
        methods: Which others are served at its path.
    """
    served = ", ".join(sorted({*methods, "OPTIONS"})).encode()
    asked = request.headers.get("access-control-request-headers", "").lower()
    named = (name.strip() for name in asked.split(","))
    parameters = [name for name in named if name.startswith(_PARAMETER_HEADERS)]
    headers: RawHeaders = [
        (b"allow", served),
        (b"access-control-allow-methods", served),
        (b"access-control-allow-headers", ", ".join([*ALLOWED_HEADERS, *parameters]).encode()),
        (b"access-control-max-age", b"%d" % PREFLIGHT_SECONDS),
    ]
    await respond(request.send, 204, headers=headers)
