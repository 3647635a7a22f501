"""A declared function: read once, then validated, called and serialised in three steps."""

import asyncio
import dataclasses
import functools
import types
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest
from pydantic import BaseModel, field_serializer, field_validator

from appfunctions_mcp.calls import CallRunner
from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.declaration import AppFunctionDeclaration, app_function, declaration_of
from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionDeclarationError,
    AppFunctionDeniedException,
    AppFunctionElementNotFoundException,
    AppFunctionInvalidArgumentException,
)
from appfunctions_mcp.function_metadata import CONFIRMATION_SCHEMA
from appfunctions_mcp.functions import (
    AppFunction,
    functions_of_module,
    source_of,
)
from appfunctions_mcp.metadata import (
    AppFunctionAccessLevel,
    AppFunctionMetadata,
    AppFunctionResponseMetadata,
    AppFunctionSchema,
    AppFunctionScope,
    ExecutionLimits,
)

pytestmark = pytest.mark.anyio


async def run(function: AppFunction, /, **parameters: Any) -> Any:
    """The three steps of a call, and the value that comes out."""
    arguments = function.validate(parameters)
    runner = CallRunner(ExecutionLimits())
    value = await runner.run(function, arguments, AppFunctionContext())
    return function.serialize(value).value


def test_a_declared_function_stays_the_function_that_it_was() -> None:
    def add(a: int) -> int:
        return a

    assert app_function(add) is add
    assert app_function(name="plus")(add) is add
    assert add(1) == 1
    assert declaration_of(add) == AppFunctionDeclaration(name="plus")
    assert declaration_of(len) is None


def test_an_unknown_option_of_the_decorator_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="colour"):
        app_function(colour="red")  # type: ignore[call-overload] # what is tested


def test_everything_that_is_declared_stands_in_the_metadata() -> None:
    def is_ann(caller: object) -> bool:
        return False

    @app_function(
        id="app.Notes#create",
        name="new_note",
        title="New note",
        description="Creates a note.",
        enabled=False,
        timeout_seconds=5,
        thread="main",
        read_only=False,
        destructive=True,
        idempotent=False,
        open_world=True,
        requires_confirmation=True,
        schema=AppFunctionSchema("notes", "createNote", 1),
        access=is_ann,
        access_level=AppFunctionAccessLevel.SELF,
        access_level_compat=False,
        scope=AppFunctionScope.ACTIVITY,
        deprecated="use add_note",
        max_result_bytes=10,
    )
    def create(title: str) -> str:
        """Is described by the declaration.

        Returns:
            The id.

        Raises:
            AppFunctionDeniedException: Ask Ann.
        """
        return title

    function = AppFunction.from_function(create, prefix="my")
    metadata = function.metadata
    assert metadata == AppFunctionMetadata(
        function_id="app.Notes#create",
        tool_name="my_new_note",
        description="Creates a note.",
        title="New note",
        parameters=metadata.parameters,
        input_schema={
            "type": "object",
            "properties": {"title": {"type": "string"}, "confirmation": CONFIRMATION_SCHEMA},
            "required": ["title"],
            "additionalProperties": False,
        },
        response=AppFunctionResponseMetadata("The id.", None),
        raises={"AppFunctionDeniedException": "Ask Ann."},
        enabled_by_default=False,
        deprecated="use add_note",
        schema=AppFunctionSchema("notes", "createNote", 1),
        scope=AppFunctionScope.ACTIVITY,
        access=is_ann,
        access_level=AppFunctionAccessLevel.SELF,
        access_level_compat=False,
        read_only=False,
        destructive=True,
        idempotent=False,
        open_world=True,
        requires_confirmation=True,
        timeout_seconds=5,
        max_result_bytes=10,
        told=dict.fromkeys(
            ("access_level", "access_level_compat", "scope", "enabled_by_default"), True
        ),
        thread="main",
        module=__name__,
        source=source_of(create),
    )
    assert [(p.name, p.required) for p in metadata.parameters] == [("title", True)]
    assert function.warnings == ()


def test_a_function_without_a_description_is_named_in_words_with_a_warning() -> None:
    def find_old_notes() -> None: ...

    function = AppFunction.from_function(find_old_notes)
    assert function.metadata.description == "Find old notes"
    assert any("no description" in warning for warning in function.warnings)


def test_the_options_of_one_function_come_before_those_of_the_app() -> None:
    @app_function(optional_defaults="declared")
    def page(limit: int = 10) -> int:
        """Pages."""
        return limit

    assert AppFunction.from_function(page).validate({}) == {"limit": 10}
    with pytest.raises(AppFunctionDeclarationError):
        AppFunction.from_function(app_function(page))


@pytest.mark.parametrize("kind", ["generator", "async generator"])
def test_a_generator_is_refused(kind: str) -> None:
    def generate() -> Iterator[int]:
        yield 1

    async def generate_async() -> AsyncIterator[int]:
        yield 1

    function: Callable[..., Any] = generate if kind == "generator" else generate_async
    with pytest.raises(AppFunctionDeclarationError, match="is a generator") as caught:
        AppFunction.from_function(function)
    assert "test_functions.py:" in str(caught.value)


def test_a_parameter_that_would_hide_the_token_is_refused() -> None:
    @app_function(requires_confirmation=True)
    def send(confirmation: str) -> None:
        """Sends."""

    with pytest.raises(AppFunctionDeclarationError, match="rename the parameter"):
        AppFunction.from_function(send)

    def plain(confirmation: str) -> None:
        """Sends."""

    schema = AppFunction.from_function(plain).metadata.input_schema
    assert list(schema["properties"]) == ["confirmation"]


def test_other_metadata_keeps_what_the_function_does() -> None:
    @app_function
    def delete(note_id: str) -> str:
        """Deletes."""
        return note_id

    function = AppFunction.from_function(delete)
    confirmed = function.with_metadata(
        dataclasses.replace(function.metadata, requires_confirmation=True)
    )
    again = confirmed.with_metadata(dataclasses.replace(confirmed.metadata, title="T"))
    properties = again.metadata.input_schema["properties"]
    assert list(properties) == ["note_id", "confirmation"]
    assert again.validate({"note_id": "n"}) == {"note_id": "n"}


async def test_plain_async_and_awaitable_functions_are_called() -> None:
    def plain(x: int) -> int:
        """Plain."""
        return x

    async def coroutine(x: int) -> int:
        """Async."""
        return x

    def awaitable(x: int) -> Awaitable[int]:
        """Returns something to be awaited."""
        return coroutine(x)

    class Callable_:  # noqa: N801 - a name that takes no other
        """Is called."""

        async def __call__(self, x: int) -> int:
            """Calls."""
            return x

    functions: list[Callable[..., Any]] = [
        plain,
        coroutine,
        awaitable,
        Callable_(),
        functools.partial(coroutine),
    ]
    for function in functions:
        assert await run(AppFunction.from_function(function), x="5") == 5


async def test_a_wrapped_function_is_read_through_its_wrapper() -> None:
    def logged(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return wrapper

    @logged
    def add(a: int) -> int:
        """Adds."""
        return a

    function = AppFunction.from_function(add)
    assert function.metadata.description == "Adds."
    assert "test_functions.py:" in function.metadata.source
    assert await run(function, a=2) == 2


async def test_the_context_is_passed_and_never_an_argument() -> None:
    def who(context: AppFunctionContext, greeting: str) -> str:
        """Greets."""
        return f"{greeting} {context.caller.name}"

    function = AppFunction.from_function(who)
    assert list(function.metadata.input_schema["properties"]) == ["greeting"]
    assert await run(function, greeting="hello") == "hello local"
    with pytest.raises(AppFunctionInvalidArgumentException):
        function.validate({"greeting": "hello", "context": {}})


def raising(raised: BaseException) -> AppFunction:
    """A function that raises."""

    def fail() -> None:
        """Fails.

        Raises:
            AppFunctionElementNotFoundException: Look elsewhere.
            AppFunctionRequestException: Ask for something else.
        """
        raise raised

    return AppFunction.from_function(fail)


@pytest.mark.parametrize(
    ("raised", "recovery"),
    [
        (AppFunctionElementNotFoundException("gone"), "Look elsewhere."),
        (AppFunctionElementNotFoundException("gone", recovery="My own."), "My own."),
        (AppFunctionDeniedException("no"), "Ask for something else."),
        (AppFunctionAppUnknownException("broken"), None),
    ],
)
async def test_the_docstring_says_how_to_go_on(raised: Any, recovery: str | None) -> None:
    """F111: the nearest class that the docstring names."""
    with pytest.raises(type(raised)) as caught:
        await run(raising(raised))
    assert caught.value.recovery == recovery
    assert caught.value.message == raised.message


async def test_an_exception_of_a_task_group_is_answered_like_any_other() -> None:
    denied = AppFunctionDeniedException("no")
    inner = ExceptionGroup("a group", [denied, AppFunctionDeniedException("neither")])
    with pytest.raises(AppFunctionDeniedException, match="no") as caught:
        await run(raising(ExceptionGroup("tasks", [inner])))
    assert caught.value.recovery == "Ask for something else."
    with pytest.raises(AppFunctionAppUnknownException):
        await run(raising(ExceptionGroup("tasks", [denied, ValueError("secret")])))


@pytest.mark.parametrize(
    "crash", [ValueError("secret"), SystemExit(3), KeyboardInterrupt(), GeneratorExit()]
)
async def test_a_crash_is_an_error_id_with_its_cause_kept(crash: BaseException) -> None:
    """F62."""
    with pytest.raises(AppFunctionAppUnknownException) as caught:
        await run(raising(crash))
    assert caught.value.__cause__ is crash
    assert "secret" not in caught.value.text()
    assert caught.value.extras["error_id"] in caught.value.text()


async def test_a_call_that_is_cancelled_stays_cancelled() -> None:
    """F111."""
    started = asyncio.Event()

    async def wait() -> None:
        """Waits."""
        started.set()
        await asyncio.sleep(60)

    task = asyncio.create_task(run(AppFunction.from_function(wait)))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_cancellation_that_nobody_asked_for_is_a_crash() -> None:
    """F106: a call always settles; a body may have waited for a task that was cancelled."""
    with pytest.raises(AppFunctionAppUnknownException):
        await run(raising(asyncio.CancelledError()))


async def test_a_stop_iteration_of_a_plain_function_is_a_crash_like_any_other() -> None:
    """It cannot be raised into a coroutine as it is."""
    with pytest.raises(AppFunctionAppUnknownException) as caught:
        await run(raising(StopIteration("secret")))
    assert isinstance(caught.value.__cause__, StopIteration | RuntimeError)


class Odd(BaseModel):
    """A model whose own code crashes."""

    text: str

    @field_validator("text")
    @classmethod
    def check(cls, text: str) -> str:
        """Crashes for some texts."""
        return text[0] + {"a": "b"}[text]

    @field_serializer("text")
    def write(self, text: str) -> str:
        """Crashes for some texts."""
        return {"ab": "c"}[text]


def test_a_validator_of_the_authors_that_crashes_is_a_crash_of_the_function() -> None:
    def save(odd: Odd) -> str:
        """Saves."""
        return odd.text

    function = AppFunction.from_function(save)
    assert function.validate({"odd": {"text": "a"}})["odd"].text == "ab"
    with pytest.raises(AppFunctionAppUnknownException) as caught:
        function.validate({"odd": {"text": "secret"}})
    assert "secret" not in caught.value.text()
    with pytest.raises(AppFunctionInvalidArgumentException):
        function.validate({"odd": {"text": 5}})


async def test_a_serializer_of_the_authors_that_crashes_is_a_crash_of_the_function() -> None:
    def give(text: str) -> Odd:
        """Gives."""
        return Odd.model_construct(text=text)

    with pytest.raises(AppFunctionAppUnknownException) as caught:
        await run(AppFunction.from_function(give), text="secret")
    assert "secret" not in caught.value.text()


async def test_a_function_of_metadata_gets_json_and_returns_json() -> None:
    metadata = AppFunctionMetadata(
        "remote#add",
        "add",
        input_schema={
            "type": "object",
            "properties": {"a": {"type": "integer"}},
            "required": ["a"],
            "additionalProperties": False,
        },
        response=AppFunctionResponseMetadata(
            schema={"type": "object", "properties": {"sum": {"type": "integer"}}}
        ),
    )

    def add(arguments: dict[str, Any], context: AppFunctionContext) -> dict[str, Any]:
        return {"sum": arguments["a"] + 1, "for": context.caller.name}

    async def add_async(arguments: dict[str, Any], context: AppFunctionContext) -> dict[str, Any]:
        return add(arguments, context)

    for call in (add, add_async):
        function = AppFunction.from_metadata(metadata, call)
        assert await run(function, a=1) == {"sum": 2, "for": "local"}
        with pytest.raises(AppFunctionInvalidArgumentException, match="a: missing"):
            function.validate({})


def test_the_functions_of_a_module_are_those_that_it_defines() -> None:
    module = types.ModuleType("theirs")

    @app_function
    def mine() -> None: ...

    @app_function
    def imported() -> None: ...

    def undeclared() -> None: ...

    mine.__module__ = undeclared.__module__ = "theirs"
    for name, value in (("a", mine), ("b", mine), ("c", imported), ("d", undeclared), ("e", 5)):
        setattr(module, name, value)
    assert functions_of_module(module) == [mine]


def test_a_callable_without_a_file_is_named() -> None:
    assert source_of(len) == "'len'"
    assert source_of(functools.partial(len)) == "'len'"

    class Thing:
        def __call__(self) -> None: ...

    assert "Thing" in source_of(Thing())


def test_a_name_that_no_client_accepts_is_refused() -> None:
    """F13."""
    with pytest.raises(AppFunctionDeclarationError, match="<lambda>"):
        AppFunction.from_function(lambda: None)
