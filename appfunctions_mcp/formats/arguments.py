"""Arguments between a function and a model: restored from the exported form, rewritten to it.

A model writes arguments by the exported schema: with null for what it leaves out where all is
required, other keys where a provider does not accept the declared ones, text where only text may
be a choice. What each of these stands for follows from the function's own schema alone, so that
one way back serves every dialect. Knows no provider.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from appfunctions_mcp.formats.argument_fits import MOST_LEVELS, Fits, choice_text
from appfunctions_mcp.formats.argument_texts import read_arguments
from appfunctions_mcp.formats.exported_tools import RestoreArguments
from appfunctions_mcp.formats.schema_keywords import has_kind, json_kind, same_json
from appfunctions_mcp.formats.schema_trees import admits_null, is_set_field, plain_schema
from appfunctions_mcp.json_text import is_deeper_than, without_half_surrogates
from appfunctions_mcp.metadata import JsonSchema
from appfunctions_mcp.records import record

__all__ = ["ArgumentMapping", "argument_mapping", "choice_text", "read_arguments"]

Json = dict[str, Any]
KeyChange = Callable[[str], str]


@record(frozen=True, slots=True)
class ArgumentMapping:
    """The two ways between a function's arguments and a model's."""

    restore: RestoreArguments
    """A model's arguments → what the function takes."""
    rewrite: RestoreArguments
    """The function's arguments → as a model would have written them, for histories."""


def argument_mapping(
    schema: JsonSchema,
    *,
    exported_key: KeyChange = str,
    with_nulls: bool = False,
    with_choice_texts: bool = False,
    keeps_null_for_default: bool = False,
) -> ArgumentMapping:
    """How arguments go to a provider and come back.

    Restoring undoes all of these, whichever the provider asked for: a null for an optional
    property that admits none means 'left out', at every depth; a required property that admits
    null and is not there was null before somebody dropped it; a text that is no choice, but the
    JSON text of one, is that choice. What fits nothing stays, for the function's own check.

    Rewriting, then restoring, gives equal arguments: where nulls would make two meanings one,
    none are put in.

    Args:
        schema: The function's own schema, as it publishes it.
        exported_key: What a property is called at the provider.
        with_nulls: Whether the provider's schema requires optional properties, as null. A
            `SetField` of such a schema has nothing but a value, so that an empty one had a null
            before somebody dropped it, which clears the field; elsewhere it says nothing.
        with_choice_texts: Whether its choices are texts only.
        keeps_null_for_default: Whether a parameter with a published default gets its null, since
            the function knows itself what null means there: its own check takes null for the
            default unless the declared type admits null. True for functions of this process.
    """

    @cache
    def ways() -> _Ways:
        plain = plain_schema(schema, union_root=True)
        defaulted = [
            name
            for name, own in plain.get("properties", {}).items()
            if keeps_null_for_default and own.get("default") is not None
        ]
        return _Ways(
            plain,
            exported_key,
            with_nulls=with_nulls,
            with_choice_texts=with_choice_texts,
            kept=frozenset(defaulted),
        )

    def restore(arguments: Mapping[str, Any]) -> Json:
        return ways().restored(arguments)

    def rewrite(arguments: Mapping[str, Any]) -> Json:
        rewritten = ways().rewritten(arguments)
        if with_nulls and not is_deeper_than(arguments, MOST_LEVELS):
            back = ways().restored(rewritten)
            if not same_json(back, arguments):
                return ways().rewritten(arguments, leaves_out=True)
        return rewritten

    return ArgumentMapping(restore, rewrite)


class _Ways:
    """Both ways for one schema; each use has its own memory."""

    def __init__(
        self,
        plain: JsonSchema,
        exported_key: KeyChange,
        *,
        with_nulls: bool,
        with_choice_texts: bool,
        kept: frozenset[str],
    ) -> None:
        self._plain = plain
        self._exported_key = exported_key
        self._with_nulls = with_nulls
        self._with_choice_texts = with_choice_texts
        self._kept = kept

    def restored(self, arguments: Mapping[str, Any]) -> Json:
        restoring = _Restoring(self._plain, self._exported_key, with_nulls=self._with_nulls)
        restored: Json = restoring.part(dict(arguments), self._plain, 0)
        nulls = {
            name: None
            for name in self._kept - restored.keys()
            if arguments.get(self._exported_key(name), self) is None
        }
        return {**restored, **nulls}

    def rewritten(self, arguments: Mapping[str, Any], *, leaves_out: bool = False) -> Json:
        rewriting = _Rewriting(
            self._plain,
            self._exported_key,
            with_nulls=self._with_nulls and not leaves_out,
            with_choice_texts=self._with_choice_texts,
        )
        rewritten: Json = rewriting.part(dict(arguments), self._plain, 0)
        return rewritten


class _Restoring:
    """A model's arguments to the function's.

    Args:
        plain: The function's schema in the plain form, with a union at the root if it has one.
        exported_key: What a property is called at the provider.
        with_nulls: As in `argument_mapping`.
    """

    def __init__(self, plain: JsonSchema, exported_key: KeyChange, *, with_nulls: bool) -> None:
        self._definitions: Mapping[str, JsonSchema] = plain.get("$defs", {})
        self._exported_key = exported_key
        self._with_nulls = with_nulls
        self._fits = Fits(self._definitions)
        # With the value beside the result, so that its identity is not given to another one.
        self._done: dict[tuple[int, int], tuple[Any, Any]] = {}

    def part(self, value: Any, part: JsonSchema, level: int) -> Any:
        """A value by the part of the schema that it stands for."""
        if level > MOST_LEVELS:
            return value
        if not isinstance(value, dict | list):
            return self._scalar(value, part)
        key = (id(value), id(part))
        if key not in self._done:
            self._done[key] = (value, self._container(value, part, level))
        return self._done[key][1]

    def _container(self, value: Any, part: JsonSchema, level: int) -> Any:
        part = _opened(part, self._definitions)
        if "anyOf" in part:
            return self._of_union(value, part["anyOf"], level)
        if isinstance(value, dict) and part.get("type") == "object":
            return self._object(value, part, level)
        if isinstance(value, list) and part.get("type") == "array":
            return [self.part(item, part["items"], level + 1) for item in value]
        return value

    def _object(self, value: Json, part: JsonSchema, level: int) -> Json:
        if self._with_nulls and not value and is_set_field(part):
            return {"value": None}
        properties: Mapping[str, JsonSchema] = part.get("properties", {})
        names = {self._exported_key(name): name for name in properties}
        required = part.get("required", ())
        others = part.get("additionalProperties")
        restored: Json = {}
        for key, member in value.items():
            name = key if key in properties else names.get(key, key)
            if name in properties:
                own = properties[name]
                left_out = member is None and name not in required
                if not left_out or admits_null(own, self._definitions):
                    restored[name] = self.part(member, own, level + 1)
            elif isinstance(others, dict):
                restored[name] = self.part(member, others, level + 1)
            else:
                restored[name] = member
        for name in required:
            if name not in restored and admits_null(properties[name], self._definitions):
                restored[name] = None
        return restored

    def _of_union(self, value: Any, branches: list[JsonSchema], level: int) -> Any:
        """By the first alternative that the value fits as it is, else after restoring."""
        opened = [_opened(branch, self._definitions) for branch in branches]
        # The same record where nothing goes, so that it is known again.
        bare = [self._without_nulls_of_others(value, branch, opened) for branch in opened]
        for branch, own in zip(opened, bare, strict=True):
            if self._fits.value(own, branch):
                return self.part(own, branch, level + 1)
        fallback = value
        for branch, own in zip(opened, bare, strict=True):
            restored = self.part(own, branch, level + 1)
            if self._fits.value(restored, branch):
                return restored
            if fallback is value and has_kind(value, [str(branch.get("type"))]):
                fallback = restored
        return fallback

    def _without_nulls_of_others(
        self, value: Any, branch: JsonSchema, branches: list[JsonSchema]
    ) -> Any:
        """An object without the nulls for what only other alternatives have."""
        if not isinstance(value, dict):
            return value
        elsewhere = {key for other in branches for key in self._keys_of(other)}
        foreign = elsewhere.difference(self._keys_of(branch))
        if not any(key in foreign and member is None for key, member in value.items()):
            return value
        return {k: v for k, v in value.items() if v is not None or k not in foreign}

    def _keys_of(self, branch: JsonSchema) -> Iterator[str]:
        for name in branch.get("properties", ()):
            yield from (name, self._exported_key(name))

    def _scalar(self, value: Any, part: JsonSchema) -> Any:
        """A choice for its text as it was sent; everything else as it is."""
        if not isinstance(value, str) or self._fits.value(value, part):
            return value
        for choice in _choices(part, self._definitions, set()):
            if without_half_surrogates(choice_text(choice)) == value:
                return choice
        return value


class _Rewriting:
    """The function's arguments to a model's; the opposite of `_Restoring`."""

    def __init__(
        self,
        plain: JsonSchema,
        exported_key: KeyChange,
        *,
        with_nulls: bool,
        with_choice_texts: bool,
    ) -> None:
        self._definitions: Mapping[str, JsonSchema] = plain.get("$defs", {})
        self._exported_key = exported_key
        self._with_nulls = with_nulls
        self._with_choice_texts = with_choice_texts
        self._fits = Fits(self._definitions)

    def part(self, value: Any, part: JsonSchema, level: int) -> Any:
        """A value by the part of the schema that it stands for."""
        if level > MOST_LEVELS:
            return value
        part = _opened(part, self._definitions)
        if "anyOf" in part:
            return self._of_union(value, part["anyOf"], level)
        if isinstance(value, dict) and part.get("type") == "object":
            return self._object(value, part, level)
        if isinstance(value, list) and part.get("type") == "array":
            return [self.part(item, part["items"], level + 1) for item in value]
        is_text = self._with_choice_texts and "enum" in part and value is not None
        return choice_text(value) if is_text else value

    def _object(self, value: Json, part: JsonSchema, level: int) -> Json:
        properties: Mapping[str, JsonSchema] = part.get("properties", {})
        others = part.get("additionalProperties")
        rewritten: Json = {}
        for name, member in value.items():
            own = properties.get(name, others)
            key = self._exported_key(name) if name in properties else name
            rewritten[key] = self.part(member, own, level + 1) if isinstance(own, dict) else member
        if self._with_nulls and not is_set_field(part):
            for name, own in properties.items():
                if name not in value and not admits_null(own, self._definitions):
                    rewritten[self._exported_key(name)] = None
        return rewritten

    def _of_union(self, value: Any, branches: list[JsonSchema], level: int) -> Any:
        kind = json_kind(value)
        opened = [_opened(branch, self._definitions) for branch in branches]
        fitting = [branch for branch in opened if self._fits.value(value, branch)]
        alike = [branch for branch in opened if branch.get("type") == kind]
        chosen = fitting or alike
        return self.part(value, chosen[0], level + 1) if chosen else value


def _definition(part: JsonSchema) -> str:
    return str(part["$ref"]).removeprefix("#/$defs/")


def _opened(part: JsonSchema, definitions: Mapping[str, JsonSchema]) -> JsonSchema:
    """What a reference refers to, the very record, so that it is known again."""
    for _ in range(MOST_LEVELS):
        if "$ref" not in part:
            break
        part = definitions[_definition(part)]
    return part


def _choices(
    part: JsonSchema, definitions: Mapping[str, JsonSchema], seen: set[str]
) -> Iterator[Any]:
    """All values that a part, or an alternative of it, lists."""
    reference = part.get("$ref", "")
    if reference and reference not in seen:
        seen.add(reference)
        yield from _choices(definitions[_definition(part)], definitions, seen)
    yield from part.get("enum", ())
    for branch in part.get("anyOf", ()):
        yield from _choices(branch, definitions, seen)
