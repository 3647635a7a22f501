"""The headers by which requests are routed: the protocol version, and what repeats the body.

From 2026-07-28 on a request repeats its version, its method and the name it asks for in headers,
so that whoever stands between need not read the body; what differs is refused. Pure functions on
headers and messages.
"""

import base64
import re
from typing import Any

from appfunctions_mcp.server.envelopes import Message
from appfunctions_mcp.server.eras import (
    HANDSHAKE_VERSIONS,
    MODERN_VERSIONS,
    VERSION_KEY,
    Era,
    is_enveloped,
    require_envelope,
)
from appfunctions_mcp.server.http_access import Headers
from appfunctions_mcp.server.http_messages import RawHeaders
from appfunctions_mcp.server.protocol_errors import (
    HEADER_MISMATCH,
    UNSUPPORTED_VERSION,
    ProtocolError,
)

VERSION_HEADER = "mcp-protocol-version"
METHOD_HEADER = "mcp-method"
NAME_HEADER = "mcp-name"

_ROUTING = frozenset({b"mcp-protocol-version", b"mcp-method", b"mcp-name"})
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Which member of the params is repeated as the name."""
_BASE64 = re.compile(r"=\?base64\?(.*)\?=")


def is_handshake_version(headers: Headers) -> bool:
    """Whether a request names a version with a handshake; without a name it is taken for one."""
    version = headers.get(VERSION_HEADER)
    return version is None or version in HANDSHAKE_VERSIONS


def era_of(headers: Headers, method: str) -> Era:
    """The era of a request, by its headers; a handshake may propose any version."""
    if is_handshake_version(headers):
        return "handshake"
    is_known = headers[VERSION_HEADER] in MODERN_VERSIONS
    return "handshake" if method == "initialize" and not is_known else "modern"


def require_served_version_header(headers: Headers) -> None:
    """Checks the version that a modern notification names.

    Raises:
        ProtocolError: It is not served.
    """
    version = headers.get(VERSION_HEADER)
    if version not in MODERN_VERSIONS:
        raise _unsupported(version, MODERN_VERSIONS)


def check_routing_headers(headers: Headers, raw: RawHeaders, request: Message) -> None:
    """Checks that the headers of a modern request say the same as its body.

    Args:
        headers: By name.
        raw: As they came.
        request: The body.

    Raises:
        ProtocolError: One is missing, comes twice or differs, or the body has no envelope.
    """
    if len(headers) < len(raw):
        _require_single(raw)
    params, version = request.get("params"), headers.get(VERSION_HEADER)
    if version not in MODERN_VERSIONS and not is_enveloped(params):
        raise _unsupported(version, (*MODERN_VERSIONS, *HANDSHAKE_VERSIONS))
    require_envelope(params)
    assert params is not None  # noqa: S101 - it has an envelope
    if version is None or version != params["_meta"][VERSION_KEY]:
        raise _mismatch(VERSION_HEADER, "the request envelope's protocol version")
    method = request["method"]
    if headers.get(METHOD_HEADER) != method:
        raise _mismatch(METHOD_HEADER, "the request body's method")
    key = _NAMED_BY.get(method)
    if key is None or params.get(key) is None:
        return
    if decoded_value(headers.get(NAME_HEADER)) != params[key]:
        raise _mismatch(NAME_HEADER, f"the request body's {key!r} parameter")


def decoded_value(value: str | None) -> str | None:
    """The text that a header stands for; what no header can hold comes as `=?base64?…?=`.

    Returns:
        The text; None where there is no header, or one that cannot be decoded.
    """
    encoded = None if value is None else _BASE64.fullmatch(value)
    if encoded is None:
        return value
    try:
        content = base64.b64decode(encoded[1], validate=True)
        is_canonical = base64.b64encode(content).decode() == encoded[1]
        return content.decode() if is_canonical else None
    except ValueError:  # no base64, or no UTF-8 in it
        return None


def header_mismatch(message: str) -> ProtocolError:
    """The error for a header that does not say what the body says."""
    return ProtocolError(HEADER_MISMATCH, message)


def _require_single(raw: RawHeaders) -> None:
    seen: set[bytes] = set()
    for name, _ in raw:
        if name in seen and name in _ROUTING:
            raise header_mismatch(f"{name.decode()} header appears more than once")
        seen.add(name)


def _mismatch(header: str, what: str) -> ProtocolError:
    return header_mismatch(f"{header} header does not match {what}")


def _unsupported(version: Any, supported: tuple[str, ...]) -> ProtocolError:
    about = {"supported": list(supported), "requested": version}
    return ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", about)
