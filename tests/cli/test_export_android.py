"""`appfunctions-mcp export-android`."""

import json
from pathlib import Path

import pytest

from appfunctions_mcp import load_service
from appfunctions_mcp.android.describing.functions import described_modules
from appfunctions_mcp.android.xml.functions_xml import read_functions_xml
from appfunctions_mcp.android.xml.functions_xml_writing import canonical
from appfunctions_mcp.cli import main
from appfunctions_mcp.metadata_xml import parse_metadata
from tests.support.metadata_files import write_metadata
from tests.support.stdio_server import PROJECT

SAMPLE = PROJECT / "metadata" / "app_metadata.xml"


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def write_module(folder: Path, name: str, body: str) -> None:
    (folder / f"{name}.py").write_text(
        f"from appfunctions_mcp import app_function, app_resource\n\n\n{body}", encoding="utf-8"
    )


def app_of(folder: Path, **modules: str) -> Path:
    """An app of some modules, as one metadata file."""
    for name, body in modules.items():
        write_module(folder, name, body)
    named = "".join(f'<mcp:functions module="{name}"/>' for name in modules)
    return write_metadata(folder, content=named)


def test_the_sample_app_is_written_as_metadata_xml_and_kotlin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "android"
    assert (
        main(["export-android", str(SAMPLE), "-o", str(folder), "--package", "com.me.notes"]) == 0
    )
    service = load_service(SAMPLE)
    written = files_in(folder)
    assert {
        "res/xml/app_metadata.xml",
        "assets/notes.xml",
        "assets/labels.xml",
        "kotlin/com/me/notes/BaseNotesService.kt",
        "kotlin/com/me/notes/Note.kt",
    } <= written
    for module, document in described_modules(service, package="com.me.notes").items():
        name = module.rpartition(".")[2]
        read = read_functions_xml(folder / "assets" / f"{name}.xml")
        assert canonical(read) == canonical(document)
    metadata = folder / "res" / "xml" / "app_metadata.xml"
    assert "urn:appfunctions-mcp" not in metadata.read_text(encoding="utf-8")
    read_metadata = parse_metadata(metadata)
    assert read_metadata.description == service.metadata.description
    assert read_metadata.display_description == service.metadata.display_description
    output = capsys.readouterr()
    assert f"Wrote 9 functions in {len(written)} files into {folder}." in output.out
    assert "package com.me.notes" in output.out
    assert "resources and prompts are left out" in output.err


def test_json_tells_what_was_written_and_the_package_follows_from_the_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = app_of(tmp_path, exported_one="@app_function\ndef read() -> None: ...\n")
    folder = tmp_path / "android"
    assert main(["export-android", str(path), "-o", str(folder), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told.pop("files") == sorted(files_in(folder))
    assert told == {
        "folder": str(folder),
        "package": "com.example.exported_one",
        "functions": ["exported_one#read"],
        "warnings": [],
    }


def test_the_package_of_the_metadata_goes_before_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_module(tmp_path, "exported_two", "@app_function\ndef read() -> None: ...\n")
    path = write_metadata(
        tmp_path,
        'appfn:description="Reads." mcp:name="9" mcp:package="com.me.reader"',
        '<mcp:functions module="exported_two"/>',
    )
    assert main(["export-android", str(path), "-o", str(tmp_path / "a"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["package"] == "com.me.reader"


def test_modules_of_one_last_name_have_files_of_their_own(tmp_path: Path) -> None:
    for package in ("exported_a", "exported_b"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("")
    body = "@app_function\ndef {0}() -> None: ...\n"
    write_module(tmp_path, "exported_a/notes", body.format("read"))
    write_module(tmp_path, "exported_b/Notes", body.format("write"))
    path = write_metadata(
        tmp_path,
        content='<mcp:functions module="exported_a.notes"/>'
        '<mcp:functions module="exported_b.Notes"/>',
    )
    folder = tmp_path / "android"
    assert main(["export-android", str(path), "-o", str(folder)]) == 0
    assert {each for each in files_in(folder) if each.startswith("assets/")} == {
        "assets/exported_a_notes.xml",
        "assets/exported_b_Notes.xml",
    }


def test_a_folder_that_holds_files_is_left_alone_without_force(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = app_of(tmp_path, exported_three="@app_function\ndef read() -> None: ...\n")
    folder = tmp_path / "android"
    (folder / "assets").mkdir(parents=True)
    (folder / "assets" / "exported_three.xml").write_text("old")
    (folder / "mine.txt").write_text("mine")
    assert main(["export-android", str(path), "-o", str(folder)]) == 2
    assert "is not empty" in capsys.readouterr().err
    assert files_in(folder) == {"assets/exported_three.xml", "mine.txt"}
    assert main(["export-android", str(path), "-o", str(folder), "--force"]) == 0
    assert (folder / "mine.txt").read_text() == "mine"
    assert read_functions_xml(folder / "assets" / "exported_three.xml").functions


def test_a_folder_that_cannot_be_written_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = app_of(tmp_path, exported_four="@app_function\ndef read() -> None: ...\n")
    (tmp_path / "file").write_text("")
    assert main(["export-android", str(path), "-o", str(tmp_path / "file" / "a")]) == 1
    assert "nothing was written" in capsys.readouterr().err


def test_everything_that_android_has_not_is_told_at_once_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = app_of(
        tmp_path,
        exported_five="@app_function\ndef read(x: dict[str, int]) -> None: ...\n",
        exported_six="@app_function\ndef write(y: int | str) -> None: ...\n",
    )
    folder = tmp_path / "android"
    assert main(["export-android", str(path), "-o", str(folder)]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith(f"{tmp_path / 'exported_five.py'}:4: read: x is a dict")
    assert second.startswith(f"{tmp_path / 'exported_six.py'}:4: write: y is a union")
    assert not folder.exists()


def test_what_no_xml_and_no_kotlin_can_hold_is_told_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = app_of(
        tmp_path,
        exported_seven=(
            '@app_function(description="Rings \\x07.")\ndef ring() -> None: ...\n\n\n'
            'schema = __import__("appfunctions_mcp").AppFunctionSchema("a", "b", 2**40)\n\n\n'
            "@app_function(schema=schema)\ndef b() -> None: ...\n"
        ),
    )
    folder = tmp_path / "android"
    assert main(["export-android", str(path), "-o", str(folder)]) == 2
    told = capsys.readouterr().err
    assert f"{tmp_path / 'exported_seven.py'}:4: function 'exported_seven#ring': <desc" in told
    assert "U+0007, which no XML can hold" in told
    assert f"{tmp_path / 'exported_seven.py'}:11: " in told
    assert len(told.splitlines()) == 2
    assert not folder.exists()


def test_only_some_functions_may_be_exported(tmp_path: Path) -> None:
    folder = tmp_path / "android"
    assert main(["export-android", str(SAMPLE), "-o", str(folder), "--only", "labels_*"]) == 0
    assert {each for each in files_in(folder) if each.startswith("assets/")} == {
        "assets/labels.xml"
    }


def test_a_module_that_is_left_out_is_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_module(tmp_path, "exported_eight", "@app_function\ndef read() -> None: ...\n")
    path = write_metadata(
        tmp_path,
        content='<mcp:functions module="exported_eight"/>'
        '<mcp:functions module="no_such_module_here" onError="skip"/>',
    )
    assert main(["export-android", str(path), "-o", str(tmp_path / "a")]) == 0
    assert "no_such_module_here is left out" in capsys.readouterr().err


def test_what_is_to_be_done_next_is_told_of_what_was_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = (
        "from appfunctions_mcp import PendingIntent\n\n"
        '@app_function(id="com.me.calls.BaseCallsService#call")\n'
        "def call(number: str) -> PendingIntent: ...\n"
    )
    folder = tmp_path / "a"
    words = ["export-android", str(app_of(tmp_path, exported_nine=body)), "-o", str(folder)]
    assert main([*words, "--package", "com.me.other"]) == 0
    output = capsys.readouterr()
    # What hands out a step has something to read, which is no resource of the app.
    assert "resources" not in output.err
    assert output.out.splitlines() == [
        f"Wrote 1 function in 5 files into {folder}. Next:",
        f"  put {folder}/res into the app's src/main",
        (
            f"  put the Kotlin in {folder}/kotlin into its sources, package com.me.calls, and "
            "write the bodies;"
        ),
        f"  of it Android's compiler makes XML such as that in {folder}/assets",
        f"  merge the two fragments in {folder}/kotlin into its manifest and Gradle file",
    ]


def test_a_default_that_android_does_not_know_is_noted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = (
        '@app_function(optional_defaults="declared")\n'
        "def find(limit: int = 20, name: str | None = None, offset: int = 0) -> None: ...\n"
    )
    folder = tmp_path / "a"
    path = app_of(tmp_path, exported_ten=body)
    assert main(["export-android", str(path), "-o", str(folder)]) == 0
    notes = (folder / "kotlin" / "NOTES.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in notes if "parameter" in line] == [
        (
            "- function 'exported_ten#find', parameter 'limit': where it is left out, the body "
            "gets the empty value of its type on Android, and 20 here."
        )
    ]
    assert f"  read {folder}/kotlin/NOTES.md, on what is" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--package", "notes"], "--package 'notes' is no name of an Android package"),
        (["--package", "com.1.notes"], "is no name of an Android package"),
        (["more"], "'more' is no metadata file"),
    ],
)
def test_what_is_not_accepted_is_named(
    words: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "a"
    assert main(["export-android", str(SAMPLE), *words, "-o", str(folder)]) == 2
    assert told in capsys.readouterr().err
    assert not folder.exists()
