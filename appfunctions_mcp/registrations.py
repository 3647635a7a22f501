"""What was added to a running service, and how it is taken away again."""

from collections.abc import Callable, Sequence

from appfunctions_mcp.functions import AppFunction, MetadataCall
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.records import record
from appfunctions_mcp.registry import AppFunctionRegistry


@record(frozen=True, slots=True)
class AppFunctionRegistration:
    """Functions that were added at run time, until `unregister` is called."""

    function_ids: frozenset[str]
    unregister: Callable[[], None]


@record(frozen=True, slots=True)
class AppRegistration:
    """Resources or prompts that were added at run time, until `unregister` is called."""

    names: frozenset[str]
    """The addresses of the resources, the names of the prompts."""
    unregister: Callable[[], None]


def register_functions(
    registry: AppFunctionRegistry,
    batch: Sequence[tuple[AppFunctionMetadata, MetadataCall]],
    announce: Callable[[frozenset[str]], None],
) -> AppFunctionRegistration:
    """Adds several functions, all of them or none.

    Args:
        registry: Where to.
        batch: What is published of each, and what is called.
        announce: Tells of functions that came or went.

    Raises:
        ValueError: The batch is empty.
        AppFunctionDeclarationError: Names every id and tool name that is taken.
    """
    if not batch:
        raise ValueError("the batch is empty; give at least one function")
    registry.add([AppFunction.from_metadata(m, c) for m, c in batch])
    ids = frozenset(m.function_id for m, _ in batch)
    announce(ids)

    def remove(gone: frozenset[str]) -> None:
        registry.remove(gone)
        announce(gone)

    return AppFunctionRegistration(ids, taken_away_once(ids, remove))


def taken_away_once(
    names: frozenset[str], remove: Callable[[frozenset[str]], None]
) -> Callable[[], None]:
    """What takes away all that was added, the first time that it is called."""
    left = set(names)

    def unregister() -> None:
        # Once only: the same names may have been added again by others.
        gone = frozenset(left)
        left.clear()
        if gone:
            remove(gone)

    return unregister
