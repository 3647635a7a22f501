"""Functions for some callers only; each leaves a line in the file that `CALLS_FILE` names."""

import os
from contextlib import suppress
from pathlib import Path

from appfunctions_mcp import (
    AppFunctionCaller,
    AppFunctionContext,
    app_function,
    app_prompt,
    app_resource,
)


def _note(name: str) -> None:
    with Path(os.environ["CALLS_FILE"]).open("a", encoding="utf-8") as calls:
        calls.write(f"{name}\n")


def _is_alice(caller: AppFunctionCaller) -> bool:
    return caller.local_user or caller.name == "alice"


@app_function
def who_am_i(context: AppFunctionContext) -> dict[str, str]:
    """Names the caller.

    Args:
        context: The call.
    """
    _note("who_am_i")
    caller = context.caller
    return {
        "name": caller.name,
        "scopes": " ".join(sorted(caller.scopes)),
        "connection": caller.connection or "",
    }


@app_function
def tell_all(context: AppFunctionContext) -> str:
    """Tells everything that a function can find in its context.

    Args:
        context: The call.
    """
    found: list[object] = [context]
    seen: dict[int, object] = {}
    while found:
        value = found.pop()
        if id(value) in seen or type(value).__module__ in {"builtins", "asyncio", "types"}:
            seen.setdefault(id(value), value)
            continue
        seen[id(value)] = value
        for name in dir(value):
            with suppress(Exception):  # a property may refuse
                found += [] if name.startswith("__") else [getattr(value, name)]
    return repr([repr(value) for value in seen.values()])


@app_function(access="notes:admin", enabled=False)
def delete_everything(count: int) -> int:
    """Deletes everything.

    Args:
        count: How much.
    """
    _note("delete_everything")
    return count


@app_function(access="notes:admin", requires_confirmation=True)
def rename_everything(name: str) -> str:
    """Renames everything.

    Args:
        name: The new name.
    """
    _note("rename_everything")
    return name


@app_function(access=_is_alice)
def read_diary() -> str:
    """Reads the diary."""
    _note("read_diary")
    return "Dear diary"


@app_resource("board://notice")
def notice(context: AppFunctionContext) -> str:
    """What everybody may read.

    Args:
        context: The call.
    """
    context.resource_updated("diary://today")
    context.resource_updated("board://notice")
    return "Welcome"


@app_resource(
    "diary://{day}",
    access="notes:admin",
    entries=lambda: [("diary://today", "today")],
    complete={"day": ["today", "yesterday"]},
)
def diary(day: str) -> str:
    """What the diary says of a day.

    Args:
        day: The day.
    """
    _note("diary")
    return f"Dear diary, {day}"


@app_prompt(access="notes:admin", complete={"name": ["ann"]})
def scold(name: str) -> str:
    """Scolds somebody.

    Args:
        name: Whom.
    """
    _note("scold")
    return f"Scold {name}."
