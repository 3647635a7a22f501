"""Which requests are so plain that they need no validator: the shapes that clients really send.

Whatever these functions admit, `request_params` admits as well; what they do not know may be
good all the same. Imports nothing.
"""

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSION = "2026-07-28"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo"
LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""From the least to the most severe."""

_CLIENT_TEXTS = frozenset({"name", "title", "version", "description", "websiteUrl"})


def is_plain_meta(params: "dict[str, object]") -> bool:
    """Whether params are empty but for a progress token."""
    if not params:
        return True
    meta = params.get("_meta")
    return (
        len(params) == 1
        and isinstance(meta, dict)
        and not meta.keys() - {"progressToken"}
        and all(type(token) in {str, int} for token in meta.values())
    )


def is_plain_handshake(params: "dict[str, object]") -> bool:
    """Whether the params of `initialize` are plain."""
    return (
        params.keys() == {"protocolVersion", "capabilities", "clientInfo"}
        and isinstance(params["protocolVersion"], str)
        and _are_plain_capabilities(params["capabilities"])
        and _is_plain_client(params["clientInfo"])
    )


def is_plain_envelope(meta: object) -> bool:
    """Whether the `_meta` of a request is a plain envelope of the modern era."""
    if not isinstance(meta, dict) or meta.get(VERSION_KEY) != MODERN_VERSION:
        return False
    if meta.keys() - {VERSION_KEY, CAPABILITIES_KEY, CLIENT_INFO_KEY}:
        return False
    has_plain_client = CLIENT_INFO_KEY not in meta or _is_plain_client(meta[CLIENT_INFO_KEY])
    return has_plain_client and _are_plain_capabilities(meta.get(CAPABILITIES_KEY))


def _are_plain_capabilities(capabilities: object) -> bool:
    if not isinstance(capabilities, dict) or "tasks" in capabilities:
        return False
    for name in ("elicitation", "sampling", "experimental", "extensions"):
        declared = capabilities.get(name, {})
        if not isinstance(declared, dict):
            return False
        if not all(isinstance(value, dict) for value in declared.values()):
            return False
    roots = capabilities.get("roots", {})
    return isinstance(roots, dict) and isinstance(roots.get("listChanged", False), bool)


def _is_plain_client(client: object) -> bool:
    return (
        isinstance(client, dict)
        and {"name", "version"} <= client.keys() <= _CLIENT_TEXTS
        and all(isinstance(text, str) for text in client.values())
    )
