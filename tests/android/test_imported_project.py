"""The metadata and strings of an imported project say what the app's own said."""

import ast
from contextlib import suppress
from pathlib import Path
from xml.sax.saxutils import quoteattr

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from appfunctions_mcp.android.app.sources import AndroidSource, read_source
from appfunctions_mcp.android.data_types import AndroidDocument
from appfunctions_mcp.android.python.imported_project import project_files
from appfunctions_mcp.exceptions import MetadataXmlError
from appfunctions_mcp.metadata_xml import parse_metadata
from tests.support.android_apps import functions_text, write_files
from tests.support.android_documents import compiled_documents
from tests.support.metadata_files import ANDROIDX

TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff")
    | st.sampled_from("\n\t\\\"'<>&@?]-!")
)
HARMLESS = settings(
    max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)


def read(folder: Path, description: str, about: str = "") -> AndroidSource | None:
    """What is read of an app with these texts; None where they are refused."""
    display = ' appfn:displayDescription="@string/about"'
    metadata = (
        f'<AppFunctionAppMetadata xmlns:appfn="{ANDROIDX}" '
        f"appfn:description={quoteattr(description)}{display} />"
    )
    string = f"<resources><string name='about'>{about}</string></resources>"
    files = {"app_metadata.xml": metadata, "values/strings.xml": string, "f.xml": functions_text()}
    write_files(folder, files)
    try:
        return read_source([folder / "app_metadata.xml", folder / "f.xml"], unpack_into=folder)
    except MetadataXmlError:
        return None


@given(TEXTS, TEXTS)
@HARMLESS
def test_every_text_that_is_read_is_read_the_same_of_the_project(
    tmp_path: Path, description: str, about: str
) -> None:
    """F90, F93."""
    about = about.replace("&", "&amp;").replace("<", "<![CDATA[<]]>").replace(">", "&gt;")
    source = read(tmp_path, description, about)
    assume(source is not None)
    assert source is not None
    files = project_files(source, package="made")
    write_files(tmp_path / "made", {n: t for n, t in files.items() if n.startswith("metadata/")})
    before = parse_metadata(tmp_path / "app_metadata.xml")
    after = parse_metadata(tmp_path / "made" / "metadata" / "app_metadata.xml")
    assert after.description == before.description
    assert after.display_description == before.display_description
    assert [module.module for module in after.modules] == ["made.f"]


@given(st.lists(compiled_documents(), min_size=1, max_size=2))
@settings(HARMLESS, max_examples=25)
def test_whatever_the_app_declares_the_project_is_well_formed_or_refused(
    tmp_path: Path, declared: list[AndroidDocument]
) -> None:
    named = tuple((f"d{n}", d, Path(f"d{n}.xml")) for n, d in enumerate(declared))
    files: dict[str, str] = {}
    with suppress(MetadataXmlError):
        files = project_files(AndroidSource(documents=named), package="made")
    assume(files)  # Android's compiler writes little that is refused
    for name, text in files.items():
        if name.endswith(".py"):
            ast.parse(text)
    write_files(tmp_path, {"app_metadata.xml": files["metadata/app_metadata.xml"]})
    metadata = parse_metadata(tmp_path / "app_metadata.xml")
    with_functions = [name for name, document, _ in named if document.functions]
    assert len(metadata.modules) == len(with_functions)


def test_an_app_without_any_function_has_metadata_all_the_same(tmp_path: Path) -> None:
    files = project_files(AndroidSource(documents=()), package="made")
    write_files(tmp_path, files)
    metadata = parse_metadata(tmp_path / "metadata" / "app_metadata.xml")
    assert (metadata.description, metadata.modules) == ("Functions of made: .", ())
