"""Functions of every type, as a device's shell calls them."""

from __future__ import annotations

import asyncio
import time
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from appfunctions_mcp import (
    AppFunctionContext,
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
    TextResource,
    Uri,
    ZoneId,
)


class Priority(StrEnum):
    """How much it matters."""

    LOW = "LOW"
    HIGH = "HIGH"


@app_function_serializable(name="com.example.notes.Times")
class Times(BaseModel):
    """Every kind of time."""

    day: LocalDate
    hour: LocalTime
    both: LocalDateTime
    moment: Instant
    zone: ZoneId


@app_function_serializable(name="com.example.notes.Everything")
class Everything(BaseModel):
    """Every kind of value."""

    text: str
    whole: int
    small: Int32
    decimal: float
    single: Float32
    truth: bool
    raw: bytes
    address: Uri
    priority: Priority
    times: Times
    texts: list[str]
    numbers: list[int]
    decimals: list[float]
    truths: list[bool]
    days: list[LocalDate]
    addresses: list[Uri]
    nothing: str | None
    child: Everything | None
    children: list[Everything] = Field(default_factory=list)
    action: PendingIntent | None = None


@app_function_serializable(name="com.example.notes.Circle")
class Circle(BaseModel):
    """A circle."""

    schema_type: Literal["com.example.notes.Circle"] = Field(
        "com.example.notes.Circle", alias="schemaType"
    )
    radius: float
    color: str | None


@app_function_serializable(name="com.example.notes.Square")
class Square(BaseModel):
    """A square."""

    schema_type: Literal["com.example.notes.Square"] = Field(
        "com.example.notes.Square", alias="schemaType"
    )
    side: int


Shape = Annotated[
    Circle | Square,
    Field(discriminator="schema_type"),
    AppFunctionOneOf(name="com.example.notes.Shape"),
]


@app_function_serializable(name="com.example.notes.Line")
class Line(BaseModel):
    """A line, which does not say so."""

    length: float


@app_function_serializable(name="com.example.notes.Point")
class Point(BaseModel):
    """A point, which does not say so."""

    x: int
    y: int


Mark = Annotated[Line | Point, AppFunctionOneOf(name="com.example.notes.Mark")]


@app_function
def mark(mark: Mark) -> Mark:
    """Returns a mark."""
    return mark


@app_function
def echo(value: Everything) -> Everything:
    """Returns a value."""
    return value


@app_function
def tell(value: Everything) -> str:
    """Tells of a value as Python has it."""
    return repr(value)


@app_function
def larger(shape: Shape, shapes: list[Shape] | None = None) -> list[Shape]:
    """Returns shapes."""
    return [shape, *(shapes or [])]


@app_function
def find(
    query: str, limit: int = 0, tags: list[str] | None = None, day: LocalDate | None = None
) -> str:
    """Tells what was asked for."""
    return repr((query, limit, tags, day))


@app_function
def require(text: str, note: str | None, count: int | None) -> str:
    """Tells what came."""
    return repr((text, note, count))


@app_function
def change(title: SetField[str | None] | None = None, count: SetField[int] | None = None) -> str:
    """Tells what would change."""
    return repr((title, count))


@app_function
def numbers(longs: list[int], doubles: list[float], one: float) -> str:
    """Tells of numbers."""
    return repr((longs, doubles, one))


@app_function
def nothing() -> None:
    """Does nothing."""


@app_function
def maybe(there: bool) -> str | None:
    """Returns a text, or nothing."""
    return "text" if there else None


@app_function
def empty() -> list[str]:
    """Returns a list without items."""
    return []


@app_function
def report() -> TextResource:
    """Returns a report."""
    return TextResource("notes://report", "# All well", "text/markdown")


@app_function
def reports() -> list[TextResource]:
    """Returns reports."""
    return [report()]


@app_function
def pay() -> PendingIntent:
    """Returns a step that the user takes."""
    return PendingIntent("https://example.org/pay/7", "Pay the bill.")


@app_function
def huge() -> int:
    """Returns a number that no long can be."""
    return 2**63


@app_function
def beyond() -> int:
    """Returns a number that JavaScript rounds."""
    return 2**63 - 1


@app_function
def missing() -> str:
    """Finds nothing."""
    raise AppFunctionElementNotFoundException("No note has this id", recovery="Search for it.")


@app_function
def crash() -> str:
    """Fails."""
    raise AppFunctionElementNotFoundException


@app_function
async def wait() -> str:
    """Waits until it is cancelled."""
    await asyncio.Event().wait()
    return "never"


@app_function
def block(context: AppFunctionContext) -> str:
    """Blocks its thread until it is cancelled."""
    while not context.cancelled:
        time.sleep(0.001)
    return "cancelled"


@app_function(requires_confirmation=True, enabled=False)
def wipe(name: str) -> str:
    """Wipes a name."""
    return f"wiped {name}"


@app_function
def union(value: int | str) -> str:
    """Android has no word for this one."""
    return str(value)


FUNCTIONS = (
    *(echo, tell, larger, find, require, change, numbers, nothing, maybe, empty, report, reports),
    *(pay, huge, beyond, missing, crash, wait, block, wipe, union, mark),
)
MODULE = __name__
