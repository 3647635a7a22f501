"""Spares pydantic its search for plugins in a process where none are installed.

pydantic asks `importlib.metadata` for them when the first model is made, and that import, with
the mail parser behind it, costs more than a small app. What is installed says in one line of a
file whether it is a plugin.
"""

import importlib
import os
import sys
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Any

_LOADER = "pydantic.plugin._loader"
_NONE_WANTED = frozenset({"__all__", "1", "true"})


def skip_plugin_search() -> None:
    """Makes pydantic find no plugins, unless there may be one.

    For the program's own processes; what pydantic does in others is their matter.
    """
    if _LOADER in sys.modules or _may_have_plugins():
        return
    stand_in = ModuleType(_LOADER)
    stand_in.get_plugins = tuple  # type: ignore[attr-defined] # all that pydantic asks for
    stand_in.__getattr__ = _from_loader  # type: ignore[method-assign] # what a later version asks for
    sys.modules[_LOADER] = stand_in


def _from_loader(name: str) -> Any:
    """An attribute of pydantic's own module, which takes its place again."""
    if name.startswith("__"):
        raise AttributeError(name)
    del sys.modules[_LOADER]
    return getattr(importlib.import_module(_LOADER), name)


def _may_have_plugins() -> bool:
    """Whether anything installed says that it is one, or cannot be asked without that import."""
    if os.environ.get("PYDANTIC_DISABLE_PLUGINS") in _NONE_WANTED:
        return False
    if any(hasattr(f, "find_distributions") and f is not PathFinder for f in sys.meta_path):
        return True
    return any(_holds_plugin(place or os.curdir) for place in sys.path)


def _holds_plugin(place: str) -> bool:
    try:
        names = os.listdir(place)  # noqa: PTH208 - a few hundred names at every start
    except FileNotFoundError:
        return False
    except OSError:  # an archive
        return True
    return any(
        name.endswith((".dist-info", ".egg-info", ".egg")) and _is_plugin(place, name)
        for name in names
    )


def _is_plugin(place: str, name: str) -> bool:
    folder = "EGG-INFO" if name.endswith(".egg") else ""
    try:
        with open(os.path.join(place, name, folder, "entry_points.txt"), "rb", 0) as file:  # noqa: PTH118, PTH123 - as above
            return b"pydantic]" in file.read()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
