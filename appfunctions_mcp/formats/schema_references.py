"""References inside one JSON Schema: what they refer to, and which of them lead back to themselves.

Knows nothing of the other keywords.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from appfunctions_mcp.formats.names import exported_name
from appfunctions_mcp.lazy_regex import regex

__all__ = ["SchemaReferences"]

_DEFINITION = regex(r"[A-Za-z0-9_-]{1,64}\Z")
_MISSING = object()


class SchemaReferences:
    """The local references of a schema.

    Args:
        root: The whole schema, into which they point; any JSON value.
    """

    def __init__(self, root: Any) -> None:
        self._root = root
        self._found: dict[str, Any] = {}

    def target(self, reference: str) -> Any:
        """What a reference such as `#/$defs/Node` refers to; None where it leads nowhere.

        References to other documents lead nowhere: nothing is loaded.
        """
        if reference not in self._found:
            found = self._follow(reference)
            self._found[reference] = found if isinstance(found, Mapping | bool) else None
        return self._found[reference]

    def is_recursive(self, reference: str) -> bool:
        """Whether what it refers to holds it again, directly or through others."""
        return reference in self._recursive

    def definition_name(self, reference: str) -> str:
        """The name under `$defs` for what it refers to; the same as there where it fits."""
        name = unquote(reference).rpartition("/")[2]
        if reference.startswith("#/$defs/") and reference.count("/") == 2 and name:
            return exported_name(name, accepted=_DEFINITION)
        return exported_name(f"{name.strip('#') or 'root'} {reference}")

    def _follow(self, reference: str) -> Any:
        if reference != "#" and not reference.startswith("#/"):
            return None
        found = self._root
        for part in reference[1:].split("/")[1:]:
            key = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(found, Mapping):
                found = found.get(key, _MISSING)
            elif isinstance(found, list) and key.isdecimal() and int(key) < len(found):
                found = found[int(key)]
            else:
                return None
        return found

    @cached_property
    def _recursive(self) -> frozenset[str]:
        below: dict[str, frozenset[str]] = {}
        open_references = list(_references_in(self._root))
        while open_references:
            reference = open_references.pop()
            if reference not in below:
                below[reference] = frozenset(_references_in(self.target(reference)))
                open_references.extend(below[reference])
        return frozenset(_in_circles(below))


def _in_circles(below: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """What leads back to itself: Kosaraju's strongly connected components, without recursion."""
    above: dict[str, list[str]] = {node: [] for node in below}
    for node, others in below.items():
        for other in others:
            above[other].append(node)
    seen: set[str] = set()
    for start in reversed(_innermost_first(below)):
        component, waiting = [], [] if start in seen else [start]
        seen.add(start)
        while waiting:
            component.append(waiting.pop())
            new = [node for node in above[component[-1]] if node not in seen]
            seen.update(new)
            waiting += dict.fromkeys(new)
        if len(component) > 1 or start in below[start]:
            yield from component


def _innermost_first(below: Mapping[str, frozenset[str]]) -> list[str]:
    """All nodes, each behind those that it leads to and that do not lead to it."""
    order: list[str] = []
    seen: set[str] = set()
    waiting = [(node, False) for node in below]
    while waiting:
        node, is_done = waiting.pop()
        if is_done:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            waiting.append((node, True))
            waiting += [(other, False) for other in below[node]]
    return order


def _references_in(value: Any) -> Iterator[str]:
    """All references at any depth; without recursion, since a foreign schema may be deep."""
    waiting, seen = [value], {id(value)}
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping):
            # A property may be called `$ref`: its value is then no text.
            if isinstance(node.get("$ref"), str):
                yield node["$ref"]
            parts: Any = node.values()
        else:
            parts = node if isinstance(node, list | tuple) else ()
        for part in parts:
            if isinstance(part, Mapping | list | tuple) and id(part) not in seen:
                seen.add(id(part))
                waiting.append(part)
