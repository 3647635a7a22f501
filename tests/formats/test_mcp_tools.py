"""Tools as servers list them to metadata, live or saved."""

import json
from typing import Any

import pytest

from appfunctions_mcp.formats.mcp_tools import (
    ToolListError,
    metadata_of_tool,
    metadata_of_tools,
)
from appfunctions_mcp.server.wire import tool
from sample_app import notes
from tests.support.calls import make_service
from tests.support.corpus import corpus

TOOL = {
    "name": "notes.create",
    "title": "Create",
    "description": "Creates a note.",
    "inputSchema": {
        "type": "object",
        "properties": {"title": {"type": "string", "description": "The title."}, "n": True},
        "required": ["title"],
    },
    "outputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": False, "destructiveHint": "yes", "openWorldHint": True},
}


def test_all_that_a_tool_says_is_in_the_metadata() -> None:
    function = metadata_of_tool(TOOL)
    assert (function.function_id, function.tool_name) == ("notes.create", "notes.create")
    assert (function.title, function.description) == ("Create", "Creates a note.")
    assert function.is_described
    assert function.input_schema == TOOL["inputSchema"]
    assert function.response.schema == {"type": "object"}
    assert [(each.name, each.required, each.description) for each in function.parameters] == [
        ("title", True, "The title."),
        ("n", False, ""),
    ]
    assert (function.read_only, function.open_world) == (False, True)
    assert (function.destructive, function.idempotent) == (None, None)


@pytest.mark.parametrize("schema", [None, {}, [], "x", True])
def test_a_schema_that_is_none_counts_as_no_parameters(schema: Any) -> None:
    """Field case F17."""
    function = metadata_of_tool({"name": "ping", "inputSchema": schema})
    assert function.input_schema == {"type": "object", "properties": {}}
    assert function.parameters == ()


def test_a_tool_with_a_name_alone_is_taken() -> None:
    function = metadata_of_tool({"name": "list_notes", "annotations": {"title": "List"}})
    assert function.description == "List notes"
    assert not function.is_described
    assert function.title == "List"


def test_parameters_that_are_no_objects_do_no_harm() -> None:
    schema = {"type": "object", "properties": [1], "required": "a"}
    assert metadata_of_tool({"name": "a", "input_schema": schema}).parameters == ()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([{"name": ""}], "tool 0 has no name"),
        ([TOOL, {"title": "x"}], "tool 1 has no name"),
        ([TOOL, 5], "tool 1 is a number; accepted is an object"),
        ([None], "tool 0 is null"),
        ({"tools": "x"}, "an object is no list of tools"),
        ("x", "a string is no list of tools"),
        ({"prompts": []}, "an object is no list of tools"),
    ],
)
def test_what_is_no_tool_is_named(value: Any, said: str) -> None:
    with pytest.raises(ToolListError, match=said):
        metadata_of_tools(value)


@pytest.mark.parametrize("wrapped", [[TOOL], {"tools": [TOOL]}, {"result": {"tools": [TOOL]}}])
def test_a_list_is_found_in_the_answer_around_it(wrapped: Any) -> None:
    assert [each.tool_name for each in metadata_of_tools(wrapped)] == ["notes.create"]


def test_our_own_functions_come_back_as_they_were_listed() -> None:
    service = make_service(notes.create_note, notes.update_note)
    for function in service.registry:
        told = metadata_of_tool(json.loads(json.dumps(tool(function.metadata))))
        assert told.input_schema == function.metadata.input_schema
        assert told.description == function.metadata.description
        assert [each.name for each in told.parameters] == [
            each.name for each in function.metadata.parameters
        ]


def test_every_saved_list_is_read() -> None:
    for path in sorted(corpus("tools").glob("*.json")):
        saved = json.loads(path.read_text(encoding="utf-8"))
        assert len(metadata_of_tools(saved)) == len(saved["tools"])
