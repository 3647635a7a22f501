"""What results have handed out, each to one caller: leave to read an address, steps to take.

All of it is in memory and ends with the process. Callers that nothing tells apart, such as
anonymous ones, share what any of them was given.
"""

import math
import time
from collections.abc import Iterable
from typing import TypeVar

from appfunctions_mcp.library_models import AppFunctionUriGrant
from appfunctions_mcp.media import PendingIntent
from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.pending_steps import Clock, PendingStep
from appfunctions_mcp.resource_registry import LONGEST_URI, address_key

GRANT_SECONDS = 3600.0
"""How long a grant holds that is not persistable."""
MOST_CALLERS = 1_000
"""Of how many callers something is kept; who was given something longest ago is forgotten."""
MOST_GRANTS = 1_000
"""How many grants of one kind a caller has at most; the oldest ends."""
MOST_STEPS = 100
"""How many steps of one caller are remembered, also when they are over."""

_Key = tuple[str, str | None, bool]
K = TypeVar("K")
V = TypeVar("V")


class _OfCaller:
    """What one caller has, by address, the oldest first."""

    __slots__ = ("grants", "prefixes", "steps")

    def __init__(self) -> None:
        self.grants: dict[str, float] = {}
        """When the grant of an address ends."""
        self.prefixes: dict[str, float] = {}
        """When the grant of all that begins with a text ends."""
        self.steps: dict[str, PendingStep] = {}


class HandedOut:
    """What the callers of one service have been given.

    Args:
        clock: The time in seconds, from whenever.
    """

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._callers: dict[_Key, _OfCaller] = {}

    def give(self, parts: Iterable[object], caller: AppFunctionCaller, tool_name: str) -> None:
        """Gives a caller what a result holds.

        Args:
            parts: Grants, steps, and others that are nobody's alone.
            caller: Who gets the result.
            tool_name: The function that returned it.

        Raises:
            AppFunctionAppUnknownException: A step's action is none that can be called.
        """
        given = list(parts)
        steps = {
            part.uri: PendingStep(part, tool_name, self._clock)
            for part in given
            if isinstance(part, PendingIntent) and part.action is not None
        }
        grants = [part for part in given if isinstance(part, AppFunctionUriGrant)]
        if not steps and not grants:
            return
        own = self._of(caller)
        for uri, step in steps.items():
            _keep(own.steps, uri, step, MOST_STEPS)
        for grant in grants:
            self._grant(grant, own)

    def is_granted(self, uri: str, caller: AppFunctionCaller) -> bool:
        """Whether the caller may read what stands at an address, by a grant of it."""
        own = self._callers.get(_key_of(caller))
        if own is None:
            return False
        now, address = self._clock(), address_key(uri)
        below = f"{address}/"
        return now < own.grants.get(address, now) or any(
            now < ends_at and below.startswith(prefix) for prefix, ends_at in own.prefixes.items()
        )

    def step(self, uri: str, caller: AppFunctionCaller) -> PendingStep | None:
        """The step that was handed out to a caller under this address."""
        own = self._callers.get(_key_of(caller))
        return None if own is None else own.steps.get(uri)

    def _grant(self, grant: AppFunctionUriGrant, own: _OfCaller) -> None:
        if not grant.may_read or len(grant.uri) > LONGEST_URI:
            return
        ends_at = self._clock() + (math.inf if grant.is_persistable else GRANT_SECONDS)
        address, grants = address_key(grant.uri), own.grants
        if grant.is_prefix:
            address, grants = f"{address.rstrip('/')}/", own.prefixes
        # One more grant takes nothing away of those before it.
        _keep(grants, address, max(ends_at, grants.get(address, ends_at)), MOST_GRANTS)

    def _of(self, caller: AppFunctionCaller) -> _OfCaller:
        """What a caller has, as that of the one who was given something last."""
        key = _key_of(caller)
        own = self._callers.pop(key, None) or _OfCaller()
        _keep(self._callers, key, own, MOST_CALLERS)
        return own


def _keep(kept: dict[K, V], key: K, value: V, most: int) -> None:
    kept.pop(key, None)
    kept[key] = value
    if len(kept) > most:
        del kept[next(iter(kept))]


def _key_of(caller: AppFunctionCaller) -> _Key:
    return caller.name, caller.connection, caller.local_user
