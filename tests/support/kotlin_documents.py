"""Changes documents of hypothesis for tests of Kotlin."""

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from appfunctions_mcp.android.data_types import AndroidDocument

_TEXTS = frozenset({"description", "deprecation"})
_CONSTRAINTS = frozenset({"enum_values", "value", "format"})


def moved(document: AndroidDocument, root: str) -> AndroidDocument:
    """The document with its packages below `root` instead of `com`."""

    def change(field: str, text: str) -> str:
        is_name = field not in _TEXTS | _CONSTRAINTS
        return re.sub(r"\bcom\.(?=[ab]\b)", f"{root}.", text) if is_name else text

    found: AndroidDocument = _changed(document, change)
    return found


def plain(document: AndroidDocument) -> AndroidDocument:
    """The document with a plain word for every description."""

    def change(field: str, text: str) -> str:
        return "x" if text and field in _TEXTS else text

    found: AndroidDocument = _changed(document, change)
    return found


def _changed(part: Any, change: Callable[[str, str], str], field: str = "") -> Any:
    if isinstance(part, str):
        return change(field, part)
    if isinstance(part, tuple):
        return tuple(_changed(each, change, field) for each in part)
    if is_dataclass(part) and not isinstance(part, type):
        parts = {each.name: getattr(part, each.name) for each in fields(part)}
        return replace(part, **{name: _changed(of, change, name) for name, of in parts.items()})
    return part
