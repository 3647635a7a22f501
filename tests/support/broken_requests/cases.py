"""One case: a rule, where it is broken, the broken request and the sound one."""

from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A request that breaks one rule at one place, and one that keeps it."""

    rule: str
    path: str
    broken: Any
    sound: Json
