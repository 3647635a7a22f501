"""Schemas of arguments in Gemini's two dialects: for `parameters`, and for `parametersJsonSchema`.

`parameters` is Gemini's own Schema, in which every part has one type, null is a mark, and choices
are texts (field case F20). `parametersJsonSchema` is JSON Schema, with the keywords that are
documented for it. Neither has references here: recursion is cut at a fixed depth (F22). What
has no keyword is said in descriptions, and told in the notes. Knows nothing of requests.
"""

import json
from collections.abc import Iterable
from typing import Any

from appfunctions_mcp.formats.arguments import choice_text
from appfunctions_mcp.formats.names import exported_name
from appfunctions_mcp.formats.schema_keywords import has_kind, limits_of
from appfunctions_mcp.formats.schema_trees import is_open, plain_schema, rebuilt, subschemas
from appfunctions_mcp.formats.schema_words import without
from appfunctions_mcp.formats.tool_exports import changed_keys, told_in_words, with_exported_keys
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.metadata import JsonSchema

__all__ = ["exported_key", "gemini_json_schema", "gemini_parameters"]

WRITTEN_OUT = 2
"""How often a definition is written out inside itself before a bare type stands for it."""

_KEY = regex(r"[A-Za-z_][A-Za-z0-9_]{0,63}\Z")
_FORMATS = {"string": {"date-time"}, "number": {"float", "double"}, "integer": {"int32", "int64"}}
_SCHEMA_LIMITS = frozenset(
    {"minLength", "maxLength", "pattern", "minimum", "maximum", "format"}
    | {"minItems", "maxItems", "minProperties", "maxProperties"}
)
_JSON_SCHEMA_LIMITS = frozenset({"minimum", "maximum", "format", "minItems", "maxItems"})
_COUNTS = frozenset(
    {"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"}
)
_MOST_COUNT = 2**63 - 1
_MOST_NUMBER = 1e308
# Google's expressions look neither around nor back.
_NOT_IN_PATTERNS = regex(r"\(\?(?!:)|\\[1-9]|\\k<")
_LONGEST_TOLD = 300


def exported_key(name: str) -> str:
    """The key of a property at Gemini; the same where its rule for parameters accepts it."""
    # What a name is changed to may have a dash, which names of functions may have and keys not.
    return exported_name(name, accepted=_KEY).replace("-", "_")


def gemini_parameters(schema: Any, notes: list[str]) -> JsonSchema:
    """A function's schema for `parameters`.

    Args:
        schema: What the function publishes; any JSON value.
        notes: Gets a sentence for whatever is otherwise than declared.

    Raises:
        ExportedNameError: Two properties of one object would have one key.
    """
    plain = _plain(schema, notes)
    if any(_is_ambiguous(part) for _, part in subschemas(plain)):
        notes.append("Where a choice has the text of another alternative, the string is meant")
    writer = _SchemaWriter(notes)
    written = rebuilt(plain, writer.part)
    if writer.moved:
        notes.append(told_in_words(sorted(writer.moved)))
    return written


def gemini_json_schema(schema: Any, notes: list[str]) -> JsonSchema:
    """A function's schema for `parametersJsonSchema`.

    Args:
        schema: What the function publishes; any JSON value.
        notes: Gets a sentence for whatever is otherwise than declared.

    Raises:
        ExportedNameError: Two properties of one object would have one key.
    """
    moved: set[str] = set()

    def part(node: JsonSchema) -> JsonSchema:
        said = [] if "anyOf" in node else _not_kept(node, _JSON_SCHEMA_LIMITS)
        moved.update([*said, "default"] if node.get("default") is not None else said)
        return _choices_by_kind(without(node, [*said, "default"]))

    written = rebuilt(_plain(schema, notes), part)
    if moved:
        notes.append(told_in_words(sorted(moved)))
    return written


def _plain(schema: Any, notes: list[str]) -> JsonSchema:
    plain = plain_schema(schema, cut_after=WRITTEN_OUT, notes=notes)
    if not plain["properties"] and not plain.get("additionalProperties"):
        plain = {**plain, "additionalProperties": False}
    if changed := changed_keys(plain, exported_key):
        notes.append(changed)
    return with_exported_keys(plain, exported_key)


def _is_ambiguous(part: JsonSchema) -> bool:
    """Whether a choice that is no string has the text of a string that is accepted too."""
    branches = [branch for branch in part.get("anyOf", [part]) if "type" in branch]
    values = [value for branch in branches for value in branch.get("enum", ())]
    texts = {choice_text(v) for v in values if v is not None and not isinstance(v, str)}
    takes_any_text = any("enum" not in branch and "string" in _types(branch) for branch in branches)
    return bool(texts) and (
        takes_any_text or not texts.isdisjoint(value for value in values if isinstance(value, str))
    )


def _types(part: JsonSchema) -> list[str]:
    types = part["type"]
    return types if isinstance(types, list) else [types]


def _not_kept(part: JsonSchema, kept: frozenset[str]) -> list[str]:
    """The limits of a part that a dialect has no keyword for, or not with such a value."""
    types = _types(part)
    formats = {name for kind in types for name in _FORMATS.get(kind, ())}
    found = []
    for name, value in limits_of(part, types).items():
        fits = name in kept
        if name == "format":
            fits = fits and value in formats
        elif name == "pattern":
            fits = fits and not _NOT_IN_PATTERNS.search(value)
        elif name in _COUNTS:
            fits = fits and value <= _MOST_COUNT
        elif fits:
            fits = abs(value) <= _MOST_NUMBER
        if not fits:
            found.append(name)
    return found


def _choices_by_kind(part: JsonSchema) -> JsonSchema:
    """Choices of strings and numbers; the others, which JSON Schema for Gemini lacks, as types."""
    values = part.get("enum")
    if values is None:
        return part
    named = [v for v in values if v is not None and not isinstance(v, bool)]
    flags = [v for v in values if isinstance(v, bool)]
    branches: list[JsonSchema] = []
    for kind in ("string", "number"):
        if same := [v for v in named if has_kind(v, [kind])]:
            is_whole = kind == "number" and "number" not in _types(part)
            branches.append({"type": "integer" if is_whole else kind, "enum": same})
    if flags:
        words = {"description": f"Only {choice_text(flags[0])}."} if len(flags) == 1 else {}
        branches.append({"type": "boolean", **words})
    if None in values:
        branches.append({"type": "null"})
    description = part.get("description")
    if len(branches) == 1:
        said = _joined(description, branches[0].get("description"))
        return {**branches[0], **said}
    return {"anyOf": branches, **_joined(description)}


class _SchemaWriter:
    """Writes Gemini's Schema, part by part, the innermost first.

    Args:
        notes: Gets what is otherwise than declared, each once.
    """

    def __init__(self, notes: list[str]) -> None:
        self._notes = notes
        self.moved: set[str] = set()

    def part(self, node: JsonSchema) -> JsonSchema:
        """A plain part, whose own parts are written already."""
        description = self._description(node)
        if "anyOf" in node:
            return _union(node["anyOf"], description)
        if "enum" in node:
            return self._choices(node["enum"], description)
        kinds = _types(node)
        branches = [self._typed(node, kind) for kind in kinds if kind != "null"]
        if "null" in kinds:
            branches.append({"type": "NULL"})
        return _union(branches, description)

    def _description(self, node: JsonSchema) -> str | None:
        words: JsonSchema = {
            name: node[name] for name in ("description", "default") if name in node
        }
        if words.get("default") is not None:
            self.moved.add("default")
        return without(words, ["default"]).get("description")

    def _typed(self, node: JsonSchema, kind: str) -> JsonSchema:
        own = {"type": kind, **limits_of(node, [kind])}
        moved = _not_kept(own, _SCHEMA_LIMITS)
        self.moved.update(moved)
        written = without(own, moved)
        for name in _COUNTS & written.keys():
            written[name] = int(written[name])
        written["type"] = kind.upper()
        if kind == "array":
            written["items"] = node["items"]
        return self._object(node, written) if kind == "object" else written

    def _object(self, node: JsonSchema, written: JsonSchema) -> JsonSchema:
        for name in ("properties", "required"):
            if name in node:
                written[name] = node[name]
        if not is_open(node):
            return written
        self._note(
            "Keys that are not declared are told of in descriptions only; `parameters` has no maps"
        )
        others = node.get("additionalProperties")
        sentence = "Takes any keys." if not node.get("properties") else "Takes other keys too."
        if isinstance(others, dict):
            value = json.dumps(others, ensure_ascii=False)
            told = value if len(value) <= _LONGEST_TOLD else others.get("type", "of several types")
            sentence += f" The value of each: {told}"
        return {**written, **_joined(written.get("description"), sentence)}

    def _choices(self, choices: list[Any], description: str | None) -> JsonSchema:
        """Choices as texts; restoring an argument gives back what they stand for."""
        values = [value for value in choices if value is not None]
        if not values:
            return {"type": "NULL", **_joined(description)}
        texts = list(dict.fromkeys(choice_text(value) for value in values))
        if not all(isinstance(value, str) for value in values):
            self._note("Choices other than strings are offered as texts, and come back as declared")
        written: JsonSchema = {"type": "STRING"}
        if "" in texts:
            self._note("An empty choice is told of in the description; Gemini refuses it in a list")
            shown = ", ".join(json.dumps(text, ensure_ascii=False) for text in texts)
            written |= _joined(description, f"One of: {shown}.")
        else:
            written |= {"enum": texts, **_joined(description)}
        return {**written, "nullable": True} if None in choices else written

    def _note(self, text: str) -> None:
        if text not in self._notes:
            self._notes.append(text)


def _union(branches: Iterable[JsonSchema], description: str | None) -> JsonSchema:
    """One part for several written ones; where `anyOf` is set, nothing may stand beside it."""
    opened: list[JsonSchema] = []
    for branch in branches:
        for each in branch.get("anyOf", [branch]):
            if each not in opened:
                opened.append(each)
    types = [each for each in opened if each["type"] != "NULL"]
    if not types:
        return {"type": "NULL", **_joined(description)}
    if len(types) < len(opened):
        types[0] = {**types[0], "nullable": True}
    said = [{**each, **_joined(description, each.get("description"))} for each in types]
    return said[0] if len(said) == 1 else {"anyOf": said}


def _joined(*texts: str | None) -> JsonSchema:
    """The member `description` for texts behind each other; none where there is none."""
    told = " ".join(dict.fromkeys(text for text in texts if text))
    return {"description": told} if told else {}
