"""`appfunctions-mcp run`: serves an app's functions over stdio, or over HTTP."""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from appfunctions_mcp.cli.arguments import add_service_arguments, find_file, split_file
from appfunctions_mcp.cli.opening import open_service, read_settings
from appfunctions_mcp.exceptions import AppFunctionsError, SettingsError
from appfunctions_mcp.records import replaced
from appfunctions_mcp.service import AppFunctionService
from appfunctions_mcp.settings import Settings
from appfunctions_mcp.telemetry import configure_logging, tell, warn

if TYPE_CHECKING:
    from appfunctions_mcp.cli.early import EarlyStart
    from appfunctions_mcp.manifest import Manifest
    from appfunctions_mcp.server.prologue import Connection
    from appfunctions_mcp.server.worker_place import WorkerPlace

USAGE = "[FILE]"
SUMMARY = "Serves an app's functions to MCP clients: over stdio, or with --http over HTTP."
EXAMPLE = """appfunctions-mcp run metadata/app_metadata.xml
         appfunctions-mcp run metadata/app_metadata.xml --http 8000"""
_HTTP_ONLY = (
    "sessions",
    "max_body_bytes",
    "allowed_host",
    "allowed_origin",
    "token_env",
    "oauth_issuer",
    "oauth_audience",
    "oauth_jwks",
    "oauth_scope",
    "oauth_algorithm",
    "allow_anonymous",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds FILE and the options; each has a variable APPFUNCTIONS_… of the same name."""
    add = parser.add_argument
    add("file", nargs="*", metavar="FILE", help="the metadata XML")
    add("--http", metavar="[HOST:]PORT", help="serve HTTP at /mcp instead of stdio")
    add(
        "--only",
        action="append",
        metavar="GLOB",
        help="only these tool names, ids, addresses or prompts, such as 'labels_*' (repeatable)",
    )
    add_service_arguments(parser)
    add_http_arguments(parser)
    add("--workers", metavar="N", help="processes that serve HTTP together (default 1)")
    add("--eager", action="store_const", const=True, help="import the app before any answer")
    add("--watch", action="store_const", const=True, help="start the app anew when files change")
    add_process_arguments(parser)


def add_process_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what is guarded and written down while serving, and when that ends by itself."""
    add = parser.add_argument
    add("--no-loop-guard", action="store_const", const=True, help="never stop repeated failures")
    add("--audit-file", metavar="PATH", help="write down who executes what, and who is refused")
    add("--audit-arguments", action="store_const", const=True, help="arguments too, redacted")
    add("--watch-parent", action="store_const", const=True, help="end when the parent process ends")
    add("--log-level", metavar="debug|info|warning|error", help="default: warning; info on HTTP")
    add("--debug", action="store_const", const=True, help="send tracebacks of crashes to callers")


def add_http_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds how HTTP is served, and to whom."""
    add = parser.add_argument
    add("--sessions", action="store_const", const=True, help="HTTP sessions for 2025-era clients")
    add("--max-body-bytes", metavar="N", help="largest HTTP request (default 4 MiB)")
    add(
        "--allowed-host",
        action="append",
        metavar="HOST",
        help="answer requests for this name too; * for any (repeatable)",
    )
    add(
        "--allowed-origin",
        action="append",
        metavar="ORIGIN",
        help="answer web pages of this origin too; * for any (repeatable)",
    )
    add("--token-env", metavar="NAME", help="variable that holds the bearer token")
    add("--oauth-issuer", metavar="URL", help="authorization server whose tokens are accepted")
    add("--oauth-audience", metavar="NAME", help="audience that its tokens must name")
    add("--oauth-jwks", metavar="URL", help="where it publishes its keys")
    add(
        "--oauth-scope",
        action="append",
        metavar="SCOPE",
        help="scope that every caller needs (repeatable)",
    )
    add(
        "--oauth-algorithm",
        action="append",
        metavar="ALG",
        help="how its tokens may be signed (repeatable; default: RS, PS, ES and EdDSA)",
    )
    add(
        "--allow-anonymous",
        action="store_const",
        const=True,
        help="ask for no token on an address that others reach",
    )


def run(args: argparse.Namespace) -> int:
    """Serves until the client, the network or the user ends it."""
    file, rest = split_file(args.file)
    if rest:
        raise SettingsError(f"{rest[0]!r} is no metadata file; FILE ends in .xml or is a folder")
    worker = os.environ.pop("APPFUNCTIONS_WORKER", None)
    settings = read_settings(args)
    configure_logging(settings.effective_log_level, colours=not settings.no_color)
    if worker is None:
        check_together(settings)
    if worker is None and (settings.watch or settings.workers > 1):
        from appfunctions_mcp.cli.supervising import supervise

        return supervise(args, file, settings)
    place = _place_of(worker)
    if place is not None:
        settings = replaced(settings, state_keys=place.state_keys)
    if settings.http is None:
        # Before any module of the app is imported: what it prints must not reach the client.
        from appfunctions_mcp.server.descriptors import guard_stdout

        guard_stdout()
    early: EarlyStart | None = getattr(args, "early", None)
    service = _open_service(args, file, settings, early)
    if place is None or place.is_first:
        service.tell_warnings()
    serve(service, settings, place=place, early=early)
    return 0


def serve(
    service: AppFunctionService,
    settings: Settings,
    *,
    place: "WorkerPlace | None" = None,
    early: "EarlyStart | None" = None,
    hint: str = "'appfunctions-mcp install claude-desktop' puts it there",
) -> None:
    """Serves a service over stdio or HTTP, as the settings say, to the end.

    Args:
        service: What is served.
        settings: How.
        place: This process's place among others that serve together.
        early: What was answered on stdio before the service was there.
        hint: How the command gets into a client, for people at a terminal.
    """
    if settings.http:
        _serve_http(service, settings, place)
    else:
        _serve_stdio(service, settings, early, hint)


def check_together(settings: Settings) -> None:
    """Refuses options that contradict each other, and tells of those without effect."""
    guard = "--token-env" if settings.token_env else "--oauth-issuer"
    if settings.allow_anonymous and (settings.token_env or settings.oauth_issuer):
        raise SettingsError(f"--allow-anonymous and {guard}: give one of them, not both")
    if settings.http is not None:
        return
    usual = Settings()
    idle = [n for n in _HTTP_ONLY if getattr(settings, n) != getattr(usual, n)]
    if idle:
        options = ", ".join("--" + name.replace("_", "-") for name in idle)
        warn(f"without --http these have no effect: {options}")


def _place_of(worker: str | None) -> "WorkerPlace | None":
    """This process's place among others, if it has one: workers do, and watched ones on stdio."""
    if worker is None or worker == "watched":
        return None
    from appfunctions_mcp.server.worker_place import take_place

    return take_place(worker)


def _open_service(
    args: argparse.Namespace, file: str | None, settings: Settings, early: "EarlyStart | None"
) -> AppFunctionService:
    """The service; one that says what is wrong where a client has its list of tools already."""
    try:
        if early is not None:
            named = (find_file(file or settings.file), settings.resources)
            early.named = [path for path in named if path is not None]
        return open_service(args, file, settings=settings, audited_as="run")
    except AppFunctionsError as fault:
        if early is None or early.manifest is None or early.path is None:
            raise
        from appfunctions_mcp.server.unloaded import UnloadedService

        for line in fault.faults:
            print(line, file=sys.stderr)
        Path(early.path).unlink(missing_ok=True)
        service = UnloadedService(early.manifest, fault)
        early.path = None
        return service


def _serve_stdio(
    service: AppFunctionService, settings: Settings, early: "EarlyStart | None", hint: str
) -> None:
    threads = settings.stdio == "threads"
    if early is not None and early.manifest is not None and early.connection is not None:
        _resume(service, settings, early, early.manifest, early.connection)
        return
    if early is not None:
        _keep_manifest(service, settings, early)
    from appfunctions_mcp.server.engine import serve_stdio

    _announce(
        service,
        f"serving stdio: MCP clients start this command themselves; {hint}; Ctrl+C ends",
    )
    serve_stdio(
        service,
        engine=settings.engine or "lean",
        threads=threads,
        watch_parent=settings.watch_parent,
    )


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


def _serve_http(
    service: AppFunctionService, settings: Settings, place: "WorkerPlace | None"
) -> None:
    from appfunctions_mcp.server.http import serve_http
    from appfunctions_mcp.server.shutdown import ExitDeadline

    address = settings.http
    assert address is not None  # noqa: S101 - only called with an address
    if place is not None:
        place.introduction = {"app": _introduction(service)}
    serve_http(
        service,
        address.host,
        address.port,
        sessions=settings.sessions,
        max_body_bytes=settings.max_body_bytes,
        allowed_hosts=settings.allowed_host,
        allowed_origins=settings.allowed_origin,
        token=settings.token(os.environ),
        oauth=settings.oauth(),
        allow_anonymous=settings.allow_anonymous,
        engine=settings.engine or "lean",
        on_ready=None
        if place is not None  # its supervisor says it for all
        else lambda url: _announce(service, f"serving {url}; Ctrl+C ends", log=f"serving {url}"),
        worker=place,
    )
    # A thread that an async function has left in asyncio's executor would keep the process.
    ExitDeadline().arm()


def _announce(service: AppFunctionService, how: str, *, log: str | None = None) -> None:
    """Says what is served and how to connect: to a person at a terminal, else to the log."""
    if not sys.stderr.isatty():
        if log is not None:
            tell(log)
    else:
        print(_introduction(service), file=sys.stderr)
        print(how, file=sys.stderr)


def _introduction(service: AppFunctionService) -> str:
    app = service.metadata
    counts = {"function": len(service.manager.listed())}
    if service.has_resources:
        found = len(service.resources.static()) + len(service.resources.templates())
        counts["resource"] = found
    if service.has_prompts:
        counts["prompt"] = len(service.prompts.listed())
    shown = ", ".join(f"{n} {kind}" + ("" if n == 1 else "s") for kind, n in counts.items())
    return f"{app.title or app.name} {app.version}: {shown}"
