"""The metadata document: its root, its texts, and everything that is wrong with it."""

import ast
import itertools
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from appfunctions_mcp.exceptions import MetadataXmlError
from appfunctions_mcp.metadata import AppMetadata, FunctionsModule
from appfunctions_mcp.metadata_xml import parse_metadata
from appfunctions_mcp.names import tool_name_of
from tests.support.corpus import corpus
from tests.support.metadata_files import (
    ANDROIDX,
    RES_AUTO,
    metadata_text,
    write_metadata,
)

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "metadata" / "app_metadata.xml"


def faults_of(path: Path, *, modules: tuple[str, ...] = ()) -> list[str]:
    """The faults without the file's name, `LINE: text`."""
    with pytest.raises(MetadataXmlError) as caught:
        parse_metadata(path, modules=modules)
    assert all(fault.startswith(f"{path}:") for fault in caught.value.faults)
    return [fault.removeprefix(f"{path}:") for fault in caught.value.faults]


def written(folder: Path, text: str) -> Path:
    path = folder / "app_metadata.xml"
    path.write_text(text, encoding="utf-8")
    return path


REAL_FILES = {
    "chatapp.app_metadata.xml": (
        "Provides functions for managing chat conversations, searching contacts, sending messages, "
        "and initiating voice calls.\n"
        "Operational Patterns:\n"
        "- Always call 'searchContacts' first to resolve contact or group names to an "
        "'endpointValue' before calling 'send' or 'makeCall'.\n"
        "- Passing a blank query string to 'searchContacts' retrieves the most recently contacted "
        "entities.\n"
        "Constraints:\n"
        "- Message content cannot be empty or blank when calling 'send'.\n"
        "- Calls and messages must use valid endpointValue identifiers returned by "
        "'searchContacts'.\n"
        "- Image attachments are supported in 'send' via a list of content URIs."
    ),
    "chatapp-wear.app_metadata.xml": (
        "Provides functions for managing chat conversations on WearOS, searching contacts, sending "
        "messages, and initiating voice calls.\n"
        "Operational Patterns:\n"
        "- Always call 'searchContacts' first to resolve contact or group names to an "
        "'endpointValue' before calling 'send' or 'makeCall'.\n"
        "- Passing a blank query string to 'searchContacts' retrieves the most recently contacted "
        "entities.\n"
        "Constraints:\n"
        "- Message content cannot be empty or blank when calling 'send'.\n"
        "- Calls and messages must use valid endpointValue identifiers returned by "
        "'searchContacts'."
    ),
    "agent.app_metadata.xml": (
        "AppFunction Testing Agent provides location geocoding and test functions for AI agents "
        "and debugging.\n"
        "Operational Patterns:\n"
        "- Use 'geocodeAddress' to resolve physical address strings to latitude and longitude "
        "coordinates.\n"
        "- Use 'getCurrentLocation' to retrieve the device's current coordinates when permission "
        "is granted.\n"
        "Constraints:\n"
        "- Location retrieval requires location permissions to be granted by the user."
    ),
    "eastereggs.app_metadata.xml": (
        "This app provides access to all Android platform Easter eggs.\n"
        "Operational Patterns:\n"
        "- Use 'listEasterEggs' to discover all available Easter eggs with API levels and version "
        "names.\n"
        "- Use 'launchEasterEgg' with the apiLevel obtained from 'listEasterEggs' to open a "
        "specific egg.\n"
        "Constraints:\n"
        "- Eggs are read-only experiences; this app does not create or modify data."
    ),
    "phone-mcp.app_metadata.xml": (
        "Provides enabled Phone MCP tools to authorized on-device agents, including contacts, "
        "camera, location, sensor snapshots, bounded file access, and SMS. Tool switches and "
        "Android permissions apply. Direct SMS is available only in the full distribution and "
        "sends immediately; SMS intent prepares a message for user review."
    ),
}


@pytest.mark.parametrize(("name", "description"), REAL_FILES.items(), ids=REAL_FILES)
def test_a_real_app_s_description_keeps_its_lines(name: str, description: str) -> None:
    """F90."""
    metadata = parse_metadata(corpus("app_metadata", name))
    assert metadata.description == description
    assert metadata.name == "app"
    assert metadata.modules == ()


@pytest.mark.parametrize("app", ["chatapp", "chatapp-wear"])
def test_a_real_app_s_strings_are_found(tmp_path: Path, app: str) -> None:
    """F93."""
    (tmp_path / "res" / "xml").mkdir(parents=True)
    (tmp_path / "res" / "values").mkdir()
    document = tmp_path / "res" / "xml" / "app_metadata.xml"
    shutil.copy(corpus("app_metadata", f"{app}.app_metadata.xml"), document)
    shutil.copy(
        corpus("app_metadata", f"{app}.strings.xml"), tmp_path / "res" / "values" / "strings.xml"
    )
    metadata = parse_metadata(document)
    assert metadata.display_description == "AppFunctions Sample Chat App"
    assert metadata.warnings == ()


def test_android_s_own_test_of_the_two_names_is_read() -> None:
    """F89."""
    metadata = parse_metadata(corpus("android_xml", "instructions_and_legacy_app_metadata.xml"))
    assert metadata.description == "New instructions"
    assert metadata.display_description == "Legacy display description"


SHOPPING_LIST = (
    "Keeps a shopping list.\nOperational Patterns:\n- Use 'findItems' before 'updateItem'.\n"
    "Constraints:\n- Names are unique."
)
SYNTHETIC = {
    "01-multiline-attr": (
        SHOPPING_LIST,
        "Keep a list, don't lose it",
    ),
    "02-charref-newline": ('Line one\nLine two <b> & "q"', ""),
    "03-res-auto-ns": ("Old namespace", "Plain text, not a reference"),
    "04-other-prefix": ("Prefix must not matter", ""),
    "05-instructions-attr": ("Newer attribute name", "Keep a list, don't lose it"),
    "06-both-description-and-instructions": ("new", ""),
    "10-both-namespaces": ("from androidx", ""),
    "11-missing-string": ("ok", ""),
    "12-package-string-ref": ("  quoted   keeps   spaces  ", "Keep a list, don't lose it"),
    "27-android-escapes": ("Don't guess ids.\nAsk first. ✓ @handle ?", ""),
    "28-long-description": (("Rule text. " * 800).strip(), ""),
    "30-crlf": ("one\ntwo", ""),
}


@pytest.mark.parametrize(("name", "texts"), SYNTHETIC.items(), ids=SYNTHETIC)
def test_a_document_of_the_corpus_gives_its_texts(name: str, texts: tuple[str, str]) -> None:
    """F89, F90, F93."""
    folder = corpus("app_metadata", "synthetic")
    metadata = parse_metadata(folder / f"{name}.xml", resources=folder)
    assert (metadata.description, metadata.display_description) == texts
    assert len(metadata.warnings) == (name == "11-missing-string")


REFUSED = {
    "07-no-namespace-attrs": [
        "2: attribute 'description' has no namespace; write appfn:description with xmlns:appfn=",
        "2: attribute 'displayDescription' has no namespace; write appfn:displayDescription with ",
    ],
    "08-wrong-root-child-elements": [
        "2: the root element is <app-metadata>; accepted is <AppFunctionAppMetadata>",
        "3: <description> is a child element; the root takes attributes, not child elements, ",
        "6: <display-description> is a child element; the root takes attributes, not child ",
    ],
    "09-wrong-root-case": [
        "2: the root element is <appFunctionAppMetadata>; accepted is <AppFunctionAppMetadata>, sp"
    ],
    "21-xxe-file": ["2: a document type declaration (<!DOCTYPE …>) is not accepted"],
    "22-xxe-http-dtd": ["2: a document type declaration (<!DOCTYPE …>) is not accepted"],
    "23-billion-laughs": ["2: a document type declaration (<!DOCTYPE …>) is not accepted"],
    "24-small-laughs-700KB": ["2: a document type declaration (<!DOCTYPE …>) is not accepted"],
    "25-quadratic-blowup": ["2: a document type declaration (<!DOCTYPE …>) is not accepted"],
    "26-internal-entity-harmless": ["2: a document type declaration (<!DOCTYPE …>) is not "],
    "strings": ["2: the root element is <resources>; accepted is <AppFunctionAppMetadata>"],
}


@pytest.mark.parametrize(("name", "faults"), REFUSED.items(), ids=REFUSED)
def test_a_document_of_the_corpus_gives_its_error(name: str, faults: list[str]) -> None:
    """F89, F91."""
    found = faults_of(corpus("app_metadata", "synthetic", f"{name}.xml"))
    assert [text[: len(start)] for text, start in zip(found, faults, strict=True)] == faults


def test_every_document_of_the_corpus_is_tested() -> None:
    folder = corpus("app_metadata")
    assert {p.stem for p in (folder / "synthetic").glob("*.xml")} == {*SYNTHETIC, *REFUSED}
    assert {p.name for p in folder.glob("*.app_metadata.xml")} == {*REAL_FILES}


def test_a_document_in_utf_16_with_a_document_type_is_refused(tmp_path: Path) -> None:
    """F91."""
    path = tmp_path / "app_metadata.xml"
    path.write_text(
        metadata_text().replace("<AppF", "<!DOCTYPE x>\n<AppF", 1).replace("utf-8", "utf-16"),
        encoding="utf-16",
    )
    assert faults_of(path) == [
        "2: a document type declaration (<!DOCTYPE …>) is not accepted; remove it"
    ]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_line_breaks_of_the_description_are_kept(tmp_path: Path, ending: str) -> None:
    """F90."""
    text = metadata_text(
        'appfn:description="  Keeps   lists.\n\n\tRules:\n  -\ta  b  &#10;c&#13;&#10;  d \\n e\n  "'
    )
    path = tmp_path / "app_metadata.xml"
    path.write_bytes(text.replace("\n", ending).encode())
    assert parse_metadata(path).description == "Keeps lists.\n\nRules:\n- a b\nc\nd\ne"


WORDS = ("androidx:instructions", "auto:instructions", "androidx:description", "auto:description")


@pytest.mark.parametrize(
    "names",
    [names for size in (1, 2, 3, 4) for names in itertools.combinations(WORDS, size)],
    ids="+".join,
)
def test_instructions_win_over_description_and_androidx_over_res_auto(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    """F89."""
    attributes = " ".join(f'{name}="{name}"' for name in reversed(names))
    path = written(
        tmp_path,
        f'<AppFunctionAppMetadata xmlns:androidx="{ANDROIDX}" xmlns:auto="{RES_AUTO}" '
        f"{attributes}/>",
    )
    assert parse_metadata(path).description == names[0]


def test_display_description_prefers_androidx_too(tmp_path: Path) -> None:
    """F89."""
    path = write_metadata(
        tmp_path,
        'auto:displayDescription="old" appfn:displayDescription="new" auto:description="x"',
    )
    assert parse_metadata(path).display_description == "new"


@pytest.mark.parametrize(
    ("attributes", "fault"),
    [
        ("", "2: <AppFunctionAppMetadata> has no description; add appfn:description with xmlns:"),
        ('appfn:description=""', "5: appfn:description is empty; say what the app does"),
        ('appfn:description=" &#10; "', "5: appfn:description is empty; say what the app does"),
        ('appfn:instructions="" appfn:description="x"', "5: appfn:instructions is empty"),
        ('appfn:description="@null"', "5: appfn:description is empty; say what the app does"),
        ('xmlns:d="urn:d" d:description="x"', "2: <AppFunctionAppMetadata> has no description "),
        ('appfn:description="\\u12"', "5: appfn:description: '\\u12': four hexadecimal digits"),
    ],
)
def test_an_empty_or_missing_description_is_never_silent(
    tmp_path: Path, attributes: str, fault: str
) -> None:
    """F89."""
    (found,) = faults_of(write_metadata(tmp_path, attributes))
    assert found.startswith(fault)


def test_what_android_reads_otherwise_is_a_warning(tmp_path: Path) -> None:
    path = write_metadata(tmp_path, 'appfn:description="C:\\data"')
    (warning,) = parse_metadata(path).warnings
    assert warning.startswith(f"{path}:5: appfn:description: '\\d' is no escape, so its backslash")


def test_a_missing_description_names_what_was_found_instead(tmp_path: Path) -> None:
    """F89."""
    (fault,) = faults_of(write_metadata(tmp_path, 'xmlns:d="urn:d" d:description="x"'))
    assert "has no description (found: d:description); add appfn:description" in fault


@pytest.mark.parametrize(
    ("attributes", "fault"),
    [
        ('name="x"', "5: attribute 'name' has no namespace; write mcp:name with xmlns:mcp="),
        ('displaydescription="x"', "5: attribute 'displaydescription' has no namespace; write a"),
        ('colour="x"', "5: attribute 'colour' has no namespace; accepted are appfn:description, "),
        ('appfn:descriptions="x"', "5: unknown attribute 'appfn:descriptions'; perhaps appfn:des"),
        ('auto:display-description="x"', "5: unknown attribute 'auto:display-description'; write"),
        (
            'mcp:titles="x"',
            "5: <AppFunctionAppMetadata> has no attribute 'mcp:titles'; perhaps mcp:",
        ),
        ('mcp:colour="x"', "5: <AppFunctionAppMetadata> has no attribute 'mcp:colour'; accepted a"),
        (
            'xmlns:android="http://schemas.android.com/apk/res/android" android:description="x"',
            "5: android:description is in the namespace 'http://schemas.android.com/apk/res/android'",
        ),
        (
            'xmlns:m="urn:appfunctions-mcp:metadata:2" m:name="x"',
            "5: m:name is in the namespace 'urn:appfunctions-mcp:metadata:2'; accepted is urn:",
        ),
    ],
)
def test_an_attribute_that_would_be_lost_is_an_error(
    tmp_path: Path, attributes: str, fault: str
) -> None:
    """F89."""
    (found,) = faults_of(write_metadata(tmp_path, f'{attributes} appfn:description="x"'))
    assert found.startswith(fault)


def test_attributes_of_other_namespaces_are_let_be(tmp_path: Path) -> None:
    path = write_metadata(
        tmp_path,
        'appfn:description="x" xmlns:tools="http://schemas.android.com/tools" tools:ignore="All" '
        'xml:lang="en"',
        '<mcp:functions module="a" tools:ignore="All" />',
    )
    assert parse_metadata(path).modules == (FunctionsModule("a", line=6),)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("Keeps lists.\n", "2: text inside <AppFunctionAppMetadata>: 'Keeps lists.'; texts are "),
        ("<Display_Description/>", "6: <Display_Description> is a child element; the root takes"),
        ("<mcp:function-s/>", "6: unknown element <mcp:function-s>; perhaps mcp:functions or mcp:"),
        ("<mcp:colour/>", "6: unknown element <mcp:colour>; accepted are mcp:functions, mcp:func"),
        ("<functions/>", "6: unknown element <functions>; perhaps mcp:functions or mcp:function, "),
        ('<x:a xmlns:x="urn:x"/>', "6: unknown element <x:a>; accepted are mcp:functions, "),
        (
            '<m:limits xmlns:m="urn:appfunctions-mcp:metadata"/>',
            "6: <m:limits> is in the namespace 'urn:appfunctions-mcp:metadata'; accepted is urn:",
        ),
        ("<mcp:limits>x</mcp:limits>", "6: <mcp:limits> holds the text 'x'; it takes attributes"),
        ("<mcp:limits>\n<a/></mcp:limits>", "7: <mcp:limits> holds <a>; it takes attributes only"),
        (
            '<mcp:limits\n mcp:maxConcurrent="1"/>',
            "7: <mcp:limits> has 'mcp:maxConcurrent'; write its attributes without a prefix: max",
        ),
        ('<mcp:limits maxCalls="1"/>', "6: <mcp:limits> has no attribute 'maxCalls'; "),
    ],
)
def test_what_stands_inside_in_another_shape_is_an_error(
    tmp_path: Path, content: str, fault: str
) -> None:
    """F89."""
    (found,) = faults_of(write_metadata(tmp_path, content=content))
    assert found.startswith(fault)


def test_a_long_name_is_cut_in_the_fault(tmp_path: Path) -> None:
    (fault,) = faults_of(write_metadata(tmp_path, content=f"<mcp:{'x' * 10_000}/>"))
    assert len(fault) < 300


def test_a_root_in_a_namespace_is_an_error(tmp_path: Path) -> None:
    text = metadata_text().replace("xmlns:appfn=", 'xmlns="urn:x" xmlns:appfn=')
    (fault,) = faults_of(written(tmp_path, text))
    assert fault.startswith("2: the root element is <AppFunctionAppMetadata>; accepted is ")
    assert fault.endswith("without a namespace; found is the namespace 'urn:x'")


def test_all_faults_come_in_one_report_by_line(tmp_path: Path) -> None:
    path = write_metadata(
        tmp_path,
        'mcp:manifest="yes"\n  mcp:names="x"',
        '<mcp:limits timeoutSeconds="0"/>\n<description/>\n<mcp:functions/>\n'
        '<mcp:function id="a#b" readOnly="1" destructive="TRUE"/>\n',
    )
    assert [int(fault.partition(":")[0]) for fault in faults_of(path)] == [5, 6, 7, 8, 9, 10, 10]


def test_a_hostile_number_of_faults_ends_soon(tmp_path: Path) -> None:
    path = write_metadata(tmp_path, content="".join(f"<mcp:x{n}/>" for n in range(50_000)))
    faults = faults_of(path)
    assert len(faults) == 101
    path = write_metadata(tmp_path, " ".join(f'appfn:x{n}=""' for n in range(20_000)))
    assert len(faults_of(path)) == 101
    assert faults[-1] == "1: more than 100 faults; the rest is left out"


def test_the_root_s_own_attributes_have_their_values(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    path = write_metadata(
        tmp_path,
        'appfn:description="x" mcp:name="my.app-1_x" mcp:title=" My\n  app " '
        'mcp:version="1.2.0rc1" mcp:websiteUrl="https://example.com/a?b" mcp:pythonPath="code" '
        'mcp:optionalDefaults="declared" mcp:unknownArguments="warn" mcp:manifest="off" '
        'mcp:package="com.example.my_app"',
    )
    assert parse_metadata(path, locale="ru") == AppMetadata(
        name="my.app-1_x",
        description="x",
        title="My app",
        version="1.2.0rc1",
        website_url="https://example.com/a?b",
        package="com.example.my_app",
        path=path,
        locale="ru",
        python_path=tmp_path / "code",
        optional_defaults="declared",
        unknown_arguments="warn",
        manifest=False,
        sources=(path,),
    )


def test_android_s_file_alone_has_defaults(tmp_path: Path) -> None:
    path = write_metadata(tmp_path)
    assert parse_metadata(path) == AppMetadata(
        name="app", description="Keeps lists.", path=path, python_path=tmp_path, sources=(path,)
    )


@pytest.mark.parametrize(
    ("attribute", "fault"),
    [
        (
            'mcp:name="my app"',
            "mcp:name of <AppFunctionAppMetadata> is 'my app'; accepted is up to",
        ),
        ('mcp:name=".hidden"', "is '.hidden'; accepted is up to 64 letters"),
        ('mcp:name="заметки"', "is 'заметки'; accepted is up to 64 letters"),
        (f'mcp:name="{"x" * 65}"', "accepted is up to 64 letters"),
        ('mcp:name=""', "is ''; accepted is up to 64 letters"),
        ('mcp:name="@string/app_name"', "accepted is a value of its own, not a reference to a "),
        ('mcp:version="1 0"', "accepted is up to 64 characters without blanks"),
        ('mcp:websiteUrl="example.com"', "accepted is an address that begins with https://"),
        ('mcp:pythonPath="missing"', "accepted is an existing folder; there is none at "),
        ('mcp:optionalDefaults="none"', "accepted is 'type' or 'declared'"),
        ('mcp:unknownArguments="allow"', "accepted is 'refuse', 'warn' or 'ignore'"),
        ('mcp:manifest="true"', "accepted is 'on' or 'off'"),
        ('mcp:package="com.1st"', "accepted is the name of an Android package, such as "),
        (f'mcp:package="{"x" * 224}"', "accepted is the name of an Android package, such as "),
    ],
)
def test_a_value_that_is_not_accepted_names_what_is(
    tmp_path: Path, attribute: str, fault: str
) -> None:
    (found,) = faults_of(write_metadata(tmp_path, f'appfn:description="x"\n{attribute}'))
    assert found.startswith("6: ")
    assert fault in found


def test_the_name_defaults_to_the_last_part_of_the_first_module(tmp_path: Path) -> None:
    content = '<mcp:functions module="a.first" /><mcp:functions module="b" />'
    assert parse_metadata(write_metadata(tmp_path, content=content)).name == "first"
    path = write_metadata(tmp_path)
    assert parse_metadata(path, modules=["pack.given", "other"]).name == "given"
    (fault,) = faults_of(path, modules=("заметки",))
    assert fault.startswith("2: module 'заметки' gives no name for the server; add mcp:name, up to")


def test_modules_that_are_given_join_those_of_the_file(tmp_path: Path) -> None:
    path = write_metadata(
        tmp_path,
        content='<mcp:functions module="a" prefix="x" onError="skip" /><mcp:functions module="b"/>',
    )
    metadata = parse_metadata(path, modules=["b:y", "a", "pack.c:z", "pack.c:z", "d"])
    assert metadata.modules == (
        FunctionsModule("a", "x", on_error="skip", line=6),
        FunctionsModule("b", "y", line=6),
        FunctionsModule("pack.c", "z"),
        FunctionsModule("d"),
    )


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ("a b", "1: module 'a b' is not accepted; accepted is the full name of a Python module"),
        ("", "1: module '' is not accepted; accepted is the full name of a Python module"),
        ("a:", "1: module 'a:' is not accepted; accepted is up to 62 letters A to Z"),
        ("a:1", "1: module 'a:1' is not accepted; accepted is up to 62 letters A to Z"),
        ("./a.py", "1: module './a.py' is not accepted; accepted is the full name of"),
    ],
)
def test_a_module_that_is_given_wrongly_is_an_error(tmp_path: Path, given: str, fault: str) -> None:
    (found,) = faults_of(write_metadata(tmp_path), modules=(given,))
    assert found.startswith(fault)


def test_a_module_given_with_two_prefixes_is_an_error(tmp_path: Path) -> None:
    faults = faults_of(write_metadata(tmp_path), modules=("a:x", "a:y"))
    assert faults == ["1: module 'a' is given with two prefixes; give one"]


def test_paths_are_relative_to_the_file_wherever_it_is_read_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F103."""
    folder = tmp_path / "metadata"
    folder.mkdir()
    path = write_metadata(folder, 'appfn:description="x" mcp:pythonPath=".."')
    monkeypatch.chdir(tmp_path)
    metadata = parse_metadata(Path("metadata/../metadata/app_metadata.xml"))
    assert (metadata.path, metadata.python_path) == (path, tmp_path)


def test_only_the_one_error_comes_of_a_path_that_is_no_file(tmp_path: Path) -> None:
    """F91, F105."""
    for path in (tmp_path, tmp_path / "missing.xml", tmp_path / "a\0b", tmp_path / ("x" * 5000)):
        (fault,) = faults_of(path)
        assert fault.startswith("1: ")


def test_the_sample_s_metadata_is_read_in_both_languages() -> None:
    english, russian = parse_metadata(SAMPLE), parse_metadata(SAMPLE, locale="ru")
    assert english.warnings == russian.warnings == ()
    assert (english.name, english.version, english.lifespan) == (
        "notes",
        "1.0.0",
        "sample_app.storage:open_database",
    )
    assert english.python_path == ROOT
    assert (english.title, russian.title) == ("Notes", "Заметки")
    assert russian.display_description.startswith("Ваши заметки")
    assert [setting.title for setting in russian.settings] == ["Файл заметок"]
    lines = english.description.splitlines()
    assert lines[0].startswith("Manages personal notes")
    assert {"Operational Patterns:", "Constraints:"} < set(lines)


def test_the_sample_s_description_names_functions_that_exist() -> None:
    metadata = parse_metadata(SAMPLE)
    names: set[str] = set()
    for module in metadata.modules:
        source = ROOT.joinpath(*module.module.split(".")).with_suffix(".py")
        names.update(
            tool_name_of(f"{module.module}#{node.name}", module.prefix)
            for node in ast.parse(source.read_text(encoding="utf-8")).body
            if isinstance(node, ast.FunctionDef) and node.decorator_list
        )
    named = set(re.findall(r"'(\w+)'", metadata.description))
    assert named <= names
    assert len(named) >= 7


@given(st.binary(max_size=200), st.integers(0, 600))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_only_the_one_error_comes_of_a_damaged_document(
    tmp_path: Path, noise: bytes, position: int
) -> None:
    """F91."""
    content = metadata_text(content='<mcp:functions module="a" prefix="b"/>').encode()
    path = tmp_path / "app_metadata.xml"
    path.write_bytes(content[:position] + noise + content[position + len(noise) :])
    assert_one_error(path)


_VALUE = st.text(st.characters(codec="utf-8", exclude_characters='<&"\0'), max_size=30)


@given(st.data(), _VALUE, _VALUE, _VALUE)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_only_the_one_error_comes_of_any_values(
    tmp_path: Path, data: st.DataObject, first: str, second: str, third: str
) -> None:
    """F91."""
    root = data.draw(
        st.sampled_from(["name", "title", "version", "websiteUrl", "pythonPath", "package"])
    )
    element, attributes = data.draw(
        st.sampled_from(
            [
                ("functions", ("module", "prefix")),
                ("function", ("id", "timeoutSeconds")),
                ("setting", ("name", "default")),
                ("limits", ("maxConcurrent", "callsPerMinute")),
                ("lifespan", ("target", "x")),
                ("dependsOn", ("src", "x")),
                ("icon", ("src", "sizes")),
                ("lint", ("ignore", "function")),
            ]
        )
    )
    content = f'<mcp:{element} {attributes[0]}="{second}" {attributes[1]}="{third}"/>'
    path = tmp_path / "app_metadata.xml"
    path.write_text(
        metadata_text(f'appfn:description="{first}" mcp:{root}="{first}"', content),
        encoding="utf-8",
    )
    assert_one_error(path)


def assert_one_error(path: Path) -> None:
    faults: tuple[str, ...] = ()
    try:
        assert parse_metadata(path).description.strip()
    except MetadataXmlError as error:
        faults = error.faults
    assert all(re.match(re.escape(str(path)) + r":\d+: [^\n]+\Z", fault) for fault in faults)
