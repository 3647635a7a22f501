"""`import-android`: the project that is made of an app, and what is refused."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from appfunctions_mcp.android.xml.functions_xml import read_functions_xml
from appfunctions_mcp.cli import main
from appfunctions_mcp.metadata_xml import parse_metadata
from tests.support.android_apps import (
    COMPILED,
    description_text,
    functions_text,
    strings_text,
    usual_app,
    write_archive,
    write_files,
)


@pytest.fixture(autouse=True)
def _own_modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package that a test imports is not installed for the next one."""
    known = set(sys.modules)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    for name in set(sys.modules) - known:
        if "pytest-of" in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def imported(folder: Path, *sources: Path | str, options: tuple[str, ...] = ()) -> Path:
    """Imports sources into a new folder, which is returned."""
    output = folder / "made"
    assert main(["import-android", *map(str, sources), "-o", str(output), *options]) == 0
    return output


def files_in(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


def listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """Tool name → function id of what a project serves."""
    capsys.readouterr()
    assert main(["list", str(folder), "--json"]) == 0
    functions = json.loads(capsys.readouterr().out)["functions"]
    return {each["tool_name"]: each["function_id"] for each in functions}


def test_an_app_becomes_a_project_that_is_listed_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = write_files(tmp_path / "app" / "src" / "main", usual_app())
    output = imported(tmp_path, app)
    printed = capsys.readouterr()
    assert printed.err == ""
    assert printed.out.splitlines()[0] == f"Wrote 1 function in 6 files into {output}. Next:"
    assert files_in(output) == {
        *("README.md", "metadata/app_metadata.xml", "metadata/values/strings.xml"),
        *("metadata/values-ru/strings.xml", "notes/__init__.py", "notes/notes_service.py"),
    }
    assert listed(output, capsys) == {"list": "com.example.Notes#list"}


def test_the_texts_of_the_app_come_over_with_their_lines_and_translations(tmp_path: Path) -> None:
    output = imported(tmp_path, write_files(tmp_path / "app", usual_app()))
    file = output / "metadata" / "app_metadata.xml"
    metadata = parse_metadata(file)
    assert metadata.description == "Manages notes.\nConstraints:\n- A title is short."
    assert (metadata.title, metadata.display_description) == ("Notes", "Keep 'notes'.")
    assert (metadata.name, metadata.version) == ("notes", "2.1")
    assert (metadata.package, metadata.python_path) == ("com.example.notes", output)
    assert metadata.warnings == ()
    russian = parse_metadata(file, locale="ru")
    assert (russian.title, russian.display_description) == ("Записки", "Заметки")
    assert "<!-- Copyright of the app's author -->\n<AppFunctionAppMetadata" in file.read_text()


def test_strings_keep_their_blanks_and_characters(tmp_path: Path) -> None:
    about = "<![CDATA[a < b &amp;  two  ]]><b>bold</b> &lt;i&gt; \\n &quot;  kept  &quot;"
    files = usual_app() | {
        "res/values/strings.xml": '<resources><color name="about_text">#fff</color>'
        + strings_text(app_name="Notes", about=about).removeprefix("<resources>")
    }
    app = write_files(tmp_path / "app", files)
    before = parse_metadata(app / "res" / "xml" / "app_metadata.xml")
    after = parse_metadata(imported(tmp_path, app) / "metadata" / "app_metadata.xml")
    assert after.display_description == before.display_description
    assert "a < b &amp;  two  bold <i>" in after.display_description


def test_an_attribute_s_characters_survive(tmp_path: Path) -> None:
    files = usual_app() | {
        "res/xml/app_metadata.xml": description_text(
            "A &amp; B &lt;c&gt; &quot;d&quot; it\\'s \\u2713&#10;next&#13;line \\\\ \\@x",
            "appfn:instructions='\"I\" &amp; co'",
        )
    }
    app = write_files(tmp_path / "app", files)
    before = parse_metadata(app / "res" / "xml" / "app_metadata.xml")
    output = imported(tmp_path, app)
    after = parse_metadata(output / "metadata" / "app_metadata.xml")
    assert after.description == before.description == '"I" & co'
    text = (output / "metadata" / "app_metadata.xml").read_text()
    without = text.replace('appfn:instructions="&quot;I&quot; &amp; co"', "")
    assert without != text
    (output / "metadata" / "app_metadata.xml").write_text(without)
    description = parse_metadata(output / "metadata" / "app_metadata.xml").description
    assert description == 'A & B <c> "d" it\'s ✓\nnext\nline \\ @x'


def test_functions_alone_are_described_by_their_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = [f"com.example.Notes#do{n}" for n in range(23)]
    write_files(tmp_path, {"notes.xml": functions_text(*ids)})
    output = imported(tmp_path, tmp_path / "notes.xml", options=("--package", "my_notes"))
    metadata = parse_metadata(output / "metadata" / "app_metadata.xml")
    names = ", ".join(f"do{n}" for n in range(20))
    assert metadata.description == f"Functions of my_notes: {names} and 3 more."
    assert (metadata.name, metadata.title, metadata.package) == ("my_notes", None, None)
    assert metadata.version == "0.0.0"
    assert len(listed(output, capsys)) == 23


def test_tools_of_one_name_in_two_modules_get_a_prefix(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(
        tmp_path,
        {
            "one.xml": functions_text("com.example.One#get", "com.example.One#set"),
            "two.xml": functions_text("com.example.Two#get"),
            "sub/two.xml": functions_text("com.example.Three#get", "com.example.Four#two_get"),
        },
    )
    output = imported(tmp_path, *(tmp_path / n for n in ("one.xml", "two.xml", "sub/two.xml")))
    assert listed(output, capsys) == {
        "get": "com.example.One#get",
        "set": "com.example.One#set",
        "two_get": "com.example.Two#get",
        "two_2_get": "com.example.Three#get",
        "two_2_two_get": "com.example.Four#two_get",
    }


def test_a_prefix_leaves_no_name_too_long(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    long = "x" * 60
    write_files(
        tmp_path,
        {
            "a.xml": functions_text(f"com.example.One#{long}"),
            "longer_name.xml": functions_text(f"com.example.Two#{long}"),
        },
    )
    output = imported(tmp_path, tmp_path / "a.xml", tmp_path / "longer_name.xml")
    assert set(listed(output, capsys)) == {long, f"lon_{long}"}


def test_names_that_leave_no_room_for_a_prefix_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {n: functions_text(f"com.example.{n[0]}#{'x' * 63}") for n in ("a.xml", "b.xml")}
    write_files(tmp_path, files)
    words = ["import-android", *(str(tmp_path / n) for n in files), "-o", str(tmp_path / "made")]
    assert main(words) == 2
    assert "is too long for a prefix; import the files into projects of their own" in (
        capsys.readouterr().err
    )


def test_warnings_are_told_and_the_import_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files: dict[str, str | bytes] = {
        "AndroidManifest.xml": COMPILED,
        "assets/a.xml": functions_text(),
    }
    write_archive(tmp_path / "app.apk", files)
    output = imported(tmp_path, tmp_path / "app.apk")
    assert capsys.readouterr().err.startswith(
        f"warning: {tmp_path}/app.apk!/AndroidManifest.xml: this manifest is compiled"
    )
    assert parse_metadata(output / "metadata" / "app_metadata.xml").name == "made"


def test_what_was_written_is_printed_as_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = write_files(tmp_path / "app", usual_app())
    output = imported(tmp_path, app, options=("--json",))
    printed = json.loads(capsys.readouterr().out)
    assert printed == {
        "folder": str(output),
        "package": "notes",
        "files": sorted(files_in(output)),
        "functions": ["com.example.Notes#list"],
        "warnings": [],
    }


@pytest.mark.parametrize(
    ("package", "output", "name"),
    [
        ("com.example.Chat_App", "x", "chat_app"),
        ("com.example.calendar", "x", "calendar_app"),
        ("com.example.match", "x", "match_app"),
        ("", "My Notes!", "my_notes"),
        ("", "1st", "imported_app"),
        ("", "заметки", "imported_app"),
    ],
)
def test_the_package_is_named_for_the_app_or_the_folder(
    tmp_path: Path, package: str, output: str, name: str
) -> None:
    files = usual_app()
    given = f'package="{package}"' if package else ""
    files["AndroidManifest.xml"] = files["AndroidManifest.xml"].replace(
        'package="com.example.notes"', given
    )
    app = write_files(tmp_path / "app", files)
    assert main(["import-android", str(app), "-o", str(tmp_path / output)]) == 0
    assert (tmp_path / output / name / "__init__.py").is_file()


@pytest.mark.parametrize(
    ("package", "fault"),
    [
        ("com..notes", "accepted is the name of an Android package, such as 'com.example.notes'"),
        ("Notes", "accepted are small letters, digits and '_', not beginning with a digit"),
        ("1st", "accepted are small letters, digits and '_', not beginning with a digit"),
        ("json", "a module 'json' is installed already"),
        ("class", "'class' is a word of Python itself"),
        ("sample_app", "a module 'sample_app' is installed already"),
    ],
)
def test_a_package_that_could_not_be_imported_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], package: str, fault: str
) -> None:
    app = write_files(tmp_path / "app", usual_app())
    words = ["import-android", str(app), "-o", str(tmp_path / "made"), "--package", package]
    assert main(words) == 2
    assert fault in capsys.readouterr().err
    assert not (tmp_path / "made").exists()


def test_the_package_of_the_app_may_be_said_where_nothing_tells_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(tmp_path, {"a.xml": functions_text()})
    output = imported(tmp_path, tmp_path / "a.xml", options=("--package", "com.example.Chat"))
    metadata = parse_metadata(output / "metadata" / "app_metadata.xml")
    assert (metadata.package, metadata.name) == ("com.example.Chat", "chat")
    assert (output / "chat" / "__init__.py").is_file()
    assert "mcp:package" not in capsys.readouterr().out


def test_a_package_that_nothing_tells_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(tmp_path, {"a.xml": functions_text()})
    output = imported(tmp_path, tmp_path / "a.xml", options=("--package", "chat"))
    metadata = output / "metadata" / "app_metadata.xml"
    assert parse_metadata(metadata).package is None
    assert (
        f'  say which app it is, such as mcp:package="com.example.chat", in {metadata}\n'
        in capsys.readouterr().out
    )


def test_a_version_that_is_none_is_left_out(tmp_path: Path) -> None:
    files = usual_app()
    files["AndroidManifest.xml"] = files["AndroidManifest.xml"].replace('"2.1"', '"@string/v"')
    output = imported(tmp_path, write_files(tmp_path / "app", files))
    assert parse_metadata(output / "metadata" / "app_metadata.xml").version == "0.0.0"


def test_a_folder_that_holds_something_is_refused_before_anything_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(tmp_path, {"made/mine.txt": "mine"})
    assert main(["import-android", str(tmp_path / "none"), "-o", str(tmp_path / "made")]) == 2
    assert f"{tmp_path}/made is not empty; give another folder with -o" in capsys.readouterr().err
    assert files_in(tmp_path) == {"made/mine.txt"}


def test_with_force_files_of_the_project_are_replaced_and_others_stay(tmp_path: Path) -> None:
    app = write_files(tmp_path / "app", usual_app())
    output = imported(tmp_path, app)
    write_files(output, {"notes/notes_service.py": "changed", "notes/mine.py": "mine"})
    before = files_in(output)
    assert imported(tmp_path, app, options=("--force",)) == output
    assert "com.example.Notes#list" in (output / "notes" / "notes_service.py").read_text()
    assert (output / "notes" / "mine.py").read_text() == "mine"
    assert files_in(output) == before


def test_sources_that_cannot_be_used_leave_nothing_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(tmp_path, {"a.xml": "<appfunctions>", "b.xml": "<b/>"})
    words = [str(tmp_path / name) for name in ("a.xml", "b.xml")]
    assert main(["import-android", *words, "-o", str(tmp_path / "made")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(": ")[0] for line in lines] == [f"{word}:1" for word in words]
    assert files_in(tmp_path) == {"a.xml", "b.xml"}


@pytest.mark.skipif(os.name == "nt", reason="POSIX has files that are no folders' parents")
def test_a_place_that_cannot_be_written_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = write_files(tmp_path / "app", usual_app())
    write_files(tmp_path, {"file": "x"})
    assert main(["import-android", str(app), "-o", str(tmp_path / "file" / "made")]) == 1
    assert f"{tmp_path}/file/made: nothing was written: " in capsys.readouterr().err


def test_the_document_that_was_read_is_what_the_project_is_made_of(tmp_path: Path) -> None:
    app = write_files(tmp_path / "app", usual_app())
    (function,) = read_functions_xml(app / "assets" / "notes_service.xml").functions
    source = (imported(tmp_path, app) / "notes" / "notes_service.py").read_text()
    assert repr(function.id)[1:-1] in source
    assert function.description in source
