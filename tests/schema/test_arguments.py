import copy
import dataclasses
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from appfunctions_mcp.exceptions import (
    AppFunctionDeclarationError,
    AppFunctionInvalidArgumentException,
)
from appfunctions_mcp.schema.arguments import arguments_from_json_schema
from appfunctions_mcp.schema.patient_checks import CLIENT_KEYS
from tests.support.arguments import (
    SOURCE,
    arguments_of,
    declaration_fault,
    function_of,
    received,
    refusal,
)


class Attachment(BaseModel):
    name: str
    sizes: list[int] = []


def create(title: str, attachments: list[Attachment] = [], maxDepth: int = 0) -> None:  # noqa: B006, N803 - what people write
    """Creates a note.

    Args:
        title: What it is called.
        attachments: What comes with it.
    """
    raise NotImplementedError(title, attachments, maxDepth)


def refused(function: Callable[..., Any], sent: dict[str, Any], **options: Any) -> str:
    with pytest.raises(AppFunctionInvalidArgumentException) as raised:
        arguments_of(function, **options).validate(sent)
    return raised.value.message


def test_arguments_become_values() -> None:
    sent = {"title": "T", "attachments": [{"name": "a", "sizes": ["1"]}]}
    before = copy.deepcopy(sent)

    assert arguments_of(create).validate(sent) == {
        "title": "T",
        "attachments": [Attachment(name="a", sizes=[1])],
        "maxDepth": 0,
    }
    assert sent == before


def test_parameters_are_told_one_by_one() -> None:
    title, attachments, depth = arguments_of(create).parameters

    assert (title.name, title.required, title.description) == ("title", True, "What it is called.")
    assert (attachments.required, attachments.schema["type"]) == (False, "array")
    assert depth.description == ""


def test_an_unknown_argument_is_refused_with_the_nearest_name() -> None:
    """F09."""
    message = refused(create, {"title": "T", "depth": 1})

    assert message == (
        "depth: there is no such argument; did you mean maxDepth?; "
        "accepted: title, attachments, maxDepth"
    )


def test_an_unknown_key_is_refused_at_every_depth() -> None:
    """F09: same for a nested model."""
    message = refused(create, {"title": "T", "attachments": [{"name": "a", "nmae": "b"}]})

    assert message == (
        "attachments[0].nmae: there is no such key; did you mean name?; accepted: name, sizes"
    )


def test_a_function_without_parameters_takes_none() -> None:
    def ping() -> None:
        raise NotImplementedError

    assert arguments_of(ping).validate({}) == {}
    assert refused(ping, {"typo": True}) == "typo: there is no such argument; accepted: none"


@pytest.mark.parametrize(
    ("mode", "dropped"), [("warn", ["depth", "attachments[0].extra"]), ("ignore", [])]
)
def test_unknown_arguments_are_dropped_where_the_app_says_so(mode: str, dropped: list[str]) -> None:
    """F10."""
    sent = {"title": "T", "depth": 1, "attachments": [{"name": "a", "extra": 1}]}
    seen: list[str] = []

    made = arguments_of(create, unknown_arguments=mode).validate(sent, seen)

    assert made["attachments"] == [Attachment(name="a")]
    assert sorted(seen) == sorted(dropped)


def test_what_clients_inject_is_dropped_and_told() -> None:
    """F10."""
    sent = dict.fromkeys(CLIENT_KEYS, "c1") | {"title": "T"}
    seen: list[str] = []

    assert arguments_of(create).validate(sent, seen)["title"] == "T"
    assert arguments_of(create).validate(sent)["title"] == "T"
    assert seen == sorted(CLIENT_KEYS)


def test_what_clients_inject_is_received_where_it_is_declared() -> None:
    """F10."""

    def take(toolCallId: str) -> None:  # noqa: N803 - the client's spelling
        raise NotImplementedError(toolCallId)

    assert arguments_of(take).validate({"toolCallId": "c1", "sessionId": 1}) == {"toolCallId": "c1"}


def test_a_hostile_name_is_quoted_and_cut() -> None:
    message = refused(create, {"title": "T", "x\n\u202e" + "y" * 200: 1})

    assert "\n" not in message
    assert "\u202e" not in message
    assert "y" * 100 not in message


@pytest.mark.parametrize(
    "name", ["copy", "schema", "json", "model_dump", "self_", "p0", "validate", "cls", "value"]
)
def test_any_parameter_name_will_do(name: str) -> None:
    def take(**values: Any) -> None:
        raise NotImplementedError(values)

    namespace: dict[str, Any] = {}
    exec(f"def take({name}: int): ...", namespace)  # noqa: S102 - a parameter of any name

    assert arguments_of(namespace["take"]).validate({name: "5"}) == {name: 5}


def test_a_declaration_fault_names_file_function_parameter_and_type() -> None:
    """F13."""

    class Plain:
        pass

    fault = declaration_fault(function_of(list[Plain]))

    assert fault.startswith(f"{SOURCE}: take: x has the type list[")
    assert "Plain" in fault
    assert "which is not supported: " in fault


@pytest.mark.parametrize(
    "annotation",
    [
        complex,
        type[int],
        Callable[[], int],
        dict[str, complex],
        list[complex] | None,
        Literal[b"bytes"],
    ],
)
def test_a_type_without_a_form_in_json_is_refused(annotation: Any) -> None:
    assert "which is not supported" in declaration_fault(function_of(annotation))


def test_a_path_as_an_alias_is_refused() -> None:
    from pydantic import AliasChoices, AliasPath

    class Deep(BaseModel):
        a: int = Field(validation_alias=AliasPath("x", 0))

    class Either(BaseModel):
        a: int = Field(validation_alias=AliasChoices("first", "second"))

    assert "alias is a path" in declaration_fault(function_of(Deep))
    assert received(Either, {"first": 1}) == Either.model_validate({"first": 1})


def test_untyped_parameters_are_warned_of() -> None:
    """F23."""

    def take(a: Any, b: list, c: dict[str, Any], d: int) -> None:  # type: ignore[type-arg] # what is tested
        raise NotImplementedError(a, b, c, d)

    warnings = arguments_of(take).warnings

    assert [w.removeprefix(f"{SOURCE}: take: ").split()[0] for w in warnings] == ["a", "b", "c"]


def test_names_are_accepted_by_alias_only() -> None:
    model = create_model("Aliased", value=(int, Field(alias="theValue")))

    assert "did you mean theValue?" in refusal(model, {"theValue": 1, "value": 1})


def test_a_fault_wins_over_what_pydantic_says_of_the_same_place() -> None:
    class Range(BaseModel):
        low: Annotated[int, Field(ge=0)]
        high: int

        @model_validator(mode="after")
        def check(self) -> "Range":
            if self.low > self.high:
                raise ValueError("low is above high")
            return self

    assert refusal(Range, {"low": "x", "high": 1}) == (
        "x.low: got text; accepted: a whole number, at least 0"
    )
    assert refusal(Range, {"low": 3, "high": 1}) == (
        "x: low is above high; accepted: an object with low, high"
    )


def test_a_forbidding_model_forbids_what_the_app_ignores() -> None:
    class Closed(BaseModel):
        model_config = ConfigDict(extra="forbid")
        a: int

    assert received(Closed, {"a": 1, "b": 2}, unknown_arguments="ignore") == Closed(a=1)


def test_a_local_dataclass_that_names_itself_is_built() -> None:
    @dataclasses.dataclass
    class Expression:
        kind: Literal["and", "or"]
        parts: "list[Expression] | None" = None

    globals()["Expression"] = Expression
    try:
        sent = {"kind": "and", "parts": [{"kind": "OR"}]}
        assert received(Expression, sent) == Expression("and", [Expression("or")])
    finally:
        del globals()["Expression"]


FOREIGN = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "minLength": 1},
        "limit": {"type": "integer", "maximum": 50},
        "sort": {"enum": ["NAME", "DATE"]},
        "flags": {"type": ["array", "null"], "items": {"type": "boolean"}},
        "node": {"$ref": "#/$defs/Node"},
        "pair": {"type": "array", "prefixItems": [{"type": "number"}], "minItems": 1},
        "raw": {"type": "string", "contentEncoding": "base64"},
        "free": {},
        "kind": {"const": "a"},
        "either": {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]},
        "all": {"allOf": [{"type": "object"}]},
        "both": {"allOf": [{"type": "object"}, {"required": ["a"]}]},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
    "required": ["query"],
    "additionalProperties": False,
    "$defs": {
        "Node": {
            "properties": {
                "name": {"type": "string"},
                "children": {"items": {"$ref": "#/$defs/Node"}},
            },
            "additionalProperties": False,
        }
    },
}


@pytest.mark.parametrize(
    ("sent", "made"),
    [
        ({"limit": "5"}, {"limit": 5}),
        ({"limit": None}, {}),
        ({"sort": "name"}, {"sort": "NAME"}),
        ({"flags": ["true", False]}, {"flags": [True, False]}),
        ({"flags": None}, {"flags": None}),
        ({"node": {"name": "a", "children": [{"name": "b"}]}}, None),
        ({"pair": ["1.5"]}, {"pair": (1.5,)}),
        ({"raw": "aGk="}, None),
        ({"free": [1, {"a": None}]}, None),
        ({"kind": "a"}, None),
        ({"either": "5"}, None),
        ({"both": {"a": 1}}, None),
        ({"map": {"a": "1"}}, {"map": {"a": 1}}),
    ],
)
def test_a_ready_schema_passes_json_values_on(
    sent: dict[str, Any], made: dict[str, Any] | None
) -> None:
    arguments = arguments_from_json_schema(FOREIGN)

    assert arguments.validate({"query": "q"} | sent) == {"query": "q"} | (
        sent if made is None else made
    )
    assert arguments.input_schema == FOREIGN
    assert arguments.parameters[0].required


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({}, "query: missing; accepted: text of at least 1 character"),
        ({"query": 5}, "query: got a whole number"),
        ({"query": "q", "limit": "many"}, "limit: got text"),
        ({"query": "q", "sort": "SIZE"}, '"NAME", "DATE"'),
        ({"query": "q", "lmit": 1}, "did you mean limit?"),
        ({"query": "q", "node": {"children": [{"nam": 1}]}}, "node.children[0].nam"),
        ({"query": "q", "raw": "!"}, "base64"),
    ],
)
def test_a_ready_schema_refuses_what_it_does_not_accept(sent: dict[str, Any], said: str) -> None:
    with pytest.raises(AppFunctionInvalidArgumentException) as raised:
        arguments_from_json_schema(FOREIGN).validate(sent)

    assert said in raised.value.message


@pytest.mark.parametrize("schema", [{}, {"type": "object"}])
def test_a_ready_schema_without_properties_takes_anything(schema: dict[str, Any]) -> None:
    """F17: about a third of captured servers have such a tool."""
    arguments = arguments_from_json_schema(schema)

    assert arguments.input_schema["properties"] == {}
    assert arguments.validate({"a": [1]}) == {"a": [1]}


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "string"}, "'string'; 'object' is accepted"),
        ({"properties": {"a": {"$ref": "#/$defs/Gone"}}}, "#/$defs/Gone leads nowhere"),
        ({"properties": {"a": 5}}, "a schema is int"),
    ],
)
def test_a_ready_schema_of_no_object_is_refused(schema: dict[str, Any], said: str) -> None:
    with pytest.raises(AppFunctionDeclarationError) as raised:
        arguments_from_json_schema(schema, "bridge:1")

    assert said in str(raised.value)
    assert str(raised.value).startswith("bridge:1: ")


@pytest.mark.parametrize("values", [[None], [{}]])
def test_a_ready_enum_without_scalars_is_null_alone(values: list[Any]) -> None:
    arguments = arguments_from_json_schema(
        {"properties": {"a": {"enum": values}}, "required": ["a"]}
    )

    assert arguments.validate({"a": None}) == {"a": None}
