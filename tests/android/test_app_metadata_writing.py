"""An app's metadata written as Android's file, and read back by our own reader."""

import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.android.xml.app_metadata_writing import app_metadata_xml
from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.metadata import AppMetadata
from appfunctions_mcp.metadata_xml import parse_metadata
from tests.support.corpus import corpus

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
LINES = "Manages notes.\nOperational Patterns:\n- Find a note first.\nConstraints:\n- None."


def metadata(description: str, display_description: str = "") -> AppMetadata:
    return AppMetadata(
        name="notes", description=description, display_description=display_description
    )


def read_back(text: str) -> AppMetadata:
    with TemporaryDirectory() as folder:
        path = Path(folder, "app_metadata.xml")
        path.write_bytes(text.encode())
        return parse_metadata(path)


def as_the_reader_has_it(text: str) -> str:
    """One blank for several, none around lines and none around the text."""
    lines = re.split(r"\r\n|\r|\n", text)
    return "\n".join(re.sub(r"[ \t]+", " ", line).strip(" ") for line in lines).strip("\n")


def test_line_breaks_of_the_description_survive_every_xml_parser() -> None:
    text = app_metadata_xml(metadata(LINES, "Your notes"))
    assert text == (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        "<AppFunctionAppMetadata\n"
        '    xmlns:appfn="http://schemas.android.com/apk/androidx.appfunctions"\n'
        '    appfn:description="Manages notes.&#10;Operational Patterns:&#10;- Find a note first.'
        '&#10;Constraints:&#10;- None."\n'
        '    appfn:displayDescription="Your notes" />\n'
    )
    assert read_back(text).description == LINES


def test_nothing_of_ours_is_written() -> None:
    served = replace(metadata(LINES), title="Notes", version="2.0.0", website_url="https://x.org")
    assert "mcp" not in app_metadata_xml(served)


def test_an_absent_text_is_no_attribute() -> None:
    assert "appfn:d" not in app_metadata_xml(metadata(""))


@pytest.mark.parametrize(
    "text",
    [
        "@string/no_reference",
        "?attr/x",
        "@null",
        'a "b" <c> & \\n \\',
        "\u00a0x\u2003",
        "a\x0bb\x85c",
    ],
)
def test_a_text_that_would_mean_something_is_escaped(text: str) -> None:
    read = read_back(app_metadata_xml(metadata(text, text)))
    assert (read.description, read.display_description) == (text, text)


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"])
def test_a_character_that_no_xml_holds_is_refused_by_its_number(text: str) -> None:
    with pytest.raises(
        AppFunctionDeclarationError, match=r"description .* holds the character U\+"
    ):
        app_metadata_xml(metadata(text))


@given(TEXTS, TEXTS)
def test_any_texts_are_read_back(description: str, display_description: str) -> None:
    about = f"About: {description}"
    read = read_back(app_metadata_xml(metadata(about, display_description)))
    assert read.description == as_the_reader_has_it(about)
    assert read.display_description == as_the_reader_has_it(display_description)


@pytest.mark.parametrize("name", ["chatapp_app_metadata.xml", "agent_app_metadata.xml"])
def test_a_real_file_comes_out_with_its_texts(name: str) -> None:
    """Field case F90: each bullet keeps its line."""
    original = parse_metadata(corpus("android_xml", name))
    read = read_back(app_metadata_xml(original))
    assert read.description == original.description
    assert read.display_description == original.display_description
