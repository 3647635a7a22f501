"""Documents that are written and read again: drawn ones, and every real file of the corpus."""

import random
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given

from appfunctions_mcp.android.data_types import AndroidDocument
from appfunctions_mcp.android.xml.document_checks import document_faults
from appfunctions_mcp.android.xml.functions_xml import read_functions_xml
from appfunctions_mcp.android.xml.functions_xml_writing import canonical, functions_xml
from appfunctions_mcp.xml_elements import XmlElement, XmlText, read_xml
from tests.support.android_documents import compiled_documents, documents
from tests.support.corpus import corpus

FILES = [
    "androidTest_app_level_app_functions.xml",
    "entrypoints_my_simple_service-v1.xml",
    "entrypoints_my_simple_service.xml",
    "entrypoints_valid_uri_service.xml",
    "oneofserializable_oneOfFunctions_app_function_dynamic_schema.xml",
    "xml_activitySignature_app_level_app_functions.xml",
    "xml_deprecated_app_function_dynamic_schema.xml",
    "xml_fakeAllPrimitiveParams_app_function_dynamic_schema.xml",
    "xml_fakeNoArgImpl_isEnabled_false_app_function.xml",
    "xml_parcelablePrimitiveFunctions_app_function_dynamic_schema.xml",
    "xml_property_doc_priority.xml",
    "xml_stringEnumValueFunctions_app_functions_v2.xml",
]
V1_FILES = {
    "entrypoints_my_simple_service-v1.xml",
    "xml_fakeNoArgImpl_isEnabled_false_app_function.xml",
}
NEWEST_FILES = [name for name in FILES if name not in V1_FILES]


def read_text(text: str) -> AndroidDocument:
    with TemporaryDirectory() as folder:
        path = Path(folder, "functions.xml")
        path.write_bytes(text.encode())
        return read_functions_xml(path)


def tree_of(element: XmlElement) -> Any:
    """An XML as nested tuples in which the order of elements does not count."""
    texts = "".join(part.text for part in element.content if isinstance(part, XmlText))
    children = [tree_of(child) for child in element.children]
    return element.qualified, texts if not children else "", tuple(sorted(children))


def shuffled_xml(element: XmlElement, order: random.Random) -> str:
    """An XML with the elements of each parent in some order, on one line."""
    children = [shuffled_xml(child, order) for child in element.children]
    order.shuffle(children)
    texts = "".join(part.text for part in element.content if isinstance(part, XmlText))
    escaped = texts.replace("&", "&amp;").replace("<", "&lt;")
    inside = "".join(children) or escaped
    return f"<{element.qualified}>{inside}</{element.qualified}>"


@given(documents())
def test_any_document_that_is_written_is_read_back(document: AndroidDocument) -> None:
    """And what is read is written the same, order included."""
    written = functions_xml(document)
    read = read_text(written)
    assert canonical(read) == canonical(document)
    assert functions_xml(read) == written


@given(compiled_documents())
def test_what_a_compiler_writes_is_read_back(document: AndroidDocument) -> None:
    assert not list(document_faults(document))
    assert canonical(read_text(functions_xml(document))) == canonical(document)


@pytest.mark.parametrize("name", NEWEST_FILES)
def test_a_real_file_of_the_newest_form_is_written_as_it_was(name: str, tmp_path: Path) -> None:
    """Compared as raw trees, without the records between."""
    source = corpus("android_xml", name)
    written = tmp_path / "written.xml"
    document = read_functions_xml(source)
    written.write_text(functions_xml(document), encoding="utf-8")
    assert tree_of(read_xml(written)) == tree_of(read_xml(source))
    assert document.warnings == ()


@pytest.mark.parametrize("name", NEWEST_FILES)
def test_a_real_file_is_written_in_the_order_of_the_compiler(name: str) -> None:
    source = corpus("android_xml", name)
    expected = source.read_text(encoding="utf-8")
    assert functions_xml(read_functions_xml(source)).strip() == expected.strip()


@pytest.mark.parametrize("name", FILES)
def test_the_order_of_a_real_file_does_not_matter(name: str, tmp_path: Path) -> None:
    source = corpus("android_xml", name)
    shuffled = tmp_path / "shuffled.xml"
    order = random.Random(name)  # noqa: S311 - an order, not a secret
    shuffled.write_text(shuffled_xml(read_xml(source), order), encoding="utf-8")
    assert canonical(read_functions_xml(shuffled)) == canonical(read_functions_xml(source))


@pytest.mark.parametrize("name", sorted(V1_FILES))
def test_a_real_v1_file_comes_out_as_v2_with_equal_metadata(name: str, tmp_path: Path) -> None:
    document = read_functions_xml(corpus("android_xml", name))
    written = tmp_path / "written.xml"
    written.write_text(functions_xml(document), encoding="utf-8")
    again = read_functions_xml(written)
    assert document.functions
    assert canonical(again) == canonical(document)
    assert "function_id" not in written.read_text(encoding="utf-8")


def test_every_real_functions_file_is_tested() -> None:
    folder = corpus("android_xml")
    found = {
        path.name
        for path in folder.glob("*.xml")
        if "<appfunctions>" in path.read_text(encoding="utf-8")
    }
    assert found == set(FILES)
