"""What is written in Kotlin, as plain records: classes and their properties.

Knows nothing of how it is read from a document, nor of how it is written.
"""

from dataclasses import dataclass, field
from typing import Literal

from appfunctions_mcp.android.data_types import DataType
from appfunctions_mcp.android.kotlin.names import ClassName, KotlinType

__all__ = ["KotlinClass", "KotlinProperty"]


@dataclass(frozen=True, slots=True)
class KotlinProperty:
    """One property of a class, in the order of the constructor."""

    name: str
    type: KotlinType
    source: DataType
    """Its type in the document, for description and constraints."""
    default: str | None = None
    """The value where it is left out; a call of a function stands with its full name."""
    is_inherited: bool = False

    @property
    def getter(self) -> str:
        """What the JVM calls the method that returns it."""
        third = self.name[2:3]
        if self.name.startswith("is") and third and not "a" <= third <= "z":
            return self.name
        first = self.name[:1]
        return f"get{first.upper() if first.isascii() else first}{self.name[1:]}"


@dataclass(slots=True)
class KotlinClass:
    """One class, as it is written."""

    name: ClassName
    kind: Literal["class", "sealed interface", "interface"]
    description: str = ""
    properties: tuple[KotlinProperty, ...] = ()
    type_parameters: tuple[str, ...] = ()
    base: KotlinType | None = None
    base_properties: tuple[str, ...] = ()
    interfaces: list[str] = field(default_factory=list)
    """The binary names of the interfaces that it has."""
    is_open: bool = False
    """Whether other classes inherit it."""
