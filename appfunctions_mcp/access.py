"""Who may execute what: Android's level, and a scope that the caller has or a predicate.

Both have to admit a caller. Knows nothing of how callers are authenticated.
"""

import inspect

from appfunctions_mcp.metadata import (
    AppFunctionAccessLevel,
    AppFunctionCaller,
    AppFunctionMetadata,
)
from appfunctions_mcp.telemetry import warn

SYSTEM_SCOPE = "appfunctions:system"
"""The scope of callers that stand for the system (Android: EXECUTE_APP_FUNCTIONS_SYSTEM)."""


_EVERYBODY = AppFunctionAccessLevel.ANDROID_TRUSTED
"""Looked up once: in an enumeration that costs every call seventy nanoseconds."""


def is_restricted(metadata: AppFunctionMetadata) -> bool:
    """Whether some caller of the server might not execute the function."""
    return metadata.access is not None or metadata.access_level is not _EVERYBODY


def has_access(metadata: AppFunctionMetadata, caller: AppFunctionCaller) -> bool:
    """Whether the caller may execute the function, by its level, and its scope or predicate."""
    level = metadata.access_level
    if level is not _EVERYBODY and not _is_of_level(caller, level):
        return False
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


def _is_of_level(caller: AppFunctionCaller, level: AppFunctionAccessLevel) -> bool:
    if caller.local_user:
        return True
    return level is AppFunctionAccessLevel.SYSTEM and SYSTEM_SCOPE in caller.scopes
