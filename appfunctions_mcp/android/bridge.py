"""The functions of apps on connected devices, as a service of this machine.

They are listed anew when a client asks for one that is not known, when a device knows no more of
one, and now and then while somebody listens. A device that has gone fails its calls, with what
to do; the service lives on and finds it again. Knows nothing of MCP.
"""

import asyncio
import fnmatch
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from appfunctions_mcp.android.adb import AdbDevice, DeviceError
from appfunctions_mcp.android.bridge_names import Named, tool_names, unique_ids
from appfunctions_mcp.android.bridge_values import plain_result, shell_doubts, shell_parameters
from appfunctions_mcp.android.data_types import AndroidDocument, AndroidFunction
from appfunctions_mcp.android.device_shell import DeviceShell
from appfunctions_mcp.android.discovery import DiscoveredApp
from appfunctions_mcp.android.json_schema import (
    arguments_of,
    function_metadata,
    unsendable_parameters,
)
from appfunctions_mcp.android.withholding import visible_document, visible_or_nothing
from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionException,
    AppFunctionFunctionNotFoundException,
    AppFunctionInvalidArgumentException,
    AppFunctionSystemUnknownException,
)
from appfunctions_mcp.function_metadata import names_in
from appfunctions_mcp.functions import AppFunction
from appfunctions_mcp.manager import Proceed
from appfunctions_mcp.metadata import (
    AppFunctionMetadata,
    AppMetadata,
    ExecutionLimits,
    MetadataChanged,
    StatesChanged,
)
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import replaced
from appfunctions_mcp.requests import ExecuteAppFunctionRequest, ExecuteAppFunctionResponse
from appfunctions_mcp.schema.responses import response_from_json_schema
from appfunctions_mcp.service import AppFunctionService
from appfunctions_mcp.telemetry import tell, warn

__all__ = ["Bridge", "BridgedApp"]

POLL_SECONDS = 30.0
"""How often an app is looked at while somebody listens for changes."""
_LEAST_SECONDS = 3.0
"""How soon after a listing another one is made for unknown names."""


@dataclass(frozen=True, slots=True)
class BridgedApp:
    """An app on a device, and how its functions are told from those of others."""

    device: AdbDevice
    shell: DeviceShell
    package: str
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class _Bridged:
    """One function as it was last listed; equal while nothing about it has changed."""

    metadata: AppFunctionMetadata
    function: AndroidFunction
    document: AndroidDocument = field(repr=False)
    package: str
    serial: str


class Bridge:
    """Serves apps on devices.

    Args:
        apps: What is served.
        only: Globs of tool names or ids; what none of them matches is not served.
        limits: What one call and the process may cost.
        poll_seconds: How often the apps are looked at while somebody listens.
    """

    def __init__(
        self,
        apps: Sequence[BridgedApp],
        *,
        only: Sequence[str] = (),
        limits: ExecutionLimits | None = None,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        self._apps = apps
        self._only = only
        self._limits = limits or ExecutionLimits()
        self._poll_seconds = poll_seconds
        self._bridged: dict[str, _Bridged] = {}
        self._listed: dict[str, Mapping[str, DiscoveredApp]] = {}
        self._listed_at = 0.0
        self._lock = asyncio.Lock()
        self._trouble = ""
        self.findings: tuple[str, ...] = ()
        """What is withheld or left out, and why."""

    async def open(self) -> AppFunctionService:
        """Lists the apps and makes the service.

        Raises:
            DeviceError: A device or an app cannot be used; every one is named.
        """
        _require_no_faults(await self._list_all())
        bridged, self.findings = self._read_listed()
        descriptions = [await self._description_of(app) for app in self._apps]
        self.service = AppFunctionService(
            self._metadata("\n\n".join(filter(None, descriptions))),
            [self._compiled(each) for each in bridged.values()],
            lifespan=self._watching,
            warnings=self.findings,
        )
        self.service.around(self._look_for_unknown)
        self._bridged = bridged
        return self.service

    def empty_apps(self) -> list[BridgedApp]:
        """The apps of which nothing is listed."""
        found = {(each.serial, each.package) for each in self._bridged.values()}
        return [a for a in self._apps if (a.shell.serial, a.package) not in found]

    async def refresh(self) -> bool:
        """Lists the apps anew and takes over what has changed.

        Returns:
            Whether anything has.

        Raises:
            DeviceError: A device cannot be used now; what is known of it stays.
        """
        async with self._lock:
            faults = await self._list_all()
            bridged, findings = self._read_listed()
            for finding in findings:
                if finding not in self.findings:
                    warn(finding)
            self.findings = findings
            has_changed = self._take_over(bridged)
        _require_no_faults(faults)
        return has_changed

    def _take_over(self, bridged: dict[str, _Bridged]) -> bool:
        ids = {*bridged, *self._bridged}
        changed = frozenset(i for i in ids if bridged.get(i) != self._bridged.get(i))
        if not changed:
            return False
        registry = self.service.registry
        registry.remove(self._bridged)
        registry.add([self._compiled(each) for each in bridged.values()])
        self._bridged = bridged
        self.service.manager.announce(MetadataChanged(changed))
        self.service.manager.announce(StatesChanged(changed))
        return True

    async def _list_all(self) -> list[str]:
        """Lists every device that can be reached; returns what is the matter with the others."""
        faults: list[str] = []
        for shell in {app.shell.serial: app.shell for app in self._apps}.values():
            packages = [a.package for a in self._apps if a.shell.serial == shell.serial]
            try:
                self._listed[shell.serial] = await shell.apps(packages)
            except DeviceError as fault:
                faults += fault.faults
        self._listed_at = time.monotonic()
        return faults

    def _read_listed(self) -> tuple[dict[str, _Bridged], tuple[str, ...]]:
        findings: list[str] = []
        found: list[tuple[BridgedApp, DiscoveredApp, AndroidFunction]] = []
        for app in self._apps:
            discovered = self._listed[app.shell.serial].get(app.package)
            if discovered is None:
                continue
            document, withheld = visible_document(discovered.document, app.package)
            findings += [*discovered.findings, *withheld]
            visible = DiscoveredApp(app.package, document, discovered.enabled)
            usable = [f for f in document.functions if self._is_usable(f, visible, findings)]
            found += [(app, visible, function) for function in usable]
        return self._named(found), tuple(dict.fromkeys(findings))

    def _is_usable(
        self, function: AndroidFunction, app: DiscoveredApp, findings: list[str]
    ) -> bool:
        missing = unsendable_parameters(function, app.document)
        if missing:
            findings.append(
                f"{app.package}: {quoted(function.id)} is left out: Android's shell cannot send "
                f"its parameter {', '.join(map(quoted, missing))}"
            )
        return not missing

    def _named(
        self, found: Sequence[tuple[BridgedApp, DiscoveredApp, AndroidFunction]]
    ) -> dict[str, _Bridged]:
        named = [
            Named(app.shell.serial, app.package, function.id, app.prefix)
            for app, _, function in found
        ]
        bridged: dict[str, _Bridged] = {}
        for (app, discovered, function), name, function_id in zip(
            found, tool_names(named), unique_ids(named), strict=True
        ):
            metadata = function_metadata(
                function,
                discovered.document,
                tool_name=name,
                function_id=function_id,
                module=app.package,
                source=f"{app.package} on {app.shell.serial}",
                enabled=discovered.enabled.get(function.id),
            )
            metadata = replaced(metadata, destructive=True, open_world=True)
            if self._is_wanted(metadata):
                bridged[function_id] = _Bridged(
                    metadata, function, discovered.document, app.package, app.shell.serial
                )
        return bridged

    def _is_wanted(self, metadata: AppFunctionMetadata) -> bool:
        names = (metadata.tool_name, metadata.function_id)
        return not self._only or any(
            fnmatch.fnmatchcase(name, glob) for glob in self._only for name in names
        )

    def _compiled(self, bridged: _Bridged) -> AppFunction:
        shell = next(a.shell for a in self._apps if a.shell.serial == bridged.serial)
        return AppFunction(
            lambda: bridged.metadata,
            arguments_of(bridged.function, bridged.document),
            response_from_json_schema(bridged.metadata.response.schema),
            lambda arguments, _: partial(self._call, shell, bridged, arguments),
            names=names_in(bridged.metadata),
            is_async=True,
            takes_context=False,
        )

    async def _call(self, shell: DeviceShell, bridged: _Bridged, arguments: dict[str, Any]) -> Any:
        parameters = shell_parameters(bridged.function, bridged.document, arguments)
        # A little less than the caller waits, so that the device ends it and says so.
        seconds = max(self._limits.timeout_seconds - 1, 1)
        try:
            printed = await shell.execute(bridged.package, bridged.function.id, parameters, seconds)
        except DeviceError as fault:
            raise AppFunctionSystemUnknownException(
                str(fault),
                recovery="Ask the user to do that, then call again.",
            ) from fault
        except AppFunctionFunctionNotFoundException as fault:
            raise await self._after_not_found(fault) from fault
        except (AppFunctionInvalidArgumentException, AppFunctionAppUnknownException) as fault:
            doubts = shell_doubts(parameters)
            raise _with_recovery(fault, " ".join(doubts)) from fault
        return plain_result(bridged.function, bridged.document, printed)

    async def _after_not_found(self, fault: AppFunctionException) -> AppFunctionException:
        with suppress(DeviceError):
            if await self.refresh():
                return _with_recovery(
                    fault, "The app has changed; its functions have been listed anew."
                )
        return fault

    async def _look_for_unknown(
        self, request: ExecuteAppFunctionRequest, proceed: Proceed
    ) -> ExecuteAppFunctionResponse:
        """Lists the apps before a client is told that there is no such function."""
        is_due = time.monotonic() - self._listed_at >= _LEAST_SECONDS
        if is_due and self.service.registry.find(request.function) is None:
            with suppress(DeviceError):
                await self.refresh()
        return await proceed(request)

    @asynccontextmanager
    async def _watching(self) -> AsyncIterator[None]:
        task = asyncio.get_running_loop().create_task(self._watch())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(self._poll_seconds)
            if not self.service.manager.is_heard:
                continue
            try:
                await self.refresh()
            except DeviceError as fault:
                if str(fault) != self._trouble:
                    self._trouble = str(fault)
                    warn(f"{fault}; what is known of its functions stays listed")
            else:
                if self._trouble:
                    self._trouble = ""
                    tell("the devices answer again")

    async def _description_of(self, app: BridgedApp) -> str:
        device = app.device.model.replace("_", " ") or "Android device"
        begin = f"Functions of the Android app {app.package} on the {device} ({app.shell.serial})"
        named = f"; their names begin with {app.prefix}_" if app.prefix else ""
        findings: list[str] = []
        own = visible_or_nothing(
            await app.shell.app_description(app.package),
            f"{app.package}: the app's description",
            findings,
        )
        self.findings = (*self.findings, *findings)
        return f"{begin}{named}. They act on that device, over adb.\n{own}".strip()

    def _metadata(self, description: str) -> AppMetadata:
        packages = list(dict.fromkeys(app.package for app in self._apps))
        name = packages[0].rpartition(".")[2] if len(packages) == 1 else "android"
        return AppMetadata(
            name=name,
            description=description,
            display_description=f"{', '.join(packages)} on a connected Android device",
            title=", ".join(packages),
            manifest=False,
            limits=self._limits,
        )


def _with_recovery(fault: AppFunctionException, more: str) -> AppFunctionException:
    recovery = " ".join(filter(None, (fault.recovery, more)))
    return fault.restated(recovery=recovery) if recovery and not fault.recovery else fault


def _require_no_faults(faults: Sequence[str]) -> None:
    """Raises what was collected.

    Raises:
        DeviceError: There are faults.
    """
    if faults:
        raise DeviceError(dict.fromkeys(faults))
