"""The entry that starts our server: an absolute interpreter, an absolute file, an environment.

A client starts a server with a PATH and a folder of its own, so nothing in an entry may depend
on either. Knows nothing of where entries are written.
"""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.install.addresses import URL_KEYS
from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.references import ReferenceStyle

SERVER_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What every client takes as the name of an entry."""

MAX_PREFIXED_NAME = 64
"""What Bedrock, OpenAI and Claude's tool search take of `mcp__<server>__<tool>`."""

MAX_JOINED_NAME = 60
"""What Cursor takes of `<server>-<tool>`; it hides a longer one, and nothing says so."""

_MODULE = "appfunctions_mcp"
_STDIO_KEYS = ("command", "args", "env", "env_vars", "cwd", "envFile")
_HEADER_KEYS = ("headers", "http_headers", "env_http_headers")
_ADDRESS_KEYS = (
    *URL_KEYS,
    *_HEADER_KEYS,
    "bearer_token_env_var",
    "oauth",
    "auth",
)


@dataclass(frozen=True, slots=True)
class Launch:
    """How a server is started."""

    command: str
    args: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    inherited: tuple[str, ...] = ()
    """Variables that the client passes on from its own environment, by their names alone."""


def build_launch(
    file: Path,
    options: Sequence[str],
    env: Mapping[str, str],
    interpreter: str | None = None,
    inherited: Sequence[str] = (),
) -> Launch:
    """The launch of the server of a metadata file, by this interpreter.

    Args:
        file: The metadata file, made absolute.
        options: Further options of `run`.
        env: What the server finds in its environment.
        interpreter: Another Python; None takes the one that runs now. A virtual environment's
            link to its Python is kept, since it is what finds the installed packages.
        inherited: Variables that the client passes on from its own environment.

    Raises:
        InstallError: There is no interpreter to name, or a text that JSON cannot hold.
    """
    command = sys.executable if interpreter is None else interpreter
    if not command:
        raise InstallError("this Python does not know its own path; run it by its absolute path")
    args = ("-P", "-m", _MODULE, "run", str(absolute_path(file)), *options)
    launch = Launch(str(absolute_path(command)), args, dict(env), tuple(inherited))
    for text in (launch.command, *launch.args, *launch.env, *launch.env.values()):
        _require_plain(text)
    return launch


def absolute_path(path: str | Path) -> Path:
    """The path from the root, its links kept: they are the user's, or a virtual environment's."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow the links


def require_server_name(name: str) -> str:
    """The name, if every client takes it.

    Raises:
        SettingsError: It has other characters, or is too long.
    """
    if SERVER_NAME.fullmatch(name):
        return name
    proposed = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:64]
    fix = f"; use --name {proposed}" if proposed else "; give one with --name"
    raise SettingsError(
        f"server name {name!r}: clients take 1 to 64 of the letters A to Z, digits, - and _{fix}"
    )


def merge_entry(existing: Any, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The wanted entry with what the existing one has besides: other keys, other variables.

    What belongs to a server of the other kind goes, and what belongs to another address.
    """
    if not isinstance(existing, dict):
        return dict(wanted)
    dropped = {"type", "command", "args", *(_ADDRESS_KEYS if "command" in wanted else _STDIO_KEYS)}
    if "command" not in wanted and _address(existing) != _address(wanted):
        dropped.update(_ADDRESS_KEYS)
    others = {key: value for key, value in existing.items() if key not in dropped}
    merged = {**wanted, **others}
    merged.update({key: wanted[key] for key in _ADDRESS_KEYS if key in wanted})
    if "command" not in wanted:
        return merged | _kept_headers(others, wanted)
    names = {*read_inherited(existing), *read_inherited(wanted)}
    env = {**kept_environment(existing), **wanted.get("env", {})}
    env = {key: value for key, value in env.items() if key not in read_inherited(wanted)}
    merged.pop("env", None)
    merged.pop("env_vars", None)
    if env or "env" in wanted:
        merged["env"] = env
    if names:
        merged["env_vars"] = sorted(names - set(env))
    return merged


def _kept_headers(others: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The headers of an entry of the same address, those that are given anew replaced."""
    given = {name.lower() for key in _HEADER_KEYS for name in wanted.get(key, {})}
    if "bearer_token_env_var" in wanted:
        given.add("authorization")
    kept = {}
    for key in _HEADER_KEYS:
        old = others.get(key)
        if isinstance(old, dict):
            same = {name: value for name, value in old.items() if name.lower() not in given}
            kept[key] = same | wanted.get(key, {})
    return kept


def _address(entry: Mapping[str, Any]) -> Any:
    return next((entry[key] for key in URL_KEYS if key in entry), None)


def read_inherited(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """The variables that an entry has the client pass on from its own environment."""
    names = entry.get("env_vars", [])
    if not isinstance(names, list):
        return ()
    listed = (each.get("name") if isinstance(each, dict) else each for each in names)
    return tuple(name for name in listed if isinstance(name, str))


def kept_environment(existing: Any) -> dict[str, str]:
    """The variables of an existing entry."""
    env = existing.get("env") if isinstance(existing, dict) else None
    if not isinstance(env, dict):
        return {}
    return {name: value for name, value in env.items() if isinstance(value, str)}


def is_ours(entry: Any) -> bool:
    """Whether an entry starts this program."""
    launch = read_launch(entry)
    if launch is None:
        return False
    program = re.split(r"[\\/]", launch.command)[-1].removesuffix(".exe")
    return program == "appfunctions-mcp" or _MODULE in launch.args


def read_launch(entry: Any) -> Launch | None:
    """The launch that an entry describes; None for another kind of entry."""
    if not isinstance(entry, dict) or not isinstance(entry.get("command"), str):
        return None
    args = entry.get("args", [])
    if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
        return None
    return Launch(entry["command"], tuple(args), kept_environment(entry), read_inherited(entry))


def launched_file(launch: Launch) -> Path | None:
    """The metadata file that a launch names."""
    after = launch.args[_run_position(launch) + 1 :]
    return Path(after[0]) if after and not after[0].startswith("-") else None


def another_command(launch: Launch, *words: str) -> list[str]:
    """Another command of this program, started as the launch starts `run`."""
    return [launch.command, *launch.args[: _run_position(launch)], *words]


def _run_position(launch: Launch) -> int:
    """Where `run` stands among the arguments; their end where it does not."""
    # A package runner has a `run` of its own before ours: uv run python -m appfunctions_mcp run.
    start = launch.args.index(_MODULE) if _MODULE in launch.args else 0
    return launch.args.index("run", start) if "run" in launch.args[start:] else len(launch.args)


def expand_launch(launch: Launch, references: ReferenceStyle, environ: Mapping[str, str]) -> Launch:
    """The launch as a client starts it: references replaced, inherited variables passed on."""
    passed_on = {name: environ[name] for name in launch.inherited if name in environ}
    return Launch(
        references.expand(launch.command, environ),
        tuple(references.expand(arg, environ) for arg in launch.args),
        passed_on | {name: references.expand(text, environ) for name, text in launch.env.items()},
    )


def missing_references(
    launch: Launch, references: ReferenceStyle, environ: Mapping[str, str]
) -> list[str]:
    """The variables that a launch refers to and that have neither a value here nor a default."""
    texts = (launch.command, *launch.args, *launch.env.values())
    named = {name for text in texts for name in references.find(text)}
    return sorted(name for name in named.union(launch.inherited) if not environ.get(name))


def long_names(server: str, tools: Sequence[str]) -> list[tuple[str, bool]]:
    """What is to be said of tools whose names become too long, and whether each is an error."""
    found = []
    for tool in tools:
        joined, prefixed = f"{server}-{tool}", f"mcp__{server}__{tool}"
        fix = f"give a shorter --name, or rename {tool}"
        if len(joined) > MAX_JOINED_NAME:
            what = f"has {len(joined)} characters, clients hide a tool over {MAX_JOINED_NAME}"
            found.append((f"{joined} {what}; {fix}", True))
        elif len(prefixed) > MAX_PREFIXED_NAME:
            what = f"has {len(prefixed)} characters, some models take {MAX_PREFIXED_NAME}"
            found.append((f"{prefixed} {what}; {fix}", False))
    return found


def _require_plain(text: str) -> None:
    """Refuses what no JSON file and no operating system can hold."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InstallError(f"{text!a} is not UTF-8; clients cannot hold it") from error
    if "\0" in text:
        raise InstallError(f"{text!a} holds a NUL character; remove it")
