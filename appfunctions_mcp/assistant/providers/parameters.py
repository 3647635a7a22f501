"""What a program sends with each request beside the history, as far as the request takes it."""

from collections.abc import Mapping
from typing import Any

__all__ = ["parameters_for"]

_ABOUT_TOOLS = frozenset(
    {"tool_choice", "parallel_tool_calls", "max_tool_calls", "tool_config", "toolConfig"}
)


def parameters_for(body: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that go with a request.

    A request without tools, such as the last one for an answer, is refused where it says how
    tools are to be called (F81).

    Args:
        body: The history and the tools, in the provider's form.
        parameters: Those of all requests.
    """
    if "tools" in body or "tools" in parameters:
        return dict(parameters)
    return {name: value for name, value in parameters.items() if name not in _ABOUT_TOOLS}
