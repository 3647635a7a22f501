"""The functions of apps on connected devices, as a service of this machine.

They are listed anew when a client asks for one that cannot be called, when a device knows no
more of one, and now and then while somebody listens or asks. A device that has gone fails its
calls, with what to do; the service lives on and finds it again. Knows nothing of MCP.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

from appfunctions_mcp.android.bridge.adb import DeviceError
from appfunctions_mcp.android.bridge.bridged import (
    Bridged,
    BridgedApp,
    bridged_functions,
    wanted_functions,
)
from appfunctions_mcp.android.bridge.device_shell import DeviceShell
from appfunctions_mcp.android.bridge.discovery import DiscoveredApp
from appfunctions_mcp.android.bridge.values import plain_result, shell_doubts, shell_parameters
from appfunctions_mcp.android.bridge.withholding import visible_or_nothing
from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionDisabledException,
    AppFunctionException,
    AppFunctionFunctionNotFoundException,
    AppFunctionInvalidArgumentException,
    AppFunctionSystemUnknownException,
)
from appfunctions_mcp.function_metadata import names_in
from appfunctions_mcp.functions import AppFunction
from appfunctions_mcp.manager import Proceed
from appfunctions_mcp.metadata import (
    AppFunctionState,
    AppMetadata,
    ExecutionLimits,
    MetadataChanged,
    StatesChanged,
)
from appfunctions_mcp.requests import ExecuteAppFunctionRequest, ExecuteAppFunctionResponse
from appfunctions_mcp.schema.responses import response_from_json_schema
from appfunctions_mcp.service import AppFunctionService
from appfunctions_mcp.state import InMemoryStateStore
from appfunctions_mcp.telemetry import tell, warn

__all__ = ["Bridge", "BridgedApp"]

POLL_SECONDS = 30.0
"""How often an app is looked at while somebody listens for changes."""
_LEAST_SECONDS = 3.0
"""How soon after a listing another one is made for what cannot be called."""
_NEWS_SECONDS = 5.0
"""How long a caller waits for a new listing who has an answer already."""


class _NoticedStore(InMemoryStateStore):
    """Keeps states in memory, and notices when somebody reads them, as requests do."""

    was_read = False

    def read(self) -> Mapping[str, AppFunctionState]:
        """The states by function id."""
        self.was_read = True
        return super().read()


class Bridge:
    """Serves apps on devices.

    Args:
        apps: What is served.
        only: Globs of tool names or ids; what none of them matches is not served.
        limits: What one call and the process may cost.
        poll_seconds: How often the apps are looked at while somebody listens or asks.
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
        self._bridged: dict[str, Bridged] = {}
        self._listed: dict[str, Mapping[str, DiscoveredApp]] = {}
        self._listed_at = 0.0
        self._lock = asyncio.Lock()
        self._trouble = ""
        self._requests = _NoticedStore()
        self.is_bare = True
        """Whether none of the functions that are listed can be served."""
        self.findings: tuple[str, ...] = ()
        """What is withheld or left out, and why."""

    async def open(self) -> AppFunctionService:
        """Lists the apps and makes the service.

        Raises:
            DeviceError: A device or an app cannot be used; every one is named.
        """
        self._listed, faults = await self._list_all()
        _require_no_faults(faults)
        bridged, self.findings = self._read_listed()
        descriptions = [await self._description_of(app) for app in self._apps]
        self.service = AppFunctionService(
            self._metadata("\n\n".join(filter(None, descriptions))),
            [self._compiled(each) for each in bridged.values()],
            lifespan=self._watching,
            store=self._requests,
            warnings=self.findings,
        )
        self.service.around(self._look_again)
        self._bridged = bridged
        return self.service

    def empty_apps(self) -> list[BridgedApp]:
        """The apps of which nothing is listed, not even what cannot be served."""

        def is_empty(app: BridgedApp) -> bool:
            found = self._listed[app.shell.serial].get(app.package)
            return found is None or not (found.document.functions or found.findings)

        return list(filter(is_empty, self._apps))

    async def refresh(self) -> bool:
        """Lists the apps anew and takes over what has changed.

        Returns:
            Whether anything has.

        Raises:
            DeviceError: A device cannot be used now; what is known of it stays.
        """
        async with self._lock:
            # Nothing is kept before all is listed: a listing that is given up half way would
            # take with it what has changed.
            listed, faults = await self._list_all()
            before, self._listed = self._listed, listed
            has_changed = listed != before and self._take_over_listed()
        _require_no_faults(faults)
        return has_changed

    def _take_over_listed(self) -> bool:
        bridged, findings = self._read_listed()
        for finding in findings:
            if finding not in self.findings:
                warn(finding)
        self.findings = findings
        return self._take_over(bridged)

    def _read_listed(self) -> tuple[dict[str, Bridged], tuple[str, ...]]:
        usable, findings = bridged_functions(self._apps, self._listed)
        self.is_bare = not usable
        wanted, unmatched = wanted_functions(usable, self._only)
        return wanted, (*findings, *unmatched)

    def _take_over(self, bridged: dict[str, Bridged]) -> bool:
        ids = {*bridged, *self._bridged}
        changed = frozenset(i for i in ids if bridged.get(i) != self._bridged.get(i))
        if not changed:
            return False
        registry = self.service.registry
        compiled = [self._compiled(each) for each in bridged.values()]
        registry.remove(self._bridged)
        registry.add(compiled)
        self._bridged = bridged
        self.service.manager.announce(MetadataChanged(changed))
        self.service.manager.announce(StatesChanged(changed))
        return True

    async def _list_all(self) -> tuple[dict[str, Mapping[str, DiscoveredApp]], list[str]]:
        """What every device lists, or has listed last, and what is the matter with some."""
        listed = dict(self._listed)
        faults: list[str] = []
        for shell in {app.shell.serial: app.shell for app in self._apps}.values():
            packages = [a.package for a in self._apps if a.shell.serial == shell.serial]
            try:
                listed[shell.serial] = await shell.apps(packages)
            except DeviceError as fault:
                faults += fault.faults
        self._listed_at = time.monotonic()
        return listed, faults

    def _compiled(self, bridged: Bridged) -> AppFunction:
        shell = next(a.shell for a in self._apps if a.shell.serial == bridged.serial)
        return AppFunction(
            lambda: bridged.metadata,
            bridged.arguments,
            response_from_json_schema(bridged.metadata.response.schema),
            lambda arguments, _: partial(self._call, shell, bridged, arguments),
            names=names_in(bridged.metadata),
            is_async=True,
            takes_context=False,
        )

    async def _call(self, shell: DeviceShell, bridged: Bridged, arguments: dict[str, Any]) -> Any:
        parameters = shell_parameters(bridged.function, bridged.document, arguments)
        # A little less than the caller waits, so that the device ends it and says so.
        seconds = max(self._limits.timeout_seconds - 1, 1)
        ends_at = time.monotonic() + seconds
        try:
            printed = await shell.execute(bridged.package, bridged.function.id, parameters, seconds)
        except DeviceError as fault:
            raise AppFunctionSystemUnknownException(
                str(fault),
                recovery="Ask the user to do that, then call again.",
            ) from fault
        except (AppFunctionFunctionNotFoundException, AppFunctionDisabledException) as fault:
            # The device contradicts what is known of it here.
            raise _with_recovery(fault, await self._news_of(bridged, ends_at)) from fault
        except AppFunctionInvalidArgumentException as fault:
            is_recent = time.monotonic() - self._listed_at < _LEAST_SECONDS
            news = "" if is_recent else await self._news_of(bridged, ends_at)
            raise _with_recovery(fault, news, *shell_doubts(parameters)) from fault
        except AppFunctionAppUnknownException as fault:
            raise _with_recovery(fault, *shell_doubts(parameters)) from fault
        return plain_result(bridged.function, bridged.document, printed)

    async def _news_of(self, bridged: Bridged, ends_at: float) -> str:
        """Lists the apps anew, and says so where that shows that a function has changed.

        Args:
            bridged: The function as the caller knew it.
            ends_at: When the caller has to have an answer, whether a device lists or not.
        """
        seconds = min(ends_at - time.monotonic(), _NEWS_SECONDS)
        with suppress(DeviceError, TimeoutError):
            async with asyncio.timeout(seconds):
                await self.refresh()
        if self._bridged.get(bridged.metadata.function_id) == bridged:
            return ""
        return "The app has changed; its functions have been listed anew."

    async def _look_again(
        self, request: ExecuteAppFunctionRequest, proceed: Proceed
    ) -> ExecuteAppFunctionResponse:
        """Lists the apps before a client is told that a function is not there, or is off."""
        found = self.service.registry.find(request.function)
        is_callable = found is not None and self.service.manager.is_enabled(found.metadata)
        if not is_callable and time.monotonic() - self._listed_at >= _LEAST_SECONDS:
            with suppress(DeviceError):
                await self.refresh()
        return await proceed(request)

    @asynccontextmanager
    async def _watching(self) -> AsyncIterator[None]:
        self._requests.was_read = False
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
            # A client that holds no connection open asks again instead of listening.
            if not self.service.manager.is_heard and not self._requests.was_read:
                continue
            self._requests.was_read = False
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


def _with_recovery(fault: AppFunctionException, *advice: str) -> AppFunctionException:
    """An app's failure with advice, where it has none of its own."""
    recovery = " ".join(filter(None, advice))
    return fault.restated(recovery=recovery) if recovery and not fault.recovery else fault


def _require_no_faults(faults: Sequence[str]) -> None:
    """Raises what was collected.

    Raises:
        DeviceError: There are faults.
    """
    if faults:
        raise DeviceError(dict.fromkeys(faults))
