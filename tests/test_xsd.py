"""The XSD of the metadata document, against shipped, real, right and wrong documents."""

import re
from pathlib import Path
from string import Template

import pytest
import xmlschema

from appfunctions_mcp.exceptions import MetadataXmlError
from appfunctions_mcp.metadata_xml import parse_metadata
from tests.support.corpus import corpus
from tests.support.metadata_files import MCP, metadata_text, write_metadata

ROOT = Path(__file__).resolve().parents[1]
XSD = ROOT / "metadata" / "app_metadata.xsd"
SCHEMAS = {
    "1.0": xmlschema.XMLSchema10(str(XSD), allow="local"),
    "1.1": xmlschema.XMLSchema11(str(XSD), allow="local"),
}
SHIPPED = sorted(
    path
    for folder in ("metadata", "appfunctions_mcp", "docs", "tests", "sample_app", "benchmarks")
    for pattern in ("*metadata*.xml", "*metadata*.xml.txt")
    for path in (ROOT / folder).rglob(pattern)
)


@pytest.fixture(params=SCHEMAS)
def schema(request: pytest.FixtureRequest) -> xmlschema.XMLSchemaBase:
    """The schema, read by either version of the standard."""
    return SCHEMAS[request.param]


@pytest.mark.parametrize("path", sorted(XSD.parent.glob("*.xsd")), ids=lambda path: path.name)
def test_every_document_of_the_schema_is_valid_xsd(path: Path) -> None:
    for standard in (xmlschema.XMLSchema10, xmlschema.XMLSchema11):
        assert standard.meta_schema is not None
        standard.meta_schema.validate(str(path))


def test_the_schema_imports_only_what_stands_beside_it() -> None:
    beside = {path.name for path in XSD.parent.glob("*.xsd")}
    imported = re.findall(r'schemaLocation="([^"]+)"', XSD.read_text(encoding="utf-8"))
    assert {*imported, XSD.name} == beside


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_shipped_document_is_valid(schema: xmlschema.XMLSchemaBase, path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".txt":
        text = Template(text).safe_substitute(name="tasks", module="tasks.functions", title="Tasks")
    schema.validate(text)


def test_the_sample_s_document_is_among_the_shipped() -> None:
    assert ROOT / "metadata" / "app_metadata.xml" in SHIPPED


VALID_FILES = [
    "agent.app_metadata.xml",
    "chatapp-wear.app_metadata.xml",
    "chatapp.app_metadata.xml",
    "eastereggs.app_metadata.xml",
    "phone-mcp.app_metadata.xml",
    *(
        f"synthetic/{name}.xml"
        for name in (
            "01-multiline-attr",
            "02-charref-newline",
            "03-res-auto-ns",
            "04-other-prefix",
            "05-instructions-attr",
            "06-both-description-and-instructions",
            "10-both-namespaces",
            "11-missing-string",
            "12-package-string-ref",
            "27-android-escapes",
            "28-long-description",
            "30-crlf",
        )
    ),
]


@pytest.mark.parametrize("name", VALID_FILES)
def test_android_s_file_is_valid(schema: xmlschema.XMLSchemaBase, name: str) -> None:
    """F89."""
    schema.validate(str(corpus("app_metadata", *name.split("/"))))


@pytest.mark.parametrize(
    "name",
    ["07-no-namespace-attrs", "08-wrong-root-child-elements", "09-wrong-root-case", "strings"],
)
def test_a_document_of_another_shape_is_not_valid(
    schema: xmlschema.XMLSchemaBase, name: str
) -> None:
    """F89."""
    assert not schema.is_valid(str(corpus("app_metadata", "synthetic", f"{name}.xml")))


WHOLE_ROOT = (
    'appfn:description="a" appfn:instructions="b" appfn:displayDescription="@string/c" '
    'auto:description="a" auto:instructions="b" auto:displayDescription="c" '
    'mcp:name="my.app-1" mcp:title="@string/t" mcp:version="1.0.0" mcp:pythonPath=".." '
    'mcp:package="com.example.my_app" '
    'mcp:websiteUrl="https://example.com" mcp:optionalDefaults="declared" '
    'mcp:unknownArguments="warn" mcp:manifest="off" xmlns:tools="urn:tools" tools:ignore="All"'
)
WHOLE_CONTENT = """
    <mcp:icon src="data:image/png;base64,AAAA" mimeType="image/png" sizes="64x64 any" />
    <mcp:functions module="a.b" prefix="x" optionalDefaults="type" onError="skip" />
    <mcp:functions module="заметки" xmlns:tools="urn:tools" tools:ignore="All" />
    <mcp:function id="a.b#c" enabledByDefault="false" requiresConfirmation="true"
        timeoutSeconds="0.5" title="t" description="d" readOnly="true" destructive="false"
        idempotent="true" openWorld="false" access="scope" />
    <mcp:setting name="NOTES_DB" type="file" title="@string/t" description="d" required="true"
        sensitive="false" default="x" />
    <mcp:setting name="OTHER" />
    <mcp:limits timeoutSeconds="30" maxConcurrent="64" callsPerMinute="0" maxResultBytes="1" />
    <mcp:lifespan target="a.b:c" />
    <mcp:dependsOn src="rules.json" />
    <mcp:lint ignore="AF012 AF100" function="a.b#c" />
    <mcp:lint ignore="AF012" />
"""


def test_the_whole_format_is_valid(schema: xmlschema.XMLSchemaBase) -> None:
    schema.validate(metadata_text(WHOLE_ROOT, WHOLE_CONTENT))


@pytest.mark.parametrize(
    ("attributes", "content"),
    [
        ('mcp:name="my app"', ""),
        ('mcp:name=""', ""),
        ('mcp:version="1 0"', ""),
        ('mcp:websiteUrl="example.com"', ""),
        ('mcp:optionalDefaults="none"', ""),
        ('mcp:unknownArguments="allow"', ""),
        ('mcp:manifest="true"', ""),
        ('mcp:package="com.1example"', ""),
        ('mcp:package="com."', ""),
        ('description="x"', ""),
        ("", "text"),
        ("", "<description/>"),
        ("", "<functions/>"),
        ("", "<mcp:colour/>"),
        ("", "<mcp:functions/>"),
        ("", '<mcp:functions module="a..b"/>'),
        ("", '<mcp:functions module="a" prefix="1"/>'),
        ("", '<mcp:functions module="a" onError="ignore"/>'),
        ("", '<mcp:functions mcp:module="a"/>'),
        ("", '<mcp:functions module="a" modules="a"/>'),
        ("", '<mcp:functions module="a"/><mcp:functions module="a"/>'),
        ("", "<mcp:function/>"),
        ("", '<mcp:function id="a#b" readOnly="1"/>'),
        ("", '<mcp:function id="a#b" timeoutSeconds="0"/>'),
        ("", '<mcp:function id="a#b" timeoutSeconds="1000001"/>'),
        ("", '<mcp:function id="a#b"/><mcp:function id="a#b"/>'),
        ("", '<mcp:setting name="A-B"/>'),
        ("", '<mcp:setting name="A" type="integer"/>'),
        ("", '<mcp:setting name="A"/><mcp:setting name="A"/>'),
        ("", '<mcp:limits maxConcurrent="0"/>'),
        ("", '<mcp:limits callsPerMinute="-1"/>'),
        ("", "<mcp:limits>x</mcp:limits>"),
        ("", '<mcp:lifespan target="a.b"/>'),
        ("", '<mcp:icon src=""/>'),
        ("", '<mcp:icon src="a.png" mimeType="png"/>'),
        ("", '<mcp:icon src="a.png" sizes="64"/>'),
    ],
)
def test_a_wrong_document_is_neither_valid_nor_read(
    tmp_path: Path, schema: xmlschema.XMLSchemaBase, attributes: str, content: str
) -> None:
    (tmp_path / "a.png").write_bytes(b"")
    path = write_metadata(tmp_path, f'appfn:description="x" {attributes}', content)
    assert not schema.is_valid(str(path))
    with pytest.raises(MetadataXmlError):
        parse_metadata(path)


def attributes_of_schema() -> dict[str, set[str]]:
    """The attributes of ours by element; the root's under its own name."""
    schema = SCHEMAS["1.0"]
    found = {
        name.rpartition("}")[2]: {a for a in element.attributes if a and "{" not in a}
        for name, element in schema.maps.elements.items()
        if name.startswith(f"{{{MCP}}}")
    }
    prefix = f"{{{MCP}}}"
    root = schema.elements["AppFunctionAppMetadata"].attributes
    return found | {
        "AppFunctionAppMetadata": {a.removeprefix(prefix) for a in root if a and prefix in a}
    }


def accepted_by_parser(tmp_path: Path, attributes: str, content: str) -> set[str]:
    """What the parser lists when it meets an attribute that is like none."""
    with pytest.raises(MetadataXmlError) as caught:
        parse_metadata(write_metadata(tmp_path, f'appfn:description="x" {attributes}', content))
    (listing,) = (f for f in caught.value.faults if "'qqqq'" in f or "'mcp:qqqq'" in f)
    return set(listing.partition("accepted are ")[2].replace("mcp:", "").split(", "))


def test_schema_and_parser_know_the_same_attributes(tmp_path: Path) -> None:
    for element, attributes in attributes_of_schema().items():
        on_root = element == "AppFunctionAppMetadata"
        accepted = accepted_by_parser(
            tmp_path,
            'mcp:qqqq=""' if on_root else "",
            "" if on_root else f'<mcp:{element} qqqq=""/>',
        )
        assert accepted == attributes, element
