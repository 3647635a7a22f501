"""What is judged: functions and what their app says, wherever they come from."""

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

from appfunctions_mcp.metadata import AppFunctionMetadata, AppMetadata
from appfunctions_mcp.records import record

__all__ = ["LintSubject", "Origin", "once_for_subject"]

T = TypeVar("T")


class Origin(Enum):
    """Where functions come from, which decides what can be known of them."""

    OWN = "own"
    """Python functions of a metadata file."""
    ANDROID = "android"
    """A functions XML, or an app's folder."""
    FOREIGN = "foreign"
    """An MCP server's list of tools, live or saved."""


@record(frozen=True, slots=True)
class LintSubject:
    """Functions that are offered together."""

    functions: tuple[AppFunctionMetadata, ...]
    """In the order of their listing."""
    origin: Origin
    server_name: str = ""
    """By which clients prefix tool names; empty where nobody knows it."""
    app: AppMetadata | None = None
    """What the app says of itself, where there is such a thing."""
    instructions: str = ""
    """What agents read of the app or the server."""
    instructions_source: str = ""
    """Where that stands, as `FILE:LINE`; empty where nobody knows."""
    bodies: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """The Python functions by function id, where they are ours."""
    tools: tuple[Mapping[str, Any], ...] = ()
    """The tools as a foreign server lists them, in the order of `functions`."""
    folder: Path | None = None
    """An Android app's `src/main`, where that is what is judged."""
    other_names: frozenset[str] = frozenset()
    """What else the app offers under names: prompts, resources, settings."""
    faults: tuple[str, ...] = ()
    """What keeps files from being read as they are meant, `FILE:LINE: what; fix`."""
    warnings: tuple[str, ...] = ()
    """What Android ignores in files that it reads, `FILE:LINE: what; fix`."""


def once_for_subject(compute: Callable[[LintSubject], T]) -> Callable[[LintSubject], T]:
    """A function that computes what holds for a whole subject once, not for each function anew.

    It remembers the subject that was asked for last.

    Args:
        compute: It always gives the same for the same subject.
    """
    last: tuple[LintSubject, T] | None = None

    def remembered(subject: LintSubject) -> T:
        nonlocal last
        known = last
        if known is None or known[0] is not subject:
            known = last = (subject, compute(subject))
        return known[1]

    return remembered
