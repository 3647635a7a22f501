"""Stops an agent that makes the same failing call again and again.

Counted for each connection, never across them. Knows only outcomes: what a call is, and which
outcomes count at all, is the manager's matter.
"""

from collections import OrderedDict
from collections.abc import Hashable

from appfunctions_mcp.exceptions import AppFunctionException, AppFunctionLimitExceededException

FAILURES_UNTIL_NOTE = 3
FAILURES_UNTIL_REFUSAL = 5

_NOTE = (
    "This call has failed {count} times running in the same way, and repeating it will not help. "
    "Change the arguments, call another function, or tell the user what is in the way."
)
_REFUSAL = (
    "the same call has failed {count} times running in the same way and is refused until another "
    "call succeeds; change the arguments, call another function, or tell the user"
)
# The least recent are forgotten first, so that neither long nor many connections cost memory.
_MOST_CONNECTIONS = 1024
_MOST_CALLS = 256


class LoopGuard:
    """Counts equal failures of equal calls.

    Three times running the same function, arguments, exception class and message: the answer
    gets a note. After five the call is refused, until any other call of the connection succeeds.
    A connection of None is not counted.
    """

    def __init__(self) -> None:
        self._connections: OrderedDict[str, _Failures] = OrderedDict()

    def is_watching(self, connection: str | None) -> bool:
        """Whether any call of the connection has failed since one succeeded."""
        return connection in self._connections

    def refusal(self, connection: str | None, function_id: str, arguments_key: Hashable) -> None:
        """Refuses a call that has failed too often.

        Args:
            connection: By what is counted; None is off.
            function_id: The function that is called.
            arguments_key: Equal for equal arguments.

        Raises:
            AppFunctionLimitExceededException: The call has failed five times running in the
                same way, and nothing else has succeeded since.
        """
        failures = self._connections.get(connection) if connection is not None else None
        if failures is None:
            return
        _, count = failures.get(hash((function_id, arguments_key)), (0, 0))
        if count >= FAILURES_UNTIL_REFUSAL:
            raise AppFunctionLimitExceededException(_REFUSAL.format(count=count)).as_refusal(
                "repeated"
            )

    def record_failure(
        self,
        connection: str | None,
        function_id: str,
        arguments_key: Hashable,
        exc: AppFunctionException,
    ) -> str | None:
        """Counts a failure.

        Args:
            connection: By what is counted; None is off.
            function_id: The function that was called.
            arguments_key: Equal for equal arguments.
            exc: How the call failed.

        Returns:
            The note that the answer gets, from the third equal failure on; else None.
        """
        if connection is None:
            return None
        failures = self._connections.setdefault(connection, OrderedDict())
        self._connections.move_to_end(connection)
        if len(self._connections) > _MOST_CONNECTIONS:
            self._connections.popitem(last=False)
        call, outcome = hash((function_id, arguments_key)), hash((exc.kind, _message_of(exc)))
        earlier, count = failures.get(call, (outcome, 0))
        count = count + 1 if earlier == outcome else 1
        failures[call] = (outcome, count)
        failures.move_to_end(call)
        if len(failures) > _MOST_CALLS:
            failures.popitem(last=False)
        return _NOTE.format(count=count) if count >= FAILURES_UNTIL_NOTE else None

    def record_success(self, connection: str | None) -> None:
        """Forgets the failures of a connection, on which something has succeeded."""
        if connection is not None:
            self._connections.pop(connection, None)


_Failures = OrderedDict[int, tuple[int, int]]
"""Call to its last outcome and how often running; as hashes, since both may be large."""


def _message_of(exc: AppFunctionException) -> str:
    """The message without the error id, which differs each time."""
    error_id = exc.extras.get("error_id")
    return exc.message.replace(error_id, "") if isinstance(error_id, str) else exc.message
