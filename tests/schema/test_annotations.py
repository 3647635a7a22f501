import functools
import sys
import typing
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional

import pytest
from pydantic import Field

from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.schema.annotations import EMPTY, admits_none, read_signature, type_name
from tests.support.arguments import SOURCE, arguments_of, declaration_fault

if TYPE_CHECKING:
    from decimal import Decimal as OnlyForCheckers

BODY = """
{imports}
from typing import Annotated, Any, Literal, Optional, TypedDict
from dataclasses import dataclass
from pydantic import BaseModel, Field

@dataclass
class Point:
    x: int
    label: "str | None" = None

class Box(TypedDict, total=False):
    points: list[Point]

class Tree(BaseModel):
    children: "list[Tree]" = []

def take(
    args: list[int] | None = None,
    mode: Literal["a", "b"] | None = None,
    limit: Annotated[int, Field(le=5)] = 0,
    box: Box | None = None,
    tree: Optional[Tree] = None,
    point: Optional["Point"] = None,
): ...

def local():
    @dataclass
    class Inner:
        name: str
    def take(inner: Inner, many: list[Inner] | None = None): ...
    return read(take)

class Tool:
    def __call__(self, point: Point, *, deep: bool = False) -> Point: ...
    def method(self, point: Point): ...
    @classmethod
    def of_class(cls, point: Point): ...
    @staticmethod
    def static(point: Point): ...
"""


def module_with(imports: str) -> ModuleType:
    module = ModuleType("shapes_module")
    sys.modules["shapes_module"] = module  # where dataclasses look for their own module
    module.__dict__["read"] = lambda function: arguments_of(function).input_schema
    exec(compile(BODY.format(imports=imports), "shapes_module.py", "exec"), module.__dict__)  # noqa: S102 - a module with and without one import
    return module


def test_text_annotations_give_the_same_schema_as_types() -> None:
    """F86: `from __future__ import annotations`."""
    plain, textual = module_with(""), module_with("from __future__ import annotations")

    expected = arguments_of(plain.take).input_schema
    assert arguments_of(textual.take).input_schema == expected
    assert list(expected["properties"]) == ["args", "mode", "limit", "box", "tree", "point"]


@pytest.mark.parametrize("imports", ["", "from __future__ import annotations"])
def test_a_class_that_is_local_to_a_function_is_found(imports: str) -> None:
    """F86: a local class inside a function."""
    schema = module_with(imports).local()

    assert schema["properties"]["inner"]["required"] == ["name"]
    assert schema["properties"]["many"]["items"]["required"] == ["name"]


def test_a_local_name_that_the_body_uses_is_found_later() -> None:
    """F86: the enclosing function has returned, but its closure remains."""

    def make() -> Callable[..., Any]:
        class Local:
            pass

        def take(x: "Local") -> type:
            return Local

        return take

    assert read_signature(make(), SOURCE).parameters[0].annotation.__name__ == "Local"


def test_a_closure_name_without_a_value_is_no_obstacle() -> None:
    def make() -> Callable[..., Any]:
        def take(x: int) -> object:
            return later

        signature = read_signature(take, SOURCE)
        later = signature.parameters[0].annotation
        return take

    assert make()(1) is int


def test_a_name_for_type_checkers_only_is_a_clear_fault() -> None:
    """F86: a name under TYPE_CHECKING."""

    def take(price: "OnlyForCheckers", note: str, back: "Missing" = None) -> "Nowhere":  # type: ignore[name-defined] # noqa: F821, RUF100 - what is tested
        raise NotImplementedError(price, note, back)

    with pytest.raises(AppFunctionDeclarationError) as raised:
        read_signature(take, SOURCE)

    assert [fault.partition(", which cannot")[0] for fault in raised.value.faults] == [
        f"{SOURCE}: take: price has the type 'OnlyForCheckers'",
        f"{SOURCE}: take: back has the type 'Missing'",
        f"{SOURCE}: take: the return type has the type 'Nowhere'",
    ]
    assert "name 'Missing' is not defined" in str(raised.value)
    assert "under TYPE_CHECKING" in str(raised.value)


def test_an_annotation_that_raises_is_a_clear_fault() -> None:
    def take(x: "1 / 0") -> None:  # type: ignore[valid-type] # what is tested
        raise NotImplementedError(x)

    assert "x has the type '1 / 0', which cannot be resolved" in declaration_fault(take)


def positional_only(a: int, /, b: int) -> None:
    raise NotImplementedError(a, b)


def any_number(*values: int) -> None:
    raise NotImplementedError(values)


def any_name(**values: int) -> None:
    raise NotImplementedError(values)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (positional_only, "positional_only: a is positional-only"),
        (any_number, "any_number: *values takes any number of values"),
        (any_name, "any_name: **values takes any name"),
    ],
)
def test_a_signature_that_agents_cannot_use_is_refused(
    function: Callable[..., Any], said: str
) -> None:
    """F87 and F25."""
    assert f"{SOURCE}: {said}" in declaration_fault(function)


def greet(greeting: str, name: str, *, key: str, loud: bool = False) -> str:
    """Greets."""
    return f"{greeting}{name}{key}{loud}"


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (greet, ["greeting", "name", "key", "loud"]),
        (functools.partial(greet, key="s3cret"), ["greeting", "name", "loud"]),
        (functools.partial(greet, "Hi", key="s3cret"), ["name", "loud"]),
        (functools.partial(functools.partial(greet, "Hi"), key="k"), ["name", "loud"]),
    ],
)
def test_what_a_partial_has_bound_is_hidden(function: Any, names: list[str]) -> None:
    """F87: a bound secret never shows."""
    signature = read_signature(function, SOURCE)

    assert [parameter.name for parameter in signature.parameters] == names
    assert signature.return_annotation is str
    assert "s3cret" not in str(arguments_of(function).input_schema)


@pytest.mark.parametrize("imports", ["", "from __future__ import annotations"])
def test_methods_and_callable_objects_show_no_self(imports: str) -> None:
    """F87."""
    tool = module_with(imports).Tool()

    for function in (tool.method, tool.of_class, tool.static):
        assert list(arguments_of(function).input_schema["properties"]) == ["point"]
    signature = read_signature(tool, SOURCE)
    assert [(p.name, p.keyword_only) for p in signature.parameters] == [
        ("point", False),
        ("deep", True),
    ]


def test_a_wrapper_is_looked_through() -> None:
    """F86: hints are resolved in the wrapped function's own module."""
    take = module_with("from __future__ import annotations").take

    @functools.wraps(take)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return take(*args, **kwargs)

    assert arguments_of(wrapper).input_schema == arguments_of(take).input_schema


def test_something_without_a_signature_is_refused() -> None:
    with pytest.raises(AppFunctionDeclarationError, match="the signature cannot be read"):
        read_signature(type, SOURCE)


def test_the_context_is_no_parameter() -> None:
    def take(a: int, context: AppFunctionContext) -> None:
        raise NotImplementedError(a, context)

    def take_optional(context: AppFunctionContext | None = None) -> None:
        raise NotImplementedError(context)

    def take_annotated(context: Annotated[AppFunctionContext, "hidden"]) -> None:
        raise NotImplementedError(context)

    for function in (take, take_optional, take_annotated):
        signature = read_signature(function, SOURCE)
        assert signature.context_parameter == "context"
        assert "context" not in [parameter.name for parameter in signature.parameters]


def test_two_contexts_are_one_too_many() -> None:
    def take(a: AppFunctionContext, b: AppFunctionContext) -> None:
        raise NotImplementedError(a, b)

    assert "a and b are both an AppFunctionContext" in declaration_fault(take)


def test_a_default_of_none_makes_a_type_nullable_with_a_warning() -> None:
    """F07."""

    def take(project: str = None, items: list[str] = None, note: str | None = None) -> None:  # type: ignore[assignment] # noqa: RUF013 - what is tested
        raise NotImplementedError(project, items, note)

    arguments = arguments_of(take)

    assert arguments.input_schema["properties"]["project"] == {"type": "string"}
    assert arguments.validate({"project": None}) == {"project": None, "items": None, "note": None}
    assert [w.partition("take: ")[2].split()[0] for w in arguments.warnings] == ["project", "items"]
    assert "read as nullable" in arguments.warnings[0]


def test_a_parameter_without_a_type_takes_any_json_with_one_warning() -> None:
    """F23."""

    def take(payload):  # type: ignore[no-untyped-def] # what is tested
        raise NotImplementedError(payload)

    arguments = arguments_of(take)

    assert arguments.validate({"payload": {"id": [1]}}) == {"payload": {"id": [1]}}
    assert len(arguments.warnings) == 1
    assert "payload has no type" in arguments.warnings[0]


def test_a_missing_return_type_is_empty() -> None:
    def take(a: int):  # type: ignore[no-untyped-def]
        raise NotImplementedError(a)

    assert read_signature(take, SOURCE).return_annotation is EMPTY


def test_a_field_as_a_default_is_read_as_its_default() -> None:
    def take(limit: int = Field(10, le=50, description="How many."), name: str = Field()) -> None:
        raise NotImplementedError(limit, name)

    limit, name = read_signature(take, SOURCE).parameters

    assert (limit.default, limit.required, name.required) == (10, False, True)
    assert arguments_of(take, optional_defaults="declared").input_schema["properties"]["limit"] == {
        "type": "integer",
        "maximum": 50,
        "default": 10,
        "description": "How many.",
    }


def test_a_default_inside_annotated_is_refused_with_the_fix() -> None:
    def take(limit: Annotated[int, Field(default=10)]) -> None:
        raise NotImplementedError(limit)

    assert "write limit: … = 10" in declaration_fault(take)


@pytest.mark.parametrize(
    ("annotation", "admitted"),
    [
        (None, True),
        (Any, True),
        (object, True),
        (int | None, True),
        (Optional[int], True),  # noqa: UP045 - the older form
        (Annotated[int | None, "text"], True),
        (Literal["a", None], True),  # noqa: PYI061 - the form that is tested
        (int, False),
        (list[None], False),
        (Literal["a"], False),
    ],
)
def test_whether_a_type_admits_none(annotation: Any, admitted: bool) -> None:
    assert admits_none(annotation) is admitted


@pytest.mark.parametrize(
    ("annotation", "name"),
    [
        (int, "int"),
        (list[int], "list[int]"),
        (typing.Optional[int], "Optional[int]"),  # noqa: UP045 - the older form
        (Literal["a"], "Literal['a']"),
    ],
)
def test_a_type_is_named_as_it_is_written(annotation: Any, name: str) -> None:
    assert type_name(annotation) == name
