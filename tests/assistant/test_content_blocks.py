"""Content blocks of MCP results, whole and damaged, as texts and media."""

from typing import Any

import pytest

from appfunctions_mcp.assistant.content_blocks import parts_of
from appfunctions_mcp.assistant.results import text_of
from appfunctions_mcp.media import Audio, BlobResource, Image, ResourceLink, TextResource

GIF = "R0lGODlh"


@pytest.mark.parametrize(
    ("block", "part", "text"),
    [
        ({"type": "text", "text": "hello"}, "hello", "hello"),
        (
            {"type": "image", "data": GIF, "mimeType": "image/gif"},
            Image(b"GIF89a", "image/gif"),
            "[picture: image/gif, 6 bytes]",
        ),
        (
            {"type": "audio", "data": GIF, "mimeType": "audio/wav"},
            Audio(b"GIF89a", "audio/wav"),
            "[sound: audio/wav, 6 bytes]",
        ),
        (
            {"type": "resource", "resource": {"uri": "file:///a.md", "text": "# A"}},
            TextResource("file:///a.md", "# A"),
            "[file:///a.md]\n# A",
        ),
        (
            {
                "type": "resource",
                "resource": {"uri": "file:///a.pdf", "blob": GIF, "mimeType": "application/pdf"},
            },
            BlobResource("file:///a.pdf", b"GIF89a", "application/pdf"),
            "[file:///a.pdf: application/pdf, 6 bytes]",
        ),
        (
            {"type": "resource", "resource": {"uri": "file:///a", "blob": GIF}},
            BlobResource("file:///a", b"GIF89a"),
            "[file:///a: application/octet-stream, 6 bytes]",
        ),
        (
            {
                "type": "resource",
                "resource": {"uri": "file:///a.gif", "blob": GIF, "mimeType": "image/gif"},
            },
            Image(b"GIF89a", "image/gif"),
            "[picture: image/gif, 6 bytes]",
        ),
        (
            {"type": "resource_link", "uri": "https://a.example/", "name": "", "description": "A"},
            ResourceLink("https://a.example/", "https://a.example/", description="A"),
            "[https://a.example/: https://a.example/: A]",
        ),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else "",
)
def test_a_block_is_a_text_or_media(block: Any, part: Any, text: str) -> None:
    assert parts_of([block]) == [part]
    assert text_of([part]) == text


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ("bare", '"bare"'),
        ({}, "[content that cannot be shown: 'None']"),
        ({"type": "video", "uri": "x:y"}, "[content that cannot be shown: 'video', x:y]"),
        ({"type": "video", "text": "subtitles"}, "subtitles"),
        (
            {"type": "image", "data": "?", "mimeType": "image/gif"},
            "[content that cannot be shown: 'image']",
        ),
        (
            {"type": "image", "data": GIF, "mimeType": "text/plain"},
            "[content that cannot be shown: 'image']",
        ),
        ({"type": "resource", "resource": 7}, "[content that cannot be shown: 'resource']"),
        ({"type": "resource", "resource": {"uri": "no address", "text": "A"}}, "A"),
        (
            {"type": "resource_link", "uri": "no address"},
            "[content that cannot be shown: 'resource_link', no address]",
        ),
    ],
    ids=str,
)
def test_a_damaged_block_is_told_in_a_line(block: Any, text: str) -> None:
    assert parts_of([block]) == [text]


@pytest.mark.parametrize("content", [None, {}, "text", 7])
def test_content_that_is_no_list_is_none(content: Any) -> None:
    assert parts_of(content) == []
