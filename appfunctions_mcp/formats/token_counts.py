"""Counts of tokens as providers send them. Knows no provider."""

from collections.abc import Mapping
from typing import Any

__all__ = ["token_count"]


def token_count(usage: Any, *names: str) -> int:
    """A count in a body; 0 where there is none, or what is there is no number.

    Args:
        usage: Any JSON value.
        names: The members that lead to the count.
    """
    found = usage
    for name in names:
        found = found.get(name) if isinstance(found, Mapping) else None
    is_count = isinstance(found, int) and not isinstance(found, bool) and found > 0
    return found if is_count else 0
