"""The plain form of schemas, from which all dialects are made."""

import json
from typing import Annotated, Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from appfunctions_mcp.formats.schema_trees import (
    ANY_VALUE,
    KEYWORDS,
    admits_null,
    is_open,
    plain_schema,
    rebuilt,
    resolved,
    subschemas,
)
from tests.support.calls import make_service
from tests.support.corpus import corpus
from tests.support.published_schemas import published_schemas, values_of

Json = dict[str, Any]

NODE = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "kids": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
    },
    "required": ["name"],
    "description": "A node.",
}
TREE = {
    "type": "object",
    "properties": {"tree": {"$ref": "#/$defs/Node", "description": "The whole tree."}},
    "$defs": {"Node": NODE},
}


def plain_part(part: Any, **more: Any) -> Any:
    """The plain form of one property."""
    root = {"type": "object", "properties": {"x": part}, **more}
    return plain_schema(root)["properties"].get("x")


def require_plain(schema: Json) -> None:
    """Fails where a schema is not in the plain form."""
    assert schema["type"] == "object"
    assert isinstance(schema["properties"], dict)
    for path, part in subschemas(schema):
        assert part.keys() <= KEYWORDS, path
        assert ("$defs" in part) <= (path == ""), path
        kinds = part.get("type")
        assert len({"type", "anyOf", "$ref"} & part.keys()) == 1, (path, part)
        if kinds is None:
            assert part.keys() <= {"anyOf", "$ref", "description", "default"}, path
        assert kinds != "array" or isinstance(part["items"], dict), path
        assert not isinstance(kinds, list) or not {"object", "array"} & set(kinds), path
        assert set(part.get("required", [])) <= set(part.get("properties", {})), path


@pytest.mark.parametrize("schema", [None, {}, [], "x", True, {"type": "object"}, {"title": "A"}])
def test_a_schema_of_nothing_is_one_of_no_parameters(schema: Any) -> None:
    """Field case F17."""
    assert plain_schema(schema) == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    "part", [{}, True, {"title": "X"}, {"type": "any"}, {"not": {"type": "x"}}]
)
def test_an_untyped_part_is_a_union_of_types(part: Any) -> None:
    """Field case F23."""
    assert plain_part(part) == ANY_VALUE


@pytest.mark.parametrize(
    ("part", "plain"),
    [
        ({"type": "int"}, {"type": "integer"}),
        ({"type": ["String", "None"]}, {"type": ["string", "null"]}),
        ({"type": ["integer", "number"]}, {"type": "number"}),
        ({"const": 1}, {"type": "integer", "enum": [1]}),
        ({"enum": ["a", None, "a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"type": "string", "enum": ["a", 1]}, {"type": "string", "enum": ["a"]}),
        ({"type": ["string", "null"], "enum": ["a"]}, {"type": "string", "enum": ["a"]}),
        ({"type": "integer", "enum": ["a"]}, {"type": "integer"}),
        ({"enum": [True, 1, 1.0]}, {"type": ["boolean", "integer"], "enum": [True, 1]}),
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        (
            {"enum": ["a"], "nullable": True},
            {"type": ["string", "null"], "enum": ["a", None]},
        ),
        ({"minLength": 1}, {"type": "string", "minLength": 1}),
        ({"type": "string", "minLength": -1, "maxLength": "x", "pattern": 5}, {"type": "string"}),
        ({"type": "string", "minimum": 1}, {"type": "string"}),
        (
            {"type": "number", "minimum": 1, "exclusiveMinimum": True},
            {"type": "number", "exclusiveMinimum": 1},
        ),
        ({"type": "number", "exclusiveMaximum": True}, {"type": "number"}),
        (
            {"type": "string", "title": "T", "examples": ["a"], "description": "D", "default": "b"},
            {"type": "string", "description": "D", "default": "b"},
        ),
        (
            {"type": "array", "items": {"type": "string"}},
            {"type": "array", "items": {"type": "string"}},
        ),
        ({"type": "array"}, {"type": "array", "items": ANY_VALUE}),
        ({"type": "array", "items": {}}, {"type": "array", "items": ANY_VALUE}),
        ({"type": "array", "items": False}, {"type": "array", "items": ANY_VALUE, "maxItems": 0}),
        (
            {"prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False},
            {
                "type": "array",
                "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                "maxItems": 2,
            },
        ),
        (
            {"items": [{"type": "string"}], "additionalItems": {"type": "boolean"}},
            {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "boolean"}]}},
        ),
        (
            {"prefixItems": [{"type": "string"}], "minItems": 1, "maxItems": 1},
            {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 1},
        ),
        ({"properties": {"a": False}}, {"type": "object", "properties": {}}),
        (
            {"type": "object", "properties": {}, "unevaluatedProperties": False},
            {"type": "object", "properties": {}, "additionalProperties": False},
        ),
        (
            {"type": "object", "patternProperties": {"^a": {}}},
            {"type": "object", "additionalProperties": True},
        ),
        (
            {"type": "object", "required": ["a", "a", 5]},
            {"type": "object", "properties": {"a": ANY_VALUE}, "required": ["a"]},
        ),
        (
            {"type": "object", "required": ["a"], "additionalProperties": False},
            {"type": "object", "properties": {}, "additionalProperties": False},
        ),
        ({"type": "object", "properties": 5, "required": 6}, {"type": "object"}),
    ],
    ids=json.dumps,
)
def test_each_way_of_saying_something_has_one_form(part: Any, plain: Json) -> None:
    assert plain_part(part) == plain


def test_several_types_with_members_become_alternatives() -> None:
    part = {
        "type": ["object", "array", "string", "null"],
        "items": {"type": "string"},
        "maxLength": 2,
    }
    assert plain_part(part) == {
        "anyOf": [
            {"type": ["string", "null"], "maxLength": 2},
            {"type": "object"},
            {"type": "array", "items": {"type": "string"}},
        ]
    }


def test_alternatives_are_any_of_and_keep_what_stands_beside_them() -> None:
    part = {
        "description": "Where.",
        "oneOf": [{"type": "string"}, False, {"anyOf": [{"type": "null"}, {"type": "string"}]}],
    }
    assert plain_part(part) == {
        "anyOf": [{"type": "string"}, {"type": "null"}],
        "description": "Where.",
    }
    assert plain_part({"oneOf": [{"type": "string"}], "description": "One."}) == {
        "type": "string",
        "description": "One.",
    }
    assert plain_part({"anyOf": [False]}) == ANY_VALUE


def test_limits_beside_alternatives_hold_in_each() -> None:
    part = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        "nullable": True,
    }
    branches = plain_part(part)["anyOf"]
    assert [branch.get("required") for branch in branches] == [["a"], ["b"], None]
    assert branches[2] == {"type": "null"}


def test_parts_that_all_hold_are_merged() -> None:
    part = {
        "allOf": [
            {
                "type": "object",
                "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 9}},
            },
            {
                "properties": {"n": {"type": "number", "minimum": 3}, "m": {"enum": ["a", "b"]}},
                "required": ["n"],
                "additionalProperties": False,
            },
            {"properties": {"m": {"enum": ["b", "c"], "description": "M."}}, "required": ["m"]},
        ],
        "description": "Both.",
    }
    assert plain_part(part) == {
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 3, "maximum": 9},
            "m": {"type": "string", "enum": ["b"], "description": "M."},
        },
        "required": ["n", "m"],
        "additionalProperties": False,
        "description": "Both.",
    }


def test_what_no_value_can_meet_is_widened() -> None:
    part = {"allOf": [{"type": "string", "enum": ["a"]}, {"type": "integer", "enum": ["b"]}]}
    assert plain_part(part) == {"type": "string", "enum": ["a"]}
    maps = {"allOf": [{"additionalProperties": {"type": "integer"}}, {"additionalProperties": {}}]}
    assert plain_part(maps) == {"type": "object", "additionalProperties": {"type": "integer"}}


def test_references_are_replaced_and_their_siblings_stay() -> None:
    """Field case F21; a model that is used twice is there twice."""
    schema = {
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/Point", "description": "Where from."},
            "b": {"allOf": [{"$ref": "#/$defs/Point"}], "default": None},
            "c": {"anyOf": [{"$ref": "#/definitions/a~1b%20c"}, {"type": "null"}]},
            "d": {"$ref": "#/properties/a/description"},
            "e": {"$ref": "#/properties/c/anyOf/1"},
        },
        "$defs": {"Point": {"type": "string", "description": "A point."}},
        "definitions": {"a/b c": {"type": "integer"}},
    }
    notes: list[str] = []
    plain = plain_schema(schema, notes=notes)
    assert plain["properties"] == {
        "a": {"type": "string", "description": "Where from."},
        "b": {"type": "string", "description": "A point.", "default": None},
        "c": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "d": ANY_VALUE,
        "e": {"type": "null"},
    }
    assert "$ref" not in json.dumps(plain)
    assert notes == [
        "What '#/properties/a/description' refers to is not there; any value is accepted"
    ]


@pytest.mark.parametrize(
    "reference",
    ["#/$defs/none", "https://example.com/a.json", "#anchor", "#/$defs/Node/9", "#/x/1/2"],
)
def test_a_reference_that_leads_nowhere_admits_any_value(reference: str) -> None:
    assert plain_part({"$ref": reference, "description": "D"}) == {**ANY_VALUE, "description": "D"}


def test_a_recursion_is_kept_once_with_local_references() -> None:
    """Field case F22."""
    plain = plain_schema(TREE)
    assert plain["properties"]["tree"] == {
        "$ref": "#/$defs/Node",
        "description": "The whole tree.",
    }
    assert plain["$defs"] == {"Node": NODE}
    require_plain(plain)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_recursion_is_cut_at_a_depth_with_a_bare_type(depth: int) -> None:
    notes: list[str] = []
    plain = plain_schema(TREE, cut_after=depth, notes=notes)
    require_plain(plain)
    written = json.dumps(plain)
    assert "$ref" not in written
    assert "$defs" not in written
    assert written.count('"kids"') == depth
    assert notes == ["A value that holds its own kind is described to a fixed depth"]
    part = plain["properties"]["tree"]
    for _ in range(depth):
        part = part["properties"]["kids"]["items"]
    assert part == {"type": "object", "description": "A node."}


def test_two_that_hold_each_other_and_the_root_itself_are_recursions_too() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/A"},
            "again": {"$ref": "#"},
            "c": {"$ref": "#/$defs/C"},
        },
        "$defs": {
            "A": {"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}}},
            "B": {"type": "array", "items": {"$ref": "#/$defs/A"}},
            "C": {"type": "string"},
            "unused": {"$ref": "#/$defs/unused"},
        },
    }
    plain = plain_schema(schema)
    require_plain(plain)
    assert plain["properties"]["a"] == {"$ref": "#/$defs/A"}
    assert plain["properties"]["c"] == {"type": "string"}
    own = plain["properties"]["again"]["$ref"].removeprefix("#/$defs/")
    assert set(plain["$defs"]) == {"A", "B", own}
    assert plain["$defs"][own]["properties"] == plain["properties"]
    require_plain(plain_schema(schema, cut_after=2))


@given(st.dictionaries(st.integers(0, 7), st.sets(st.integers(0, 7)), min_size=1))
def test_what_leads_back_to_itself_is_kept_and_nothing_else(below: dict[int, set[int]]) -> None:
    definitions: Json = {
        f"d{n}": {
            "type": "object",
            "properties": {f"p{m}": {"$ref": f"#/$defs/d{m}"} for m in sorted(below.get(n, ()))},
        }
        for n in range(8)
    }
    plain = plain_schema(
        {
            "type": "object",
            "properties": {f"p{n}": {"$ref": f"#/$defs/d{n}"} for n in below},
            "$defs": definitions,
        }
    )

    def reached(start: int) -> set[int]:
        found: set[int] = set()
        waiting = [start]
        while waiting:
            new = below.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        return found

    used = set(below).union(*map(reached, below))
    assert set(plain.get("$defs", {})) == {f"d{n}" for n in used if n in reached(n)}
    require_plain(plain)


def test_thousands_of_definitions_and_choices_are_read_at_once() -> None:
    definitions: Json = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(5000)}
    definitions["d5000"] = {"enum": [f"choice {n}" for n in range(20_000)]}
    plain = plain_part({"$ref": "#/$defs/d0"}, **{"$defs": definitions})
    assert len(plain["enum"]) == 20_000
    definitions["d5000"] = {"$ref": "#/$defs/d0"}
    require_plain(plain_schema({"properties": {"x": {"$ref": "#/$defs/d7"}}, "$defs": definitions}))


def test_choices_that_stand_alone_become_one_list() -> None:
    part = {"oneOf": [{"const": "a"}, {"const": "b"}, {"const": 1}, {"enum": ["a", "c"]}]}
    assert plain_part(part) == {
        "anyOf": [
            {"type": "string", "enum": ["a", "b", "c"]},
            {"type": "integer", "enum": [1]},
        ]
    }
    told = {"anyOf": [{"const": "a", "description": "A."}, {"const": "b"}]}
    assert plain_part(told)["anyOf"] == [
        {"type": "string", "enum": ["a"], "description": "A."},
        {"type": "string", "enum": ["b"]},
    ]


def test_a_description_that_is_no_text_is_left_out() -> None:
    schema = {**TREE, "properties": {"tree": {"$ref": "#/$defs/Node", "description": 5}}}
    assert plain_schema(schema)["properties"]["tree"] == {"$ref": "#/$defs/Node"}


def test_an_alias_of_json_is_a_recursion_of_alternatives() -> None:
    schema = {
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/JSON"}},
        "$defs": {
            "JSON": {
                "anyOf": [
                    {"type": "object", "additionalProperties": {"$ref": "#/$defs/JSON"}},
                    {"type": "array", "items": {"$ref": "#/$defs/JSON"}},
                    {"type": "string"},
                ]
            }
        },
    }
    require_plain(plain_schema(schema))
    cut = plain_schema(schema, cut_after=1)
    require_plain(cut)
    assert cut["properties"]["x"]["anyOf"][1] == {"type": "array", "items": ANY_VALUE}


@pytest.mark.parametrize(
    "definition",
    [
        {"$ref": "#/$defs/A"},
        {"allOf": [{"$ref": "#/$defs/A"}, {"type": "object"}]},
        {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]},
        {"properties": {"a": {"allOf": [{"$ref": "#/$defs/A"}, {"required": ["b"]}]}}},
        {"type": "object", "$ref": "#/$defs/B"},
    ],
)
def test_a_definition_of_itself_ends(definition: Json) -> None:
    schema = {
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/A"}},
        "$defs": {"A": definition, "B": {"allOf": [{"$ref": "#/$defs/A"}]}},
    }
    for cut_after in (None, 1, 3):
        require_plain(plain_schema(schema, cut_after=cut_after))


def test_references_that_double_end_in_any_value() -> None:
    definitions: Json = {
        f"d{n}": {
            "type": "object",
            "properties": {"a": {"$ref": f"#/$defs/d{n + 1}"}, "b": {"$ref": f"#/$defs/d{n + 1}"}},
        }
        for n in range(40)
    }
    notes: list[str] = []
    schema = {"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": definitions}
    require_plain(plain_schema(schema, notes=notes))
    assert "What is deeper or larger than can be sent may be any value" in notes


def test_a_schema_of_any_depth_ends() -> None:
    part: Json = {"type": "string"}
    for _ in range(800):
        part = {"type": "array", "items": part}
    require_plain(plain_schema({"type": "object", "properties": {"x": part}}))


def test_the_objects_of_a_union_at_the_root_become_one() -> None:
    """Field case F16."""
    schema = {
        "description": "Either.",
        "oneOf": [
            {
                "properties": {"kind": {"const": "a"}, "x": {"type": "string"}},
                "required": ["kind", "x"],
                "additionalProperties": False,
            },
            {
                "anyOf": [
                    {
                        "properties": {"kind": {"const": "b"}, "y": {"type": "integer"}},
                        "required": ["kind"],
                        "additionalProperties": False,
                    },
                    {"type": "null"},
                ]
            },
        ],
    }
    notes: list[str] = []
    assert plain_schema(schema, notes=notes) == {
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": ["a", "b"]},
            "x": {"type": "string"},
            "y": {"type": "integer"},
        },
        "required": ["kind"],
        "additionalProperties": False,
        "description": "Either.",
    }
    assert notes == ["The parameters of all alternatives are offered together"]
    assert len(plain_schema(schema, union_root=True)["anyOf"]) == 3


def test_an_open_alternative_opens_the_whole_root() -> None:
    closed = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "additionalProperties": False,
    }
    plain = plain_schema({"anyOf": [closed, {"type": "object", "additionalProperties": True}]})
    assert plain["additionalProperties"] is True
    assert "additionalProperties" not in plain_schema({"anyOf": [closed, {"type": "object"}]})


TEXT: Json = {"type": "string"}
NUMBER: Json = {"type": "integer"}


@pytest.mark.parametrize(
    ("more", "conditional"),
    [
        ({"if": {}, "then": {"properties": {"x": TEXT}, "required": ["x"]}}, {"x": TEXT}),
        ({"if": {}, "else": {"properties": {"x": TEXT, "k": {"const": 1}}}}, {"x": TEXT}),
        (
            {
                "if": {"properties": {"k": {"const": "a"}}},
                "then": {"properties": {"x": TEXT}},
                "else": {"if": {}, "then": {"properties": {"x": NUMBER, "y": NUMBER}}},
            },
            {"x": {"anyOf": [TEXT, NUMBER]}, "y": NUMBER},
        ),
        ({"allOf": [{"if": {}, "then": {"allOf": [{"properties": {"x": TEXT}}]}}]}, {"x": TEXT}),
        (
            {
                "allOf": [
                    {"if": {}, "then": {"properties": {"x": TEXT}}},
                    {"if": {}, "then": {"properties": {"x": False, "y": NUMBER}}},
                ]
            },
            {"x": TEXT, "y": NUMBER},
        ),
        ({"dependentSchemas": {"k": {"properties": {"x": TEXT}}}}, {"x": TEXT}),
        ({"dependencies": {"k": {"properties": {"x": TEXT}}, "z": ["k"]}}, {"x": TEXT}),
        ({"then": {"properties": {"x": TEXT}}, "dependentSchemas": {"k": True}}, {}),
        ({"if": {}, "then": {"properties": {"x": False}}, "else": True}, {}),
    ],
)
@pytest.mark.parametrize("closing", [{}, {"unevaluatedProperties": False}])
def test_what_is_declared_under_a_condition_can_be_sent(
    more: Json, conditional: Json, closing: Json
) -> None:
    """Where an object is closed, also by a strict export, it could never be sent otherwise."""
    schema = {"type": "object", "properties": {"k": TEXT}, "required": ["k"], **more, **closing}
    plain = plain_schema(schema)
    require_plain(plain)
    assert plain["properties"] == {"k": TEXT, **conditional}
    assert plain["required"] == ["k"]
    assert plain_schema(plain) == plain
    beside = {
        "type": "object",
        "properties": {"u": {**schema, "anyOf": [{}, {"minProperties": 1}]}},
    }
    for branch in plain_schema(beside)["properties"]["u"]["anyOf"]:
        assert branch["properties"] == {"k": TEXT, **conditional}


def test_keys_of_a_pattern_can_be_sent_where_no_others_are_accepted() -> None:
    for word in ("additionalProperties", "unevaluatedProperties"):
        closed = {"type": "object", "patternProperties": {"^x": NUMBER}, word: False}
        assert plain_schema(closed)["additionalProperties"] == NUMBER
        several = {**closed, "patternProperties": {"^x": NUMBER, "^y": TEXT, "^z": False}}
        assert plain_schema(several)["additionalProperties"] == {"anyOf": [NUMBER, TEXT]}
        none = {**closed, "patternProperties": {"^x": False}}
        assert plain_schema(none)["additionalProperties"] is False


def test_recursive_alternatives_at_the_root_are_opened() -> None:
    schema = {
        "anyOf": [{"$ref": "#/$defs/Node"}, {"$ref": "#/$defs/Other"}],
        "$defs": {
            "Node": NODE,
            "Other": {"type": "object", "properties": {"o": {"$ref": "#/$defs/Other"}}},
        },
    }
    plain = plain_schema(schema)
    require_plain(plain)
    assert set(plain["properties"]) == {"name", "kids", "o"}
    assert set(plain["$defs"]) == {"Node", "Other"}
    require_plain(plain_schema({"$ref": "#/$defs/Node", "$defs": {"Node": NODE}}))


@pytest.mark.parametrize(
    "schema", [{"type": "string"}, {"type": "array"}, {"anyOf": [{"type": "null"}]}]
)
def test_a_root_that_is_no_object_has_no_parameters(schema: Json) -> None:
    notes: list[str] = []
    assert plain_schema(schema, notes=notes) == {"type": "object", "properties": {}}
    assert notes == ["The schema is none of an object; no parameters are exported"]


@given(published_schemas())
def test_every_drawn_schema_has_a_plain_form_that_is_its_own(schema: Json) -> None:
    plain = plain_schema(schema)
    require_plain(plain)
    jsonschema.Draft202012Validator.check_schema(plain)
    assert plain_schema(plain) == plain


@settings(max_examples=40)
@given(st.data())
def test_the_plain_form_admits_what_the_schema_admits(data: st.DataObject) -> None:
    schema = data.draw(published_schemas())
    value = data.draw(values_of(schema))
    if jsonschema.Draft202012Validator(schema).is_valid(value):
        jsonschema.validate(value, plain_schema(schema))
        jsonschema.validate(value, plain_schema(schema, union_root=True))


JSON_VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.sampled_from(["object", "array", "#"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                [*sorted(KEYWORDS), "oneOf", "allOf", "const", "nullable", "prefixItems", "not"]
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=20,
)


@given(JSON_VALUES, st.sampled_from([None, 1, 2]))
def test_any_json_at_all_has_a_plain_form(schema: Any, cut_after: int | None) -> None:
    require_plain(plain_schema(schema, cut_after=cut_after))


def test_every_saved_tool_has_a_plain_form() -> None:
    for path in sorted(corpus("tools").glob("*.json")):
        for tool in json.loads(path.read_text(encoding="utf-8"))["tools"]:
            notes: list[str] = []
            require_plain(plain_schema(tool["inputSchema"], notes=notes))
            assert notes == [], (path.name, tool["name"])


class Folder(BaseModel):
    """A folder."""

    name: str
    folders: list["Folder"] = []


def keep(folder: Folder, labels: list[str], other: Any = None, any_list: list = []) -> None:  # type: ignore[type-arg] # noqa: B006 - bare, as authors write it
    """Keeps a folder."""


def test_the_schemas_of_our_functions_stay_what_they_say() -> None:
    (function,) = make_service(keep).registry
    plain = plain_schema(function.metadata.input_schema)
    require_plain(plain)
    assert plain["properties"]["labels"] == {"type": "array", "items": {"type": "string"}}
    assert list(plain["$defs"]) == ["Folder"]
    assert plain["required"] == ["folder", "labels"]


def test_parts_are_found_with_their_pointers() -> None:
    plain = plain_schema(TREE)
    paths = [path for path, _ in subschemas(plain)]
    assert "/properties/tree" in paths
    assert "/$defs/Node/properties/kids/items" in paths
    assert [path for path, _ in subschemas({"properties": {"a/b": {}}})] == ["", "/properties/a~1b"]
    assert [path for path, _ in subschemas({"anyOf": [{}, 5], "items": True, "properties": 5})] == [
        "",
        "/anyOf/0",
    ]


def test_rebuilding_changes_the_innermost_first_and_leaves_the_old_one() -> None:
    plain = plain_schema({**TREE, "additionalProperties": {"type": "string"}})
    before = json.dumps(plain)

    def counted(part: Json) -> Json:
        below = [each for _, each in subschemas(part)][1:]
        return {**part, "description": str(sum("counted" in each for each in below)), "counted": 1}

    assert rebuilt(plain, counted)["description"] == "6"
    assert json.dumps(plain) == before
    unchanged: Annotated[Json, "equal, and another one"] = rebuilt(plain, lambda part: part)
    assert unchanged == plain
    assert unchanged["properties"] is not plain["properties"]


def test_null_is_found_in_types_alternatives_and_references() -> None:
    definitions: Json = {
        "N": {"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]},
        "S": {"type": "string"},
    }
    assert admits_null({"type": ["string", "null"]}, {})
    assert admits_null({"type": "null"}, {})
    assert admits_null({"anyOf": [{"type": "string"}, {"type": "null"}]}, {})
    assert admits_null({"$ref": "#/$defs/N"}, definitions)
    assert not admits_null({"$ref": "#/$defs/S"}, definitions)
    assert not admits_null({"type": "string"}, {})


def test_maps_and_objects_of_nothing_are_open() -> None:
    assert is_open({"type": "object"})
    assert is_open({"type": "object", "properties": {}})
    assert is_open({"type": "object", "properties": {"a": {}}, "additionalProperties": True})
    assert not is_open({"type": "object", "properties": {"a": {}}})
    assert not is_open({"type": "object", "properties": {}, "additionalProperties": False})
    assert not is_open({"type": "string"})


def test_a_reference_is_resolved_with_the_words_beside_it() -> None:
    definitions: Json = {"S": {"type": "string", "description": "S."}}
    assert resolved({"$ref": "#/$defs/S", "description": "D."}, definitions) == {
        "type": "string",
        "description": "D.",
    }
    assert resolved({"type": "null"}, definitions) == {"type": "null"}
