"""What apps on devices list → the functions that are served of it, each under its name.

A function that cannot be served is left out with a finding, and costs no other. Knows nothing of
time: whether a device has changed is for the bridge to ask.
"""

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from appfunctions_mcp.android.bridge.adb import MAX_WORD_BYTES, AdbDevice
from appfunctions_mcp.android.bridge.device_shell import DeviceShell
from appfunctions_mcp.android.bridge.discovery import DiscoveredApp
from appfunctions_mcp.android.bridge.names import Named, tool_names, unique_ids
from appfunctions_mcp.android.bridge.withholding import visible_document
from appfunctions_mcp.android.data_types import AndroidDocument, AndroidFunction
from appfunctions_mcp.android.json_schema import (
    arguments_of,
    function_metadata,
    unsendable_parameters,
)
from appfunctions_mcp.android.references import components_of, document_of
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import replaced
from appfunctions_mcp.schema.arguments import ArgumentsSchema

__all__ = ["Bridged", "BridgedApp", "Listings", "bridged_functions", "wanted_functions"]

Listings = Mapping[str, Mapping[str, DiscoveredApp]]
"""Serial to package to what is listed of it."""

_MOST_SHOWN = 8
_MOST_COMPONENTS = 200
"""To how many types a function may lead; no agent reads a schema of more."""


@dataclass(frozen=True, slots=True)
class BridgedApp:
    """An app on a device, and how its functions are told from those of others."""

    device: AdbDevice
    shell: DeviceShell
    package: str
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Bridged:
    """One function as it was last listed; equal while nothing about it has changed."""

    metadata: AppFunctionMetadata
    function: AndroidFunction
    document: AndroidDocument = field(repr=False)
    """The function alone, with the components that it leads to."""
    arguments: ArgumentsSchema = field(repr=False, compare=False)
    package: str
    serial: str


def bridged_functions(
    apps: Sequence[BridgedApp], listings: Listings
) -> tuple[dict[str, Bridged], tuple[str, ...]]:
    """The functions that can be served, by their ids here, and what is left out or withheld.

    Args:
        apps: What is served.
        listings: What their devices list.
    """
    findings: list[str] = []
    found = [
        (app, discovered, document)
        for app in apps
        if (discovered := listings[app.shell.serial].get(app.package)) is not None
        for document in _usable_of(discovered, findings)
    ]
    named = [_named(app, document.functions[0]) for app, _, document in found]
    bridged: dict[str, Bridged] = {}
    for (app, discovered, document), name, function_id in zip(
        found, tool_names(named), unique_ids(named), strict=True
    ):
        try:
            bridged[function_id] = _bridged(app, discovered, document, name, function_id)
        except RecursionError:
            what = quoted(document.functions[0].id)
            findings.append(f"{app.package}: {what} is left out: its types stand too deep")
    return bridged, tuple(dict.fromkeys(findings))


def wanted_functions(
    bridged: Mapping[str, Bridged], only: Sequence[str]
) -> tuple[dict[str, Bridged], tuple[str, ...]]:
    """Those of which the tool name or id matches one of the globs, and the globs without any.

    Args:
        bridged: The functions by id.
        only: The globs; all functions are wanted where there is none.
    """
    wanted = {key: each for key, each in bridged.items() if not only or _matches(each, only)}
    first = ", ".join(each.metadata.tool_name for each in list(bridged.values())[:_MOST_SHOWN])
    findings = [
        f"--only {quoted(glob)} matches no function; the first ones are {first}"
        for glob in only
        if bridged and not any(_matches(each, [glob]) for each in bridged.values())
    ]
    return wanted, tuple(findings)


def _usable_of(app: DiscoveredApp, findings: list[str]) -> list[AndroidDocument]:
    """Each function that can be called, with what it needs and nothing that people do not see."""
    visible, withheld = visible_document(app.document, app.package)
    findings += [*app.findings, *withheld]
    components = components_of(visible)
    usable = []
    for function in visible.functions:
        document = document_of(function, components)
        reason = _reason_against(function, document)
        if reason:
            findings.append(f"{app.package}: {quoted(function.id)} is left out: {reason}")
        else:
            usable.append(document)
    return usable


def _reason_against(function: AndroidFunction, document: AndroidDocument) -> str:
    if len(function.id.encode()) > MAX_WORD_BYTES:
        return "its id is longer than a word of a command may be"
    if len(document.components) > _MOST_COMPONENTS:
        return f"it leads to {len(document.components)} types; up to {_MOST_COMPONENTS} are served"
    missing = unsendable_parameters(function, document)
    if missing:
        shown = ", ".join(map(quoted, missing))
        return f"Android's shell cannot send its parameter {shown}"
    return ""


def _named(app: BridgedApp, function: AndroidFunction) -> Named:
    return Named(app.shell.serial, app.package, function.id, app.prefix)


def _bridged(
    app: BridgedApp,
    discovered: DiscoveredApp,
    document: AndroidDocument,
    tool_name: str,
    function_id: str,
) -> Bridged:
    (function,) = document.functions
    metadata = function_metadata(
        function,
        document,
        tool_name=tool_name,
        function_id=function_id,
        module=app.package,
        source=f"{app.package} on {app.shell.serial}",
        enabled=discovered.enabled.get(function.id),
    )
    return Bridged(
        # Nothing in Android's metadata says what a function does to the world.
        replaced(metadata, destructive=True, open_world=True),
        function,
        document,
        arguments_of(function, document),
        app.package,
        app.shell.serial,
    )


def _matches(bridged: Bridged, only: Sequence[str]) -> bool:
    names = (bridged.metadata.tool_name, bridged.metadata.function_id)
    return any(fnmatch.fnmatchcase(name, glob) for name in names for glob in only)
