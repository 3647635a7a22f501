"""Writes small Android apps for tests: manifests, functions XML, folders and archives."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

from tests.support.metadata_files import ANDROIDX

SERVICE_ACTION = "android.app.appfunctions.AppFunctionService"
V2_PROPERTY = "android.app.appfunctions.v2"
V1_PROPERTY = "android.app.appfunctions"
METADATA_PROPERTY = "android.app.appfunctions.app_metadata"
COMPILED = b"\x03\x00\x08\x00\x20\x01\x00\x00\x01\x00\x1c\x00"
"""The first bytes of a compiled manifest."""


def manifest_property(name: str, value: str, attribute: str = "value") -> str:
    """A `<property>` element."""
    return f'<property android:name="{name}" android:{attribute}="{value}" />\n'


def service(*properties: str, name: str = ".NotesService", action: str = SERVICE_ACTION) -> str:
    """A `<service>` element with properties."""
    intents = (
        f'<intent-filter><action android:name="{action}" /></intent-filter>\n' if action else ""
    )
    return f'<service android:name="{name}">\n{"".join(properties)}{intents}</service>\n'


def manifest_text(*content: str, root: str = "", application: str = "") -> str:
    """An AndroidManifest whose `<application>` stands in line 4 and holds this content."""
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<manifest xmlns:android="http://schemas.android.com/apk/res/android" {root}\n'
        '  xmlns:tools="http://schemas.android.com/tools">\n'
        f"  <application {application}>\n{''.join(content)}  </application>\n</manifest>\n"
    )


def function_text(function_id: str, description: str = "Lists the notes.") -> str:
    """An `<appfunction>` of the second form that takes nothing and returns text."""
    return f"""
    <appfunction>
        <id>{function_id}</id>
        <enabledByDefault>true</enabledByDefault>
        <description>{description}</description>
        <response>
            <id>unused</id>
            <valueType>
                <id>unused</id>
                <isNullable>false</isNullable>
                <type>8</type>
            </valueType>
        </response>
        <functionId>{function_id}</functionId>
    </appfunction>"""


def functions_text(*function_ids: str) -> str:
    """A functions XML of the second form."""
    functions = "".join(map(function_text, function_ids or ("com.example.Notes#list",)))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<appfunctions>{functions}\n</appfunctions>\n'


def first_form_text(*function_ids: str) -> str:
    """A functions XML of Android's first form."""
    functions = "".join(
        f"<appfunction><function_id>{each}</function_id>"
        "<enabled_by_default>true</enabled_by_default></appfunction>"
        for each in function_ids
    )
    return f"<appfunctions>{functions}</appfunctions>\n"


def description_text(
    description: str = "Manages notes.", attributes: str = "", *, comment: str = ""
) -> str:
    """An `app_metadata.xml`."""
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n{comment}'
        f'<AppFunctionAppMetadata xmlns:appfn="{ANDROIDX}"\n'
        f'    appfn:description="{description}" {attributes} />\n'
    )


def strings_text(**strings: str) -> str:
    """A file of strings."""
    rows = "".join(f'<string name="{name}">{text}</string>\n' for name, text in strings.items())
    return f"<resources>\n{rows}</resources>\n"


def usual_app() -> dict[str, str]:
    """The files of a whole app, by their path below `src/main`."""
    return {
        "AndroidManifest.xml": manifest_text(
            service(manifest_property(V2_PROPERTY, "notes_service.xml")),
            manifest_property(METADATA_PROPERTY, "@xml/app_metadata", "resource"),
            root='package="com.example.notes" android:versionName="2.1"',
            application='android:label="@string/app_name"',
        ),
        "assets/notes_service.xml": functions_text("com.example.Notes#list"),
        "res/xml/app_metadata.xml": description_text(
            "Manages notes.\n    Constraints:\n    - A title is short.",
            'appfn:displayDescription="@string/about"',
            comment="<!-- Copyright of the app's author -->\n",
        ),
        "res/values/strings.xml": strings_text(
            app_name="Notes", about="@string/about_text", about_text="Keep \\'notes\\'.", other="x"
        ),
        "res/values-ru/strings.xml": strings_text(about_text="Заметки", app_name="Записки"),
        "res/values-night/strings.xml": strings_text(app_name="Notes by night"),
    }


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Writes files below a folder, which is returned."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def write_archive(path: Path, files: Mapping[str, str | bytes]) -> Path:
    """Writes an archive of files, which is returned."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path
