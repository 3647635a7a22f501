"""Draws schemas of arguments as servers publish them, and values that meet them."""

from typing import Any

from hypothesis import strategies as st

Schema = dict[str, Any]

KEYS = ["id", "title", "labels", "a b", "größe", "x" * 70, "value", "clear"]
TEXTS = ["", "a", "b", "null", "2"]

_words = st.fixed_dictionaries(
    {},
    optional={
        "description": st.sampled_from(["What it is.", "1 to 5 of them."]),
        "title": st.just("Title"),
        "$comment": st.just("noise"),
    },
)


def _with_words(schemas: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    return st.builds(lambda schema, words: {**words, **schema}, schemas, _words)


_scalars: st.SearchStrategy[Schema] = st.sampled_from(
    [
        {"type": "string"},
        {"type": "string", "maxLength": 5},
        {"type": "string", "minLength": 1, "format": "uri"},
        {"type": "integer", "minimum": 0, "default": 3},
        {"type": "number", "maximum": 9},
        {"type": "boolean"},
        {"type": ["string", "null"]},
        {"type": ["integer", "string", "boolean"]},
        {"enum": ["a", "b"]},
        {"type": "integer", "enum": [1, 2, 4]},
        {"enum": ["a", None]},
        {"const": "fixed"},
    ]
)


def _objects(schemas: st.SearchStrategy[Schema], *, closed: bool) -> st.SearchStrategy[Schema]:
    def made(properties: dict[str, Schema], required: set[str], ending: Schema) -> Schema:
        names = [name for name in properties if name in required]
        return {"type": "object", "properties": properties, "required": names, **ending}

    endings: list[Schema] = [{"additionalProperties": False}]
    if not closed:
        others = {"type": "string"}
        endings += [{}, {"additionalProperties": True}, {"additionalProperties": others}]
    return st.builds(
        made,
        st.dictionaries(st.sampled_from(KEYS), schemas, max_size=4),
        st.sets(st.sampled_from(KEYS)),
        st.sampled_from(endings),
    )


def published_schemas(*, closed: bool = False, unions: bool = True) -> st.SearchStrategy[Schema]:
    """Schemas of arguments, without references.

    Args:
        closed: Whether every object says that it has no other keys.
        unions: Whether alternatives occur.
    """

    def extended(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
        made: list[st.SearchStrategy[Schema]] = [
            _objects(inner, closed=closed),
            st.builds(lambda items: {"type": "array", "items": items}, inner),
        ]
        if unions:
            made += [
                st.builds(lambda one: {"anyOf": [one, {"type": "null"}]}, inner),
                st.builds(lambda one, other: {"oneOf": [one, other]}, inner, inner),
                st.builds(lambda one: {"allOf": [one], "description": "Joined."}, inner),
            ]
        if not closed:
            made.append(st.sampled_from([{"type": "array"}, {}, {"type": "object"}]))
        return _with_words(st.one_of(made))

    parts = st.recursive(_with_words(_scalars), extended, max_leaves=8)
    return _objects(parts, closed=closed)


def values_of(schema: Schema) -> st.SearchStrategy[Any]:
    """Values that meet a drawn schema, but for limits of numbers and lengths."""
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            return st.one_of([values_of(branch) for branch in schema[word]])
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kinds = schema.get("type", ["string", "null", "boolean"])
    written = kinds if isinstance(kinds, list) else [kinds]
    return st.one_of([_values_of_kind(kind, schema) for kind in written])


def _values_of_kind(kind: str, schema: Schema) -> st.SearchStrategy[Any]:
    if kind == "object":
        required = schema.get("required", [])
        members = {name: values_of(part) for name, part in schema.get("properties", {}).items()}
        return st.fixed_dictionaries(
            {name: members[name] for name in required},
            optional={name: own for name, own in members.items() if name not in required},
        )
    if kind == "array":
        return st.lists(values_of(schema.get("items", {})), max_size=3)
    plain: dict[str, st.SearchStrategy[Any]] = {
        "string": st.sampled_from(TEXTS),
        "integer": st.integers(-3, 10),
        "number": st.sampled_from([0.5, 1, 7.25]),
        "boolean": st.booleans(),
        "null": st.none(),
    }
    return plain[kind]
