"""The page about the metadata file: its documents are read, its tables are complete."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from appfunctions_mcp.exceptions import MetadataXmlError
from appfunctions_mcp.metadata_xml import parse_metadata
from tests.support.documents import ROOT, Block, blocks_of

PAGE = ROOT / "docs" / "metadata.md"
XS = "{http://www.w3.org/2001/XMLSchema}"
DOCUMENTS = [block for block in blocks_of(PAGE) if block.language == "xml"]


def noted(kind: str) -> dict[str, Block]:
    """The blocks with a note of this kind, by the name in it."""
    start = f"{kind}: "
    blocks = blocks_of(PAGE)
    return {b.note.removeprefix(start): b for b in blocks if b.note.startswith(start)}


@pytest.mark.parametrize("block", DOCUMENTS, ids=lambda block: block.note)
def test_a_document_of_the_page_is_read(tmp_path: Path, block: Block) -> None:
    path = tmp_path / str(block.file_name)
    path.write_text(block.text, encoding="utf-8")
    assert parse_metadata(path).description.startswith("Manages ")


def test_the_strings_of_the_page_are_found(tmp_path: Path) -> None:
    for name, block in noted("strings").items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(block.text, encoding="utf-8")
    path = tmp_path / "translated.xml"
    path.write_text(noted("file")["translated.xml"].text, encoding="utf-8")
    assert parse_metadata(path).display_description == "Keep your notes. Don't lose them."
    assert parse_metadata(path, locale="ru").display_description.startswith("Ваши заметки")


def test_the_faults_of_the_page_are_what_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wrong.xml").write_text(noted("wrong")["wrong.xml"].text, encoding="utf-8")
    with pytest.raises(MetadataXmlError) as caught:
        parse_metadata(Path("wrong.xml"))
    assert f"{caught.value}\n" == noted("faults")["wrong.xml"].text


def test_the_tables_list_what_the_schema_has() -> None:
    rows: dict[str, set[str]] = {}
    for head, body in re.findall(
        r"^\| (attribute[^|]*?) \|.*\n\|[ -|]+\n((?:\|.*\n)+)",
        PAGE.read_text("utf-8"),
        re.MULTILINE,
    ):
        element = "".join(re.findall(r"<mcp:(\w+)>", head))
        rows.setdefault(element, set()).update(re.findall(r"^\| `([\w:]+)`", body, re.MULTILINE))

    assert rows == {"": root_attributes()} | {
        str(element.get("name")): {str(a.get("name")) for a in element.iter(f"{XS}attribute")}
        for element in schema("app_metadata_mcp.xsd").findall(f"{XS}element")
    }


def root_attributes() -> set[str]:
    return {
        f"{prefix}:{attribute.get('name')}"
        for prefix, name in (("mcp", "mcp"), ("appfn", "androidx"))
        for attribute in schema(f"app_metadata_{name}.xsd").findall(f"{XS}attribute")
    }


def schema(name: str) -> ET.Element:
    return ET.fromstring((ROOT / "metadata" / name).read_text("utf-8"))  # noqa: S314 - our own
