"""Schemas of arguments as foreign servers write them, each with arguments that are valid by it."""

from typing import Any

from hypothesis import strategies as st

Drawn = tuple[dict[str, Any], st.SearchStrategy[Any]]
"""A schema, and what draws its valid values."""

KEYS = st.sampled_from(["id", "due date", "$filter", "@type", "a.b", "x-y", "löschen", "k" * 70])
TEXTS = st.text(max_size=5)
_SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "string": TEXTS,
    "integer": st.integers(-5, 5),
    "number": st.floats(-5, 5),
    "boolean": st.booleans(),
}
_LIMITS: dict[str, dict[str, Any]] = {
    "string": {"minLength": 0, "maxLength": 5, "format": "uri-reference", "default": "a"},
    "integer": {"exclusiveMinimum": -6, "maximum": 5, "multipleOf": 1, "format": "uint8"},
    "number": {"minimum": -5, "exclusiveMaximum": 6, "default": 1},
    "boolean": {"default": True},
}


@st.composite
def _scalars(draw: st.DrawFn) -> Drawn:
    kind = draw(st.sampled_from(sorted(_SCALARS)))
    names = draw(st.sets(st.sampled_from(sorted(_LIMITS[kind]))))
    schema = {"type": kind, **{name: _LIMITS[kind][name] for name in names}}
    if draw(st.booleans()):
        return {**schema, "type": [kind, "null"]}, st.none() | _SCALARS[kind]
    return schema, _SCALARS[kind]


_CHOICES: list[list[Any]] = [
    ["red", "green"],
    [1, 2, 3],
    [1.5, 2.5, None],
    [True],
    ["", "a"],
    ["auto", 1, None],
    [None],
]


@st.composite
def _choices(draw: st.DrawFn) -> Drawn:
    values = draw(st.sampled_from(_CHOICES))
    schema: dict[str, Any] = {"enum": values} if len(values) > 1 else {"const": values[0]}
    return schema, st.sampled_from(values)


def _containers(inner: st.SearchStrategy[Drawn]) -> st.SearchStrategy[Drawn]:
    return st.one_of(_arrays(inner), _objects(inner), _maps(inner), _unions(inner))


_SIZES: list[dict[str, Any]] = [{}, {"minItems": 1}, {"minItems": 2, "uniqueItems": False}]


@st.composite
def _arrays(draw: st.DrawFn, inner: st.SearchStrategy[Drawn]) -> Drawn:
    schema, values = draw(inner)
    limits = draw(st.sampled_from(_SIZES))
    items = st.lists(values, min_size=limits.get("minItems", 0), max_size=3)
    return {"type": "array", "items": schema, **limits}, items


@st.composite
def _objects(draw: st.DrawFn, inner: st.SearchStrategy[Drawn]) -> Drawn:
    members = draw(st.dictionaries(KEYS, inner, max_size=3))
    required = draw(st.sets(st.sampled_from(sorted(members)))) if members else set()
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: own for name, (own, _) in members.items()},
        "required": sorted(required),
    }
    if draw(st.booleans()):
        schema["additionalProperties"] = False
    values = st.fixed_dictionaries(
        {name: values for name, (_, values) in members.items() if name in required},
        optional={name: values for name, (_, values) in members.items() if name not in required},
    )
    return schema, values


@st.composite
def _maps(draw: st.DrawFn, inner: st.SearchStrategy[Drawn]) -> Drawn:
    schema, values = draw(inner)
    maps = st.dictionaries(st.sampled_from(["a", "b c"]), values, max_size=2)
    return {"type": "object", "additionalProperties": schema}, maps


@st.composite
def _unions(draw: st.DrawFn, inner: st.SearchStrategy[Drawn]) -> Drawn:
    """Alternatives of which the kind of a value tells one, so that a value has one meaning."""
    schema, values = draw(_arrays(inner))
    keyword = draw(st.sampled_from(["anyOf", "oneOf"]))
    scalar, others = draw(_scalars())
    return {keyword: [schema, scalar], "description": "One or many."}, values | others


@st.composite
def arguments_schemas(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """A schema of arguments, and arguments that are valid by it."""
    schema, values = draw(
        _objects(st.recursive(_scalars() | _choices(), _containers, max_leaves=4))
    )
    return schema, draw(values)


_WORDS = [
    *("type", "enum", "const", "properties", "required", "additionalProperties", "items"),
    *("prefixItems", "anyOf", "oneOf", "allOf", "not", "$ref", "$defs", "description", "default"),
    *("minimum", "exclusiveMinimum", "minLength", "pattern", "format", "minItems", "maxItems"),
    *("uniqueItems", "patternProperties", "nullable", "multipleOf", "a", "b c"),
]
_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats()
    | st.sampled_from(["string", "integer", "object", "array", "null", "#/$defs/a", "#", "a", ""])
)


def _rough(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    members = st.dictionaries(st.sampled_from(["a", "b c"]), inner, max_size=2)
    return (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(_WORDS), inner, max_size=4)
        | st.fixed_dictionaries({"properties": members}, optional={"$defs": members})
    )


ROUGH_JSON = st.recursive(_LEAVES, _rough, max_leaves=25)
"""Anything that a server may publish for a schema, with the words of one in the wrong places."""
