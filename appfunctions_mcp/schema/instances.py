"""Instances of models, made outside of the type that holds them.

pydantic decides a union of models by trying every branch, each of which tries those below: a
value of a recursive type could keep it busy for ever. An instance is decided at once.
"""

import dataclasses
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, TypeAdapter

Build = Callable[[Any], Any]
"""Makes the final Python value of a checked one; raises pydantic's ValidationError."""


@lru_cache(maxsize=1024)
def instance_builder(cls: type | None) -> Build | None:
    """What makes instances of a model or dataclass; None for what has no instances of its own.

    Args:
        cls: The class of a shape of an object.
    """
    if cls is None or not (issubclass(cls, BaseModel) or _is_whole_dataclass(cls)):
        return None
    validate = TypeAdapter(cls).validator.validate_python
    # The kinds are checked already, so a model's strict mode has nothing left to refuse.
    return lambda value: validate(value, strict=False)


def _is_whole_dataclass(cls: type) -> bool:
    """Whether the class alone says what its fields are; a generic one needs its arguments."""
    return dataclasses.is_dataclass(cls) and not getattr(cls, "__parameters__", ())
