"""What a rule is, and what it finds."""

from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Any

from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.records import record

__all__ = ["Fault", "Finding", "FunctionRule", "Rule", "SetRule", "Severity"]


class Severity(IntEnum):
    """How much a finding matters."""

    NOTE = 1
    """Worth a look; never makes a command fail."""
    WARNING = 2
    """Style: an agent chooses worse."""
    ERROR = 3
    """A contradiction, or what a client or a provider refuses."""


@record(frozen=True, slots=True)
class Fault:
    """What a rule says of one place; the rule itself knows the rest."""

    text: str
    """What is there, in one sentence."""
    place: str = ""
    """Where in the function: `name`, `description`, `parameters.title`, `response`, …"""
    words: str = ""
    """The words that are at fault, as they stand in the text of that place."""
    fix: str = ""
    """What would mend this very place, where that says more than the rule's own fix."""
    severity: Severity | None = None
    """Where this one weighs otherwise than the rule."""
    source: str = ""
    """`FILE:LINE`, where it stands elsewhere than the function or the app's description."""


@record(frozen=True, slots=True)
class Rule:
    """One thing that is judged."""

    id: str
    """`AF001` and so on; never used again for another rule."""
    name: str
    """In words that can be typed, such as `description-missing`."""
    severity: Severity
    source: str
    """Where the rule comes from: a guideline, a provider's documentation, a field case."""
    fix: str
    """What to do, in one sentence."""
    bad: Any
    """An example that the rule finds; see `lint.examples` for its forms."""
    good: Any
    """The same example as it should be, which no rule of this severity or above finds."""
    profiles: frozenset[str] = frozenset({"guidelines", "skill"})
    """Where it applies; Google's two texts disagree in places."""
    languages: frozenset[str] | None = None
    """The languages of texts that it understands; None where no language matters."""
    is_default: bool = True
    """Whether it applies without being named."""


@record(frozen=True, slots=True)
class FunctionRule:
    """A rule about single functions."""

    rule: Rule
    check: Callable[[AppFunctionMetadata, LintSubject], Iterator[Fault]]


@record(frozen=True, slots=True)
class SetRule:
    """A rule about functions together, or about the app; each fault names a function id or ``."""

    rule: Rule
    check: Callable[[LintSubject], Iterator[tuple[str, Fault]]]


@record(frozen=True, slots=True)
class Finding:
    """A fault of one function, as reports show it."""

    rule: Rule
    fault: Fault
    function_id: str = ""
    """Empty where it is about the app or the whole set."""
    tool_name: str = ""
    source: str = ""
    """`FILE:LINE`, where that is known."""

    @property
    def severity(self) -> Severity:
        """How much it matters."""
        return self.fault.severity or self.rule.severity
