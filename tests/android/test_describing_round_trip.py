"""Described functions are the same after they were written as XML and read again."""

import tempfile
from collections.abc import Callable
from dataclasses import make_dataclass
from datetime import timedelta
from decimal import Decimal
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model

from appfunctions_mcp import (
    AppFunction,
    AppFunctionAccessLevel,
    AppFunctionOneOf,
    AppFunctionParcelable,
    AppFunctionPatternMatcher,
    AppFunctionSchema,
    AppFunctionScope,
    AppFunctionStringValueConstraint,
    AppFunctionTypeDescription,
    AppFunctionUriValueConstraint,
    Float32,
    Instant,
    Int32,
    LocalDate,
    LocalDateTime,
    LocalTime,
    PendingIntent,
    SetField,
    Uri,
    ZoneId,
    app_function,
    app_function_serializable,
)
from appfunctions_mcp.android.describing.functions import described_document
from appfunctions_mcp.android.references import types_of
from appfunctions_mcp.android.xml.functions_xml import read_functions_xml
from appfunctions_mcp.android.xml.functions_xml_writing import canonical, functions_xml
from tests.support.android_documents import xml_texts

_SCALARS: list[Any] = [
    *(int, Int32, float, Float32, bool, str, Decimal, UUID, Path, timedelta, Uri, ZoneId),
    *(LocalDate, LocalTime, LocalDateTime, Instant, PendingIntent, Literal[1, 2], Literal["a"]),
    *(StrEnum("Word", ["A", "B"]), IntEnum("Number", ["A", "B"])),
    Annotated[str, AppFunctionParcelable("android.graphics.Bitmap")],
    Annotated[Uri, AppFunctionUriValueConstraint(("content", "https"))],
]
_NAMES = st.from_regex(r"[a-z][a-z0-9]{0,5}", fullmatch=True).filter(
    lambda name: (
        name not in {"as", "is", "in", "or", "if", "and", "not", "for", "def", "del", "try"}
    )
)
_CLASS_NAMES = st.from_regex(r"com\.example\.[A-Z][a-z]{0,8}(\$[A-Z][a-z]?)?", fullmatch=True)


@st.composite
def constraints(draw: st.DrawFn) -> Any:
    values = draw(st.lists(xml_texts(max_size=4), max_size=2, unique=True))
    patterns = draw(st.lists(xml_texts(max_size=4), max_size=2, unique=True))
    kinds = st.sampled_from([0, 1, 4, 99])
    return AppFunctionStringValueConstraint(
        tuple(values),
        tuple(AppFunctionPatternMatcher(each, draw(kinds)) for each in patterns),
        draw(st.sampled_from(["", "email"])),
    )


class Types:
    """Draws the types of one document, in which no two classes have one name."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._taken: set[str] = set()

    def any(self, depth: int = 2) -> Any:
        """A type of which the deepest part is a scalar."""
        makers: list[Callable[[], Any]] = [
            lambda: self._draw(st.sampled_from(_SCALARS)),
            lambda: Annotated[str, self._draw(constraints())],
            lambda: bytes,
        ]
        if depth:
            makers += [
                lambda: self.listed(depth - 1),
                lambda: SetField[self.any(depth - 1)],  # type: ignore[misc] # drawn
                lambda: self.any(depth - 1) | None,
                lambda: Annotated[
                    self.any(depth - 1), AppFunctionTypeDescription(self._draw(xml_texts()))
                ],
                *[lambda: self.model(depth - 1)] * 3,
                lambda: self.child(depth - 1),
                lambda: self.data(depth - 1),
                lambda: self.one_of(depth - 1),
            ]
        return self._draw(st.sampled_from(makers))()

    def listed(self, depth: int) -> Any:
        """A list, of anything but bytes."""
        items = self.any(depth)
        return list[items] if "bytes" not in repr(items) else list[str]  # type: ignore[valid-type] # drawn

    def model(self, depth: int, *bases: type[BaseModel], inline: bool | None = None) -> Any:
        """A model with fields of any type."""
        fields: dict[str, Any] = {
            name: (self.any(depth), Field(self._default(), description=self._draw(xml_texts())))
            for name in self._draw(st.lists(_NAMES, min_size=1, max_size=3, unique=True))
        }
        model = create_model("Model", __base__=bases or None, **fields)
        return app_function_serializable(
            name=self._name(),
            description=self._draw(xml_texts()),
            inline=self._draw(st.booleans()) if inline is None else inline,
        )(model)

    def child(self, depth: int) -> Any:
        """A model that inherits from one or two others."""
        parents = [self.model(0) for _ in range(self._draw(st.integers(1, 2)))]
        return self.model(depth, *parents)

    def data(self, depth: int) -> Any:
        """A dataclass."""
        made = make_dataclass("Data", [("x", self.any(depth)), ("y", int, 0)])
        return app_function_serializable(name=self._name(), description="")(made)

    def one_of(self, depth: int) -> Any:
        """A choice of two models."""
        first, second = self.model(depth, inline=False), self.model(depth, inline=False)
        mark = AppFunctionOneOf(self._name(), self._draw(xml_texts()), self._draw(st.booleans()))
        return Annotated[first | second, mark]

    def _default(self) -> Any:
        return self._draw(st.sampled_from([..., None]))

    def _name(self) -> str:
        name = self._draw(_CLASS_NAMES.filter(lambda each: each not in self._taken))
        self._taken.add(name)
        return name


@st.composite
def functions(draw: st.DrawFn) -> AppFunction:
    """A function of some parameters, with whatever can be said of one."""
    types = Types(draw)
    names = draw(st.lists(_NAMES, max_size=3, unique=True))
    arguments = ", ".join(["*", *names] if names else [])
    namespace: dict[str, Any] = {}
    exec(f"def tool({arguments}): ...", namespace)  # noqa: S102 - of the names above
    function = namespace["tool"]
    for name in names:
        described = Field(description=draw(xml_texts()))
        function.__annotations__[name] = Annotated[types.any(), described]
    function.__annotations__["return"] = draw(
        st.just(None) | st.builds(lambda: Annotated[types.any(), Field(description="It.")])
    )
    options = {
        "description": draw(xml_texts()),
        "enabled": draw(st.sampled_from([None, True, False])),
        "scope": draw(st.sampled_from([None, *AppFunctionScope])),
        "access_level": draw(st.sampled_from([None, *AppFunctionAccessLevel])),
        "access_level_compat": draw(st.sampled_from([None, True, False])),
        "schema": draw(st.sampled_from([None, AppFunctionSchema("notes", "read", 2)])),
        "deprecated": draw(st.none() | xml_texts()),
    }
    return AppFunction.from_function(app_function(**options)(function))


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(functions())
def test_what_is_described_is_written_and_read_as_it_is(function: AppFunction) -> None:
    document = described_document([function], service="com.example.BaseService")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "functions.xml")
        path.write_text(functions_xml(document), encoding="utf-8", newline="\n")
        assert canonical(read_functions_xml(path)) == canonical(document)
    assert all(each.line == 0 for each in types_of(document))
