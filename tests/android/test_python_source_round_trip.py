"""What is imported from Android comes out again, and no document becomes other statements."""

import ast
import importlib
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidDocument,
    AndroidProperty,
    ArrayType,
    DataType,
    ObjectType,
    OneOfType,
    ReferenceType,
    ScalarType,
    TypeNumber,
)
from appfunctions_mcp.android.python.types import IMPORTED
from appfunctions_mcp.android.xml.functions_xml import read_functions_xml
from appfunctions_mcp.android.xml.functions_xml_writing import canonical
from appfunctions_mcp.exceptions import AppFunctionNotSupportedException, MetadataXmlError
from tests.support.android_documents import (
    INT,
    STRING,
    compiled_documents,
    document,
    documents,
    function,
    object_type,
    odd_names,
    parameter,
)
from tests.support.corpus import corpus
from tests.support.imported_packages import (
    components,
    described_again,
    imported,
    settled,
    sources_of,
)

SLOW = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)


@pytest.mark.parametrize(
    "name",
    [
        "androidTest_app_level_app_functions",
        "entrypoints_my_simple_service",
        "entrypoints_valid_uri_service",
        "oneofserializable_oneOfFunctions_app_function_dynamic_schema",
        "xml_activitySignature_app_level_app_functions",
        "xml_deprecated_app_function_dynamic_schema",
        "xml_fakeAllPrimitiveParams_app_function_dynamic_schema",
        "xml_parcelablePrimitiveFunctions_app_function_dynamic_schema",
        "xml_property_doc_priority",
        "xml_stringEnumValueFunctions_app_functions_v2",
    ],
)
def test_a_real_document_comes_out_as_it_was(name: str) -> None:
    read = read_functions_xml(corpus("android_xml", f"{name}.xml"))
    assert [canonical(each) for each in described_again(read)] == [canonical(read)]


def test_an_old_document_comes_out_as_functions_that_return_nothing() -> None:
    read = read_functions_xml(corpus("android_xml", "entrypoints_my_simple_service-v1.xml"))
    assert [canonical(each) for each in described_again(read)] == [settled(read)]


def test_all_real_documents_come_out_of_one_package() -> None:
    paths = sorted(corpus("android_xml").glob("*_app_function*.xml"))
    read = [read_functions_xml(path) for path in paths]
    assert [canonical(each) for each in described_again(*read)] == [settled(each) for each in read]


@SLOW
@given(compiled_documents())
def test_what_a_compiler_writes_comes_out_as_it_was(drawn: AndroidDocument) -> None:
    assert [canonical(each) for each in described_again(drawn)] == [canonical(drawn)]


@SLOW
@given(documents() | compiled_documents(names=odd_names()))
def test_any_document_comes_out_as_it_was_or_is_refused(drawn: AndroidDocument) -> None:
    try:
        again = described_again(drawn)
    except MetadataXmlError:
        return
    assert [canonical(each) for each in again] == [settled(drawn)]


@SLOW
@given(st.lists(documents() | compiled_documents(names=odd_names()), min_size=1, max_size=2))
def test_no_document_becomes_other_statements(drawn: list[AndroidDocument]) -> None:
    """The statements are of few kinds, what is called is known, and texts are constants."""
    try:
        sources = sources_of(*drawn)
    except MetadataXmlError:
        return
    for text in sources.values():
        tree = ast.parse(text)
        for statement in tree.body:
            assert _is_expected(statement), ast.dump(statement)
        assert set(_called_in(tree)) <= IMPORTED
        assert all(c.isprintable() or c == "\n" for c in text)


def _is_expected(statement: ast.stmt) -> bool:
    """Whether a statement of a module is one that an import may write."""
    match statement:
        case ast.Expr(ast.Constant(str())):
            return True
        case ast.ImportFrom(module=module, level=level, names=names):
            known = {"__future__", "appfunctions_mcp", "enum", "pydantic", "typing"}
            is_ours = level == 1 and str(module).endswith("models")
            return is_ours or (level == 0 and module in known and all(not n.asname for n in names))
        case ast.Assign(targets=[ast.Name(target)], value=value):
            return _is_plain(value) and (not target.startswith("_") or target in _ATTRIBUTES)
        case ast.ClassDef():
            inner = (ast.Expr, ast.AnnAssign, ast.Assign, ast.Pass)
            return not statement.keywords and all(isinstance(e, inner) for e in statement.body)
        case ast.AsyncFunctionDef(body=[*docstrings, ast.Raise(exc=ast.Call(), cause=None)]):
            return all(isinstance(each, ast.Expr) for each in docstrings) and len(docstrings) < 2
    return False


_ATTRIBUTES = {"__app_function_service__", "__app_function_components__"}
_PLAIN = (
    *(ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Call),
    *(ast.BinOp, ast.BitOr, ast.UnaryOp, ast.USub, ast.keyword, ast.Load),
)


def _is_plain(expression: ast.expr) -> bool:
    return all(isinstance(node, _PLAIN) for node in ast.walk(expression))


def _called_in(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        assert not isinstance(node, ast.Lambda | ast.JoinedStr | ast.NamedExpr | ast.Await)
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            yield node.func.id


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(
            document(
                function("A#f", returns=ReferenceType(name="com.example.Any")),
                **components(
                    {
                        "com.example.Any": OneOfType(
                            name="com.example.Any",
                            nullable=True,
                            members=(
                                ReferenceType(name="com.example.Some", nullable=True),
                                ReferenceType(name="com.example.C", nullable=True),
                            ),
                        ),
                        "com.example.Some": OneOfType(
                            name="com.example.Some",
                            nullable=True,
                            members=(
                                ReferenceType(name="com.example.A", nullable=True),
                                ReferenceType(name="com.example.B", nullable=True),
                            ),
                        ),
                        **{
                            f"com.example.{n}": object_type(f"com.example.{n}", x=INT)
                            for n in "ABC"
                        },
                    }
                ),
            ),
            id="choice of choices",
        ),
        pytest.param(
            document(
                function("A#f", returns=ReferenceType(name="com.example.Only")),
                **components(
                    {
                        "com.example.Only": OneOfType(
                            name="com.example.Only",
                            nullable=True,
                            members=(ReferenceType(name="com.example.Note", nullable=True),),
                        ),
                        "com.example.Note": object_type(
                            "com.example.Note", inner=ReferenceType(name="com.example.Only")
                        ),
                    }
                ),
            ),
            id="choice of one that holds it",
        ),
        pytest.param(
            document(
                function(
                    "A#f",
                    returns=OneOfType(
                        name="com.example.Inline",
                        description="One of two.",
                        members=(
                            ObjectType(
                                name="com.example.A",
                                nullable=True,
                                description="The first.",
                                properties=(AndroidProperty("x", INT),),
                            ),
                            AllOfType(
                                name="com.example.B",
                                nullable=True,
                                members=(
                                    ReferenceType(name="com.example.C", nullable=True),
                                    object_type("com.example.Other", y=INT),
                                ),
                            ),
                        ),
                    ),
                ),
                **components({"com.example.C": object_type("com.example.C", z=STRING)}),
            ),
            id="choice where it is used",
        ),
        pytest.param(
            document(
                function(
                    "A#f",
                    returns=OneOfType(
                        name="com.example.Outer",
                        nullable=True,
                        members=(
                            OneOfType(
                                name="com.example.Inner",
                                members=(
                                    object_type("com.example.A", x=INT),
                                    object_type("com.example.B", x=INT),
                                ),
                            ),
                            object_type("com.example.C", x=INT),
                        ),
                    ),
                ),
                function("A#g", returns=ScalarType(kind=TypeNumber.UNIT, description="Nothing.")),
            ),
            id="choice within a choice",
        ),
        pytest.param(
            document(
                function("A#f", returns=ReferenceType(name="com.example.Child")),
                **components(
                    {
                        "com.example.Parent": ObjectType(
                            name="com.example.Parent",
                            nullable=True,
                            properties=(
                                AndroidProperty(
                                    "x",
                                    ScalarType(kind=TypeNumber.STRING, description="The parent's."),
                                ),
                            ),
                        ),
                        "com.example.Child": AllOfType(
                            name="com.example.Child",
                            nullable=True,
                            members=(
                                ReferenceType(name="com.example.Parent", nullable=True),
                                object_type("com.example.Child", x=STRING),
                            ),
                        ),
                    }
                ),
            ),
            id="child that says less than its parent",
        ),
        pytest.param(
            document(
                function(
                    "A#f",
                    returns=ArrayType(
                        items=ObjectType(
                            name="",
                            description="No name.",
                            properties=(
                                AndroidProperty(
                                    "y",
                                    ScalarType(
                                        kind=TypeNumber.INT, enum_values=("1",), description="One."
                                    ),
                                ),
                            ),
                            required=("y",),
                        )
                    ),
                )
            ),
            id="object without a name",
        ),
        pytest.param(
            document(
                function("A#f", parameter("x", ReferenceType(name="com.example.A"))),
                **components(
                    {
                        "com.example.A": AllOfType(
                            name="com.example.A",
                            nullable=True,
                            description="What is said of the type, not of the parameter.",
                            members=(
                                object_type(
                                    "com.example.A", next=ReferenceType(name="com.example.A")
                                ),
                            ),
                        )
                    }
                ),
            ),
            id="class that is made of itself alone and holds itself",
        ),
    ],
)
def test_a_rare_form_comes_out_as_it_was(made: AndroidDocument) -> None:
    assert [canonical(each) for each in described_again(made)] == [settled(made)]


def test_the_library_s_own_types_are_those_of_python() -> None:
    text = "androidx.appfunctions.AppFunctionTextResource"
    resources: DataType = ArrayType(items=ReferenceType(name=text))
    container = ObjectType(
        name="androidx.appfunctions.AppFunctionResourceContainer",
        nullable=True,
        properties=(AndroidProperty("resources", resources),),
    )
    own = object_type("com.example.Report", title=STRING)
    made = document(
        function("A#f", returns=ReferenceType(name="com.example.Report")),
        **components(
            {
                text: object_type(text, mimeType=STRING, content=STRING),
                "com.example.Report": AllOfType(
                    name="com.example.Report", nullable=True, members=(container, own)
                ),
            }
        ),
    )
    assert "class Report(AppFunctionResourceContainer):" in sources_of(made)["chat/models.py"]
    assert [canonical(each) for each in described_again(made)] == [settled(made)]
    other = object_type(text, mimeType=STRING)
    changed = document(
        function("A#f", returns=ReferenceType(name=text)), **components({text: other})
    )
    assert "class AppFunctionTextResource_" not in sources_of(changed)["chat/models.py"]
    assert [canonical(each) for each in described_again(changed)] == [settled(changed)]


@pytest.mark.anyio
async def test_a_stub_answers_that_it_is_not_written_yet() -> None:
    with imported(document(function("com.example.S#send"))) as [[send]]:
        module = importlib.import_module(send.names.module)
        assert send.names.tool_name == "send"
        assert inspect.iscoroutinefunction(module.send)
        with pytest.raises(AppFunctionNotSupportedException, match=r"^send is not written yet$"):
            await module.send()
    assert not [name for name in sys.modules if name.startswith("imported_package_")]
    assert Path(str(module.__file__)).name == "app0.py"
