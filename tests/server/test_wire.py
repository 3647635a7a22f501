"""One test for each row of the table in `wire.py`, and for each shape that goes out."""

import base64
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionCancelledException,
    AppFunctionDeniedException,
    AppFunctionDisabledException,
    AppFunctionElementNotFoundException,
    AppFunctionException,
    AppFunctionFunctionNotFoundException,
    AppFunctionInvalidArgumentException,
    AppFunctionLimitExceededException,
    MetadataXmlError,
)
from appfunctions_mcp.media import Audio, BlobResource, Image, ResourceLink, TextResource
from appfunctions_mcp.metadata import (
    AppFunctionAccessLevel,
    AppFunctionMetadata,
    AppFunctionResponseMetadata,
    AppFunctionSchema,
    AppIcon,
    AppMetadata,
)
from appfunctions_mcp.requests import ExecuteAppFunctionResponse
from appfunctions_mcp.server import wire
from appfunctions_mcp.server.envelopes import BadMessage, read_message
from appfunctions_mcp.server.protocol_errors import ProtocolError


def test_an_unknown_function_is_a_protocol_error_with_the_error_record() -> None:
    """F61."""
    error = wire.unknown_function(AppFunctionFunctionNotFoundException("no function is called 'x'"))
    assert error.code == -32602
    assert error.message == "AppFunctionFunctionNotFoundException: no function is called 'x'"
    assert error.data == {
        "type": "AppFunctionFunctionNotFoundException",
        "code": 1003,
        "category": "request",
        "message": "no function is called 'x'",
        "retryable": False,
    }


@pytest.mark.parametrize(
    ("params", "member"),
    [
        (None, "name"),
        ({}, "name"),
        ({"name": 5}, "name"),
        ({"name": None}, "name"),
        ({"name": "f", "arguments": []}, "arguments"),
        ({"name": "f", "arguments": "x"}, "arguments"),
        ({"name": "f", "_meta": 5}, "_meta"),
        ({"name": "f", "_meta": {"progressToken": True}}, "_meta.progressToken"),
        ({"name": "f", "_meta": {"progressToken": 1.5}}, "_meta.progressToken"),
    ],
)
def test_a_malformed_call_is_a_protocol_error_that_names_the_member(
    params: dict[str, Any] | None, member: str
) -> None:
    """F61."""
    with pytest.raises(ProtocolError, match=f"Invalid params: {member} is ") as caught:
        wire.read_tool_call(params)
    assert caught.value.code == -32602


@pytest.mark.parametrize("arguments", [{}, {"arguments": None}, {"arguments": {}}])
def test_arguments_may_be_absent(arguments: dict[str, Any]) -> None:
    assert wire.read_tool_call({"name": "f", **arguments}) == wire.ToolCall("f", {}, None)


@pytest.mark.parametrize("token", [0, "", 7, "t"])
def test_zero_and_the_empty_text_are_progress_tokens(token: str | int) -> None:
    """F58."""
    call = wire.read_tool_call({"name": "f", "_meta": {"progressToken": token}})
    assert call.progress_token == token


@pytest.mark.parametrize("cursor", ["", "bogus", "x" * 500, 5])
def test_any_cursor_is_refused(cursor: object) -> None:
    with pytest.raises(ProtocolError, match=r"no cursor .* was given out") as caught:
        wire.require_first_page({"cursor": cursor})
    assert caught.value.code == -32602
    assert len(caught.value.message) < 250


@pytest.mark.parametrize("params", [None, {}, {"cursor": None}, {"_meta": {}}])
def test_a_list_without_a_cursor_is_served(params: dict[str, Any] | None) -> None:
    wire.require_first_page(params)


@pytest.mark.parametrize(
    ("line", "code"), [(b"{bad", -32700), (b"[]", -32600), (b'{"id":1,"method":"x"}', -32600)]
)
def test_a_bad_line_or_envelope_has_json_rpcs_code(line: bytes, code: int) -> None:
    bad = read_message(line)
    assert isinstance(bad, BadMessage)
    assert bad.code == code


@pytest.mark.parametrize(
    "error",
    [
        AppFunctionInvalidArgumentException("limit: text came; an integer is accepted"),
        AppFunctionDisabledException("wipe is switched off"),
        AppFunctionDeniedException("this caller may not execute wipe"),
        AppFunctionElementNotFoundException(
            "no note has this id", recovery="find_notes lists them"
        ),
        AppFunctionCancelledException("timed out after 30 s"),
        AppFunctionLimitExceededException("the queue is full"),
        AppFunctionAppUnknownException("the function failed", extras={"error_id": "0a1b"}),
        AppFunctionException(),
    ],
    ids=lambda e: type(e).__name__,
)
def test_an_exception_is_a_result_that_the_model_reads(error: AppFunctionException) -> None:
    """F61, F65, F111."""
    result = wire.error_result(error)
    [block] = result["content"]
    assert block["type"] == "text"
    first, *lines = block["text"].splitlines()
    assert first == (f"{error.kind}: {error.message}" if error.message else error.kind)
    assert lines == ([f"Recovery: {error.recovery}"] if error.recovery else [])
    assert result["isError"] is True
    assert result["_meta"] == {"appfunctions/error": error.structured()}
    assert "structuredContent" not in result


def test_a_fault_of_the_server_shows_an_error_id_and_nothing_else() -> None:
    """F62."""
    fault = wire.server_fault()
    assert fault.error_code == 2000
    assert fault.extras["error_id"] in fault.message


def test_a_value_goes_out_as_text_and_as_structure() -> None:
    """F97."""
    response = ExecuteAppFunctionResponse(value=5, structured={"result": 5}, text='{"result":5}')
    assert wire.call_result(response) == {
        "content": [{"type": "text", "text": '{"result":5}'}],
        "structuredContent": {"result": 5},
        "isError": False,
    }


@pytest.mark.parametrize("text", ["plain", ""])
def test_a_text_goes_out_once(text: str) -> None:
    response = ExecuteAppFunctionResponse(value=text, text=text)
    expected = {"content": [{"type": "text", "text": text}], "isError": False}
    assert wire.call_result(response) == expected


def test_media_go_out_as_media_blocks_alone() -> None:
    """F96."""
    media = (
        Image(b"\x89PNG", "image/png"),
        Audio(b"RIFF", "audio/wav"),
        TextResource("file:///a.md", "# A", "text/markdown"),
        BlobResource("file:///a.bin", b"\xff", "application/octet-stream"),
        ResourceLink("https://example.org/x", "x", size=3),
    )
    result = wire.call_result(ExecuteAppFunctionResponse(media=media))
    assert result == {
        "content": [
            {"type": "image", "data": "iVBORw==", "mimeType": "image/png"},
            {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
            {
                "type": "resource",
                "resource": {"uri": "file:///a.md", "mimeType": "text/markdown", "text": "# A"},
            },
            {
                "type": "resource",
                "resource": {
                    "uri": "file:///a.bin",
                    "mimeType": "application/octet-stream",
                    "blob": "/w==",
                },
            },
            {"type": "resource_link", "uri": "https://example.org/x", "name": "x", "size": 3},
        ],
        "isError": False,
    }


def test_a_tool_shows_what_the_function_declares_and_nothing_that_is_unknown() -> None:
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    assert wire.tool(AppFunctionMetadata("m#f", "f", "Does it.")) == {
        "name": "f",
        "description": "Does it.",
        "inputSchema": schema,
    }
    full = AppFunctionMetadata(
        "m#f",
        "f",
        "Does it.",
        title="Do it",
        response=AppFunctionResponseMetadata("", {"type": "object"}),
        deprecated="use g",
        read_only=True,
        destructive=False,
        idempotent=True,
        open_world=False,
    )
    assert wire.tool(full) == {
        "name": "f",
        "title": "Do it",
        "description": "Does it.\n\nDeprecated: use g",
        "inputSchema": schema,
        "outputSchema": {"type": "object"},
        "annotations": {
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        },
    }


def test_a_tool_tells_of_its_function_what_android_knows() -> None:
    """An agent that knows a predefined schema finds what implements it."""
    plain = AppFunctionMetadata("m#f", "f", access_level_compat=False)
    full = AppFunctionMetadata(
        "m#f",
        "f",
        schema=AppFunctionSchema("notes", "createNote", 2),
        access_level=AppFunctionAccessLevel.SYSTEM,
        package="com.example.notes",
    )

    assert "_meta" not in wire.tool(plain)
    assert wire.tool(full)["_meta"] == {
        "appfunctions/function": {
            "schema": {"category": "notes", "name": "createNote", "version": 2},
            "accessLevel": "system",
            "package": "com.example.notes",
        }
    }


def test_the_newest_revision_marks_results_and_names_the_server() -> None:
    info = {"name": "notes", "version": "1"}
    key = "io.modelcontextprotocol/serverInfo"
    assert wire.modern_result({"content": [], "isError": False}, info) == {
        "resultType": "complete",
        "content": [],
        "isError": False,
        "_meta": {key: info},
    }
    assert wire.modern_result(wire.tools_list([]), info, is_list=True) == {
        "resultType": "complete",
        "tools": [],
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {key: info},
    }
    meta = wire.modern_result({"_meta": {"appfunctions/error": {}}}, info)["_meta"]
    assert meta == {"appfunctions/error": {}, key: info}


def test_the_server_says_of_itself_what_the_metadata_says(tmp_path: Path) -> None:
    picture = tmp_path / "icon.png"
    picture.write_bytes(b"\x89PNG")
    app = AppMetadata(
        name="notes",
        description="Manages notes.",
        title="Notes",
        version="1.2.3",
        website_url="https://example.org",
        icons=(
            AppIcon(str(picture), "image/png", "64x64 any"),
            AppIcon("https://example.org/icon.svg"),
        ),
    )
    encoded = base64.b64encode(b"\x89PNG").decode()
    assert wire.server_info(app) == {
        "name": "notes",
        "title": "Notes",
        "version": "1.2.3",
        "description": "Manages notes.",
        "websiteUrl": "https://example.org",
        "icons": [
            {
                "src": f"data:image/png;base64,{encoded}",
                "mimeType": "image/png",
                "sizes": ["64x64", "any"],
            },
            {"src": "https://example.org/icon.svg"},
        ],
    }


def test_an_icon_that_cannot_be_read_is_the_authors_error(tmp_path: Path) -> None:
    app = AppMetadata("notes", "Manages notes.", icons=(AppIcon(str(tmp_path / "none.png")),))
    with pytest.raises(MetadataXmlError, match=r"none\.png cannot be read"):
        wire.server_info(app)
