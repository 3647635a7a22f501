"""Models whose fields are described in every way that is read."""

from dataclasses import dataclass
from typing import Generic, TypedDict, TypeVar

import typing_extensions
from pydantic import BaseModel, Field

T = TypeVar("T")


@dataclass
class Attachment:
    """A file.

    Attributes:
        name: Its name.
        size: Its size by the class docstring.
    """

    name: str
    size: int = 0
    """Its size,
    in bytes.
    """
    kind: str = ""
    "Its kind."
    silent: str = ""


@dataclass
class Picture(Attachment):
    """A picture.

    Args:
        width: How wide.
        name: Its caption.
    """

    width: int = 0
    kind: str = "png"

    class Frame(BaseModel):
        """What is around it."""

        colour: str = Field(default="black")
        """Its colour."""


@dataclass
class Bare:
    value: int


class Page(BaseModel, Generic[T]):
    """One page.

    :ivar items: What is on it.
    """

    items: list[T]
    total: int
    """How many there are on all pages."""


class KotlinNote(BaseModel):
    """A note.

    @param title By the parameter.
    @property title The [Note]'s title.
    @property content Its text.
    """

    title: str
    content: str


class Point(TypedDict):
    x: int
    """The first number."""


class Place(Point, total=False):
    """A place.

    Attributes:
        name: Its name.
    """

    name: str


class NewPoint(typing_extensions.TypedDict, Generic[T]):
    x: T
    """The first number."""


class NewPlace(NewPoint[int]):
    y: int
    """The second number."""


if True:

    class Conditional(BaseModel):
        value: int
        """Found below an `if`."""

        def method(self) -> int:
            """Not a field's text."""
            return self.value
