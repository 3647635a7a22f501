"""The secure reader of XML files."""

import os
import sys
import time
import tracemalloc
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.exceptions import MetadataXmlError
from appfunctions_mcp.xml_elements import (
    MAX_XML_BYTES,
    XmlElement,
    _TreeBuilder,
    read_xml,
)
from tests.support.corpus import corpus

_AUDITED: list[tuple[str, Any]] = []
_WATCHING = False


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if _WATCHING and event in {"open", "socket.connect", "socket.getaddrinfo"}:
        _AUDITED.append((event, arguments[0]))


sys.addaudithook(_audit)


def written(folder: Path, content: bytes | str) -> Path:
    path = folder / "file.xml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def fault_of(path: Path) -> str:
    with pytest.raises(MetadataXmlError) as caught:
        read_xml(path)
    (fault,) = caught.value.faults
    assert fault.startswith(f"{path}:")
    return fault.removeprefix(f"{path}:")


def test_an_attribute_keeps_its_line_breaks_and_its_line(tmp_path: Path) -> None:
    """F90."""
    root = read_xml(written(tmp_path, '<a\n  one="1"\n  two="x\n  y&#10;z"\n  three=\'"\' />'))
    assert [(a.name, a.value, a.line) for a in root.attributes] == [
        ("one", "1", 2),
        ("two", "x\n  y\nz", 3),
        ("three", '"', 5),
    ]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_every_line_ending_reads_alike(tmp_path: Path, ending: str) -> None:
    """F90."""
    text = '<?xml version="1.0"?>\n<a>\n<b c="x\ny"/>\n</a>'.replace("\n", ending)
    (child,) = read_xml(written(tmp_path, text.encode())).children
    assert (child.line, child.attributes[0].value, child.attributes[0].line) == (3, "x\ny", 3)


def test_names_are_resolved_and_kept_as_written(tmp_path: Path) -> None:
    root = read_xml(
        written(tmp_path, '<p:a xmlns:p="urn:p" xmlns="urn:d" p:b="1" c="2" xml:lang="ru"/>')
    )
    assert (root.namespace, root.name, root.qualified) == ("urn:p", "a", "p:a")
    assert [(a.namespace, a.name, a.qualified, a.value) for a in root.attributes] == [
        ("urn:p", "b", "p:b", "1"),
        ("", "c", "c", "2"),
        ("http://www.w3.org/XML/1998/namespace", "lang", "xml:lang", "ru"),
    ]


def test_text_inside_comes_in_order_at_any_depth(tmp_path: Path) -> None:
    root = read_xml(written(tmp_path, "<a>1<b>2<c>3</c></b><!-- no -->4<![CDATA[<5>]]></a>"))
    assert [(piece.text, piece.literal) for piece in root.texts()] == [
        ("1", False),
        ("2", False),
        ("3", False),
        ("4", False),
        ("<5>", True),
    ]


@pytest.mark.parametrize(
    ("declared", "codec"),
    [
        ("utf-8", "utf-8"),
        ("utf-8", "utf-8-sig"),
        ("UTF-16", "utf-16"),
        ("UTF-16", "utf-16-le"),
        ("UTF-16", "utf-16-be"),
        ("windows-1251", "cp1251"),
        ("ISO-8859-5", "iso8859-5"),
        ("koi8-r", "koi8-r"),
    ],
)
def test_a_file_is_read_in_its_encoding(tmp_path: Path, declared: str, codec: str) -> None:
    text = f'<?xml version="1.0" encoding="{declared}"?>\n<a b="Заметки"/>'
    root = read_xml(written(tmp_path, text.encode(codec)))
    assert root.attributes[0].value == "Заметки"


DOCTYPES = {
    "internal": '<!DOCTYPE a [<!ENTITY b "c">]>',
    "external": '<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd">',
    "bare": "<!DOCTYPE a>",
    "after a comment": "<!-- - -> <a> -->\n<!DOCTYPE a>",
    "after an instruction": "<?x <!-- ?> <!DOCTYPE a>",
}


@pytest.mark.parametrize("doctype", DOCTYPES.values(), ids=DOCTYPES)
@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_document_type_is_refused_in_any_encoding(
    tmp_path: Path, codec: str, doctype: str
) -> None:
    """F91."""
    fault = fault_of(written(tmp_path, f"{doctype}<a/>".encode(codec)))
    assert "a document type declaration (<!DOCTYPE …>) is not accepted; remove it" in fault


def test_expat_itself_refuses_a_document_type_too() -> None:
    """F91: what the scan before it would miss, the parser's own event refuses."""
    with pytest.raises(MetadataXmlError, match="x:1: a document type declaration"):
        _TreeBuilder(Path("x"), b"<!DOCTYPE a><a/>").build()


@pytest.mark.parametrize(
    "content",
    [
        "\ufeff\ufeff<!DOCTYPE a><a/>".encode(),
        "<!DOCTYPE a><a/>".encode("utf-16-le").decode("latin-1").encode("utf-16"),
    ],
    ids=["two byte order marks", "an encoding within an encoding"],
)
def test_what_expat_would_read_in_another_encoding_is_refused(
    tmp_path: Path, content: bytes
) -> None:
    """F91."""
    assert "; save it as UTF-8" in fault_of(written(tmp_path, content))


@pytest.mark.parametrize(
    "name",
    [
        "21-xxe-file",
        "22-xxe-http-dtd",
        "23-billion-laughs",
        "24-small-laughs-700KB",
        "25-quadratic-blowup",
        "26-internal-entity-harmless",
    ],
)
def test_a_hostile_file_costs_nothing_and_opens_nothing(name: str) -> None:
    """F91."""
    global _WATCHING  # noqa: PLW0603 - an audit hook is for good, so it has a switch
    path = corpus("app_metadata", "synthetic", f"{name}.xml")
    _AUDITED.clear()
    tracemalloc.start()
    _WATCHING = True
    began = time.perf_counter()
    try:
        with pytest.raises(MetadataXmlError, match=":2: a document type declaration"):
            read_xml(path)
    finally:
        took = time.perf_counter() - began
        _WATCHING = False
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert took < 0.1
    assert peak < 20_000_000
    assert {str(what) for _, what in _AUDITED} <= {str(path)}


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "1: this file is empty; an XML document is accepted"),
        (b" \n ", "1: this file is empty; an XML document is accepted"),
        (b"<a>", "1: not well-formed XML: no element found, column 4"),
        (b"<a>\n<b></a>", "2: not well-formed XML: mismatched tag, column 6; close every element"),
        (b'<a b="&c;"/>', "1: not well-formed XML: undefined entity, column 1; only &amp; &lt;"),
        (b'<a b="1 & 2"/>', "column 10; in an attribute write &amp; for &"),
        (b'<a b="1 < 2"/>', "column 9; in an attribute write &amp; for &"),
        (b"<p:a/>", "unbound prefix, column 1; declare the prefix on the root element"),
        (b'<a b="1" b="2"/>', "duplicate attribute"),
        (b"<a/><b/>", "junk after document element, column 5; nothing may follow"),
        (b"\n<a b='\xff'/>", "2: this is not UTF-8 text: invalid start byte; save it as UTF-8"),
        (b"<a>\n\0</a>", "2: this is no XML text: it holds a null character; save it as UTF-8"),
        (b"\xff\xfe<", "1: this is not UTF-16 text: truncated data; save it as UTF-8"),
        (b"PK\x03\x04\x14\x00\x08", "1: this is no XML text: it holds a null character"),
        (b"<?xml version='1.0' encoding='idna'?><a/>", "1: this file declares the encoding 'idna'"),
        (b"<?xml version='1.0' encoding='no-such'?><a/>", "declares the encoding 'no-such'"),
        (b"<?xml version='1.0' encoding='UTF-16'?><a/>", "declares the encoding 'UTF-16'"),
        (b"<!-- only a comment -->", "1: not well-formed XML: no element found"),
        (b"<!-- never closed", "1: not well-formed XML: unclosed token"),
        (b"<a>" * 101 + b"</a>" * 101, "1: elements nest deeper than 100"),
    ],
)
def test_a_file_that_is_no_such_xml_is_refused_with_its_line(
    tmp_path: Path, content: bytes, fault: str
) -> None:
    assert fault in fault_of(written(tmp_path, content))


def test_a_file_over_one_mebibyte_is_refused(tmp_path: Path) -> None:
    """F91."""
    shell = '<a b=""/>'
    accepted = shell.replace('""', f'"{"x" * (MAX_XML_BYTES - len(shell))}"')
    assert len(read_xml(written(tmp_path, accepted)).attributes[0].value) > MAX_XML_BYTES - 20
    assert (
        fault_of(written(tmp_path, accepted + " "))
        == "1: this file is larger than 1,048,576 bytes, the most accepted"
    )


def test_another_limit_may_be_given(tmp_path: Path) -> None:
    path = written(tmp_path, "<a/>")
    assert read_xml(path, max_bytes=4).name == "a"
    with pytest.raises(MetadataXmlError, match="larger than 3 bytes"):
        read_xml(path, max_bytes=3)


def test_a_path_that_is_no_file_is_refused(tmp_path: Path) -> None:
    assert fault_of(tmp_path) == "1: this is a folder; name the XML file in it"
    assert fault_of(tmp_path / "x.xml") == "1: there is no such file; name an existing XML file"
    assert fault_of(tmp_path / ("x" * 5000)).startswith("1: this file cannot be read: ")
    assert fault_of(tmp_path / "a\0b").startswith("1: this file cannot be read: ")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the platform has no named pipes")
def test_a_named_pipe_does_not_hang_the_reader(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert fault_of(tmp_path / "pipe") == "1: this is no regular file; name an XML file"


@given(st.binary(max_size=300))
def test_only_the_one_error_comes_of_any_bytes(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    """F91."""
    path = written(tmp_path_factory.getbasetemp(), content)
    try:
        faults: tuple[str, ...] = ()
        assert isinstance(read_xml(path), XmlElement)
    except MetadataXmlError as error:
        faults = error.faults
    assert all(fault.startswith(f"{path}:") and "\n" not in fault for fault in faults)


_TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn", "Co"])
    | st.sampled_from("\n\"'<&>"),
    max_size=40,
)


@given(st.dictionaries(st.sampled_from(["a", "b-c", "d.e", "é"]), _TEXT), _TEXT)
def test_values_are_those_of_another_reader_but_for_line_breaks(
    tmp_path_factory: pytest.TempPathFactory, attributes: dict[str, str], inside: str
) -> None:
    """F90."""
    written_out = "".join(
        f"\n {name} = {quoteattr(value).replace('&#10;', chr(10))}"
        for name, value in attributes.items()
    )
    text = f"<root{written_out}><x y={quoteattr(inside)}/></root>"
    path = written(tmp_path_factory.getbasetemp(), text)
    root, expected = read_xml(path), ET.fromstring(text)  # noqa: S314 - our own text
    assert {a.name: a.value for a in root.attributes} == attributes
    assert {a.name: a.value.replace("\n", " ") for a in root.attributes} == expected.attrib
    assert root.children[0].attributes[0].value == inside
