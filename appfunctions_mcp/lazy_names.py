"""Names of a package that are imported when they are first used."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

__all__ = ["lazy_names"]


def lazy_names(package: str, home: Mapping[str, str]) -> Callable[[str], object]:
    """The `__getattr__` of a package that imports the module of a name when that is first used.

    Args:
        package: Its name.
        home: The module inside it that has a name, by name.
    """

    def get(name: str) -> object:
        module = home.get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(f"{package}.{module}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return get
