"""Calls and results of functions, to what providers take: ids, names and arguments.

Knows no provider.
"""

import hashlib
from collections.abc import Callable
from re import Pattern
from typing import Any

from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.messages import FunctionCall, FunctionResult
from appfunctions_mcp.formats.names import exported_name

__all__ = ["NO_REASON", "CallIds", "result_text", "written_arguments", "written_name"]

NO_REASON = "The call failed without saying why."
"""What stands for an error without text, which providers refuse and models cannot read."""


class CallIds:
    """The ids of calls in one request, in the provider's form; distinct where they were.

    Args:
        accepted: Matches the ids that stay as they are.
        made: Makes another id of sixty-four hexadecimal digits.
    """

    def __init__(self, accepted: Pattern[str], made: Callable[[str], str]) -> None:
        self._accepted = accepted
        self._made = made
        self._written: dict[str, str] = {}
        self._taken: set[str] = set()

    def written(self, call_id: str) -> str:
        """The id for a call and its result; the same each time."""
        if call_id not in self._written:
            written, count = call_id, 0
            while not self._accepted.fullmatch(written) or written in self._taken:
                seed = f"{call_id}\0{count}".encode(errors="surrogatepass")
                written, count = self._made(hashlib.sha256(seed).hexdigest()), count + 1
            self._written[call_id] = written
            self._taken.add(written)
        return self._written[call_id]


def written_name(name: str, tools: ExportedTools | None) -> str:
    """The name of a function at a provider, also of one that is there no longer."""
    if tools is None:
        return exported_name(name)
    tool = tools.by_name.get(name)
    return tool.exported_name if tool else tools.rename(name)


def written_arguments(call: FunctionCall, tools: ExportedTools | None) -> dict[str, Any]:
    """The arguments of a call as the provider's schema has them."""
    tool = tools.by_name.get(call.name) if tools else None
    return tool.rewrite(call.arguments) if tool else dict(call.arguments)


def result_text(result: FunctionResult) -> str:
    """The text of a result; never empty where it is an error (field case F65)."""
    return NO_REASON if result.is_error and not result.text.strip() else result.text
