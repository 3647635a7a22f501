"""Of which changes a client hears, and of which it does not."""

import asyncio
import json
import os
import threading
from typing import Any

import pytest

from appfunctions_mcp.declaration import app_function
from appfunctions_mcp.metadata import (
    AppFunctionCaller,
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated,
    StatesChanged,
)
from appfunctions_mcp.resource_declaration import app_resource
from appfunctions_mcp.server import engine
from appfunctions_mcp.server.announcer import Announcer, Changes
from appfunctions_mcp.server.descriptors import ProtocolDescriptors
from appfunctions_mcp.server.engine import LeanEngine
from appfunctions_mcp.server.eras import ClientSession
from appfunctions_mcp.server.methods import Methods
from appfunctions_mcp.server.stdio import StdioTransport
from appfunctions_mcp.server.subscriptions import Subscription
from appfunctions_mcp.service import AppFunctionService
from tests.support.raw_http import INITIALIZE

pytestmark = pytest.mark.anyio

ENVELOPE: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
META = {"io.modelcontextprotocol/subscriptionId": "s"}


@app_function
async def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@app_resource("notes://{note_id}")
def note(note_id: str) -> str:
    """One note."""
    return note_id


@app_resource("secrets://all", access="admin")
def secrets() -> str:
    """What only administrators may read."""
    return "secret"


def served() -> AppFunctionService:
    return AppFunctionService.from_functions(
        [add, note, secrets], name="subscriptions", description="Serves tests."
    )


def subscribed(wanted: dict[str, Any], *scopes: str) -> Subscription:
    request = {
        "jsonrpc": "2.0",
        "id": "s",
        "method": "subscriptions/listen",
        "params": {"notifications": wanted, "_meta": ENVELOPE},
    }
    session = ClientSession(AppFunctionCaller(name="test", scopes=frozenset(scopes)))
    subscription = Methods(served()).prepare(request, session)
    assert isinstance(subscription, Subscription)
    return subscription


def changes_of(*events: object) -> Changes:
    changes = Changes()
    for event in events:
        changes.add(event)
    return changes


EVERYTHING = (
    StatesChanged(frozenset({"add"})),
    ResourcesChanged(frozenset({"notes://{note_id}"})),
    PromptsChanged(frozenset({"greet"})),
    ResourceUpdated("notes://1"),
    ResourceUpdated("notes://2"),
    ResourceUpdated("secrets://all"),
)


def test_a_subscription_repeats_what_it_honours_and_ends_with_its_response() -> None:
    wanted = {"toolsListChanged": True, "promptsListChanged": False, "resourceSubscriptions": []}
    subscription = subscribed(wanted)
    assert subscription.acknowledged()["params"] == {
        "notifications": {"toolsListChanged": True},
        "_meta": META,
    }
    assert subscription.ended()["result"]["_meta"].items() >= META.items()
    assert subscription.refused()["error"]["code"] == -32603


@pytest.mark.parametrize(
    ("wanted", "heard"),
    [
        ({}, []),
        ({"toolsListChanged": True}, ["notifications/tools/list_changed"]),
        ({"promptsListChanged": True}, ["notifications/prompts/list_changed"]),
        (
            {"resourcesListChanged": True, "resourceSubscriptions": ["notes://2", "notes://3"]},
            ["notifications/resources/list_changed", "notifications/resources/updated"],
        ),
    ],
)
def test_a_client_hears_of_what_it_has_asked_for_alone(
    wanted: dict[str, Any], heard: list[str]
) -> None:
    told = subscribed(wanted).changed(changes_of(*EVERYTHING))
    assert [message["method"] for message in told] == heard
    assert all(message["params"]["_meta"] == META for message in told)
    assert [m["params"]["uri"] for m in told if "uri" in m["params"]] == ["notes://2"][
        : heard.count("notifications/resources/updated")
    ]


def test_nobody_hears_of_a_resource_that_is_hidden_from_them() -> None:
    wanted = {"resourceSubscriptions": ["secrets://all"]}
    assert subscribed(wanted).changed(changes_of(*EVERYTHING)) == []
    assert len(subscribed(wanted, "admin").changed(changes_of(*EVERYTHING))) == 1


def test_of_many_changes_a_stream_keeps_those_that_it_tells() -> None:
    subscription = subscribed({"promptsListChanged": True, "resourceSubscriptions": ["notes://1"]})
    many = changes_of(*EVERYTHING, *(ResourceUpdated(f"notes://{n}") for n in range(5_000)))
    wanted = subscription.wanted_of(many)
    assert list(wanted.lists) == ["prompts"]
    assert list(wanted.uris) == ["notes://1"]
    assert not subscription.wanted_of(changes_of(ResourceUpdated("notes://2")))


async def test_changes_made_at_once_and_in_any_thread_are_told_at_once() -> None:
    service, announcer = served(), Announcer()
    heard: list[Changes] = []
    announcer.add(heard.append)
    with announcer.announcing(service):
        service.resources.updated("notes://1")
        service.resources.updated("notes://1")
        worker = threading.Thread(target=service.resources.updated, args=("notes://2",))
        worker.start()
        worker.join()
        while not heard:  # noqa: ASYNC110 - turns of the loop
            await asyncio.sleep(0)
    (changes,) = heard
    assert list(changes.uris) == ["notes://1", "notes://2"]
    assert not changes.lists


async def test_a_client_that_does_not_read_is_told_once_of_many_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "MAX_UNREAD_BYTES", 1_000)
    service, pipes = served(), [os.pipe(), os.pipe()]
    (to_server, from_client), (to_client, from_server) = pipes
    transport = StdioTransport(ProtocolDescriptors(to_server, from_server))
    serving = LeanEngine(service, transport)
    running = asyncio.create_task(serving.run())
    receiving = asyncio.create_task(transport.run(serving.receive, serving.end_input))
    for line in (INITIALIZE, INITIALIZED, SUBSCRIBE):
        os.write(from_client, json.dumps(line).encode() + b"\n")
    while not serving._session.subscribed:  # noqa: ASYNC110 - turns of the loop
        await asyncio.sleep(0)
    for _ in range(20_000):
        service.resources.updated("notes://1")
        await asyncio.sleep(0)
    assert transport.unsent_bytes < 3 * 1_000
    os.close(from_client)
    reading = asyncio.create_task(asyncio.to_thread(read_all, to_client))
    await receiving
    serving.close()
    await running
    os.close(to_server)
    os.close(from_server)
    assert 0 < (await reading).count(b"notifications/resources/updated") < 20_000


INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
SUBSCRIBE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "resources/subscribe",
    "params": {"uri": "notes://1"},
}


def read_all(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb") as stream:
        return stream.read()
