"""Strings of `values*/` folders, found through a metadata file."""

import os
import re
import shutil
from pathlib import Path

import pytest

from appfunctions_mcp.exceptions import MetadataXmlError
from appfunctions_mcp.metadata_xml import parse_metadata
from tests.support.corpus import corpus
from tests.support.metadata_files import write_metadata, write_strings

SHOWN = 'appfn:description="x" appfn:displayDescription="@string/shown"'


def described(folder: Path, reference: str, locale: str | None = None) -> str:
    path = write_metadata(folder, f'appfn:description="{reference}"')
    return parse_metadata(path, locale=locale).description


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("shown", "Keep a list, don't lose it"),
        ("desc", "  quoted   keeps   spaces  "),
        ("html", "Bold text and %1$d items"),
        ("cdata", "a < b & c"),
        ("at", "@notaref"),
        ("ref", "Keep a list, don't lose it"),
    ],
)
def test_the_strings_of_the_corpus_have_their_values(tmp_path: Path, name: str, text: str) -> None:
    """F93."""
    values = tmp_path / "values"
    values.mkdir()
    shutil.copy(corpus("app_metadata", "synthetic", "strings.xml"), values)
    assert described(tmp_path, f"@string/{name}") == text
    assert described(tmp_path, f"@com.example.notes:string/{name}") == text


def test_an_empty_string_and_a_cycle_of_the_corpus_are_errors(tmp_path: Path) -> None:
    """F93."""
    values = tmp_path / "values"
    values.mkdir()
    shutil.copy(corpus("app_metadata", "synthetic", "strings.xml"), values)
    with pytest.raises(MetadataXmlError, match=r"app_metadata\.xml:5: appfn:description is empty"):
        described(tmp_path, "@string/empty")
    with pytest.raises(MetadataXmlError, match="'loop_a → loop_b → loop_a' is a cycle"):
        described(tmp_path, "@string/loop_a")


def test_a_cycle_is_an_error_for_people_s_text_too(tmp_path: Path) -> None:
    """F93."""
    write_strings(tmp_path / "values", '<string name="shown">@string/shown</string>')
    with pytest.raises(MetadataXmlError, match="'shown → shown' is a cycle"):
        parse_metadata(write_metadata(tmp_path, SHOWN))


def test_an_unresolved_text_for_people_is_empty_with_one_warning(tmp_path: Path) -> None:
    """F93."""
    path = write_metadata(tmp_path, SHOWN)
    metadata = parse_metadata(path)
    assert metadata.display_description == ""
    (warning,) = metadata.warnings
    assert warning.startswith(f"{path}:5: appfn:displayDescription is '@string/shown', but ")
    assert str(tmp_path / "values" / "strings.xml") in warning


def test_an_alias_of_nothing_is_unresolved_too(tmp_path: Path) -> None:
    strings = write_strings(tmp_path / "values", '<string name="shown">@string/gone</string>')
    (warning,) = parse_metadata(write_metadata(tmp_path, SHOWN)).warnings
    assert f"no <string> named 'gone' ('shown → gone') was found; looked in {strings}" in warning


@pytest.mark.parametrize("attribute", ["appfn:description", "appfn:instructions"])
def test_any_other_unresolved_name_is_an_error(tmp_path: Path, attribute: str) -> None:
    """F93."""
    with pytest.raises(MetadataXmlError, match=f":5: {attribute} is '@string/x', but no <string>"):
        parse_metadata(write_metadata(tmp_path, f'{attribute}="@string/x"'))


def test_every_unresolved_name_is_reported(tmp_path: Path) -> None:
    content = (
        '<mcp:function id="a#b" title="@string/t" description="@string/d"/>\n'
        '<mcp:setting name="S" title="@string/st" description="@string/sd"/>\n'
    )
    path = write_metadata(tmp_path, 'appfn:description="x" mcp:title="@string/a"', content)
    with pytest.raises(MetadataXmlError) as caught:
        parse_metadata(path)
    assert [re.findall(r":(\d+): .*'@string/(\w+)'", f)[0] for f in caught.value.faults] == [
        ("5", "a"),
        ("6", "t"),
        ("6", "d"),
        ("7", "st"),
        ("7", "sd"),
    ]


@pytest.mark.parametrize(
    "reference",
    ["@string/", "@string/two words", "@string/a/b", "@drawable/icon", "@com.x:drawable/icon"],
)
def test_a_reference_to_something_else_is_an_error(tmp_path: Path, reference: str) -> None:
    """F93: the reference itself is never shown."""
    with pytest.raises(MetadataXmlError, match="is no reference to a string; '@string/NAME' is"):
        described(tmp_path, reference)


@pytest.mark.parametrize("text", ["@scope/name", "@everyone", "@", "ask @string/x", "@handle/x y"])
def test_a_text_that_only_begins_like_a_reference_stays(tmp_path: Path, text: str) -> None:
    assert described(tmp_path, text) == text


def test_an_escaped_reference_is_text(tmp_path: Path) -> None:
    """F93."""
    assert described(tmp_path, r"\@string/x") == "@string/x"


@pytest.mark.parametrize("nothing", ["@null", "@empty"])
def test_android_s_words_for_nothing_are_no_text(tmp_path: Path, nothing: str) -> None:
    write_strings(tmp_path / "values", f'<string name="shown">{nothing}</string>')
    metadata = parse_metadata(write_metadata(tmp_path, f'{SHOWN} mcp:title="{nothing}"'))
    assert (metadata.display_description, metadata.title) == ("", None)
    assert metadata.warnings == ()


def test_folders_by_the_file_come_before_those_above(tmp_path: Path) -> None:
    """Android's `res/xml/app_metadata.xml` has its strings in `res/values/`."""
    write_strings(tmp_path / "values", '<string name="a">above</string>')
    folder = tmp_path / "xml"
    folder.mkdir()
    assert described(folder, "@string/a") == "above"
    write_strings(folder / "values", '<string name="a">beside</string>')
    assert described(folder, "@string/a") == "beside"


def test_a_file_in_the_current_folder_finds_its_strings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_strings(tmp_path / "values", '<string name="a">above</string>')
    (tmp_path / "xml").mkdir()
    write_metadata(tmp_path / "xml", 'appfn:description="@string/a"')
    monkeypatch.chdir(tmp_path / "xml")
    metadata = parse_metadata(Path("app_metadata.xml"))
    assert metadata.description == "above"
    assert metadata.sources == (
        tmp_path / "xml" / "app_metadata.xml",
        tmp_path / "values" / "strings.xml",
    )


LOCALES = [
    (None, "default"),
    ("", "default"),
    ("ru", "ru"),
    ("RU", "ru"),
    ("ru-RU", "ru"),
    ("ru_RU.UTF-8", "ru"),
    ("pt", "default"),
    ("pt-BR", "pt-rBR"),
    ("pt_BR", "pt-rBR"),
    ("pt-PT", "default"),
    ("he", "iw"),
    ("sr-Latn-RS", "b+sr+Latn"),
    ("es-419", "b+es+419"),
    ("de-CH", "de"),
    ("fr", "default"),
]


@pytest.mark.parametrize(("locale", "expected"), LOCALES)
def test_a_locale_picks_its_folders_first(
    tmp_path: Path, locale: str | None, expected: str
) -> None:
    """Android's order: language and region, language, default."""
    for folder in ("ru", "pt-rBR", "iw", "b+sr+Latn", "b+es+419", "de"):
        write_strings(tmp_path / f"values-{folder}", f'<string name="a">{folder}</string>')
    write_strings(tmp_path / "values-night", '<string name="a">never</string>')
    write_strings(tmp_path / "values", '<string name="a">default</string>')
    assert described(tmp_path, "@string/a", locale) == expected


def test_each_string_falls_back_by_itself(tmp_path: Path) -> None:
    write_strings(tmp_path / "values-ru", '<string name="a">@string/b</string>')
    write_strings(
        tmp_path / "values", '<string name="a">a</string><string name="b">fallback</string>'
    )
    assert described(tmp_path, "@string/a", "ru") == "fallback"


def test_a_locale_that_is_none_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MetadataXmlError, match=r":1: locale 'русский' is not accepted; write a"):
        described(tmp_path, "x", "русский")


def test_a_resources_folder_replaces_those_by_the_file(tmp_path: Path) -> None:
    write_strings(tmp_path / "values", '<string name="shown">beside</string>')
    res = tmp_path / "res"
    write_strings(res / "values", '<string name="shown">given</string>')
    write_strings(res / "values-ru", '<string name="shown">данная</string>')
    path = write_metadata(tmp_path, SHOWN)

    def shown(resources: Path, locale: str | None = None) -> str:
        return parse_metadata(path, resources=resources, locale=locale).display_description

    assert shown(res) == "given"
    assert shown(res, "ru") == "данная"
    assert shown(res / "values") == "given"
    assert shown(res / "values", "ru") == "данная"
    assert shown(res / "values-ru") == "данная"
    write_strings(tmp_path / "loose", '<string name="shown">loose</string>')
    assert shown(tmp_path / "loose") == "loose"


@pytest.mark.parametrize("name", ["missing", "empty", "a\0b"])
def test_a_resources_folder_without_strings_is_an_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(MetadataXmlError, match=r":1: resources folder .* is not accepted; name a"):
        parse_metadata(write_metadata(tmp_path), resources=tmp_path / name)


def test_items_and_default_products_count_other_resources_do_not(tmp_path: Path) -> None:
    write_strings(
        tmp_path / "values",
        '<item type="string" name="a">item</item><item type="id" name="a"/>'
        '<color name="a">#fff</color><string>nameless</string>'
        '<string name="b" product="tablet">tablet</string>'
        '<string name="b" product="default">phone</string>',
    )
    assert described(tmp_path, "@string/a") == "item"
    assert described(tmp_path, "@string/b") == "phone"


def test_all_files_of_a_folder_are_read(tmp_path: Path) -> None:
    write_strings(tmp_path / "values", '<string name="a">one</string>', file="a.xml")
    write_strings(tmp_path / "values", '<string name="b">two</string>', file="z.xml")
    (tmp_path / "values" / "notes.txt").write_text("no XML", encoding="utf-8")
    path = write_metadata(tmp_path, 'appfn:description="@string/b"')
    metadata = parse_metadata(path)
    assert metadata.description == "two"
    assert [source.name for source in metadata.sources] == ["app_metadata.xml", "a.xml", "z.xml"]


def test_nothing_is_read_without_a_reference(tmp_path: Path) -> None:
    write_strings(tmp_path / "values", "<broken")
    assert parse_metadata(write_metadata(tmp_path)).sources == (tmp_path / "app_metadata.xml",)


@pytest.mark.parametrize(
    ("strings", "fault"),
    [
        ("<broken", ":3: not well-formed XML"),
        ('<string name="a">x</string>\n<string name="a">y</string>', ":3: string 'a' is already "),
        ('\n<string name="a">\\u12</string>', ":3: string 'a': '\\u12<': four"[:18]),
    ],
)
def test_a_fault_of_a_string_file_names_that_file_and_line(
    tmp_path: Path, strings: str, fault: str
) -> None:
    path = write_strings(tmp_path / "values", strings)
    with pytest.raises(MetadataXmlError) as caught:
        described(tmp_path, "@string/a")
    assert any(text.startswith(f"{path}{fault}") for text in caught.value.faults)


def test_a_string_file_is_as_safe_as_the_document(tmp_path: Path) -> None:
    """F91."""
    (tmp_path / "values").mkdir()
    path = tmp_path / "values" / "strings.xml"
    path.write_text('<!DOCTYPE a [<!ENTITY x "y">]><resources/>', encoding="utf-16")
    with pytest.raises(MetadataXmlError, match=r"strings\.xml:1: a document type declaration"):
        described(tmp_path, "@string/a")


def test_a_file_with_another_root_holds_no_strings(tmp_path: Path) -> None:
    (tmp_path / "values").mkdir()
    (tmp_path / "values" / "strings.xml").write_text("<strings/>", encoding="utf-8")
    with pytest.raises(MetadataXmlError, match=r"strings\.xml:1: the root element is <strings>"):
        described(tmp_path, "@string/a")


def test_what_android_reads_otherwise_is_a_warning_of_the_string(tmp_path: Path) -> None:
    path = write_strings(tmp_path / "values", '<string name="a">don\'t</string>')
    metadata = parse_metadata(write_metadata(tmp_path, 'appfn:description="@string/a"'))
    assert metadata.description == "don't"
    (warning,) = metadata.warnings
    assert warning.startswith(f"{path}:2: string 'a': an apostrophe without a backslash, which ")


def test_a_description_of_several_lines_may_be_a_string(tmp_path: Path) -> None:
    write_strings(
        tmp_path / "values",
        '<string name="a">Keeps lists.\\n\n   Constraints:\\n\n   - Names are unique.</string>',
    )
    assert described(tmp_path, "@string/a") == "Keeps lists.\nConstraints:\n- Names are unique."


def test_a_cdata_section_keeps_its_blanks_and_quotes(tmp_path: Path) -> None:
    write_strings(
        tmp_path / "values", '<string name="a">  <![CDATA[<b>  "it\'s"</b>\\n]]>end </string>'
    )
    assert described(tmp_path, "@string/a") == '<b>  "it\'s"</b>\nend'


def test_a_long_chain_of_aliases_ends_soon(tmp_path: Path) -> None:
    aliases = "".join(f'<string name="a{n}">@string/a{n + 1}</string>' for n in range(5000))
    write_strings(tmp_path / "values", aliases)
    with pytest.raises(MetadataXmlError, match="no <string> named 'a5000'"):
        described(tmp_path, "@string/a0")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="this user may read everything"
)
def test_a_folder_that_may_not_be_read_is_a_fault(tmp_path: Path) -> None:
    write_strings(tmp_path / "values", '<string name="a">a</string>')
    (tmp_path / "values").chmod(0o300)
    try:
        with pytest.raises(MetadataXmlError, match="values:1: this folder cannot be read"):
            described(tmp_path, "@string/a")
    finally:
        (tmp_path / "values").chmod(0o700)
