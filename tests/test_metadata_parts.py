"""The elements of our namespace inside the metadata document."""

from pathlib import Path

import pytest

from appfunctions_mcp.exceptions import MetadataXmlError
from appfunctions_mcp.metadata import (
    AppIcon,
    AppMetadata,
    AppSetting,
    ExecutionLimits,
    FunctionOverride,
    FunctionsModule,
    LintIgnore,
)
from appfunctions_mcp.metadata_xml import parse_metadata
from tests.support.metadata_files import write_metadata, write_strings


def read(folder: Path, content: str) -> AppMetadata:
    return parse_metadata(write_metadata(folder, content=content))


def faults_of(folder: Path, content: str) -> list[str]:
    """The faults, `LINE: text`, where the content begins in line 6."""
    path = write_metadata(folder, content=content)
    with pytest.raises(MetadataXmlError) as caught:
        parse_metadata(path)
    return [fault.removeprefix(f"{path}:") for fault in caught.value.faults]


def test_functions_name_modules_in_order(tmp_path: Path) -> None:
    content = (
        '<mcp:functions module="b.c" />\n'
        '<mcp:functions module="a" prefix="x-1" optionalDefaults="declared" onError="skip" />\n'
    )
    assert read(tmp_path, content).modules == (
        FunctionsModule("b.c", line=6),
        FunctionsModule("a", "x-1", "declared", "skip", line=7),
    )


def test_function_overrides_only_what_it_names(tmp_path: Path) -> None:
    content = (
        '<mcp:function id="a#b" enabledByDefault="false" requiresConfirmation="true" '
        'timeoutSeconds="0.5" title=" The\n title " description="One.\n  - Two." readOnly="true" '
        'destructive="false" idempotent="true" openWorld="false" access="notes:write" />\n'
        '<mcp:function id="com.example.Notes#createNote" />\n'
    )
    assert read(tmp_path, content).overrides == (
        FunctionOverride(
            "a#b",
            title="The title",
            description="One.\n- Two.",
            enabled_by_default=False,
            read_only=True,
            destructive=False,
            idempotent=True,
            open_world=False,
            requires_confirmation=True,
            timeout_seconds=0.5,
            access="notes:write",
            line=6,
        ),
        FunctionOverride("com.example.Notes#createNote", line=9),
    )


def test_setting_has_defaults_and_resolved_texts(tmp_path: Path) -> None:
    write_strings(tmp_path / "values", '<string name="t">Key</string>')
    content = (
        '<mcp:setting name="A" />\n'
        '<mcp:setting name="API_KEY" type="string" title="@string/t" description="x\n y" '
        'required="true" sensitive="true" default=" C:\\new &lt;b> " />\n'
    )
    assert read(tmp_path, content).settings == (
        AppSetting("A", line=6),
        AppSetting(
            "API_KEY",
            title="Key",
            description="x\ny",
            required=True,
            sensitive=True,
            default="C:\\new <b>",
            line=7,
        ),
    )


def test_a_setting_s_path_is_relative_to_the_file(tmp_path: Path) -> None:
    """F103."""
    content = (
        '<mcp:setting name="A" type="file" default="data/x.db" />'
        '<mcp:setting name="B" type="directory" default="~/notes" />'
        '<mcp:setting name="C" type="number" default="-1.5" />'
        '<mcp:setting name="D" type="boolean" default="false" />'
    )
    assert [setting.default for setting in read(tmp_path, content).settings] == [
        str(tmp_path / "data" / "x.db"),
        "~/notes",
        "-1.5",
        "false",
    ]


def test_limits_that_are_left_out_keep_their_defaults(tmp_path: Path) -> None:
    content = (
        '<mcp:limits timeoutSeconds="1.5" maxConcurrent="2" callsPerMinute="0" '
        'maxResultBytes="10" />'
    )
    assert read(tmp_path, content).limits == ExecutionLimits(
        timeout_seconds=1.5, max_concurrent=2, calls_per_minute=0, max_result_bytes=10
    )
    assert read(tmp_path, '<mcp:limits callsPerMinute="60" />').limits == ExecutionLimits(
        calls_per_minute=60
    )


def test_lifespan_and_its_line_are_kept(tmp_path: Path) -> None:
    metadata = read(tmp_path, '\n<mcp:lifespan target="pack.storage:open_database" />')
    assert (metadata.lifespan, metadata.lifespan_line) == ("pack.storage:open_database", 7)


def test_rules_that_stand_ignored_are_kept_with_their_lines(tmp_path: Path) -> None:
    content = '<mcp:lint ignore="AF012, AF100" />\n<mcp:lint function="a#b" ignore="AF012" />'
    assert read(tmp_path, content).lint_ignores == (
        LintIgnore(("AF012", "AF100"), line=6),
        LintIgnore(("AF012",), "a#b", line=7),
    )


def test_files_are_resolved_by_the_metadata_file(tmp_path: Path) -> None:
    """F103."""
    (tmp_path / "rules.json").write_text("{}", encoding="utf-8")
    (tmp_path / "icon one.png").write_bytes(b"")
    content = (
        '<mcp:dependsOn src="rules.json" /><mcp:dependsOn src="./rules.json" />'
        '<mcp:icon src="icon one.png" mimeType="image/png" sizes="64x64 any" />'
        '<mcp:icon src="https://example.com/i.svg" mimeType="image/svg+xml" />'
        '<mcp:icon src="data:image/png;base64,AAAA" />'
    )
    metadata = read(tmp_path, content)
    assert metadata.depends_on == (tmp_path / "rules.json",)
    assert metadata.icons == (
        AppIcon(str(tmp_path / "icon one.png"), "image/png", "64x64 any"),
        AppIcon("https://example.com/i.svg", "image/svg+xml"),
        AppIcon("data:image/png;base64,AAAA"),
    )


@pytest.mark.parametrize(
    ("element", "attribute"),
    [
        ("functions", "module"),
        ("function", "id"),
        ("setting", "name"),
        ("lifespan", "target"),
        ("dependsOn", "src"),
        ("icon", "src"),
        ("lint", "ignore"),
    ],
)
def test_what_an_element_needs_is_asked_for(tmp_path: Path, element: str, attribute: str) -> None:
    assert faults_of(tmp_path, f"<mcp:{element} />") == [
        f"6: <mcp:{element}> has no {attribute}; add it"
    ]


@pytest.mark.parametrize(
    ("first", "second", "fault"),
    [
        ('functions module="a"', 'functions module="a" prefix="b"', "<mcp:functions> for 'a'"),
        ('function id="a#b"', 'function id="a#b"', "<mcp:function> for 'a#b'"),
        ('setting name="A"', 'setting name="a"', "<mcp:setting> for 'a'"),
        ("limits", "limits", "<mcp:limits>"),
        ('lifespan target="a:b"', 'lifespan target="c:d"', "<mcp:lifespan>"),
    ],
)
def test_what_stands_twice_is_an_error_with_both_lines(
    tmp_path: Path, first: str, second: str, fault: str
) -> None:
    assert faults_of(tmp_path, f"<mcp:{first}/>\n<mcp:{second}/>") == [
        f"7: a second {fault}; the first is in line 6, keep one"
    ]


@pytest.mark.parametrize(
    ("element", "attribute", "value", "accepted"),
    [
        ("functions", "module", "a..b", "the full name of a Python module"),
        ("functions", "module", "notes.py ", ""),
        ("functions", "module", "my-notes", "the full name of a Python module"),
        ("functions", "module", "", "the full name of a Python module"),
        ("functions", "prefix", "1", "up to 62 letters A to Z, digits, '-' and '_', beginning"),
        ("functions", "optionalDefaults", "Type", "'type' or 'declared'"),
        ("functions", "onError", "ignore", "'fail' or 'skip'"),
        ("function", "id", "a b", "a function's id, such as 'package.module#function'"),
        ("function", "enabledByDefault", "no", "'true' or 'false'"),
        ("function", "readOnly", "1", "'true' or 'false'"),
        ("function", "timeoutSeconds", "0", "a number of seconds above 0, at most 1000000"),
        ("function", "timeoutSeconds", "1e3", "a number of seconds above 0, at most 1000000"),
        ("function", "timeoutSeconds", "inf", "a number of seconds above 0, at most 1000000"),
        ("function", "timeoutSeconds", "1000001", "a number of seconds above 0, at most 1000000"),
        ("function", "timeoutSeconds", "٣", "a number of seconds above 0, at most 1000000"),
        ("function", "access", "two scopes", "one scope, without blanks"),
        ("setting", "name", "NOTES-DB", "the name of an environment variable: letters A to Z"),
        ("setting", "name", "1A", "the name of an environment variable: letters A to Z"),
        ("setting", "name", "appfunctions_x", "a name that does not begin with APPFUNCTIONS_"),
        ("setting", "type", "integer", "'string', 'number', 'boolean', 'file' or 'directory'"),
        ("setting", "required", "yes", "'true' or 'false'"),
        ("setting", "default", "@string/x", "a value of its own, not a reference to a string"),
        ("limits", "timeoutSeconds", "-1", "a number of seconds above 0, at most 1000000"),
        ("limits", "maxConcurrent", "0", "a whole number from 1 to 2147483647"),
        ("limits", "maxConcurrent", "2.5", "a whole number from 1 to 2147483647"),
        ("limits", "maxConcurrent", "2147483648", "a whole number from 1 to 2147483647"),
        ("limits", "callsPerMinute", "-1", "a whole number from 0 to 2147483647"),
        ("limits", "maxResultBytes", "1 MB", "a whole number from 1 to 2147483647"),
        ("lifespan", "target", "pack.storage", "'package.module:name'"),
        ("lifespan", "target", "pack.storage:", "'package.module:name'"),
        ("lifespan", "target", "pack/storage:open", "'package.module:name'"),
        ("dependsOn", "src", "missing.json", "an existing file; there is none at "),
        ("dependsOn", "src", ".", "an existing file; there is none at "),
        ("icon", "src", "missing.png", "an existing file; there is none at "),
        ("icon", "src", "file:///icon.png", "a file, an https:// or http:// address, or a data:"),
        ("icon", "mimeType", "png", "a media type such as 'image/png'"),
        ("icon", "sizes", "64", "sizes such as '64x64'"),
        ("lint", "ignore", "AF12", "the ids of rules such as 'AF012'"),
        ("lint", "ignore", "description-missing", "the ids of rules such as 'AF012'"),
        ("lint", "ignore", " ", "the ids of rules such as 'AF012'"),
        ("lint", "function", "a b", "a function's id, such as 'package.module#function'"),
    ],
)
def test_a_value_that_is_not_accepted_names_what_is(
    tmp_path: Path, element: str, attribute: str, value: str, accepted: str
) -> None:
    needed = {
        "functions": 'module="m"',
        "function": 'id="a#b"',
        "setting": 'name="S"',
        "lifespan": 'target="a:b"',
        "icon": 'src="https://example.com/i"',
        "lint": 'ignore="AF012"',
    }.get(element, "")
    others = "" if needed.startswith(f"{attribute}=") else needed
    content = f'<mcp:{element} {others}\n {attribute}="{value}" />'
    if not accepted:
        assert read(tmp_path, content).modules[0].module == value.strip()
        return
    (fault,) = faults_of(tmp_path, content)
    assert fault.startswith(f"7: {attribute} of <mcp:{element}> is ")
    assert f"; accepted is {accepted}" in fault


@pytest.mark.parametrize(
    ("kind", "value", "accepted"),
    [("number", "many", "a number"), ("boolean", "yes", "'true' or 'false'")],
)
def test_a_setting_s_default_fits_its_type(
    tmp_path: Path, kind: str, value: str, accepted: str
) -> None:
    content = f'<mcp:setting name="S" type="{kind}" default="{value}" />'
    assert faults_of(tmp_path, content) == [
        f"6: default of <mcp:setting> is '{value}'; accepted is {accepted}"
    ]


@pytest.mark.parametrize(
    ("element", "wrong", "nearest"),
    [
        ('functions module="a"', "Prefix", "prefix"),
        ('function id="a#b"', "enabled", "enabledByDefault"),
        ('function id="a#b"', "read-only", "readOnly"),
        ('setting name="A"', "secret", "name"),
        ("limits", "timeout", "timeoutSeconds"),
        ('icon src="https://example.com/i"', "mimetype", "mimeType"),
    ],
)
def test_an_unknown_attribute_names_the_nearest(
    tmp_path: Path, element: str, wrong: str, nearest: str
) -> None:
    (fault,) = faults_of(tmp_path, f'<mcp:{element} {wrong}="x" />')
    name = element.partition(" ")[0]
    assert fault.startswith(f"6: <mcp:{name}> has no attribute '{wrong}'; ")
    assert nearest in fault.partition(";")[2]
