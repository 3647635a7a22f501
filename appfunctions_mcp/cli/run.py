"""`appfunctions-mcp run`: serves an app's functions over stdio, or over HTTP."""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from appfunctions_mcp.cli.arguments import add_service_arguments, find_file, split_file
from appfunctions_mcp.cli.opening import open_service, read_settings
from appfunctions_mcp.exceptions import AppFunctionsError, SettingsError
from appfunctions_mcp.service import AppFunctionService
from appfunctions_mcp.settings import Settings
from appfunctions_mcp.telemetry import configure_logging, tell, warn

if TYPE_CHECKING:
    from appfunctions_mcp.cli.early import EarlyStart
    from appfunctions_mcp.manifest import Manifest
    from appfunctions_mcp.server.prologue import Connection

USAGE = "[FILE]"
SUMMARY = "Serves an app's functions to MCP clients: over stdio, or with --http over HTTP."
EXAMPLE = """appfunctions-mcp run metadata/app_metadata.xml
         appfunctions-mcp run metadata/app_metadata.xml --http 8000"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds FILE and the options; each has a variable APPFUNCTIONS_… of the same name."""
    add = parser.add_argument
    add("file", nargs="*", metavar="FILE", help="the metadata XML")
    add("--http", metavar="[HOST:]PORT", help="serve HTTP at /mcp instead of stdio")
    add(
        "--only",
        action="append",
        metavar="GLOB",
        help="only these tool names or ids, such as 'labels_*' (repeatable)",
    )
    add_service_arguments(parser)
    add("--sessions", action="store_const", const=True, help="HTTP sessions for 2025-era clients")
    add("--max-body-bytes", metavar="N", help="largest HTTP request (default 4 MiB)")
    add("--allowed-host", action="append", metavar="HOST", help="answer for this Host too")
    add("--allowed-origin", action="append", metavar="ORIGIN", help="answer this Origin too")
    add("--token-env", metavar="NAME", help="variable that holds the bearer token")
    add("--allow-anonymous", action="store_const", const=True, help="no token on a public address")
    add("--eager", action="store_const", const=True, help="import the app before any answer")
    add("--no-loop-guard", action="store_const", const=True, help="never stop repeated failures")
    add("--watch-parent", action="store_const", const=True, help="end when the parent process ends")
    add("--log-level", metavar="debug|info|warning|error", help="default: warning; info on HTTP")
    add("--debug", action="store_const", const=True, help="send tracebacks of crashes to callers")


def run(args: argparse.Namespace) -> int:
    """Serves until the client, the network or the user ends it."""
    file, rest = split_file(args.file)
    if rest:
        raise SettingsError(f"{rest[0]!r} is no metadata file; FILE ends in .xml or is a folder")
    settings = read_settings(args)
    configure_logging(settings.effective_log_level, colours=not settings.no_color)
    if settings.http is None:
        # Before any module of the app is imported: what it prints must not reach the client.
        from appfunctions_mcp.server.descriptors import guard_stdout

        guard_stdout()
    early: EarlyStart | None = getattr(args, "early", None)
    service = _open_service(args, file, settings, early)
    service.tell_warnings()
    if settings.http:
        _serve_http(service, settings)
    else:
        _serve_stdio(service, settings, early)
    return 0


def _open_service(
    args: argparse.Namespace, file: str | None, settings: Settings, early: "EarlyStart | None"
) -> AppFunctionService:
    """The service; one that says what is wrong where a client has its list of tools already."""
    try:
        if early is not None:
            named = (find_file(file or settings.file), settings.resources)
            early.named = [path for path in named if path is not None]
        return open_service(args, file, settings=settings)
    except AppFunctionsError as fault:
        if early is None or early.manifest is None or early.path is None:
            raise
        from appfunctions_mcp.server.handover import unloaded_service

        for line in fault.faults:
            print(line, file=sys.stderr)
        Path(early.path).unlink(missing_ok=True)
        service = unloaded_service(early.manifest, fault)
        early.path = None
        return service


def _serve_stdio(
    service: AppFunctionService, settings: Settings, early: "EarlyStart | None"
) -> None:
    threads = settings.stdio == "threads"
    if early is not None and early.manifest is not None and early.connection is not None:
        _resume(service, settings, early, early.manifest, early.connection)
        return
    if early is not None:
        _keep_manifest(service, settings, early)
    if settings.engine == "sdk":
        from appfunctions_mcp.server.sdk import serve_stdio
    else:
        from appfunctions_mcp.server.engine import serve_stdio
    _announce(
        service,
        "serving stdio: MCP clients start this command themselves; "
        "'appfunctions-mcp install claude-desktop' puts it there; Ctrl+C ends",
    )
    serve_stdio(service, threads=threads, watch_parent=settings.watch_parent)


def _resume(
    service: AppFunctionService,
    settings: Settings,
    early: "EarlyStart",
    manifest: "Manifest",
    connection: "Connection",
) -> None:
    """Goes on with a connection that was served from a manifest."""
    from appfunctions_mcp.server.handover import OutdatedTools, resume_stdio

    outdated = OutdatedTools(service, manifest)
    if outdated.has_changed and _keep_manifest(service, settings, early):
        warn(
            "the client was given an old list of tools, since the app has changed; where no file "
            "of its own has, name what its modules read at import with <mcp:dependsOn>"
        )
    resume_stdio(service, connection, outdated, threads=settings.stdio == "threads")


def _keep_manifest(service: AppFunctionService, settings: Settings, early: "EarlyStart") -> bool:
    """Writes the manifest for the next start; False where there can be none."""
    from appfunctions_mcp.manifest_writing import reason_against, write_manifest
    from appfunctions_mcp.server.ready_answers import ready_answers, written_tools

    if early.path is None or reason_against(service) is not None:
        return False
    tools = written_tools(service)
    return write_manifest(
        early.path,
        service,
        ready_answers(service, tools),
        tools,
        named=early.named,
        resources=settings.resources,
        started_ns=early.started_ns,
    )


def _serve_http(service: AppFunctionService, settings: Settings) -> None:
    from appfunctions_mcp.server.http import serve_http
    from appfunctions_mcp.server.shutdown import ExitDeadline

    address = settings.http
    assert address is not None  # noqa: S101 - only called with an address
    serve_http(
        service,
        address.host,
        address.port,
        sessions=settings.sessions,
        max_body_bytes=settings.max_body_bytes,
        allowed_hosts=settings.allowed_host,
        allowed_origins=settings.allowed_origin,
        token=settings.token(os.environ),
        allow_anonymous=settings.allow_anonymous,
        engine=settings.engine or "lean",
        on_ready=lambda url: _announce(
            service, f"serving {url}; Ctrl+C ends", log=f"serving {url}"
        ),
    )
    # A thread that an async function has left in asyncio's executor would keep the process.
    ExitDeadline().arm()


def _announce(service: AppFunctionService, how: str, *, log: str | None = None) -> None:
    """Says what is served and how to connect: to a person at a terminal, else to the log."""
    if not sys.stderr.isatty():
        if log is not None:
            tell(log)
    else:
        app, count = service.metadata, len(service.manager.listed())
        print(f"{app.title or app.name} {app.version}: {count} functions", file=sys.stderr)
        print(how, file=sys.stderr)
