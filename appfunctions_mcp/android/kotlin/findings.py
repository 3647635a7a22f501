"""What a document has and Kotlin has not: faults, which end in an error, and notes to read.

Knows nothing of Kotlin.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from appfunctions_mcp.android.kotlin.words import KotlinError
from appfunctions_mcp.exceptions import AppFunctionDeclarationError

__all__ = ["Findings", "Place"]


@dataclass(frozen=True, slots=True)
class Place:
    """What something is found in.

    Args:
        text: In words, for example `function 'a#b'`.
        source: Its `FILE:LINE`, where there is one; only faults name it.
    """

    text: str
    source: str = ""

    def inside(self, text: str) -> "Place":
        """A part of it, for example `parameter 'c'`."""
        return Place(f"{self.text}, {text}", self.source)


class Findings:
    """The faults and notes of one run, each once."""

    def __init__(self) -> None:
        self._faults: dict[str, None] = {}
        self._notes: dict[str, None] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """What is left out or named otherwise, in the order in which it was found."""
        return tuple(self._notes)

    def fault(self, place: Place, text: str) -> None:
        """Keeps what cannot be written."""
        source = f"{place.source}: " if place.source else ""
        self._faults[f"{source}{place.text}: {text}"] = None

    def note(self, place: Place, text: str) -> None:
        """Keeps what is written otherwise than the document has it."""
        self._notes[f"{place.text}: {text}"] = None

    @contextmanager
    def at(self, place: Place) -> Iterator[None]:
        """Keeps an error as the fault of a place and goes on behind the block."""
        try:
            yield
        except KotlinError as error:
            self.fault(place, str(error))

    def require_none(self) -> None:
        """Raises the faults that were found.

        Raises:
            AppFunctionDeclarationError: There are some.
        """
        if self._faults:
            raise AppFunctionDeclarationError(self._faults)
