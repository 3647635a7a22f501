"""What an app adds to its manifest and its Gradle file to use the Kotlin, and notes on it."""

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import quoteattr

from appfunctions_mcp.android.kotlin.services import KotlinService

__all__ = ["gradle_fragment", "manifest_fragment", "notes"]

LIBRARY_VERSION = "1.0.0-rc01"

_SERVICE = """\
        <service
            android:name={name}
            android:permission="android.permission.BIND_APP_FUNCTION_SERVICE"
            android:exported="true">
            <property
                android:name="android.app.appfunctions.schema"
                android:value="app_functions_schema.xsd" />
            <property
                android:name="android.app.appfunctions.v2"
                android:value={xml} />
            <intent-filter>
                <action android:name="android.app.appfunctions.AppFunctionService" />
            </intent-filter>
        </service>
"""
_SIGNATURES = """\
        <property
            android:name="android.app.appfunctions"
            android:value={xmls} />
"""
_MANIFEST = """\
<!-- Merge this into src/main/AndroidManifest.xml. -->
<manifest xmlns:android="http://schemas.android.com/apk/res/android">
    <application>
        <property
            android:name="android.app.appfunctions.app_metadata"
            android:resource="@xml/app_metadata" />
{parts}    </application>
</manifest>
"""
_GRADLE = f"""\
// Merge this into the build.gradle.kts of the app's module.
// The compiler makes the services and their XML of the Kotlin; leave out XML made elsewhere.
plugins {{
    id("com.google.devtools.ksp")
}}

android {{
    compileSdk = 37

    defaultConfig {{
        minSdk = 36
        targetSdk = 36
    }}
}}

dependencies {{
    implementation("androidx.appfunctions:appfunctions:{LIBRARY_VERSION}")
    ksp("androidx.appfunctions:appfunctions-compiler:{LIBRARY_VERSION}")
}}
"""


def manifest_fragment(services: Sequence[KotlinService]) -> str:
    """The services and properties of the manifest."""
    parts = [
        _SERVICE.format(
            name=quoteattr(f"{each.name.package}.{each.generated}"),
            xml=quoteattr(f"{each.xml_name}.xml"),
        )
        for each in services
        if each.generated is not None
    ]
    signatures = [f"{each.xml_name}.xml" for each in services if each.generated is None]
    if signatures:
        parts.append(_SIGNATURES.format(xmls=quoteattr(",".join(dict.fromkeys(signatures)))))
    return _MANIFEST.format(parts="".join(parts))


def gradle_fragment() -> str:
    """The library and its compiler."""
    return _GRADLE


def notes(texts: Iterable[str]) -> str:
    """What is left out or named otherwise in Kotlin."""
    lines = "".join(f"- {text}.\n" for text in texts)
    return f"What Kotlin says otherwise than the functions XML:\n\n{lines}"
