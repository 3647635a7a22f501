"""`AppPrompts`: the one path by which anybody gets a prompt of a service.

`get` finds the prompt, checks access, validates the arguments, calls the function under the
limits of all calls and makes messages of the result. Knows nothing of MCP.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from appfunctions_mcp.access import has_access
from appfunctions_mcp.exceptions import (
    AppFunctionDeclarationError,
    AppFunctionFunctionNotFoundException,
)
from appfunctions_mcp.execution_records import Execution
from appfunctions_mcp.manager import AppFunctionManager
from appfunctions_mcp.metadata import (
    LOCAL_CALLER,
    AppFunctionCaller,
    AppPromptMetadata,
    PromptsChanged,
)
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.offered_calls import OfferedParts, parameter_named
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.requests import AppPromptResponse, Completion, GetAppPromptRequest

if TYPE_CHECKING:
    from appfunctions_mcp.prompts import AppPrompt


class AppPrompts(OfferedParts["AppPrompt"]):
    """Lists, makes, completes and announces the prompts of one service.

    False where there are none.

    Args:
        manager: Whose limits hold, whose log is told and who announces changes.
        compiled: Makes a prompt of a declared function, under the app's rules.
    """

    def __init__(
        self, manager: AppFunctionManager, compiled: "Callable[[Callable[..., Any]], AppPrompt]"
    ) -> None:
        super().__init__(manager, compiled)
        self._by_name: dict[str, AppPrompt] = {}
        self.revision = 0
        """Rises with each prompt that is added or removed."""

    def __bool__(self) -> bool:
        return bool(self._by_name)

    @property
    def all(self) -> "tuple[AppPrompt, ...]":
        """Every prompt, in the order in which they were added."""
        return tuple(self._by_name.values())

    def listed(self, caller: AppFunctionCaller = LOCAL_CALLER) -> list[AppPromptMetadata]:
        """The prompts that a caller may get, in the order of declaration."""
        return [prompt.metadata for prompt in self.all if _may_get(prompt, caller)]

    async def get(self, request: GetAppPromptRequest) -> AppPromptResponse:
        """Makes the messages of a prompt, with every check.

        Args:
            request: The prompt's name, the raw arguments and the caller.

        Returns:
            The messages.

        Raises:
            AppFunctionFunctionNotFoundException: There is no such prompt, or not for this
                caller: the text is the same, and names the nearest ones.
            AppFunctionInvalidArgumentException: Names every argument that is wrong or missing.
            AppFunctionException: Whatever else kept it from messages; the class says what.
        """
        prompt = self._by_name.get(request.name)
        execution = _execution_of(prompt, request)
        return await self._calls.told(execution, self._get(request, prompt), _size_of)

    async def complete(
        self,
        name: str,
        argument: str,
        value: str,
        arguments: Mapping[str, str] | None = None,
        caller: AppFunctionCaller = LOCAL_CALLER,
    ) -> Completion:
        """The values that complete an argument of a prompt.

        Args:
            name: The prompt.
            argument: Which of its arguments.
            value: What has been typed of it.
            arguments: The values of the other arguments, as far as they are known.
            caller: Who types.

        Raises:
            AppFunctionFunctionNotFoundException: There is no such prompt for this caller.
            AppFunctionInvalidArgumentException: It has no such argument.
        """
        prompt = self._existing(self._by_name.get(name), name, caller)
        parameter = parameter_named(argument, prompt.metadata.parameters, prompt.name)
        request = GetAppPromptRequest(name, {argument: value}, caller)
        typed = (value, arguments or {})
        return await self._calls.complete(
            prompt.completers, parameter, typed, request, _execution_of(prompt, request)
        )

    async def _get(
        self, request: GetAppPromptRequest, found: "AppPrompt | None"
    ) -> AppPromptResponse:
        from appfunctions_mcp.prompts import messages_of

        prompt = self._existing(found, request.name, request.caller)
        given = prompt.given(request.arguments)
        value = await self._calls.run(prompt.function, given, request)
        response = AppPromptResponse(prompt.metadata.description, messages_of(value))
        self._calls.require_size(prompt.function, response.size)
        return response

    def _existing(
        self, prompt: "AppPrompt | None", name: str, caller: AppFunctionCaller
    ) -> "AppPrompt":
        if prompt is not None and _may_get(prompt, caller):
            return prompt
        near = nearest_names(name, [metadata.name for metadata in self.listed(caller)])
        hint = f"; near it: {', '.join(near)}" if near else ""
        raise AppFunctionFunctionNotFoundException(
            f"no prompt is called {quoted(name)}{hint}"
        ).as_refusal("unknown" if prompt is None else "denied")

    def _put(self, parts: "Sequence[AppPrompt]") -> frozenset[str]:
        by_name = dict(self._by_name)
        faults = []
        for prompt in parts:
            twin = by_name.setdefault(prompt.name, prompt)
            if twin is not prompt:
                faults.append(
                    f"{prompt.names.source}: the prompt's name {prompt.name!r} is taken by "
                    f"{twin.names.function_id} ({twin.names.source}); give one of them name=…, or "
                    "the module a prefix"
                )
        if faults:
            raise AppFunctionDeclarationError(faults)
        self._set(by_name)
        return frozenset(prompt.name for prompt in parts)

    def _drop(self, names: frozenset[str]) -> None:
        self._set({name: each for name, each in self._by_name.items() if name not in names})

    def _announce(self, names: frozenset[str]) -> None:
        self._manager.announce(PromptsChanged(names))

    def _set(self, by_name: "dict[str, AppPrompt]") -> None:
        self._by_name = by_name
        self.revision += 1


def _may_get(prompt: "AppPrompt", caller: AppFunctionCaller) -> bool:
    return has_access(prompt.function.metadata, caller)


def _execution_of(prompt: "AppPrompt | None", request: GetAppPromptRequest) -> Execution:
    if prompt is None:
        return Execution("prompt", request.name, "", request)
    schema = prompt.function.metadata.input_schema
    return Execution("prompt", prompt.name, prompt.name, request, request.arguments, schema)


def _size_of(response: AppPromptResponse) -> int:
    return response.size
