"""Twenty functions of every type that Android has, each of which returns what it was given."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from appfunctions_mcp import (
    AppFunctionElementNotFoundException,
    SetField,
    app_function,
    app_function_serializable,
)
from appfunctions_mcp.values import (
    AppFunctionOneOf,
    Float32,
    Instant,
    Int32,
    LocalDate,
    LocalDateTime,
    LocalTime,
    PendingIntent,
    Uri,
    ZoneId,
)


class Priority(StrEnum):
    """How much it matters."""

    LOW = "LOW"
    HIGH = "HIGH"


@app_function_serializable(name="com.example.phone.Node")
class Node(BaseModel):
    """A node of a tree."""

    text: str
    """What it says."""
    weight: float = 0.0
    due: LocalDate | None = None
    children: list[Node] = Field(default_factory=list)


@app_function_serializable(name="com.example.phone.Circle")
class Circle(BaseModel):
    """A circle."""

    schema_type: Literal["com.example.phone.Circle"] = Field(
        "com.example.phone.Circle", alias="schemaType"
    )
    radius: float


@app_function_serializable(name="com.example.phone.Square")
class Square(BaseModel):
    """A square."""

    schema_type: Literal["com.example.phone.Square"] = Field(
        "com.example.phone.Square", alias="schemaType"
    )
    side: Int32


Shape = Annotated[
    Circle | Square,
    Field(discriminator="schema_type"),
    AppFunctionOneOf(name="com.example.phone.Shape"),
]


@app_function
def echo_text(value: str) -> str:
    """Returns a text.

    Args:
        value: Any text.
    """
    return value


@app_function
def echo_optional_text(value: str | None = None) -> str | None:
    """Returns a text, or nothing."""
    return value


@app_function
def echo_int(value: Int32) -> Int32:
    """Returns a number of 32 bits."""
    return value


@app_function
def echo_long(value: int) -> int:
    """Returns a number of 64 bits."""
    return value


@app_function
def echo_float(value: Float32) -> Float32:
    """Returns a number of 32 bits with a fraction."""
    return value


@app_function
def echo_double(value: float) -> float:
    """Returns a number with a fraction."""
    return value


@app_function
def echo_boolean(value: bool) -> bool:
    """Returns true or false."""
    return value


@app_function
def echo_bytes(value: bytes) -> bytes:
    """Returns bytes."""
    return value


@app_function
def echo_texts(value: list[str]) -> list[str]:
    """Returns texts."""
    return value


@app_function
def echo_numbers(longs: list[int], doubles: list[float]) -> list[float]:
    """Returns all numbers."""
    return [*longs, *doubles]


@app_function
def echo_flags(value: list[bool]) -> list[bool]:
    """Returns truth values."""
    return value


@app_function
def echo_date(value: LocalDate) -> LocalDate:
    """Returns a date."""
    return value


@app_function
def echo_time(value: LocalTime) -> LocalTime:
    """Returns a time."""
    return value


@app_function
def echo_date_time(value: LocalDateTime) -> LocalDateTime:
    """Returns a date and time."""
    return value


@app_function
def echo_instant(value: Instant, zone: ZoneId) -> Instant:
    """Returns a moment."""
    return value.astimezone(zone)


@app_function
def echo_uri(value: Uri) -> Uri:
    """Returns an address."""
    return value


@app_function
def echo_priority(value: Priority) -> Priority:
    """Returns a priority."""
    return value


@app_function
def echo_node(value: Node) -> Node:
    """Returns a tree."""
    return value


@app_function
def echo_shape(value: Shape) -> Shape:
    """Returns a shape."""
    return value


@app_function
def change_title(title: SetField[str | None] | None = None) -> str:
    """Tells what would change."""
    return "nothing" if title is None else repr(title.value)


@app_function
def do_nothing() -> None:
    """Does nothing."""


@app_function
def pay() -> PendingIntent:
    """Returns a step for the user."""
    return PendingIntent("https://example.org/pay/7")


@app_function
def find_note(note_id: str) -> str:
    """Finds nothing."""
    raise AppFunctionElementNotFoundException(f"No note {note_id}", recovery="Search for it.")


@app_function(enabled=False)
def wipe() -> None:
    """Is switched off."""


METADATA = """\
<?xml version="1.0" encoding="utf-8"?>
<AppFunctionAppMetadata
    xmlns:appfn="http://schemas.android.com/apk/androidx.appfunctions"
    xmlns:mcp="urn:appfunctions-mcp:metadata:1"
    appfn:description="Keeps notes on a phone.
    - Find a note before changing it."
    mcp:name="phone" mcp:package="com.example.phone" mcp:pythonPath="{project}">
    <mcp:functions module="tests.support.phone_functions" />
</AppFunctionAppMetadata>
"""
