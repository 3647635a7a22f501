"""Bundles for Claude Desktop, and the registry's entry."""

import io
import json
import os
import sys
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from appfunctions_mcp.cli import main
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.install.bundle import (
    Bundle,
    build_bundle,
    build_manifest,
    build_server_json,
    short_description,
)
from appfunctions_mcp.install.bundle_files import MAX_ICON_BYTES, find_bundle_files, refusal
from appfunctions_mcp.install.entry import Launch
from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.install.pins import pinned_requirements
from appfunctions_mcp.install.probe import probe
from appfunctions_mcp.metadata import AppMetadata, AppSetting
from appfunctions_mcp.metadata_xml import parse_metadata
from tests.support.registry_rules import require_server_json

ROOT = Path(__file__).parents[2]
METADATA = """<?xml version="1.0" encoding="utf-8"?>
<AppFunctionAppMetadata
    xmlns:appfn="http://schemas.android.com/apk/androidx.appfunctions"
    xmlns:mcp="urn:appfunctions-mcp:metadata:1"
    appfn:description="@string/app"
    mcp:name="notes"
    mcp:title="Notes"
    mcp:version="1.2.0">
    <mcp:icon src="icon.png" mimeType="image/png" />
    <mcp:functions module="notes.functions" />
    <mcp:setting name="TOKEN" title="Token" required="true" sensitive="true" />
    <mcp:setting name="COUNT" type="number" default="3" />
    <mcp:setting name="LIMIT" type="number" description="How many." />
    <mcp:setting name="LOUD" type="boolean" default="true" />
</AppFunctionAppMetadata>
"""
STRINGS = '<resources><string name="app">Keeps notes. And more.</string></resources>'
CONTENTS = [
    "app_metadata.xml",
    "icon.png",
    "manifest.json",
    "notes/__init__.py",
    "notes/functions.py",
    "notes/words.txt",
    "pyproject.toml",
    "shared.py",
    "values-ru/strings.xml",
    "values/strings.xml",
]
ADDRESS = "https://example.com/notes-1.2.0.mcpb"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An app with what people have lying about."""
    folder = tmp_path / "app"
    texts = {
        "app_metadata.xml": METADATA,
        "icon.png": "PNG",
        "values/strings.xml": STRINGS,
        "values-ru/strings.xml": STRINGS,
        "notes/__init__.py": "",
        "notes/functions.py": "import json\nimport shared\nimport pydantic.fields\n",
        "notes/words.txt": "a",
        "notes/.env": "TOKEN=canary",
        "notes/server.pem": "canary",
        "notes/notes.db": "canary",
        "notes/.hidden": "canary",
        "notes/__pycache__/functions.cpython-311.pyc": "canary",
        "notes/.venv/lib.py": "canary",
        "notes/.git/config": "canary",
        "notes/Node_Modules/a/index.js": "canary",
        "notes/VENV/lib.py": "canary",
        "notes/my_python/pyvenv.cfg": "home = /usr",
        "notes/my_python/lib.py": "canary",
        "shared.py": "from . import nothing\n",
        "unrelated.py": "",
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def packed(folder: Path) -> tuple[AppMetadata, Bundle]:
    metadata = parse_metadata(folder / "app_metadata.xml")
    files = find_bundle_files(metadata)
    requirements = pinned_requirements(files.installed)
    return metadata, build_bundle(metadata, files, requirements, "Ann")


def opened(bundle: Bundle) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(bundle.content))


def test_a_bundle_has_the_files_of_the_app_and_nothing_else(folder: Path) -> None:
    _, bundle = packed(folder)
    with opened(bundle) as archive:
        assert archive.namelist() == CONTENTS == list(bundle.names)
        assert not any(b"canary" in archive.read(name) for name in archive.namelist())


def test_what_stays_out_is_named_with_its_reason(folder: Path) -> None:
    refused = find_bundle_files(parse_metadata(folder / "app_metadata.xml")).refused
    assert refused == (
        f"{folder / 'notes/.env'}: a file of environment variables",
        f"{folder / 'notes/notes.db'}: a database",
        f"{folder / 'notes/server.pem'}: a key",
    )


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (".ENV", "a file of environment variables"),
        ("prod.env", "a file of environment variables"),
        ("id_rsa.pub", "a key"),
        ("SERVER.PEM", "a key"),
        ("Id_RSA", "a key"),
        ("sign.P8", "a key"),
        ("a.sqlite3-wal", "a database"),
        ("Notes.DB", "a database"),
        ("token.json", "a secret of another program"),
        ("Client_Secret_1.json", "a secret of another program"),
        ("secrets.toml", "a secret of another program"),
        ("A.PYC", ""),
        (".pypirc", "a secret of another program"),
        (".DS_Store", ""),
        ("a.pyc", ""),
        ("environment.py", None),
        ("keys.py", None),
        ("tokenizer.json", None),
        ("database.py", None),
    ],
)
def test_a_file_is_refused_by_its_name(name: str, reason: str | None) -> None:
    assert refusal(name) == reason


def test_the_same_app_gives_the_same_bytes(folder: Path) -> None:
    first = packed(folder)[1]
    (folder / "shared.py").touch()
    (folder / "shared.py").chmod(0o600)
    assert packed(folder)[1].sha256 == first.sha256
    (folder / "shared.py").write_text("x = 1\n")
    assert packed(folder)[1].sha256 != first.sha256


def test_every_package_is_named_with_its_exact_version(folder: Path) -> None:
    _, bundle = packed(folder)
    with opened(bundle) as archive:
        project = tomllib.loads(archive.read("pyproject.toml").decode())
    dependencies = [pin.partition(" ;")[0] for pin in project["project"]["dependencies"]]
    pins = dict(pin.split("==") for pin in dependencies)
    assert pins["pydantic"] == version("pydantic")
    assert pins["pydantic-core"] == version("pydantic-core")
    assert pins["appfunctions-mcp"] == version("appfunctions-mcp")
    assert not {"pytest", "anthropic", "json"} & set(pins)
    assert project["tool"]["uv"] == {"package": False}


def test_the_manifest_asks_for_the_settings(folder: Path) -> None:
    _, bundle = packed(folder)
    with opened(bundle) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    server = manifest["server"]
    assert server["type"] == "uv"
    assert server["mcp_config"]["args"][-2:] == ["run", "${__dirname}/app_metadata.xml"]
    assert server["mcp_config"]["env"]["TOKEN"] == "${user_config.TOKEN}"
    assert manifest["icon"] == "icon.png"
    assert manifest["description"] == "Keeps notes"
    asked = manifest["user_config"]
    assert asked["TOKEN"] == {
        "type": "string",
        "title": "Token",
        "description": "Token",
        "required": True,
        "sensitive": True,
    }
    assert asked["COUNT"]["default"] == 3
    assert (asked["LIMIT"]["type"], asked["LIMIT"]["default"]) == ("string", "")
    assert asked["LOUD"]["default"] is True


def test_the_registrys_entry_names_the_digest(folder: Path) -> None:
    metadata, bundle = packed(folder)
    entry = build_server_json(metadata, bundle, "io.github.ann/notes", ADDRESS)
    (package,) = entry["packages"]
    assert package["fileSha256"] == bundle.sha256
    assert package["identifier"] == ADDRESS
    variables: dict[str, Any] = {each["name"]: each for each in package["environmentVariables"]}
    assert variables["TOKEN"]["isSecret"]
    assert (variables["COUNT"]["format"], variables["COUNT"]["default"]) == ("number", "3")
    assert entry["version"] == "1.2.0"
    require_server_json(entry)


def test_the_registrys_entry_holds_to_its_rules_whatever_the_app_says(folder: Path) -> None:
    file = folder / "app_metadata.xml"
    text = METADATA.replace('"Notes"', f'"{"N" * 120}"').replace("@string/app", "w" * 300)
    file.write_text(text.replace("1.2.0", "1.2.0-rc.1"))
    metadata, bundle = packed(folder)
    entry = build_server_json(metadata, bundle, "io.github.ann/a", ADDRESS)
    require_server_json(entry)
    assert entry["title"] == "N" * 99 + "…"
    file.write_text(METADATA.replace("mcp:version", 'mcp:websiteUrl="http://h/" mcp:version'))
    metadata, bundle = packed(folder)
    with pytest.raises(SettingsError, match="takes only https://"):
        build_server_json(metadata, bundle, "io.github.ann/a", ADDRESS)


@pytest.mark.parametrize(
    "change",
    [
        {"name": "-a/b"},
        {"version": "1.x"},
        {"version": "latest"},
        {"description": ""},
        {"title": " "},
        {"packages": []},
        {"more": 1},
    ],
)
def test_the_rules_of_the_registry_can_fail(folder: Path, change: dict[str, Any]) -> None:
    metadata, bundle = packed(folder)
    entry = build_server_json(metadata, bundle, "io.github.ann/notes", ADDRESS)
    with pytest.raises((AssertionError, jsonschema.ValidationError)):
        require_server_json({**entry, **change})


@pytest.mark.parametrize(
    ("name", "address", "what"),
    [
        ("notes", ADDRESS, "NAMESPACE/NAME"),
        ("io.github.ann/my notes", ADDRESS, "NAMESPACE/NAME"),
        ("a/" + "b" * 200, ADDRESS, "NAMESPACE/NAME"),
        ("-a/b", ADDRESS, "NAMESPACE/NAME"),
        ("a/b.", ADDRESS, "NAMESPACE/NAME"),
        ("io.github.ann/notes", "https://example.com/notes.zip", "wants 'mcp' in it"),
        ("io.github.ann/notes", "https://example.com/a b.mcpb", "write https://"),
        ("io.github.ann/notes", "http://example.com/a.mcpb", "write https://"),
    ],
)
def test_what_the_registry_refuses_is_refused(
    folder: Path, name: str, address: str, what: str
) -> None:
    metadata, bundle = packed(folder)
    with pytest.raises(SettingsError, match=what):
        build_server_json(metadata, bundle, name, address)


def test_a_version_that_is_none_is_refused(folder: Path) -> None:
    file = folder / "app_metadata.xml"
    file.write_text(METADATA.replace("1.2.0", "1.x"))
    with pytest.raises(SettingsError, match="no exact one"):
        packed(folder)


def test_an_icon_that_is_too_large_is_refused(folder: Path) -> None:
    (folder / "icon.png").write_bytes(b"\0" * (MAX_ICON_BYTES + 1))
    with pytest.raises(InstallError, match="at most 262,144"):
        packed(folder)


def test_a_link_that_leads_out_of_the_app_is_refused(folder: Path) -> None:
    outside = folder.parent / "outside.txt"
    outside.write_text("canary")
    (folder / "notes" / "link.txt").symlink_to(outside)
    with pytest.raises(InstallError, match="lies outside of"):
        packed(folder)


def test_secrets_are_known_by_what_is_in_them(folder: Path) -> None:
    """Whatever their names are; a module may speak of keys."""
    (folder / "notes" / "words.dat").write_bytes(b"SQLite format 3\x00canary")
    (folder / "notes" / "readme.txt").write_text("a\n-----BEGIN RSA PRIVATE KEY-----\ncanary")
    (folder / "notes" / "pem.py").write_text("START = '-----BEGIN PRIVATE KEY-----'\n")
    files = find_bundle_files(parse_metadata(folder / "app_metadata.xml"))
    assert f"{folder / 'notes/words.dat'}: a database" in files.refused
    assert f"{folder / 'notes/readme.txt'}: a key" in files.refused
    assert "notes/pem.py" in files.files


@pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")
def test_links_to_folders_and_to_nothing_are_named_and_stay_out(folder: Path) -> None:
    (folder / "data").mkdir()
    (folder / "data" / "a.txt").write_text("canary")
    (folder / "notes" / "data").symlink_to(folder / "data")
    (folder / "notes" / "gone.txt").symlink_to(folder / "nowhere")
    os.mkfifo(folder / "notes" / "pipe")
    refused = find_bundle_files(parse_metadata(folder / "app_metadata.xml")).refused
    for name in ("data", "gone.txt"):
        assert f"{folder / 'notes' / name}: a link to a folder, or to nothing" in refused
    assert f"{folder / 'notes' / 'pipe'}: no regular file" in refused
    packed(folder)


@pytest.mark.skipif(sys.platform != "linux", reason="two names that differ only in case")
def test_names_that_are_one_file_on_other_systems_are_refused(folder: Path) -> None:
    (folder / "notes" / "Words.txt").write_text("b")
    with pytest.raises(InstallError, match=r"notes/Words.txt and notes/words.txt differ only"):
        packed(folder)


def test_an_icon_of_exactly_the_size_goes_in(folder: Path) -> None:
    (folder / "icon.png").write_bytes(b"\0" * MAX_ICON_BYTES)
    assert "icon.png" in packed(folder)[1].names


def test_this_program_is_pinned_and_never_packed(folder: Path) -> None:
    """In a checkout it lies beside the app."""
    (folder / "appfunctions_mcp").mkdir()
    (folder / "appfunctions_mcp" / "__init__.py").write_text("import anthropic\n")
    (folder / "shared.py").write_text("import appfunctions_mcp\n")
    _, bundle = packed(folder)
    assert not any(name.startswith("appfunctions_mcp") for name in bundle.names)
    with opened(bundle) as archive:
        assert b"anthropic" not in archive.read("pyproject.toml")


def test_a_package_of_some_platforms_alone_keeps_its_marker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elsewhere there may be none of that name, and nothing could be installed."""
    needs = {
        "the-app": ["Always>=1", 'unixonly>=1; sys_platform != "win32"', 'x; extra == "all"'],
        "always": ["deep ; python_version >= '3'"],
        "unixonly": ["deeper", "always"],
        "deep": [],
        "deeper": ["the-app", "absent"],
    }
    for name, requires in needs.items():
        folder = tmp_path / f"{name.replace('-', '_')}-1.0.dist-info"
        folder.mkdir()
        lines = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0"]
        lines += [f"Requires-Dist: {each}" for each in requires]
        (folder / "METADATA").write_text("\n".join(lines) + "\n")
        (folder / "top_level.txt").write_text(f"{name.replace('-', '_')}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    pins = [pin for pin in pinned_requirements(["the_app"]) if "==1.0" in pin]
    assert pins == [
        "always==1.0",
        "deep==1.0 ; (python_version >= '3')",
        'deeper==1.0 ; (sys_platform != "win32")',
        "the-app==1.0",
        'unixonly==1.0 ; (sys_platform != "win32")',
    ]


def test_a_file_that_is_no_python_is_refused_with_its_line(folder: Path) -> None:
    (folder / "notes" / "functions.py").write_text("a = 1\nb = (\n")
    with pytest.raises(InstallError, match=r"functions.py:2: no Python"):
        packed(folder)


def test_a_file_of_the_app_cannot_take_the_place_of_the_manifest(folder: Path) -> None:
    metadata = parse_metadata(folder / "app_metadata.xml")
    files = find_bundle_files(metadata)
    files.files["manifest.json"] = folder / "shared.py"
    with pytest.raises(SettingsError, match=r"a bundle has a manifest.json of its own"):
        build_bundle(metadata, files, [], "Ann")


def test_a_long_description_is_cut() -> None:
    assert short_description(AppMetadata("notes", "a" * 200)) == "a" * 99 + "…"
    assert short_description(AppMetadata("notes", "")) == "notes"


def test_an_app_without_settings_and_title_has_a_small_manifest(folder: Path) -> None:
    metadata = parse_metadata(folder / "app_metadata.xml")
    files = find_bundle_files(metadata)
    small = AppMetadata("notes", "Keeps notes.", version="1.0.0")
    manifest = build_manifest(small, files, "Ann")
    assert "user_config" not in manifest
    assert "display_name" not in manifest
    setting = AppSetting("FOLDER", "directory", default="/x")
    manifest = build_manifest(
        AppMetadata("n", "d", version="1.0.0", settings=(setting,)), files, "Ann"
    )
    assert manifest["user_config"]["FOLDER"]["default"] == "/x"


def test_the_command_writes_a_bundle_and_lists_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["bundle", str(folder / "app_metadata.xml"), "--author", "Ann"]
    output = folder.parent / "dist"
    assert main([*words, "-o", str(output), "--dry-run"]) == 0
    assert not output.exists()
    assert capsys.readouterr().out.splitlines() == CONTENTS
    registry = ["--registry-name", "io.github.ann/notes", "--download-url", ADDRESS]
    assert main([*words, "-o", str(output), *registry]) == 0
    err = capsys.readouterr().err
    assert "left out: " in err
    assert f"wrote {output / 'notes-1.2.0.mcpb'}" in err
    assert sorted(path.name for path in output.iterdir()) == ["notes-1.2.0.mcpb", "server.json"]
    assert main([*words, "-o", str(output), *registry]) == 0
    (folder / "shared.py").write_text("y = 2\n")
    assert main([*words, "-o", str(output)]) == 1
    assert "replace it with --force" in capsys.readouterr().err
    assert main([*words, "-o", str(output), "--force"]) == 0


def test_what_was_unpacked_starts_as_the_client_starts_it(folder: Path) -> None:
    """In the root folder, with a small environment."""
    text = METADATA.replace("notes.functions", "bundled_functions")
    (folder / "app_metadata.xml").write_text(text)
    (folder / "bundled_functions.py").write_text(
        "from appfunctions_mcp import app_function\nfrom bundled_words import WORD\n\n\n"
        '@app_function\ndef add_word() -> str:\n    """Adds a word."""\n    return WORD\n'
    )
    (folder / "bundled_words.py").write_text('WORD = "a"\n')
    _, bundle = packed(folder)
    unpacked = folder.parent / "unpacked"
    with opened(bundle) as archive:
        archive.extractall(unpacked)
        config = json.loads(archive.read("manifest.json"))["server"]["mcp_config"]
    start = config["args"].index("python")
    args = [arg.replace("${__dirname}", str(unpacked)) for arg in config["args"][start + 1 :]]
    here = Machine("linux", {}, folder.parent, folder.parent)
    env = {"TOKEN": "t", "LIMIT": "", "PYTHONPATH": str(ROOT)}
    report = probe(Launch(sys.executable, tuple(args), env), here, 60)
    assert report.failure is None, report.stderr
    assert report.tools == ("add_word",)


def test_wrong_usage_of_the_command_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = folder / "app_metadata.xml"
    words = ["bundle", str(file), "--author", "Ann"]
    assert main([*words, "--registry-name", "io.github.ann/notes"]) == 2
    assert "needs both" in capsys.readouterr().err
    assert main(["bundle", str(file), "more", "--author", "Ann"]) == 2
    file.write_text(METADATA.replace('<mcp:functions module="notes.functions" />', ""))
    assert main(words) == 2
    assert "names no module" in capsys.readouterr().err
