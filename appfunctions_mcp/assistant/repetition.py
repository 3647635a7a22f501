"""Notices a model that makes the same call again and again, to the same end.

Field case F64: rounds with equal calls and equal results are counted, and so are equal errors of
one function whatever its arguments, since models reword what fails. A result that is new to the
conversation starts the count anew, so that polling a status that changes goes on.
"""

import json
from collections.abc import Hashable, Sequence

from appfunctions_mcp.confirming import PARAMETER
from appfunctions_mcp.formats.messages import FunctionCall, FunctionResult
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.records import record, replaced

__all__ = ["ROUNDS_UNTIL_NOTE", "ROUNDS_UNTIL_STOP", "RepetitionGuard"]

ROUNDS_UNTIL_NOTE = 3
ROUNDS_UNTIL_STOP = 5

_NOTE = (
    "{text}\n\n{name} has ended like this {count} times, and calling it again in the same way will "
    "not help. Change the arguments, call another function, or tell the user what is in the way."
)
# Different each time: the number of a crash, by which its log line is found, and what a call is
# confirmed with.
_DIFFERENT = regex(rf'\b[0-9a-f]{{8,}}\b|"{PARAMETER}": "[^"]*"')


class RepetitionGuard:
    """Counts rounds that led nowhere, for one question of a user."""

    def __init__(self) -> None:
        self._counts: dict[Hashable, int] = {}
        self._seen: set[Hashable] = set()
        self.has_had_enough = False
        """Whether a call has ended in the same way too often."""

    def noted(
        self, calls: Sequence[FunctionCall], results: Sequence[FunctionResult]
    ) -> tuple[FunctionResult, ...]:
        """Counts one round.

        Args:
            calls: Of one reply.
            results: Of these calls, in their order.

        Returns:
            The results, with a firm note where a call has ended so for the third time or more.
        """
        pairs = list(zip(calls, results, strict=True))
        wholes = [_whole(call, result) for call, result in pairs]
        # What is new in a round counts for all of it, wherever it stands there.
        if any(whole not in self._seen and not whole.is_error for whole in wholes):
            self._counts.clear()
        self._seen.update(wholes)
        counted: set[Hashable] = set()
        return tuple(
            self._noted(result, whole, counted)
            for (_, result), whole in zip(pairs, wholes, strict=True)
        )

    def _noted(
        self, result: FunctionResult, whole: "_Whole", counted: set[Hashable]
    ) -> FunctionResult:
        keys: list[Hashable] = [whole]
        if whole.is_error:
            keys.append((whole.name, whole.outcome))
        for key in keys:
            # Equal calls of one reply were all asked for before any of them had ended.
            if key not in counted:
                counted.add(key)
                self._counts[key] = self._counts.get(key, 0) + 1
        count = max(self._counts.get(key, 0) for key in keys)
        self.has_had_enough = self.has_had_enough or count >= ROUNDS_UNTIL_STOP
        if count < ROUNDS_UNTIL_NOTE:
            return result
        text = _NOTE.format(text=result.text, count=count, name=whole.name)
        return replaced(result, text=text)


@record(frozen=True, slots=True)
class _Whole:
    """A call together with what it ended in."""

    name: str
    arguments: str
    is_error: bool
    outcome: str


def _whole(call: FunctionCall, result: FunctionResult) -> _Whole:
    arguments = json.dumps(call.arguments, sort_keys=True, default=repr)
    outcome = _DIFFERENT.sub("", result.text) if result.is_error else result.text
    return _Whole(call.name, arguments, result.is_error, outcome)
