"""Declared prompts: arguments, messages and what is refused."""

from typing import Any

import pytest

from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionDeclarationError,
)
from appfunctions_mcp.media import Audio, BlobResource, Image, ResourceLink, TextResource
from appfunctions_mcp.prompt_declaration import app_prompt, prompt_declaration_of
from appfunctions_mcp.prompt_messages import AssistantMessage, PromptMessage, UserMessage
from appfunctions_mcp.prompts import AppPrompt, messages_of

MEDIA = [
    Image(b"x"),
    Audio(b"x"),
    TextResource("a://b", "t"),
    BlobResource("a://b", b"b"),
    ResourceLink("a://b", "b"),
]


def test_the_decorator_returns_the_function_itself_bare_or_with_options() -> None:
    def ask() -> str:
        return "x"

    assert app_prompt(ask) is ask
    assert app_prompt(title="T")(ask) is ask
    declared = prompt_declaration_of(ask)
    assert declared is not None
    assert declared.title == "T"
    assert prompt_declaration_of(len) is None


def test_an_unknown_option_and_a_class_are_type_errors() -> None:
    with pytest.raises(TypeError, match="no option 'titel'; perhaps title"):
        app_prompt(titel="T")  # type: ignore[call-overload] # what somebody may write
    with pytest.raises(TypeError, match="is a class"):
        app_prompt(int)


def test_metadata_comes_from_declaration_signature_and_docstring() -> None:
    @app_prompt(title="Sum up", access="read")
    def sum_up(context: AppFunctionContext, subject: str, days: int = 0) -> str:
        """Sums up.

        Args:
            subject: What about.
            days: For how long.
        """
        return f"{context}{subject}{days}"

    metadata = AppPrompt.from_function(sum_up, prefix="notes").metadata

    assert (metadata.name, metadata.title, metadata.description) == (
        "notes_sum_up",
        "Sum up",
        "Sums up.",
    )
    assert [(p.name, p.description, p.required) for p in metadata.parameters] == [
        ("subject", "What about.", True),
        ("days", "For how long.", False),
    ]
    assert (metadata.access, metadata.source.partition(":")[0]) == ("read", __file__)


@pytest.mark.parametrize("content", ["text", *MEDIA], ids=lambda c: type(c).__name__)
def test_every_content_may_be_a_message_alone_in_a_message_or_in_a_list(content: Any) -> None:
    mine, theirs = PromptMessage("user", content), PromptMessage("assistant", content)

    assert messages_of(content) == (mine,)
    assert messages_of(UserMessage(content)) == (mine,)
    assert messages_of(AssistantMessage(content)) == (theirs,)
    assert messages_of([content, UserMessage(content), AssistantMessage(content)]) == (
        mine,
        mine,
        theirs,
    )


def test_texts_that_utf_8_cannot_hold_are_made_to_fit() -> None:
    messages = messages_of(["\ud800", TextResource("a://b", "\ud800")])

    assert [m.content for m in messages] == ["\ufffd", TextResource("a://b", "\ufffd")]


@pytest.mark.parametrize("value", [None, 5, [], [5], {"role": "user"}, b"x", [["nested"]]])
def test_a_result_that_is_no_message_is_the_functions_fault(value: object) -> None:
    with pytest.raises(AppFunctionAppUnknownException, match="should be str, UserMessage"):
        messages_of(value)


@pytest.mark.parametrize("message", [UserMessage, AssistantMessage])
def test_a_message_refuses_other_contents(message: Any) -> None:
    with pytest.raises(TypeError, match="takes a str, Image, Audio"):
        message(5)


@pytest.mark.parametrize(
    ("name", "reason"), [("sum up", "is not accepted"), ("x" * 65, "65 characters")]
)
def test_a_name_that_no_client_would_take_is_refused(name: str, reason: str) -> None:
    @app_prompt(name=name)
    def ask() -> str:
        """Asks."""
        return ""

    with pytest.raises(AppFunctionDeclarationError, match=reason):
        AppPrompt.from_function(ask)


def test_what_is_no_prompt_and_unsupported_types_are_refused() -> None:
    @app_prompt
    def ask(*words: str) -> str:
        """Asks."""
        return str(words)

    with pytest.raises(AppFunctionDeclarationError, match=r"\*words takes any number"):
        AppPrompt.from_function(ask)
    with pytest.raises(AppFunctionDeclarationError, match="is no prompt"):
        AppPrompt.from_function(len)


def test_empty_fields_of_a_form_are_left_out_where_they_may_be() -> None:
    @app_prompt
    def ask(a: int, b: str, text: str | None = None, number: int | None = None) -> str:
        """Asks."""
        return f"{a}{b}{text}{number}"

    prompt = AppPrompt.from_function(ask)

    assert prompt.given({"a": "", "b": "", "text": "", "number": ""}) == {"a": "", "b": ""}
    assert prompt.given({"text": " ", "number": "0", "x": ""}) == {
        "text": " ",
        "number": "0",
        "x": "",
    }
