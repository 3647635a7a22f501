"""`AppPrompt`: a declared Python function that makes the messages of a prompt.

Compiled once, by the same machinery as functions. Knows nothing of callers or limits, nor of
MCP.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from appfunctions_mcp.completers import Completer, read_completers
from appfunctions_mcp.declaration import AppFunctionDeclaration
from appfunctions_mcp.docstrings import ParsedDocstring
from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.function_metadata import FunctionNames, names_of
from appfunctions_mcp.functions import AppFunction, read_function
from appfunctions_mcp.media import Media, TextResource
from appfunctions_mcp.metadata import (
    AppPromptMetadata,
    OptionalDefaults,
    UnknownArguments,
)
from appfunctions_mcp.offered_functions import description_of, offered_function
from appfunctions_mcp.prompt_declaration import AppPromptDeclaration, prompt_declaration_of
from appfunctions_mcp.prompt_messages import CONTENTS, AssistantMessage, PromptMessage, UserMessage
from appfunctions_mcp.records import replaced
from appfunctions_mcp.schema.json_values import text_form, type_name_of
from appfunctions_mcp.schema.result_faults import function_at_fault

_ACCEPTED = "str, UserMessage, AssistantMessage or a list of these"


class AppPrompt:
    """One prompt that a user may pick and fill in.

    `function` is the Python function under the checks and limits of a call.
    """

    def __init__(
        self,
        declared: AppPromptDeclaration,
        names: FunctionNames,
        function: AppFunction,
        *,
        docstring: ParsedDocstring,
        completers: Mapping[str, Completer],
    ) -> None:
        self.name = names.tool_name
        self.names = names
        self.function = function
        self.completers = completers
        self._declared = declared
        self._docstring = docstring

    @classmethod
    def from_function(
        cls,
        function: Callable[..., Any],
        *,
        prefix: str | None = None,
        optional_defaults: OptionalDefaults = "type",
        unknown_arguments: UnknownArguments = "refuse",
    ) -> "AppPrompt":
        """Reads a declared function once and compiles the check of its arguments.

        Args:
            function: A function that `@app_prompt` stands above.
            prefix: Put before the prompt's name, `<prefix>_<function>`.
            optional_defaults: The rule for optional arguments.
            unknown_arguments: What happens to arguments that are not declared.

        Returns:
            The prompt.

        Raises:
            AppFunctionDeclarationError: It cannot be served as it is declared.
        """
        declared = prompt_declaration_of(function)
        if declared is None:
            raise AppFunctionDeclarationError(
                f"{function!r} is no prompt; put @app_prompt above it"
            )
        read = read_function(
            function, optional_defaults=optional_defaults, unknown_arguments=unknown_arguments
        )
        names = names_of(function, AppFunctionDeclaration(name=declared.name), prefix, read.source)
        parameters = [parameter.name for parameter in read.signature.parameters]
        return cls(
            declared,
            names,
            offered_function(function, read, declared, names),
            docstring=read.docstring,
            completers=read_completers(declared.complete, parameters, names),
        )

    @cached_property
    def metadata(self) -> AppPromptMetadata:
        """Everything that is published of the prompt."""
        return AppPromptMetadata(
            name=self.name,
            title=self._declared.title,
            description=description_of(self._declared, self._docstring, self.names),
            parameters=self.function.metadata.parameters,
            access=self._declared.access,
            module=self.names.module,
            source=self.names.source,
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the author should know."""
        return self.function.warnings

    def given(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments without optional ones that are empty: fields of a form left as they are."""
        optional = {p.name for p in self.metadata.parameters if not p.required}
        return {n: value for n, value in arguments.items() if value != "" or n not in optional}


def messages_of(value: object) -> tuple[PromptMessage, ...]:
    """The messages that a prompt's result makes; plain contents are the user's.

    Raises:
        AppFunctionAppUnknownException: It is none, or holds something that is no message.
    """
    if isinstance(value, list | tuple):
        messages = tuple(_message(each, f"$[{index}]") for index, each in enumerate(value))
    else:
        messages = (_message(value, "$"),)
    if not messages:
        raise function_at_fault(f"$ is an empty list, but should be {_ACCEPTED}")
    return messages


def _message(value: object, place: str) -> PromptMessage:
    if isinstance(value, UserMessage):
        return PromptMessage("user", _content(value.content))
    if isinstance(value, AssistantMessage):
        return PromptMessage("assistant", _content(value.content))
    if isinstance(value, CONTENTS):
        return PromptMessage("user", _content(value))
    raise function_at_fault(f"{place} is {type_name_of(value)}, but should be {_ACCEPTED}")


def _content(content: str | Media) -> str | Media:
    """The content with texts that UTF-8 can hold."""
    if isinstance(content, str):
        return text_form(content)
    if isinstance(content, TextResource):
        return replaced(content, text=text_form(content.text))
    return content
