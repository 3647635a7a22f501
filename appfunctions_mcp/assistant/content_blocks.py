"""The content blocks of an MCP result as texts and media.

What a server sends is taken as far as it can be understood; what cannot is named in a text.
"""

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.json_text import write_json
from appfunctions_mcp.media import Audio, BlobResource, Image, Media, ResourceLink, TextResource
from appfunctions_mcp.quoting import quoted

__all__ = ["parts_of"]


def parts_of(content: Any) -> list[Media | str]:
    """The blocks of a result, in their order.

    Args:
        content: The member `content` of a result.
    """
    return [_part_of(block) for block in content] if isinstance(content, list) else []


def _part_of(block: Any) -> Media | str:
    if not isinstance(block, Mapping):
        return write_json(block).decode()
    try:
        part = _known_part(block)
    except (KeyError, TypeError, ValueError):
        part = None
    return _told(block) if part is None else part


def _known_part(block: Mapping[str, Any]) -> Media | str | None:
    match block.get("type"):
        case "text":
            return str(block["text"])
        case "image":
            return Image(_content(block["data"]), block["mimeType"])
        case "audio":
            return Audio(_content(block["data"]), block["mimeType"])
        case "resource":
            return _resource(block["resource"])
        case "resource_link":
            return ResourceLink(
                block["uri"],
                block.get("name") or block["uri"],
                title=block.get("title"),
                description=block.get("description"),
                mime_type=block.get("mimeType"),
                size=block.get("size"),
            )
    return None


def _resource(resource: Mapping[str, Any]) -> Media:
    uri, mime_type = resource["uri"], resource.get("mimeType")
    if "text" in resource:
        return TextResource(uri, resource["text"], mime_type or "text/plain")
    content = _content(resource["blob"])
    for kind, family in ((Image, "image/"), (Audio, "audio/")):
        if mime_type and mime_type.startswith(family):
            return kind(content, mime_type)
    return BlobResource(uri, content, mime_type or "application/octet-stream")


def _content(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as fault:
        raise ValueError("no base64") from fault


def _told(block: Mapping[str, Any]) -> str:
    """A block that is of an unknown kind or damaged: what can be said of it in a line."""
    resource = block.get("resource")
    inner = resource if isinstance(resource, Mapping) else block
    if isinstance(inner.get("text"), str):
        return str(inner["text"])
    where = f", {inner['uri']}" if isinstance(inner.get("uri"), str) else ""
    return f"[content that cannot be shown: {quoted(str(block.get('type')))}{where}]"
