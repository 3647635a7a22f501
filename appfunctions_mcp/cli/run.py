"""`appfunctions-mcp run`: serves an app's functions over stdio, or over HTTP."""

import argparse
import os
import sys

from appfunctions_mcp.cli.arguments import add_service_arguments, split_file
from appfunctions_mcp.cli.opening import open_service, read_settings
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.service import AppFunctionService
from appfunctions_mcp.settings import Settings
from appfunctions_mcp.telemetry import configure_logging, warn

SUMMARY = "Serves an app's functions to MCP clients: over stdio, or with --http over HTTP."
EXAMPLE = """appfunctions-mcp run metadata/app_metadata.xml
         appfunctions-mcp run metadata/app_metadata.xml --http 8000"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds FILE and the options; each has a variable APPFUNCTIONS_… of the same name."""
    add = parser.add_argument
    add("file", nargs="*", metavar="FILE", help="the metadata XML")
    add("--http", metavar="[HOST:]PORT", help="serve HTTP at /mcp instead of stdio")
    add("--only", action="append", metavar="GLOB", help="serve these tool names or ids only")
    add_service_arguments(parser)
    add("--sessions", action="store_const", const=True, help="HTTP sessions for 2025-era clients")
    add("--max-body-bytes", metavar="N", help="largest HTTP request (default 4 MiB)")
    add("--allowed-host", action="append", metavar="HOST", help="answer for this Host too")
    add("--allowed-origin", action="append", metavar="ORIGIN", help="answer this Origin too")
    add("--token-env", metavar="NAME", help="variable that holds the bearer token")
    add("--allow-anonymous", action="store_const", const=True, help="no token on a public address")
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
    service = open_service(args, file, settings=settings)
    for warning in service.warnings:
        warn(warning)
    if settings.http:
        _serve_http(service, settings)
    else:
        _serve_stdio(service, settings)
    return 0


def _serve_stdio(service: AppFunctionService, settings: Settings) -> None:
    from appfunctions_mcp.server.sdk import serve_stdio

    _announce(
        service,
        "serving stdio: MCP clients start this command themselves; "
        "'appfunctions-mcp install claude-desktop' puts it there; Ctrl+C ends",
    )
    serve_stdio(service, threads=settings.stdio == "threads", watch_parent=settings.watch_parent)


def _serve_http(service: AppFunctionService, settings: Settings) -> None:
    from appfunctions_mcp.server.http import serve_http

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
        on_ready=lambda url: _announce(service, f"serving {url}; Ctrl+C ends"),
    )


def _announce(service: AppFunctionService, how: str) -> None:
    """Says, to a person at a terminal, what is served and how to connect."""
    if sys.stderr.isatty():
        app, count = service.metadata, len(service.manager.listed())
        print(f"{app.title or app.name} {app.version}: {count} functions", file=sys.stderr)
        print(how, file=sys.stderr)
