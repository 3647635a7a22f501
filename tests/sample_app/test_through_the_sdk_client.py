"""A user of the sample app through the SDK's own client: every transport, engine and era."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError

from appfunctions_mcp.client import connect_client, connect_command
from tests.support.http_server import http_server
from tests.support.stdio_server import PROJECT

pytestmark = pytest.mark.anyio

SERVER = ["-m", "appfunctions_mcp", "run", str(PROJECT / "metadata/app_metadata.xml")]


@asynccontextmanager
async def connected(transport: str, engine: str, era: str, folder: Path) -> AsyncIterator[Client]:
    environment = {
        "NOTES_DB": str(folder / "notes.db"),
        "APPFUNCTIONS_ENGINE": engine,
        "APPFUNCTIONS_STATE_FILE": str(folder / "state.json"),
    }
    if transport == "stdio":
        passed_on = {k: v for k, v in os.environ.items() if k.startswith(("XDG_", "COVERAGE_"))}
        command = [sys.executable, *SERVER]
        async with connect_command(command, mode=era, env=passed_on | environment) as client:
            yield client
        return
    options = ["--sessions"] if transport == "http with sessions" else []
    with http_server(*SERVER, "--http", "0", *options, env=environment) as running:
        async with connect_client(running.url, mode=era) as client:
            yield client


async def value(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
@pytest.mark.parametrize("engine", ["lean", "sdk"])
@pytest.mark.parametrize("transport", ["stdio", "http", "http with sessions"])
async def test_notes_are_listed_created_found_updated_cleared_and_missed(
    transport: str, engine: str, era: str, tmp_path: Path
) -> None:
    async with connected(transport, engine, era, tmp_path) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert {"create_note", "find_notes", "update_note", "labels_add"} <= set(names)
        assert "delete_note" not in names

        note = await value(client, "create_note", title="Заметка ★", content="Two litres")
        found = await value(client, "find_notes", query="заметк")
        assert [n["id"] for n in found["notes"]] == [note["id"]]

        renamed = await value(client, "update_note", note_id=note["id"], title={"value": "Milk"})
        assert (renamed["title"], renamed["content"]) == ("Milk", "Two litres")
        for form in ({"value": None}, {"clear": True}):
            cleared = await value(client, "update_note", note_id=note["id"], content=form)
            assert (cleared["title"], cleared["content"]) == ("Milk", None)
            again = await value(client, "update_note", note_id=note["id"], content={"value": "x"})
            assert again["content"] == "x"

        missing = await client.call_tool("get_note", {"note_id": "no such note"})
        assert missing.is_error
        assert missing.content[0].text.startswith(  # type: ignore[union-attr] # a text block
            "AppFunctionElementNotFoundException: "
        )
        assert missing.meta is not None
        assert missing.meta["appfunctions/error"]["code"] == 1500
        with pytest.raises(MCPError) as unknown:
            await client.call_tool("no_such_tool", {})
        assert unknown.value.error.code == -32602
