"""Mends a failed call from the text of its error, as a model would: it knows nothing else.

What the user has said is known too, by the names of parameters; how functions are declared is
not.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.formats.messages import FunctionCall
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.records import replaced

_FAULT = re.compile(r"^(?:- |\w+Exception: )([^\s:]+): (.+?)(?:; accepted: (.+))?$", re.MULTILINE)
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def mended(call: FunctionCall, text: str, said: Mapping[str, Any]) -> FunctionCall:
    """The call as it is made after the error was read.

    Args:
        call: As it failed.
        text: What was answered.
        said: What the user has said, by parameter name or path, and as `verb` what they want done.
    """
    if "no function is called" in text:
        return replaced(call, id=f"{call.id}'", name=_named(text, call.name, said.get("verb", "")))
    if token := re.search(r'"confirmation": "([^"]+)"', text):
        return replaced(call, arguments={**call.arguments, "confirmation": token[1]})
    if again := re.search(r"Call \w+ again with one whole JSON object that may have: (.+)\.", text):
        names = re.findall(r"(\w+)(?: \(required\))?", again[1].replace(" (required)", ""))
        arguments = {name: said[name] for name in names if name in said}
        return replaced(call, fault="", arguments=arguments)
    arguments = json.loads(json.dumps(dict(call.arguments)))
    faults = [(path, what, accepted or "") for path, what, accepted in _FAULT.findall(text)]
    assert faults, text
    moved = _renamed(arguments, faults)
    for path, what, accepted in faults:
        if not what.startswith("there is no such") and path not in moved:
            value = said[path] if what == "missing" else _read(arguments, path)
            _write(arguments, path, _fitting(value, accepted, said.get(path)))
    return replaced(call, arguments=arguments)


def _named(text: str, wanted: str, verb: str) -> str:
    """Of the names that an error offers the one that has most of the words that are wanted."""
    offered = re.findall(r"(?:near it|There are): ([\w, -]+)", text)
    assert offered, text
    words = {verb, *re.findall(r"[a-z]+", wanted.lower())}
    names = ", ".join(offered).split(", ")
    return max(names, key=lambda name: len(words & set(name.split("_"))))


def _renamed(arguments: dict[str, Any], faults: list[tuple[str, str, str]]) -> set[str]:
    """Moves values from names that do not exist to those that are missing, or were meant."""
    missing = [path for path, what, _ in faults if what == "missing"]
    moved = set()
    for path, what, accepted in faults:
        if not what.startswith("there is no such"):
            continue
        value = _remove(arguments, path)
        meant = re.search(r"did you mean (\w+)\?", what)
        target = meant[1] if meant else next(iter(missing), None)
        if target is not None and target in accepted:
            _write(arguments, target, value)
            moved.add(target)
    return moved


def _fitting(value: Any, accepted: str, said: Any) -> Any:  # noqa: PLR0911 - one for each kind
    """A value of the kind that is accepted, of the one that was sent or of what the user said."""
    if accepted.startswith("one of "):
        choices = json.loads(f"[{accepted.removeprefix('one of ')}]")
        near = [c for c in choices if str(c).lower() in str(value).lower()]
        return (near or nearest_names(str(value), map(str, choices)) or [said])[0]
    if accepted.startswith('{"value": …}'):
        is_wrapped = isinstance(value, dict) and len(value) > 0 and "each value" not in accepted
        return {"value": next(iter(value.values())) if is_wrapped else value}
    if accepted == "true or false":
        return str(value).lower() in {"yes", "1", "on"}
    if accepted.startswith("a list"):
        if isinstance(value, dict):
            return [value] if "each item an object" in accepted else list(value.values())
        return [part.strip() for part in str(value).split(",")]
    if named := re.match(r"an object with (.+)", accepted):
        parts = value if isinstance(value, list) else str(value).split(",")
        return dict(zip(named[1].split(", "), parts, strict=True))
    if accepted.startswith("an object, each value"):
        return dict(value)
    if said is not None:
        return said
    return _scalar(value, accepted)


def _scalar(value: Any, accepted: str) -> Any:  # noqa: PLR0911 - one for each kind
    inner = value[0] if isinstance(value, list) else value
    inner = next(iter(inner.values())) if isinstance(inner, dict) else inner
    if accepted.startswith("a whole number"):
        found = re.search(r"-?\d+", str(inner))
        assert found
        limits = re.search(r"from (\d+) to (\d+)", accepted) or ("", "0", "1000000")
        return min(max(int(found[0]), int(limits[1])), int(limits[2]))
    if accepted == "a number":
        return float(str(inner).replace(",", "."))
    if longest := re.match(r"text of at most (\d+) characters", accepted):
        return str(inner)[: int(longest[1])]
    if "with an offset such as" in accepted:
        return f"{inner}+03:00"
    if "without an offset" in accepted:
        return re.sub(r"(Z|[+-]\d\d:\d\d)$", "", str(inner))
    if accepted.startswith("a date as YYYY-MM-DD"):
        return "-".join(reversed(str(inner).split(".")))
    if "[A-Z]" in accepted:
        return str(inner).upper()
    return str(inner)


def _steps(path: str) -> list[str | int]:
    return [name or int(place) for name, place in _STEP.findall(path)]


def _read(arguments: Any, path: str) -> Any:
    for step in _steps(path):
        arguments = arguments[step]
    return arguments


def _write(arguments: Any, path: str, value: Any) -> None:
    *parents, last = _steps(path)
    for step in parents:
        arguments = arguments[step]
    arguments[last] = value


def _remove(arguments: Any, path: str) -> Any:
    *parents, last = _steps(path)
    for step in parents:
        arguments = arguments[step]
    return arguments.pop(last)
