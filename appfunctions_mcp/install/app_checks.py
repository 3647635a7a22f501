"""What `doctor` asks an app itself: does it load, and do kept states still name a function.

The app is listed by the interpreter that the entry names, in a process of its own: that one has
the app's libraries, and nothing that a module prints or does reaches us.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from appfunctions_mcp.exceptions import StateFileError
from appfunctions_mcp.install.checks import Finding
from appfunctions_mcp.install.entry import Launch, another_command
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.install.manifest_checks import check_manifests
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.places import state_file
from appfunctions_mcp.state import JsonFileStateStore

LIST_TIMEOUT_SECONDS = 60.0
_SHOWN_LINES = 20
_LOADING_OPTIONS = ("--module", "--locale", "--resources")


def check_app(file: Path, launch: Launch, machine: Machine) -> Iterator[Finding]:
    """Checks that every module of an app loads, and that no kept state is left over.

    Args:
        file: The metadata file.
        launch: How the app is started; its interpreter, options and variables are used.
        machine: Gives the environment.
    """
    listing = _list_functions(file, launch, machine)
    if isinstance(listing, Finding):
        yield listing
        return
    app = listing.get("app", {})
    skipped = app.get("skipped_modules") or {}
    for module, reason in skipped.items():
        yield Finding(
            "module-skipped",
            "error",
            f"the module {module} is left out: {reason}",
            "correct it; the functions of the others are served",
        )
    ids = [function["function_id"] for function in listing.get("functions", [])]
    if not skipped:
        yield from check_states(_state_path(file, app.get("name", ""), launch), ids)
        yield from check_manifests(file, listing.get("functions", []))
    if "XDG_STATE_HOME" in machine.environ and not _names_state(launch):
        yield Finding(
            "state-elsewhere",
            "warning",
            "XDG_STATE_HOME is set in this shell and not in the entry: set-enabled here and the "
            "server there keep states in two files",
            "install with --env XDG_STATE_HOME=... or with --state-file",
        )


def check_states(path: Path, function_ids: list[str]) -> Iterator[Finding]:
    """Checks that every kept state belongs to a function that there is."""
    try:
        states = JsonFileStateStore(path).read()
    except StateFileError as fault:
        yield Finding("state-file", "error", str(fault))
        return
    for function_id in sorted(set(states) - set(function_ids)):
        near = nearest_names(function_id, function_ids, 1)
        renamed = f"; was it renamed to {near[0]}?" if near else ""
        yield Finding(
            "state-left-over",
            "error",
            f"{path} has {function_id!r} {states[function_id].value}, and no module declares it"
            f"{renamed}",
            "set the state of the function that took its place with set-enabled, and remove the "
            "old line from the file",
        )


def _list_functions(file: Path, launch: Launch, machine: Machine) -> dict[str, Any] | Finding:
    """What `list --all --json` says, or why it says nothing."""
    command = another_command(launch, "list", str(file), "--all", "--json")
    try:
        done = subprocess.run(  # noqa: S603 - the interpreter of the entry, no shell
            [*command, *_loading_options(launch)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LIST_TIMEOUT_SECONDS,
            env={**machine.client_environment(), **launch.env},
            cwd=machine.client_folder(),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding("app", "error", f"the functions of {file} cannot be listed: {error}")
    said = done.stderr.decode(errors="replace").strip().splitlines()
    if done.returncode:
        what = f"listing {file} ended with status {done.returncode}"
        # Status 2: the author's mistakes, a line or more each; else the last line says most.
        shown = said[:_SHOWN_LINES] if done.returncode == 2 else said[-1:]
        return Finding("app", "error", "\n  ".join(shown) or what)
    text = done.stdout.decode(errors="replace")
    # What a module prints while it is imported may stand before the listing.
    start = text.find("{\n") if not text.startswith("{") else 0
    listing: dict[str, Any] = json.loads(text[max(start, 0) :])
    return listing


def _loading_options(launch: Launch) -> list[str]:
    """The options of a launch that decide what is loaded."""
    pairs = zip(launch.args, launch.args[1:], strict=False)
    return [word for pair in pairs if pair[0] in _LOADING_OPTIONS for word in pair]


def _state_path(file: Path, name: str, launch: Launch) -> Path:
    """The file that the server keeps states in."""
    given = _option(launch, "--state-file") or launch.env.get("APPFUNCTIONS_STATE_FILE")
    return Path(given) if given else state_file(name, file)


def _names_state(launch: Launch) -> bool:
    """Whether the entry says where states are kept, or the platform does not ask the variable."""
    if sys.platform != "linux" and os.name != "posix":
        return True
    given = _option(launch, "--state-file") or launch.env.get("APPFUNCTIONS_STATE_FILE")
    return bool(given or "XDG_STATE_HOME" in launch.env)


def _option(launch: Launch, option: str) -> str | None:
    pairs = zip(launch.args, launch.args[1:], strict=False)
    return next((value for name, value in pairs if name == option), None)
