"""Regular expressions that are compiled when they are first used.

The modules of a start have seventy of them, of which it uses twenty.
"""

import re
from typing import Any, AnyStr, cast


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, but nothing is compiled before a method is called.

    Args:
        pattern: The expression.
        flags: Those of `re`.
    """
    return cast("re.Pattern[AnyStr]", _LazyRegex(pattern, flags))


class _LazyRegex:
    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Compiles, and keeps the method that is asked for."""
        value = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, value)
        return value
