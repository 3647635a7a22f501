"""Which names a module of a new project may have: none that Python imports something else by."""

import importlib.util
import keyword
import sys

from appfunctions_mcp.exceptions import SettingsError


def require_free_name(module: str) -> None:
    """Refuses the name of a module that Python could not import, or would import from elsewhere.

    Raises:
        SettingsError: Says why.
    """
    fault = fault_of_name(module)
    if fault is not None:
        raise SettingsError(f"{fault}; choose another name")


def fault_of_name(module: str) -> str | None:
    """Why a module cannot have this name; None where it can."""
    if keyword.iskeyword(module) or keyword.issoftkeyword(module):
        return f"{module!r} is a word of Python itself"
    if module in sys.stdlib_module_names or _is_installed(module):
        return f"a module {module!r} is installed already, and Python would import that one instead"
    return None


def _is_installed(module: str) -> bool:
    """Whether an import would find a module of this name; a mere folder is none."""
    spec = importlib.util.find_spec(module)
    return spec is not None and spec.origin is not None
