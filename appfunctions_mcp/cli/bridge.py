"""`appfunctions-mcp bridge`: serves the functions of apps on connected Android devices."""

import argparse
import asyncio
import os
import signal
import sys
from contextlib import suppress

from appfunctions_mcp.android.bridge.adb import Adb, DeviceError, find_adb, require_serial
from appfunctions_mcp.android.bridge.bridged import BridgedApp
from appfunctions_mcp.android.bridge.device_checks import chosen_devices, why_no_functions
from appfunctions_mcp.android.bridge.device_shell import DeviceShell
from appfunctions_mcp.android.bridge.names import prefixes
from appfunctions_mcp.android.bridge.service import Bridge
from appfunctions_mcp.cli.list import as_json as listed_as_json
from appfunctions_mcp.cli.list import print_functions
from appfunctions_mcp.cli.opening import read_settings, start_auditing
from appfunctions_mcp.cli.output import print_json
from appfunctions_mcp.cli.run import (
    add_http_arguments,
    add_process_arguments,
    check_together,
    serve,
)
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.metadata import ExecutionLimits
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.service import AppFunctionService
from appfunctions_mcp.settings import Settings
from appfunctions_mcp.telemetry import configure_logging

USAGE = "--package PACKAGE"
SUMMARY = (
    "Serves the functions of apps on a connected Android device to MCP clients, through adb: over "
    "stdio, or with --http over HTTP."
)
EXAMPLE = """appfunctions-mcp bridge --package com.example.chatapp
         appfunctions-mcp bridge --package com.example.chatapp --list"""

_HINT = "put it into the client's configuration with --adb and the absolute path of adb"
_PACKAGE = regex(r"([A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)(?::([A-Za-z_][A-Za-z0-9_-]*))?\Z")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    add = parser.add_argument
    add(
        "--package",
        action="append",
        default=[],
        metavar="PACKAGE[:PREFIX]",
        help="the app whose functions are served (repeatable)",
    )
    add(
        "--serial",
        action="append",
        default=[],
        metavar="SERIAL",
        help="the device, where several are connected; 'adb devices' lists them (repeatable)",
    )
    add("--adb", metavar="PATH", help="the adb client, where it is not on PATH")
    add("--list", action="store_true", help="show the functions, and what is withheld; then end")
    add("--json", action="store_true", help="with --list: print JSON")
    add("--timeout", metavar="SECONDS", help="how long a function may take (default 30)")
    add("--http", metavar="[HOST:]PORT", help="serve HTTP at /mcp instead of stdio")
    add(
        "--only",
        action="append",
        metavar="GLOB",
        help="only these tool names or ids, such as 'search*' (repeatable)",
    )
    add_http_arguments(parser)
    add_process_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Serves until the client, the network or the user ends it; 1 where no device can be used."""
    settings = read_settings(args)
    packages = _packages_of(args.package)
    serials = [require_serial(each) for each in dict.fromkeys(args.serial)]
    limits = ExecutionLimits(
        timeout_seconds=_seconds_of(args.timeout), loop_guard=not settings.no_loop_guard
    )
    configure_logging(settings.effective_log_level, colours=not settings.no_color)
    if not args.list:
        if args.json:
            raise SettingsError("--json has no effect without --list; give both or none")
        check_together(settings)
    try:
        adb = Adb(find_adb(args.adb, os.environ))
        bridge, service = asyncio.run(_opened(adb, serials, packages, settings, limits))
    except DeviceError as fault:
        for line in fault.faults:
            print(line, file=sys.stderr)
        return 1
    except asyncio.CancelledError:
        return 128 + signal.SIGTERM
    if args.list:
        _show(bridge, service, as_json=args.json)
        return 0
    if settings.http is None:
        from appfunctions_mcp.server.descriptors import guard_stdout

        guard_stdout()
    start_auditing(service, settings, "bridge")
    service.tell_warnings()
    serve(service, settings, hint=_HINT)
    return 0


def _packages_of(given: list[str]) -> dict[str, str]:
    """The packages and the prefixes that were given with them."""
    if not given:
        raise SettingsError(
            "name the app with --package, such as --package com.example.chatapp; 'adb shell cmd "
            "app_function list-app-functions' shows all that have functions"
        )
    found: dict[str, str] = {}
    for each in given:
        parts = _PACKAGE.match(each)
        if parts is None:
            raise SettingsError(
                f"--package: {quoted(each)} is no package; give PACKAGE or PACKAGE:PREFIX, such as "
                "com.example.chatapp:chat"
            )
        found[parts[1]] = parts[2] or ""
    return found


def _seconds_of(given: str | None) -> float:
    usual = ExecutionLimits().timeout_seconds
    try:
        seconds = float(given) if given is not None else usual
    except ValueError:
        seconds = 0
    if not 1 <= seconds <= 86_400:
        raise SettingsError(f"--timeout: {quoted(str(given))}; give seconds from 1 to 86400")
    return seconds


async def _opened(
    adb: Adb,
    serials: list[str],
    packages: dict[str, str],
    settings: Settings,
    limits: ExecutionLimits,
) -> tuple[Bridge, AppFunctionService]:
    _end_at_signals()
    devices = await chosen_devices(adb, serials)
    of_packages = prefixes(list(packages))
    of_devices = prefixes([each.serial for each in devices])
    apps = []
    for device in devices:
        shell = DeviceShell(adb.on(device.serial))
        for package, prefix in packages.items():
            parts = (of_devices[device.serial], prefix or of_packages[package])
            apps.append(BridgedApp(device, shell, package, "_".join(filter(None, parts))))
    bridge = Bridge(apps, only=settings.only, limits=limits)
    service = await bridge.open()
    service.manager.debug = settings.debug
    empty = bridge.empty_apps()
    faults = [line for app in empty for line in await why_no_functions(app.shell, app.package)]
    if bridge.is_bare:
        left_out = ["none of the functions can be served", *bridge.findings]
        raise DeviceError([*faults, *(left_out if bridge.findings else ())])
    for line in faults:
        # What belongs to a line before is indented.
        print(line if line.startswith(" ") else f"warning: {line}", file=sys.stderr)
    return bridge, service


def _end_at_signals() -> None:
    """Ends the current task where the process is told to end, so that no adb is left behind."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None  # noqa: S101 - called by one
    for name in ("SIGTERM", "SIGHUP"):
        # Neither is there on Windows, nor can they be taken outside the main thread.
        with suppress(AttributeError, NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(getattr(signal, name), task.cancel)


def _show(bridge: Bridge, service: AppFunctionService, *, as_json: bool) -> None:
    """Prints what a client would see, what is switched off, and what is withheld."""
    functions = service.manager.search()
    if as_json:
        print_json(listed_as_json(service, functions) | {"findings": bridge.findings})
        return
    print_functions(service, functions)
    for finding in bridge.findings:
        print(f"warning: {finding}", file=sys.stderr)
