"""Aliases that hold themselves: `Json = dict[str, "Json"] | list["Json"] | str`.

`typing` resolves the name once and leaves it inside the result, where pydantic cannot. Each such
name becomes a class of ours that pydantic asks for a schema, and that refers to itself.
"""

import types
import typing
from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import Annotated, Any, ForwardRef, Literal

Look = Callable[[str], Any]
"""What a name stands for; raises NameError."""


def holds_forward_reference(annotation: Any) -> bool:
    """Whether a name is still unresolved somewhere in a type."""
    return isinstance(annotation, ForwardRef | str) or any(
        map(holds_forward_reference, _args(annotation))
    )


def tie_aliases(annotation: Any, look: Look) -> Any:
    """Replaces every name in a type by what it stands for, tying those that hold themselves.

    Args:
        annotation: A type with unresolved names in it.
        look: Finds what a name stands for.

    Raises:
        NameError: A name stands for nothing.
    """
    return _Tied(look).tie(annotation)


class _Tied:
    def __init__(self, look: Look) -> None:
        self._look = look
        self._aliases: dict[str, Any] = {}

    def tie(self, annotation: Any) -> Any:
        if isinstance(annotation, ForwardRef):
            return self._named(annotation.__forward_arg__)
        if isinstance(annotation, str):  # as built-in generics keep it: list["Json"]
            return self._named(annotation)
        if not holds_forward_reference(annotation):
            return annotation
        parts = tuple(map(self.tie, _args(annotation)))
        origin = typing.get_origin(annotation)
        if origin in {typing.Union, types.UnionType}:
            return reduce(or_, parts)
        if origin is Annotated:
            return Annotated[(parts[0], *annotation.__metadata__)]
        return origin[parts]

    def _named(self, name: str) -> Any:
        if name not in self._aliases:
            meant = self._look(name)
            if not holds_forward_reference(meant):
                return meant
            alias = _alias_class(name)
            self._aliases[name] = alias
            alias.value = self.tie(meant)
        return self._aliases[name]


def _args(annotation: Any) -> tuple[Any, ...]:
    """The types that a type is made of; texts of Literal and Annotated are none."""
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Literal or any(isinstance(part, list) for part in args):
        return ()
    return args[:1] if origin is Annotated else args


def _alias_class(name: str) -> Any:
    """A class that pydantic reads as the alias's value, by reference wherever it occurs."""
    reading: list[bool] = []
    reference = {"type": "definition-ref"}

    def schema(cls: Any, _source: Any, handler: Any) -> Any:
        here = {**reference, "schema_ref": f"{name}:{id(cls)}"}
        if reading:
            return here
        reading.append(True)
        try:
            value = handler.generate_schema(cls.value)
        finally:
            reading.clear()
        definition = {**value, "ref": here["schema_ref"]}
        return {"type": "definitions", "schema": here, "definitions": [definition]}

    return type(name, (), {"__get_pydantic_core_schema__": classmethod(schema)})
