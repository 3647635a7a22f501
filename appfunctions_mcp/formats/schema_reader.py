"""Any JSON Schema to the plain form that `schema_trees` describes, part by part.

Nothing is loaded, nothing raises, and neither depth nor references that double can make it run
for ever: what is too much may be any value.
"""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.formats.schema_keywords import (
    ANY_VALUE,
    CONTAINERS,
    SCALARS,
    distinct,
    has_kind,
    is_impossible,
    json_kind,
    kinds_of,
    limits_of,
    lone_reference,
    read_keywords,
    told_kinds,
    union_schema,
    with_words,
)
from appfunctions_mcp.formats.schema_merging import merged
from appfunctions_mcp.formats.schema_references import SchemaReferences
from appfunctions_mcp.metadata import JsonSchema
from appfunctions_mcp.quoting import quoted

__all__ = ["SchemaReader"]

MOST_LEVELS = 48
"""How deep parts may stand; what is deeper may be any value."""
MOST_PARTS = 10_000
"""How many parts are written out; references that double could make any number of them."""

_Unions = list[list[Any]]


class SchemaReader:
    """Reads one schema, and counts what it writes.

    Args:
        root: The whole schema.
        cut_after: How often a definition is written out inside itself; None keeps references to
            what holds itself.
        notes: Gets a sentence for whatever was widened.
    """

    def __init__(self, root: Mapping[str, Any], cut_after: int | None, notes: list[str]) -> None:
        self._root = root
        self._references = SchemaReferences(root)
        self._cut_after = cut_after
        self._notes = notes
        self._left = MOST_PARTS
        self._open: list[str] = []
        self._kept: dict[str, str] = {}
        self._definitions: dict[str, JsonSchema] = {}

    def read_root(self) -> JsonSchema:
        """The root: no reference, and an object where it names no type."""
        base, unions = self._conjuncts(self._root)
        if kinds_of(base) is None and not unions and not told_kinds(base):
            base = {**base, "type": "object"}
        return self._read_conjuncts(base, unions, 0)

    def definitions(self) -> dict[str, JsonSchema]:
        """What the references that were kept refer to, by name."""
        while missing := self._kept.keys() - self._definitions.keys():
            for name in sorted(missing):
                self._open = []
                base, unions = self._conjuncts({"$ref": self._kept[name]})
                self._definitions[name] = self._read_conjuncts(base, unions, 1)
        return {name: self._definitions[name] for name in sorted(self._definitions)}

    def _read(self, node: Any, level: int) -> JsonSchema:
        if not isinstance(node, Mapping):
            return dict(ANY_VALUE)
        self._left -= 1
        if level > MOST_LEVELS or self._left < 0:
            self._note("What is deeper or larger than can be sent may be any value")
            return with_words(dict(ANY_VALUE), node)
        opened = len(self._open)
        try:
            reference = lone_reference(node)
            if reference and self._references.is_recursive(reference):
                if self._cut_after is None:
                    return self._kept_reference(reference, node)
                if self._open.count(reference) >= self._cut_after:
                    return self._cut(reference, node)
            return self._read_conjuncts(*self._conjuncts(node), level)
        finally:
            del self._open[opened:]

    def _read_conjuncts(self, base: Mapping[str, Any], unions: _Unions, level: int) -> JsonSchema:
        if not unions:
            return self._typed(base, level)
        shared = {k: v for k, v in base.items() if k not in {"description", "default", "nullable"}}
        # A second union beside the first would multiply with it; the function still checks it.
        read = [
            self._read({"allOf": [shared, branch]} if shared else branch, level + 1)
            for branch in unions[0]
            if not is_impossible(branch)
        ]
        if "nullable" in base:
            read.append({"type": "null"})
        return with_words(union_schema(read), base)

    def _conjuncts(self, node: Any) -> tuple[Mapping[str, Any], _Unions]:
        """All that a part says of one value, merged, and the unions in it."""
        base: Mapping[str, Any] = {}
        unions: _Unions = []
        waiting, seen = [node], set[str]()
        while waiting:
            part = waiting.pop(0)
            if not isinstance(part, Mapping):
                continue
            own = read_keywords(part)
            reference = own.pop("$ref", None)
            waiting[:0] = own.pop("allOf", [])
            unions.extend(own.pop(word) for word in ("anyOf", "oneOf") if word in own)
            base = merged(base, own)
            if reference is not None and reference not in seen:
                seen.add(reference)
                waiting.insert(0, self._opened(reference))
        return base, unions

    def _opened(self, reference: str) -> Any:
        """What a reference refers to; nothing where it was opened too often inside itself."""
        target = self._references.target(reference)
        if target is None:
            self._note(f"What {quoted(reference)} refers to is not there; any value is accepted")
        if self._open.count(reference) > (self._cut_after or 1):
            self._note("A value that holds its own kind is described to a fixed depth")
            return None
        self._open.append(reference)
        return target

    def _kept_reference(self, reference: str, node: Mapping[str, Any]) -> JsonSchema:
        name = self._references.definition_name(reference)
        self._kept[name] = reference
        return with_words({"$ref": f"#/$defs/{name}"}, _words_beside(node))

    def _cut(self, reference: str, node: Mapping[str, Any]) -> JsonSchema:
        """A bare type for a definition that is not written out once more."""
        self._note("A value that holds its own kind is described to a fixed depth")
        base, unions = self._conjuncts(self._references.target(reference))
        kinds = (kinds_of(base) or told_kinds(base)) if not unions else None
        bare = self._typed({"type": kinds}, MOST_LEVELS) if kinds else dict(ANY_VALUE)
        return with_words(with_words(bare, base), _words_beside(node))

    def _typed(self, node: Mapping[str, Any], level: int) -> JsonSchema:
        """A part without unions: its types, each with the keywords that belong to it."""
        kinds = kinds_of(node) or told_kinds(node)
        values = node.get("enum")
        if values is not None:
            kinds = kinds or distinct(map(json_kind, values))
            values = distinct(value for value in values if has_kind(value, kinds))
            kinds = [kind for kind in kinds if any(has_kind(v, [kind]) for v in values)] or kinds
        if "nullable" in node and kinds and "null" not in kinds:
            kinds = [*kinds, "null"]
            values = [*values, None] if values else values
        branches = [self._container(node, kind, level) for kind in kinds if kind in CONTAINERS]
        if scalars := [kind for kind in kinds if kind in SCALARS]:
            branches.insert(0, _scalar(node, scalars, values))
        return with_words(union_schema(branches), node)

    def _container(self, node: Mapping[str, Any], kind: str, level: int) -> JsonSchema:
        parts = self._members(node, level) if kind == "object" else self._items(node, level)
        return {"type": kind, **limits_of(node, [kind]), **parts}

    def _members(self, node: Mapping[str, Any], level: int) -> JsonSchema:
        declared = _declared(node)
        others = node.get("additionalProperties")
        if others is not None and is_impossible(others):
            others = _of_patterns(node)
        is_closed = others is not None and is_impossible(others)
        properties = {
            name: self._read(part, level + 1)
            for name, part in declared.items()
            if not is_impossible(part)
        }
        required = distinct(node.get("required", []))
        for name in required:
            if name not in declared and not is_closed:
                properties[name] = dict(ANY_VALUE)
        read: JsonSchema = {}
        if properties or is_closed or "properties" in node:
            read["properties"] = properties
        if names := [name for name in required if name in properties]:
            read["required"] = names
        if is_closed:
            read["additionalProperties"] = False
        elif isinstance(others, Mapping) and others:
            read["additionalProperties"] = self._read(others, level + 1)
        elif others is not None or "patternProperties" in node:
            read["additionalProperties"] = True
        return read

    def _items(self, node: Mapping[str, Any], level: int) -> JsonSchema:
        places, rest = node.get("prefixItems", []), node.get("items")
        parts = [self._read(place, level + 1) for place in places]
        if rest is not None and is_impossible(rest):
            return {"items": union_schema(parts), "maxItems": len(places)}
        if not places or node.get("maxItems", len(places) + 1) > len(places):
            parts.append(self._read(rest, level + 1))
        return {"items": union_schema(parts)}

    def _note(self, text: str) -> None:
        if text not in self._notes:
            self._notes.append(text)


def _of_patterns(node: Mapping[str, Any]) -> Any:
    """What keys that are not declared may hold where only those of a pattern are accepted."""
    parts = [part for part in node.get("patternProperties", {}).values() if not is_impossible(part)]
    return {"anyOf": parts} if parts else False


def _declared(node: Mapping[str, Any]) -> JsonSchema:
    """The properties of an object, then those that it has under a condition only."""
    declared: JsonSchema = dict(node.get("properties", {}))
    found: dict[str, list[Any]] = {}
    for part in node.get("dependentSchemas", {}).values():
        for name, own in part["properties"].items():
            if not is_impossible(own):
                found.setdefault(name, []).append(own)
    for name, parts in found.items():
        declared.setdefault(name, {"anyOf": parts})
    return declared


def _scalar(node: Mapping[str, Any], kinds: list[str], values: list[Any] | None) -> JsonSchema:
    read: JsonSchema = {"type": kinds[0] if len(kinds) == 1 else kinds}
    if values and (choices := [value for value in values if has_kind(value, kinds)]):
        return {**read, "enum": choices}
    return read | limits_of(node, kinds)


def _words_beside(node: Mapping[str, Any]) -> JsonSchema:
    """The words beside a lone reference, which may stand in one entry of `allOf`."""
    inner = node.get("allOf")
    return {**(_words_beside(inner[0]) if inner else {}), **with_words({}, node)}
