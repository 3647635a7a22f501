"""Calls as providers send them, to calls of functions: ids, names and arguments.

Knows no provider.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from re import Pattern
from typing import Any

from appfunctions_mcp.formats.argument_texts import read_arguments
from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.messages import FunctionCall, Opaque, ReplyPart, ReplyStop
from appfunctions_mcp.lazy_regex import regex

__all__ = [
    "CUT_CALL",
    "PLAIN_NAME",
    "CallReader",
    "ends_early",
    "json_text",
    "own_name",
    "stop_of",
]

PLAIN_NAME = regex(r"[a-zA-Z0-9_-]{1,64}\Z")
"""A name that may go back to most providers as it came."""
CUT_CALL = (
    "the reply reached its limit of tokens, or was stopped, in this call, so that the function did "
    "not run; send the call again, with shorter arguments or in several calls"
)
"""What is wrong with a call that came as an object, the last thing before the end (F78)."""

Verbatim = Callable[[str, dict[str, Any]], Opaque]


class CallReader:
    """Reads the calls of one reply or one history.

    Args:
        tools: What the model could call; without them names and arguments stay as they are.
        seed: What tells this reply from others, for ids that are made up: the same reply has
            the same ids however often it is read, and another reply has others.
        keeps_ids: Whether an id that comes again is kept, as in a history that is not mended.
        accepted_name: Which names may go back as they came.
    """

    def __init__(
        self,
        tools: ExportedTools | None,
        seed: str,
        *,
        keeps_ids: bool = False,
        accepted_name: Pattern[str] = PLAIN_NAME,
    ) -> None:
        self._tools = tools
        self._seed = seed
        self._keeps_ids = keeps_ids
        self._accepted_name = accepted_name
        self._count = 0
        self._taken: set[str] = set()

    def read(
        self,
        call_id: Any,
        name: Any,
        arguments: Any,
        verbatim: Verbatim,
        *,
        was_cut: bool = False,
    ) -> FunctionCall:
        """One call.

        Args:
            call_id: The provider's; made up where it is no text or empty.
            name: As the model wrote it.
            arguments: As they came, a text or an object.
            verbatim: Makes the whole piece of the id and the arguments as an object.
            was_cut: Whether the reply ended in this call.

        Returns:
            The call with the function's own name and arguments. Arguments that cannot be read
            are nowhere in it (field cases F77 and F78).
        """
        written, fault = read_arguments(arguments, was_cut=was_cut)
        if was_cut and isinstance(arguments, Mapping):
            written, fault = {}, CUT_CALL
        said = name if isinstance(name, str) else ""
        own_id = self._id(call_id, said, arguments)
        tool = self._tools.by_exported_name.get(said) if self._tools else None
        goes_back = not fault and self._accepted_name.match(said)
        return FunctionCall(
            own_id,
            tool.name if tool else said,
            tool.restore(written) if tool and not fault else written,
            fault,
            verbatim(own_id, written) if goes_back else None,
        )

    def _id(self, given: Any, name: str, arguments: Any) -> str:
        self._count += 1
        is_usable = isinstance(given, str) and given != ""
        if is_usable and (self._keeps_ids or given not in self._taken):
            self._taken.add(given)
            return str(given)
        seed = f"{self._seed}\0{self._count}\0{name}\0{json_text(arguments)}\0{given}"
        made = f"call_{hashlib.sha256(seed.encode(errors='surrogatepass')).hexdigest()[:24]}"
        self._taken.add(made)
        return made


def own_name(name: str, tools: ExportedTools | None) -> str:
    """The function's name for an exported one; the same where no function is exported so."""
    tool = tools.by_exported_name.get(name) if tools else None
    return tool.name if tool else name


def json_text(value: Any) -> str:
    """A JSON value as short text, with the letters of all languages as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def ends_early(told: ReplyStop) -> bool:
    """Whether the last call of a reply may be half of one: a limit or a filter ended the reply.

    Args:
        told: By the provider.
    """
    return told in {ReplyStop.LENGTH, ReplyStop.REFUSED}


def stop_of(told: ReplyStop, parts: Sequence[ReplyPart]) -> ReplyStop:
    """Why a reply ended, where the provider's word and what is in the reply differ.

    Args:
        told: By the provider.
        parts: Of the reply.
    """
    if any(isinstance(part, FunctionCall) for part in parts):
        return ReplyStop.CALLS if told in {ReplyStop.END, ReplyStop.OTHER} else told
    return ReplyStop.OTHER if told is ReplyStop.CALLS else told
