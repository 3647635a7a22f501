"""The registry: what is listed and what is called come from here."""

import pytest

from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.functions import AppFunction
from appfunctions_mcp.metadata import (
    AppFunctionMetadata,
    AppFunctionSchema,
    AppFunctionScope,
    AppFunctionSearchSpec,
)
from appfunctions_mcp.registry import AppFunctionRegistry


def make_function(function_id: str, tool_name: str = "", **options: object) -> AppFunction:
    """A function of ready metadata."""
    name = tool_name or function_id.rpartition("#")[2]
    metadata = AppFunctionMetadata(function_id, name, source="app.py:1", **options)  # type: ignore[arg-type] # what a test wants
    return AppFunction.from_metadata(metadata, lambda _arguments, _context: None)


CREATE = make_function("app.notes#create", module="app.notes")
FIND = make_function("app.notes#find", schema=AppFunctionSchema("notes", "findNotes", 2))
LOCAL = make_function("app.screen#close", scope=AppFunctionScope.ACTIVITY, package="org.other")


@pytest.fixture
def registry() -> AppFunctionRegistry:
    """A registry of three functions."""
    registry = AppFunctionRegistry()
    registry.add([CREATE, FIND, LOCAL])
    return registry


def test_functions_are_found_by_tool_name_and_by_id(registry: AppFunctionRegistry) -> None:
    assert registry.find("create") is registry.find("app.notes#create") is CREATE
    assert registry.find("Create") is None
    assert registry.find("") is None


def test_their_order_is_that_in_which_they_were_added(registry: AppFunctionRegistry) -> None:
    assert list(registry) == [CREATE, FIND, LOCAL]
    assert len(registry) == 3
    registry.remove(["app.notes#create", "not here"])
    registry.add([CREATE])
    assert list(registry) == [FIND, LOCAL, CREATE]


def test_a_removed_function_is_found_no_more(registry: AppFunctionRegistry) -> None:
    registry.remove(["app.notes#find"])
    assert registry.find("find") is None
    assert registry.find("app.notes#find") is None
    assert len(registry) == 2


def test_an_id_that_is_taken_is_refused(registry: AppFunctionRegistry) -> None:
    with pytest.raises(AppFunctionDeclarationError) as caught:
        registry.add([make_function("app.notes#create", "other")])
    assert "the id 'app.notes#create' is declared already" in str(caught.value)


def test_a_tool_name_that_is_taken_is_refused_with_a_prefix(registry: AppFunctionRegistry) -> None:
    """F13."""
    with pytest.raises(AppFunctionDeclarationError) as caught:
        registry.add([make_function("app.tasks#create", module="app.tasks")])
    assert "'create' is taken by app.notes#create" in str(caught.value)
    assert 'prefix="tasks"' in str(caught.value)


def test_every_clash_is_named_and_nothing_is_added(registry: AppFunctionRegistry) -> None:
    added = [
        make_function("a#create"),
        make_function("a#new"),
        make_function("b#find"),
        make_function("c#new"),
    ]
    with pytest.raises(AppFunctionDeclarationError) as caught:
        registry.add(added)
    assert len(caught.value.faults) == 3
    assert 'prefix="other"' in str(caught.value)
    assert registry.find("new") is None
    assert len(registry) == 3


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        (AppFunctionSearchSpec(), [CREATE, FIND, LOCAL]),
        (AppFunctionSearchSpec(function_ids=frozenset({"app.notes#find", "none"})), [FIND]),
        (AppFunctionSearchSpec(scopes=frozenset({AppFunctionScope.ACTIVITY})), [LOCAL]),
        (AppFunctionSearchSpec(scopes=frozenset()), []),
        (AppFunctionSearchSpec(schema_category="notes"), [FIND]),
        (AppFunctionSearchSpec(schema_category="mail"), []),
        (AppFunctionSearchSpec(schema_name="findNotes"), [FIND]),
        (AppFunctionSearchSpec(schema_name="createNote"), []),
        (AppFunctionSearchSpec(min_schema_version=2), [FIND]),
        (AppFunctionSearchSpec(min_schema_version=3), []),
        (AppFunctionSearchSpec(schema_category="notes", min_schema_version=1), [FIND]),
        (AppFunctionSearchSpec(schema_category="notes", schema_name="createNote"), []),
        (AppFunctionSearchSpec(package_names=frozenset({"com.example.app"})), [CREATE, FIND]),
        (AppFunctionSearchSpec(package_names=frozenset({"org.other", "none"})), [LOCAL]),
        (
            AppFunctionSearchSpec(
                package_names=frozenset({"com.example.app", "org.other"}),
                scopes=frozenset({AppFunctionScope.GLOBAL}),
                min_schema_version=1,
            ),
            [FIND],
        ),
    ],
)
def test_a_search_finds_what_every_filter_admits(
    spec: AppFunctionSearchSpec, found: list[AppFunction], registry: AppFunctionRegistry
) -> None:
    """Android's AppFunctionSearchSpec."""
    assert registry.search(spec, "com.example.app") == found


def test_a_search_for_no_names_or_a_negative_version_is_an_error() -> None:
    """Android's AppFunctionSearchSpec."""
    with pytest.raises(ValueError, match="package_names is empty"):
        AppFunctionSearchSpec(package_names=frozenset())
    with pytest.raises(ValueError, match="function_ids is empty"):
        AppFunctionSearchSpec(function_ids=frozenset())
    with pytest.raises(ValueError, match="min_schema_version is -1"):
        AppFunctionSearchSpec(min_schema_version=-1)
