"""Texts, media and resources to the content blocks that go over MCP.

Pure functions, for results of functions, messages of prompts and questions alike.
"""

import base64
from typing import Any

from appfunctions_mcp.media import (
    Audio,
    BlobResource,
    Image,
    Media,
    ResourceLink,
    TextResource,
)

Block = dict[str, Any]


def text_block(text: str) -> Block:
    """A text as a content block."""
    return {"type": "text", "text": text}


def content_block(content: Media | str) -> Block:
    """Anything that is sent as a block of its own."""
    match content:
        case str():
            return text_block(content)
        case Image():
            return {"type": "image", "data": as_base64(content.data), "mimeType": content.mime_type}
        case Audio():
            return {"type": "audio", "data": as_base64(content.data), "mimeType": content.mime_type}
        case TextResource() | BlobResource():
            return {"type": "resource", "resource": resource_contents(content)}
        case ResourceLink():
            return _link(content)


def resource_contents(resource: TextResource | BlobResource) -> Block:
    """What stands at an address, as it is embedded and as `resources/read` answers it."""
    contents = {"uri": resource.uri, "mimeType": resource.mime_type}
    if isinstance(resource, TextResource):
        return {**contents, "text": resource.text}
    return {**contents, "blob": as_base64(resource.data)}


def as_base64(content: bytes) -> str:
    """Bytes as the text that stands for them in JSON."""
    return base64.b64encode(content).decode("ascii")


def _link(link: ResourceLink) -> Block:
    described = {
        "type": "resource_link",
        "uri": link.uri,
        "name": link.name,
        "title": link.title,
        "description": link.description,
        "mimeType": link.mime_type,
        "size": link.size,
    }
    return {key: value for key, value in described.items() if value is not None}
