"""`record`: a dataclass that costs next to nothing to declare.

`dataclasses.dataclass` writes and compiles up to ten methods for each class, half a millisecond
or more, and a server declares eighty before its first answer. Records share all methods but the
constructor, which is compiled when the first instance is made. To everybody who asks, such as
`dataclasses.replace` or pydantic, a record is a dataclass.
"""

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["field_names", "record", "replaced"]

R = TypeVar("R")

_MISSING = dataclasses.MISSING


def _declare(
    *, slots: bool, frozen: bool = False, kw_only: bool = False, eq: bool = True
) -> Callable[[type], type]:
    """Makes a record of a class, as `dataclass` with the same options would.

    Args:
        slots: True; a record always has slots.
        frozen: Whether fields are only set by the constructor.
        kw_only: Whether the constructor takes names only.
        eq: Whether equal fields make equal records; else each equals itself only.
    """
    assert slots  # noqa: S101 - written out, since type checkers read `record` as `dataclass`

    def declared(cls: type) -> type:
        namespace = dict(vars(cls))
        own = {name: namespace.pop(name, _MISSING) for name in cls.__annotations__}
        namespace.pop("__dict__", None)
        namespace.pop("__weakref__", None)
        defaults = {**getattr(cls, "__record_defaults__", {}), **own}
        namespace |= _SHARED
        if frozen:
            namespace |= _FROZEN
        if eq:
            namespace |= {"__eq__": _eq, "__hash__": _hash if frozen else None}
        namespace["__slots__"] = tuple(own)
        namespace["__match_args__"] = () if kw_only else tuple(defaults)
        namespace["__record_defaults__"] = defaults
        namespace["__record_options__"] = {"frozen": frozen, "kw_only": kw_only, "left": 4}
        return type(cls)(cls.__name__, cls.__bases__, namespace)

    return declared


if TYPE_CHECKING:
    from dataclasses import dataclass as record
else:
    record = _declare


def _slow_init(self: Any, *args: Any, **kwargs: Any) -> None:
    """Fills the first instances; whoever makes more, or gives wrong arguments, gets a compiled one.

    Most records of a start are made once.
    """
    cls: Any = next(c for c in type(self).__mro__ if vars(c).get("__init__") is _slow_init)
    defaults, options = cls.__record_defaults__, cls.__record_options__
    given = dict(zip(defaults, () if options["kw_only"] else args, strict=False)) | kwargs
    options["left"] -= 1
    if not options["left"] or len(given) != len(args) + len(kwargs) or not _fits(defaults, given):
        cls.__init__ = _compiled_constructor(
            cls, frozen=options["frozen"], kw_only=options["kw_only"]
        )
        cls.__init__(self, *args, **kwargs)
        return
    for name, default in defaults.items():
        value = given[name] if name in given else _made(default)
        object.__setattr__(self, name, value)
    if hasattr(self, "__post_init__"):
        self.__post_init__()


def _fits(defaults: dict[str, Any], given: dict[str, Any]) -> bool:
    return given.keys() <= defaults.keys() and all(
        name in given or not _is_required(default) for name, default in defaults.items()
    )


def _is_required(default: Any) -> bool:
    if not isinstance(default, dataclasses.Field):
        return default is _MISSING
    return default.default is _MISSING and default.default_factory is _MISSING


def _made(default: Any) -> Any:
    if not isinstance(default, dataclasses.Field):
        return default
    return default.default if default.default_factory is _MISSING else default.default_factory()


def _compiled_constructor(cls: Any, *, frozen: bool, kw_only: bool) -> Callable[..., None]:
    names: dict[str, Any] = {"_missing": _MISSING, "__name__": cls.__module__}
    parameters, body = ["self", "*"] if kw_only else ["self"], []
    for name, default in cls.__record_defaults__.items():
        value = name
        if isinstance(default, dataclasses.Field) and default.default_factory is not _MISSING:
            names[f"_make_{name}"] = default.default_factory
            parameters.append(f"{name}=_missing")
            value = f"_make_{name}() if {name} is _missing else {name}"
        else:
            plain = default.default if isinstance(default, dataclasses.Field) else default
            names[f"_default_{name}"] = plain
            parameters.append(name if plain is _MISSING else f"{name}=_default_{name}")
        names[f"_set_{name}"] = getattr(cls, name).__set__
        body.append(f"_set_{name}(self, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    text = f"def __init__({', '.join(parameters)}):\n " + "\n ".join(body or ["pass"])
    exec(text, names)  # noqa: S102 - made of the names of fields
    constructor: Callable[..., None] = names["__init__"]
    constructor.__qualname__ = f"{cls.__qualname__}.__init__"
    return constructor


class _FromDataclass:
    """What `dataclasses` and `inspect` ask a class for; a dataclass is made when they do."""

    __slots__ = ("_name", "_take")

    def __init__(self, name: str, take: Callable[[Any], Any]) -> None:
        self._name = name
        self._take = take

    def __get__(self, _instance: object, cls: type) -> Any:
        owner = next(c for c in cls.__mro__ if vars(c).get(self._name) is self)
        taken = self._take(_dataclass_of(owner))
        setattr(owner, self._name, taken)
        return taken


def _dataclass_of(cls: Any) -> Any:
    namespace = {n: v for n, v in cls.__record_defaults__.items() if v is not _MISSING}
    records = [c for c in reversed(cls.__mro__) if "__record_defaults__" in vars(c)]
    namespace["__annotations__"] = {n: h for c in records for n, h in c.__annotations__.items()}
    namespace["__module__"] = cls.__module__
    options = {name: cls.__record_options__[name] for name in ("frozen", "kw_only")}
    return dataclasses.dataclass(**options)(type(cls.__name__, (), namespace))


def _signature_of(cls: Any) -> Any:
    import inspect

    return inspect.signature(cls)


def _values(self: Any) -> tuple[Any, ...]:
    return tuple([getattr(self, name) for name in self.__record_defaults__])


def field_names(record_class: type) -> tuple[str, ...]:
    """The names of a record's fields, in order; `dataclasses.fields` costs a millisecond more."""
    return tuple(record_class.__record_defaults__)  # type: ignore[attr-defined] # every record has it


def replaced(old: R, **changes: Any) -> R:
    """A record like another one but for some fields, as `dataclasses.replace` makes it."""
    return type(old)(**dict(zip(field_names(type(old)), _values(old), strict=True)) | changes)


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self is other or _values(self) == _values(other)


def _hash(self: Any) -> int:
    return hash(_values(self))


def _repr(self: Any) -> str:
    shown = (
        f"{name}={getattr(self, name)!r}"
        for name, default in self.__record_defaults__.items()
        if not isinstance(default, dataclasses.Field) or default.repr
    )
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _get_state(self: Any) -> tuple[Any, ...]:
    return _values(self)


def _set_state(self: Any, state: tuple[Any, ...]) -> None:
    for name, value in zip(self.__record_defaults__, state, strict=True):
        object.__setattr__(self, name, value)


def _refuse_setting(_self: Any, name: str, _value: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(_self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _replace(self: Any, **changes: Any) -> Any:
    return dataclasses.replace(self, **changes)


_SHARED = {
    "__init__": _slow_init,
    "__repr__": _repr,
    "__replace__": _replace,
    "__dataclass_fields__": _FromDataclass(
        "__dataclass_fields__", lambda made: made.__dataclass_fields__
    ),
    "__dataclass_params__": _FromDataclass(
        "__dataclass_params__", lambda made: made.__dataclass_params__
    ),
    "__signature__": _FromDataclass("__signature__", _signature_of),
}
_FROZEN = {
    "__setattr__": _refuse_setting,
    "__delattr__": _refuse_deleting,
    "__getstate__": _get_state,
    "__setstate__": _set_state,
}
