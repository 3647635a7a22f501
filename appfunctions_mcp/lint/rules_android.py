"""Rules about an Android app's files: what Android does not read, does not find, or refuses.

The readers of these files have said already what is faulty in each of them; the rules here pass
that on, and look at what only shows when the files stand side by side.
"""

from collections.abc import Iterator
from pathlib import Path

from appfunctions_mcp.exceptions import MetadataXmlError
from appfunctions_mcp.lint.rules import Fault, Rule, SetRule, Severity
from appfunctions_mcp.lint.subjects import LintSubject, Origin
from appfunctions_mcp.metadata_attributes import ANDROIDX, RES_AUTO
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.string_resources import is_reference
from appfunctions_mcp.xml_elements import XmlAttribute, XmlElement, read_xml

__all__ = ["RULES"]

_ANDROID = "http://schemas.android.com/apk/res/android"
_FUNCTIONS, _FUNCTIONS_V2 = "android.app.appfunctions", "android.app.appfunctions.v2"
_APP_METADATA = "android.app.appfunctions.app_metadata"
_ACTION = "android.app.appfunctions.AppFunctionService"
_PERMISSION = "android.permission.BIND_APP_FUNCTION_SERVICE"
_TEXTS = ("description", "instructions", "displayDescription")
_SOURCE = "Android's documentation of AppFunctions: the manifest and the app metadata"
_COMPILER = "the AppFunctions compiler and Android's indexer"


def _unusable(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    yield from map(_told, subject.faults)


def _ignored(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    if subject.origin is Origin.ANDROID:
        yield from map(_told, subject.warnings)


def _told(text: str) -> tuple[str, Fault]:
    """A reader's message, `FILE:LINE: what; fix`, as a fault."""
    source, colon, rest = text.partition(": ")
    if not colon:
        source, rest = "", text
    what, _, fix = rest.partition("; ")
    place = Path(source.rpartition(":")[0]).name
    return "", Fault(_as_sentence(what), place, source=source, fix=_as_sentence(fix))


def _as_sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}." if text else ""


def _manifest(subject: LintSubject) -> tuple[Path, XmlElement] | None:
    """The manifest of the app, where one can be read."""
    if subject.folder is None:
        return None
    path = subject.folder / "AndroidManifest.xml"
    try:
        return path, read_xml(path)
    except MetadataXmlError:
        return None  # the fault is among those of the subject


def _applications(subject: LintSubject) -> Iterator[tuple[Path, XmlElement]]:
    found = _manifest(subject)
    if found is not None:
        path, root = found
        yield from ((path, each) for each in root.children if each.name == "application")


def _services(subject: LintSubject) -> Iterator[tuple[Path, XmlElement]]:
    """The services that carry functions."""
    for path, application in _applications(subject):
        for service in application.children:
            if service.name == "service" and _ACTION in _actions_of(service):
                yield path, service


def _actions_of(service: XmlElement) -> set[str | None]:
    return {
        _value(action, "name")
        for intents in service.children
        if intents.name == "intent-filter"
        for action in intents.children
    }


def _properties_of(element: XmlElement) -> dict[str | None, XmlElement]:
    return {_value(each, "name"): each for each in element.children if each.name == "property"}


def _value(element: XmlElement, name: str) -> str | None:
    attribute = element.attribute(name, _ANDROID)
    return attribute.value.strip() if attribute is not None else None


def _misplaced(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    for path, application in _applications(subject):
        for attribute in application.attributes:
            if attribute.name in _TEXTS and attribute.namespace in {ANDROIDX, RES_AUTO}:
                what = f"{attribute.qualified} on <application> has no effect."
                yield _at(path, attribute, what, attribute.qualified)


def _at(
    path: Path,
    found: XmlAttribute | XmlElement,
    what: str,
    words: str = "",
    severity: Severity | None = None,
) -> tuple[str, Fault]:
    source = f"{path}:{found.line}"
    return "", Fault(what, path.name, words, severity=severity, source=source)


def _texts(subject: LintSubject) -> Iterator[tuple[Path, XmlAttribute]]:
    """The attributes in which the app describes itself."""
    if subject.app is None or subject.app.path is None:
        return
    root = read_xml(subject.app.path)
    for attribute in root.attributes:
        if attribute.namespace in {ANDROIDX, RES_AUTO}:
            yield subject.app.path, attribute


def _literal(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    if subject.origin is not Origin.ANDROID:
        return
    for path, attribute in _texts(subject):
        if attribute.name == "displayDescription" and not is_reference(attribute.value.strip()):
            what = f"{attribute.qualified} is the same text in every language."
            yield _at(path, attribute, what, attribute.value)


def _reference(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    for path, attribute in _texts(subject):
        written = attribute.value.strip()
        if attribute.name != "displayDescription" and is_reference(written):
            what = f"{attribute.qualified} is {quoted(written)}, which Android does not resolve."
            is_ours = subject.origin is not Origin.ANDROID
            yield _at(path, attribute, what, written, Severity.NOTE if is_ours else None)


def _unguarded(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    for path, service in _services(subject):
        name = quoted(_value(service, "name") or "")
        if _value(service, "permission") != _PERMISSION:
            yield _at(path, service, f"The service {name} is not guarded by {_PERMISSION}.")
        if _value(service, "exported") != "true":
            yield _at(
                path, service, f"The service {name} is not exported, so Android cannot bind it."
            )


def _unnamed(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    if subject.folder is None or not (subject.folder / "res/xml/app_metadata.xml").is_file():
        return
    for path, application in _applications(subject):
        if _APP_METADATA not in _properties_of(application):
            yield _at(path, application, f"No property {_APP_METADATA} names app_metadata.xml.")


def _differing(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    for path, service in _services(subject):
        properties = _properties_of(service)
        older, newer = properties.get(_FUNCTIONS), properties.get(_FUNCTIONS_V2)
        if older is None or newer is None:
            continue
        first, second = _ids_in(older, path), _ids_in(newer, path)
        if first is None or second is None:
            continue
        for each in sorted(first ^ second):
            there = _FUNCTIONS if each in first else _FUNCTIONS_V2
            yield _at(
                path, older, f"The function {quoted(each)} stands in the XML of {there} only."
            )


def _ids_in(element: XmlElement, manifest: Path) -> set[str] | None:
    """The ids in the files that a property names; None where one of them cannot be read."""
    from appfunctions_mcp.android.app.app_folders import AppFolder
    from appfunctions_mcp.android.app.manifest import read_manifest
    from appfunctions_mcp.android.xml.functions_xml import read_functions_xml

    ids: set[str] = set()
    try:
        app = AppFolder(manifest.parent, read_manifest(manifest))
        for name in (_value(element, "value") or "").split(","):
            file = app.asset(name.strip()) if name.strip() else None
            if file is None:
                return None
            ids |= {each.id for each in read_functions_xml(file).functions}
    except MetadataXmlError:
        return None  # the fault is among those of the subject
    return ids


_NAMESPACE = 'xmlns:android="http://schemas.android.com/apk/res/android"'
_SERVICE = (
    '<service android:name=".Notes" android:exported="{exported}" {guard}>'
    '<property android:name="android.app.appfunctions.v2" android:value="f.xml" />{older}'
    '<intent-filter><action android:name="android.app.appfunctions.AppFunctionService" />'
    "</intent-filter></service>"
)
_GUARD = 'android:permission="android.permission.BIND_APP_FUNCTION_SERVICE"'
_NAMED = (
    '<property android:name="android.app.appfunctions.app_metadata" '
    'android:resource="@xml/app_metadata" />'
)
_FUNCTION = (
    "<appfunction><functionId>a.S#{name}</functionId><id>a.S#{name}</id>"
    "<description>Creates a note.</description><response><id>unused</id><valueType>"
    "<id>unused</id><isNullable>false</isNullable><type>0</type></valueType></response>"
    "</appfunction>"
)
_OLDER = (
    "<appfunctions><appfunction><function_id>a.S#{name}</function_id></appfunction></appfunctions>"
)


def _app(
    *,
    attributes: str = "",
    exported: str = "true",
    guard: str = _GUARD,
    named: str = _NAMED,
    display: str = "@string/shown",
    description: str = "Manages notes.",
    older: str = "",
    functions: str = _FUNCTION.format(name="makeNote"),
) -> dict[str, dict[str, str]]:
    """A small app with functions, as it should be but for what is given."""
    v1 = '<property android:name="android.app.appfunctions" android:value="v1.xml" />'
    service = _SERVICE.format(exported=exported, guard=guard, older=v1 if older else "")
    metadata = (
        f'<AppFunctionAppMetadata xmlns:appfn="{ANDROIDX}" appfn:description="{description}" '
        f'appfn:displayDescription="{display}" />'
    )
    files = {
        "AndroidManifest.xml": f'<manifest {_NAMESPACE} xmlns:appfn="{ANDROIDX}">'
        f"<application {attributes}>{service}{named}</application></manifest>",
        "assets/f.xml": f"<appfunctions>{functions}</appfunctions>",
        "res/xml/app_metadata.xml": metadata,
        "res/values/strings.xml": '<resources><string name="shown">Notes</string></resources>',
    }
    return {"files": files | ({"assets/v1.xml": _OLDER.format(name=older)} if older else {})}


RULES = (
    SetRule(
        Rule(
            "AF210",
            "android-files-unusable",
            Severity.ERROR,
            _COMPILER,
            "Mend the file, or build the app anew where it is generated.",
            bad=_app(functions=_FUNCTION.format(name="makeNote") * 2),
            good=_app(),
        ),
        _unusable,
    ),
    SetRule(
        Rule(
            "AF211",
            "android-files-ignored",
            Severity.WARNING,
            _COMPILER,
            "Take out what Android ignores, or write it as Android reads it.",
            bad=_app(functions=_FUNCTION.format(name="makeNote").replace("<id>", "<x>1</x><id>")),
            good=_app(),
        ),
        _ignored,
    ),
    SetRule(
        Rule(
            "AF212",
            "android-application-attributes",
            Severity.WARNING,
            f"{_SOURCE}; found in Google's own sample app",
            "Write them in app_metadata.xml, which the property android.app.appfunctions."
            "app_metadata names.",
            bad=_app(attributes='appfn:description="Manages notes."'),
            good=_app(),
        ),
        _misplaced,
    ),
    SetRule(
        Rule(
            "AF213",
            "android-display-description-literal",
            Severity.WARNING,
            _SOURCE,
            "Put the text into strings.xml and refer to it as @string/name, so that it can be "
            "translated.",
            bad=_app(display="Notes"),
            good=_app(),
        ),
        _literal,
    ),
    SetRule(
        Rule(
            "AF214",
            "android-description-reference",
            Severity.ERROR,
            _SOURCE,
            "Write the text itself into the attribute.",
            bad=_app(description="@string/shown"),
            good=_app(),
        ),
        _reference,
    ),
    SetRule(
        Rule(
            "AF215",
            "android-service-unguarded",
            Severity.ERROR,
            _SOURCE,
            f'Give the service android:exported="true" and android:permission="{_PERMISSION}".',
            bad=_app(guard=""),
            good=_app(),
        ),
        _unguarded,
    ),
    SetRule(
        Rule(
            "AF216",
            "android-metadata-unnamed",
            Severity.WARNING,
            _SOURCE,
            'Add <property android:name="android.app.appfunctions.app_metadata" '
            'android:resource="@xml/app_metadata" /> to <application>.',
            bad=_app(named=""),
            good=_app(),
        ),
        _unnamed,
    ),
    SetRule(
        Rule(
            "AF217",
            "android-versions-differ",
            Severity.ERROR,
            _COMPILER,
            "Build the app anew, so that both files list the same functions.",
            bad=_app(older="createNote"),
            good=_app(older="makeNote"),
        ),
        _differing,
    ),
)
