"""Several sources as one: prefixes, clashes, and what becomes of one that fails."""

import pytest

from appfunctions_mcp import AppFunctionService, app_function
from appfunctions_mcp.assistant.dispatcher import AnySource, ToolDispatcher
from appfunctions_mcp.assistant.sources import SourceCall, SourceError
from appfunctions_mcp.formats.messages import FunctionResult
from appfunctions_mcp.metadata import AppFunctionMetadata
from tests.support.function_sources import ScriptedSource, calls, done, result

pytestmark = pytest.mark.anyio


@app_function(enabled=False)
def wipe() -> None:
    """Deletes everything."""


def create(title: str) -> str:
    """Creates a note.

    Args:
        title: Its title.
    """
    return f"created {title}"


def service() -> AppFunctionService:
    return AppFunctionService.from_functions(
        [create, wipe], name="notes", description="Keeps notes."
    )


class Failing(ScriptedSource):
    """A source that cannot be opened."""

    async def __aenter__(self) -> "Failing":  # noqa: PYI034 - it never returns
        raise SourceError("no such program")


class Unlisted(ScriptedSource):
    """A source that cannot be listed any more."""

    async def functions(self) -> list[AppFunctionMetadata]:
        raise SourceError("gone away")


async def named(call: SourceCall) -> FunctionResult:
    return result(call, call.function.tool_name)


async def test_functions_have_the_prefix_of_their_source_and_are_called_without_it() -> None:
    sources: dict[str, AnySource] = {
        "notes": service(),
        "": ScriptedSource({"now": named}),
        "my": ScriptedSource({"now": named}),
    }
    async with ToolDispatcher.from_sources(sources) as dispatcher:
        assert [each.tool_name for each in await dispatcher.functions()] == [
            "notes_create",
            "now",
            "my_now",
        ]
        results = await dispatcher.dispatch(
            [*calls("notes_create", title="x"), *calls("my_now", "now")]
        )
    assert [(each.name, each.text) for each in results] == [
        ("notes_create", "created x"),
        ("my_now", "now"),
        ("now", "now"),
    ]


async def test_a_forgotten_prefix_is_named() -> None:
    async with ToolDispatcher.from_sources(
        {"notes": service(), "x": ScriptedSource({f"f{n}": done for n in range(30)})}
    ) as dispatcher:
        forgotten, disabled, unknown = await dispatcher.dispatch(
            calls("create", "notes_wipe", "notes_send")
        )
    assert "near it: notes_create" in forgotten.text
    assert disabled.text.startswith("AppFunctionDisabledException: ")
    assert "AppFunctionFunctionNotFoundException" in unknown.text


async def test_two_functions_of_one_name_are_an_error_that_names_both() -> None:
    sources = {"a": ScriptedSource({"b_c": done}), "a_b": ScriptedSource({"c": done})}
    with pytest.raises(SourceError) as raised:
        async with ToolDispatcher.from_sources(sources):
            pass
    assert str(raised.value) == (
        "'b_c' of the source 'a' and 'c' of the source 'a_b' would both be called 'a_b_c'; "
        "give one another prefix"
    )
    assert not any(source.is_open for source in sources.values())


async def test_every_source_that_does_not_open_is_named_and_the_others_are_closed() -> None:
    good = ScriptedSource({"now": done})

    class Crashing(ScriptedSource):
        async def __aenter__(self) -> "Crashing":  # noqa: PYI034 - it never returns
            raise OSError

    with pytest.raises(SourceError) as raised:
        async with ToolDispatcher.from_sources(
            {"good": good, "bad": Failing({}), "worse": Crashing({})}
        ):
            pass
    assert raised.value.faults == (
        "the source 'bad': no such program",
        "the source 'worse': OSError()",
    )
    assert not good.is_open


async def test_a_source_that_cannot_be_listed_is_named() -> None:
    with pytest.raises(SourceError, match="the source 'old': gone away"):
        async with ToolDispatcher.from_sources({"old": Unlisted({})}):
            pass


async def test_a_function_that_went_away_since_it_was_listed_is_refused() -> None:
    source = ScriptedSource({"now": done})
    async with ToolDispatcher.from_sources({"my": source}) as dispatcher:
        (function,) = await dispatcher.functions()
        source.bodies.clear()
        assert await dispatcher.functions() == ()
        several = dispatcher.source
        with pytest.raises(Exception, match="no function is called 'my_now'"):
            await several.execute(SourceCall("a", function))
