"""`run` with several workers or with watched files: the process that starts the others."""

import argparse
import os
import sys

from appfunctions_mcp.cli.arguments import find_file
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.metadata_xml import parse_metadata
from appfunctions_mcp.server.watched_files import WatchedFiles
from appfunctions_mcp.settings import Settings
from appfunctions_mcp.telemetry import tell


def supervise(args: argparse.Namespace, file: str | None, settings: Settings) -> int:
    """Serves through processes that are started by this process's own command.

    Args:
        args: The command line; `command` is what started this process.
        file: FILE, if it was given.
        settings: The options.

    Returns:
        The exit status.

    Raises:
        SettingsError: The options do not fit each other or the platform.
    """
    _check(settings)
    files = _watched_files(file, settings) if settings.watch else None
    if settings.http is not None:
        return _supervise_http(args, settings, files)
    from appfunctions_mcp.server.watched_stdio import serve_watched

    assert files is not None  # noqa: S101 - `_check`: on stdio only files are a reason to be here
    return serve_watched(args.command, files, _say, watch_parent=settings.watch_parent)


def _check(settings: Settings) -> None:
    faults = []
    if settings.workers > 1 and settings.http is None:
        faults.append("--workers needs --http: on stdio one client has one process")
    if settings.workers > 1 and settings.sessions:
        faults.append(
            "--workers and --sessions do not go together: a session lives in one process, and "
            "a client's next request may reach another; leave one of them out"
        )
    if os.name != "posix" and settings.http is not None:
        option = "--workers" if settings.workers > 1 else "--watch over HTTP"
        faults.append(
            f"{option} needs a system where processes share a socket, which Windows is not; "
            "start several servers behind a proxy, or leave it out"
        )
    if faults:
        raise SettingsError(faults)


def _watched_files(file: str | None, settings: Settings) -> WatchedFiles:
    path = find_file(file or settings.file)
    return WatchedFiles(
        path,
        lambda: parse_metadata(
            path,
            modules=settings.module,
            locale=settings.locale,
            resources=settings.resources,
        ),
    )


def _supervise_http(
    args: argparse.Namespace, settings: Settings, files: WatchedFiles | None
) -> int:
    from appfunctions_mcp.server.http import listen, url_of
    from appfunctions_mcp.server.workers import Supervisor

    address = settings.http
    assert address is not None  # noqa: S101 - only called with an address
    # Whether the address is safe is for the workers to say, as whatever else is wrong.
    listening = listen(address.host, address.port)
    url = url_of(address.host, listening)

    def on_ready(said: dict[str, str]) -> None:
        count = f" with {settings.workers} workers" if settings.workers > 1 else ""
        if not sys.stderr.isatty():
            tell(f"serving {url}{count}")
            return
        print(said["app"], file=sys.stderr)
        print(f"serving {url}{count}; Ctrl+C ends", file=sys.stderr)

    return Supervisor(
        args.command,
        listening,
        count=settings.workers,
        state_keys=settings.state_keys,
        on_ready=on_ready,
        tell=_say,
        files=files,
    ).run()


def _say(text: str) -> None:
    """Tells the person who works on the app."""
    print(f"appfunctions-mcp: {text}", file=sys.stderr, flush=True)
