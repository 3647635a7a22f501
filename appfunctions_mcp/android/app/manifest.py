"""Reads the text form of an AndroidManifest: where an app's functions and metadata are.

What is read are the properties of `<application>` and of the services that carry functions.
A compiled manifest, as an APK holds it, is refused. Opens no file but the manifest itself.
"""

from dataclasses import dataclass
from pathlib import Path

from appfunctions_mcp.exceptions import MetadataXmlError
from appfunctions_mcp.fault_report import FaultReport, fault_text
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.string_resources import is_reference
from appfunctions_mcp.xml_elements import XmlAttribute, XmlElement, read_xml

MANIFEST_FILE = "AndroidManifest.xml"
SERVICE_ACTION = "android.app.appfunctions.AppFunctionService"

_ANDROID = "http://schemas.android.com/apk/res/android"
_TOOLS = "http://schemas.android.com/tools"
_FUNCTIONS = "android.app.appfunctions"
_FUNCTIONS_V2 = "android.app.appfunctions.v2"
_APP_METADATA = "android.app.appfunctions.app_metadata"
_COMPILED_XML = b"\x03\x00\x08\x00"
_TEXT_STARTS = (b"<", b"\xff\xfe", b"\xfe\xff")
_NEVER_IN_TEXT = frozenset(range(32)) - frozenset(b"\t\n\f\r")
_XML_RESOURCE = regex(r"@(?:[A-Za-z0-9_.]+:)?xml/(?P<name>[A-Za-z0-9_.]+)\Z")
_ASSET_PART = regex(r"[^\\/:*?\"<>|\x00-\x1f]*[^\\/:*?\"<>|\x00-\x1f. ]\Z")


@dataclass(frozen=True, slots=True)
class NamedAsset:
    """A functions XML in `assets/` that the manifest names."""

    name: str
    """Its path below `assets/`, with `/` between folders and no part that leads out."""
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AndroidManifest:
    """What a manifest says of an app's functions."""

    path: Path
    package: str | None = None
    """The package that it declares; newer projects have theirs in the build file instead."""
    label: str | None = None
    """The app's name as it is written, often `@string/app_name`."""
    version: str | None = None
    app_metadata: str | None = None
    """The name of the resource in `res/xml/` that describes the app, without `.xml`."""
    app_metadata_line: int = 0
    assets: tuple[NamedAsset, ...] = ()
    """The functions XML files, those of services first, each once."""
    warnings: tuple[str, ...] = ()
    """What the author should know, `FILE:LINE: …`."""


def read_manifest(path: Path) -> AndroidManifest:
    """Reads a manifest.

    Args:
        path: The `AndroidManifest.xml`.

    Raises:
        MetadataXmlError: It is compiled, is no manifest, or what it names cannot be used.
    """
    if is_compiled(path):
        raise MetadataXmlError(
            fault_text(
                path,
                1,
                "this manifest is compiled (binary XML), as it stands in an APK; the manifest of "
                "the sources is accepted: give the app's src/main folder, its AAR, or the "
                "functions XML itself",
            )
        )
    root = read_xml(path)
    report = FaultReport(path)
    if root.name != "manifest" or root.namespace:
        report.fault(root.line, f"the root element is <{root.qualified}>; <manifest> is accepted")
        report.require_none()
    applications = _kept(root, "application")
    if not applications:
        report.fault(root.line, "<manifest> has no <application>, so it names no functions")
    manifest = _Reader(report).read(root, applications)
    report.require_none()
    return manifest


def is_compiled(path: Path) -> bool:
    """Whether a file is XML in one of the binary forms of Android's build, not text."""
    try:
        # A pipe would wait for its other end.
        if not path.is_file():
            return False
        with path.open("rb") as file:
            start = file.read(64)
    except (OSError, ValueError):
        return False  # who reads it says so
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith(_COMPILED_XML) or (
        not text.startswith(_TEXT_STARTS) and not _NEVER_IN_TEXT.isdisjoint(start)
    )


class _Reader:
    """One reading of a manifest.

    Args:
        report: Takes faults and warnings.
    """

    def __init__(self, report: FaultReport) -> None:
        self._report = report
        self._assets: dict[str, NamedAsset] = {}

    def read(self, root: XmlElement, applications: list[XmlElement]) -> AndroidManifest:
        metadata: XmlAttribute | None = None
        label: str | None = None
        for application in applications:
            label = _android(application, "label")
            for service in _kept(application, "service"):
                self._read_service(service)
            for element in _kept(application, "property"):
                name = _android(element, "name")
                if name in {_FUNCTIONS, _FUNCTIONS_V2}:
                    self._read_assets(element, name)
                elif name == _APP_METADATA:
                    metadata = self._resource_of(element)
        package = root.attribute("package")
        return AndroidManifest(
            path=self._report.path,
            package=package.value.strip() if package else None,
            label=label,
            version=_android(root, "versionName"),
            app_metadata=self._xml_name(metadata) if metadata else None,
            app_metadata_line=metadata.line if metadata else 0,
            assets=tuple(self._assets.values()),
            warnings=self._report.warnings,
        )

    def _read_service(self, service: XmlElement) -> None:
        """Takes the newer of the files that a service names; the older one says less."""
        properties = {_android(each, "name"): each for each in _kept(service, "property")}
        named = next((name for name in (_FUNCTIONS_V2, _FUNCTIONS) if name in properties), None)
        actions = {
            _android(action, "name")
            for intents in _kept(service, "intent-filter")
            for action in _kept(intents, "action")
        }
        shown = quoted(_android(service, "name") or "")
        if named is not None:
            self._read_assets(properties[named], named)
            if SERVICE_ACTION not in actions:
                self._report.warn(
                    service.line,
                    f"service {shown} has no intent filter with the action {SERVICE_ACTION}, so "
                    "Android does not find its functions",
                )
        elif SERVICE_ACTION in actions:
            self._report.warn(
                service.line,
                f"service {shown} names no functions XML; Android expects a <property> "
                f'android:name="{_FUNCTIONS_V2}"',
            )

    def _read_assets(self, element: XmlElement, property_name: str) -> None:
        value = element.attribute("value", _ANDROID)
        if value is None or not value.value.strip(" ,"):
            self._report.fault(
                element.line,
                f"property {property_name} has no android:value; name the XML in assets/",
            )
            return
        for name in (each.strip() for each in value.value.split(",")):
            if name and not _is_path_inside(name):
                self._report.fault(
                    value.line,
                    f"property {property_name} names {quoted(name)}; accepted is the name of a "
                    "file below assets/, such as 'my_functions.xml'",
                )
            elif name:
                self._assets.setdefault(name, NamedAsset(name, value.line))

    def _resource_of(self, element: XmlElement) -> XmlAttribute | None:
        resource = element.attribute("resource", _ANDROID)
        if resource is None:
            self._report.fault(
                element.line,
                f'property {_APP_METADATA} has no android:resource; write android:resource="'
                '@xml/app_metadata"',
            )
        return resource

    def _xml_name(self, resource: XmlAttribute) -> str | None:
        match = _XML_RESOURCE.match(resource.value.strip())
        if match is None:
            self._report.fault(
                resource.line,
                f"property {_APP_METADATA} is {quoted(resource.value)}; accepted is a resource in "
                "res/xml/, such as '@xml/app_metadata'",
            )
        return match["name"] if match else None


def _kept(parent: XmlElement, name: str) -> list[XmlElement]:
    """The children of this name, without those that the merger of manifests takes out."""
    return [
        each
        for each in parent.children
        if each.name == name and not each.namespace and not _is_removed(each)
    ]


def _is_removed(element: XmlElement) -> bool:
    node = element.attribute("node", _TOOLS)
    return node is not None and node.value.strip() in {"remove", "removeAll"}


def _android(element: XmlElement, name: str) -> str | None:
    attribute = element.attribute(name, _ANDROID)
    return attribute.value.strip() if attribute else None


def _is_path_inside(name: str) -> bool:
    """Whether a name leads to a file below the folder it is looked up in, on any system."""
    parts_are_names = all(_ASSET_PART.match(part) for part in name.split("/"))
    return len(name) <= 255 and parts_are_names and not is_reference(name)
