"""Who may execute what: a scope that the caller has, or a predicate of the author's."""

import inspect

from appfunctions_mcp.metadata import AppFunctionCaller, AppFunctionMetadata
from appfunctions_mcp.telemetry import warn


def has_access(metadata: AppFunctionMetadata, caller: AppFunctionCaller) -> bool:
    """Whether the caller may execute the function, by its scope or its predicate."""
    access = metadata.access
    if access is None:
        return True
    if isinstance(access, str):
        return caller.local_user or access in caller.scopes
    try:
        allowed = access(caller)
        if not inspect.isawaitable(allowed):
            return bool(allowed)
        if inspect.iscoroutine(allowed):
            allowed.close()
        what = "is async; write it as a plain function"
    except (Exception, SystemExit) as fault:  # noqa: BLE001 - a predicate that crashes lets nobody in
        what = f"failed: {fault!r}"
    warn(f"{metadata.source}: the access predicate of {metadata.function_id} {what}")
    return False
