"""Resources and prompts on a start from a manifest: lists without the app, all else with it."""

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.manifest_app import (
    LISTS,
    listed_names,
    manifests,
    running,
    start_once,
    was_imported,
    write_app,
    write_module,
)
from tests.support.stdio_server import StdioServer

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes and pipes of POSIX")

PARTS = (
    LISTS
    + '''
from appfunctions_mcp import app_prompt, app_resource


@app_resource("lists://all", title="All lists\\tin one")
def all_lists() -> str:
    """Every list."""
    return "milk"


@app_resource("lists://{name}")
def one_list(name: str) -> str:
    """One list."""
    return name


@app_prompt
def shop(where: str) -> str:
    """Plans a way through a shop."""
    return f"Plan a way through {where}."
'''
)
ENTRIES = PARTS.replace(
    '@app_resource("lists://{name}")',
    '@app_resource("lists://{name}", entries=lambda: [("lists://a", "a")])',
)
METHODS = ("resources/list", "resources/templates/list", "prompts/list")
MODERN = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}


def answers(server: StdioServer) -> list[dict[str, Any]]:
    return [server.request(method) for method in METHODS]


@pytest.mark.parametrize("era", ["handshake", "modern"])
def test_static_lists_need_nothing_of_the_app_and_are_what_the_engine_says(
    tmp_path: Path, era: str
) -> None:
    file = write_app(tmp_path / "app", module=PARTS)
    start_once(file)
    told: list[list[Any]] = []
    for options in ([], ["--eager"]):
        with running(file, *options) as server:
            if era == "handshake":
                opened = server.initialize()
                told.append([opened, *answers(server)])
            else:
                found = server.request("server/discover", MODERN)
                told.append([found, *(server.request(method, MODERN) for method in METHODS)])
            assert ("imported" in server.stderr) == bool(options)
            lines = server.raw[:]
        told[-1] += lines
    assert told[0] == told[1]
    assert "milk" not in str(told)
    assert "lists://all" in str(told)


def test_a_list_that_the_app_makes_anew_needs_the_app(tmp_path: Path) -> None:
    file = write_app(tmp_path / "app", module=ENTRIES)
    start_once(file)
    with running(file) as server:
        server.initialize()
        assert [p["name"] for p in server.request("prompts/list")["result"]["prompts"]] == ["shop"]
        assert "imported" not in server.stderr
        listed = server.request("resources/list")["result"]["resources"]
        assert [resource["uri"] for resource in listed] == ["lists://all", "lists://a"]
        assert "imported" in server.stderr


def test_what_is_asked_for_beyond_lists_goes_on_with_the_app(tmp_path: Path) -> None:
    file = write_app(tmp_path / "app", module=PARTS)
    start_once(file)
    with running(file) as server:
        server.initialize()
        answers(server)
        read = server.request("resources/read", {"uri": "lists://b"})["result"]
        assert read["contents"][0]["text"] == "b"
        shop = {"name": "shop", "arguments": {"where": "town"}}
        made = server.request("prompts/get", shop)["result"]
        assert made["messages"][0]["content"]["text"] == "Plan a way through town."
        assert server.request("resources/subscribe", {"uri": "lists://b"})["result"] == {}
        assert server.notifications == []


def test_lists_that_are_old_are_said_to_have_changed(tmp_path: Path) -> None:
    file = write_app(tmp_path / "app", module=PARTS)
    start_once(file)
    with running(file) as server:
        listed_names(server)
        answers(server)
        write_module(file.parent, PARTS.replace("Plans a way", "Finds a way"))
        assert server.call("add_item", {"text": "milk"})["result"]["isError"] is False
        assert [n["method"] for n in server.notifications] == ["notifications/prompts/list_changed"]
        (prompt,) = server.request("prompts/list")["result"]["prompts"]
        assert prompt["description"] == "Finds a way through a shop."


def test_parts_that_came_later_are_said_to_have_changed(tmp_path: Path) -> None:
    file = write_app(tmp_path / "app")
    start_once(file)
    with running(file) as server:
        listed_names(server)
        assert answers(server)[0]["error"]["code"] == -32601
        write_module(file.parent, PARTS)
        server.call("add_item", {"text": "milk"})
        assert {n["method"] for n in server.notifications} == {
            "notifications/resources/list_changed",
            "notifications/prompts/list_changed",
        }


def test_an_app_that_cannot_be_loaded_any_more_says_so_for_resources_and_prompts(
    tmp_path: Path,
) -> None:
    file = write_app(tmp_path / "app", module=PARTS)
    start_once(file)
    with running(file) as server:
        listed_names(server)
        listed = [answer["result"] for answer in answers(server)]
        write_module(file.parent, PARTS + "\nraise RuntimeError('no database')\n")
        asked: list[tuple[str, dict[str, Any]]] = [
            ("resources/read", {"uri": "lists://all"}),
            ("prompts/get", {"name": "shop"}),
        ]
        for method, params in asked:
            error = server.request(method, params)["error"]
            assert error["code"] == -32603
            assert "the app cannot be loaded" in error["message"]
            assert "no database" in error["message"]
        assert [answer["result"] for answer in answers(server)] == listed
        assert server.request("resources/else", {})["error"]["code"] == -32601
        assert server.notifications == []


def test_a_predicate_on_a_resource_keeps_the_app_without_a_manifest(tmp_path: Path) -> None:
    module = PARTS.replace('"lists://{name}"', '"lists://{name}", access=lambda caller: True')
    file = write_app(tmp_path / "app", module=module)
    assert was_imported(file)
    assert was_imported(file)
    assert manifests() == []
