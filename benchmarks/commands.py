"""How each compared server is started."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from apps import App
from environments import cache, node, node_environment, speed_folder, venv_python

OURS = "appfunctions"
EAGER = "appfunctions-eager"
SDK = "appfunctions-sdk"
SPEED = "appfunctions-speed"
FLOOR = "floor"
LOWLEVEL = "lowlevel"
MCPSERVER = "mcpserver"
FASTMCP = "fastmcp"
TYPESCRIPT = "typescript"

OWN = (OURS, EAGER, SDK, SPEED)
SERVERS: Mapping[str, str] = {
    FLOOR: "a bare asyncio loop, a bare ASGI app; orjson, no MCP library, no validation",
    OURS: "this project as it is installed, with a fresh manifest",
    EAGER: "this project with --eager: no manifest",
    SDK: "this project on the SDK's server, APPFUNCTIONS_ENGINE=sdk",
    SPEED: "this project with the [speed] extra: uvloop and httptools",
    LOWLEVEL: "the SDK's low-level Server, ready-made lists, no validation",
    MCPSERVER: "the SDK's MCPServer",
    FASTMCP: "FastMCP",
    TYPESCRIPT: "the TypeScript SDK, version 2, on Node",
}

_SERVERS = Path(__file__).parent / "servers"
_OWN_SETTINGS: Mapping[str, Mapping[str, str]] = {
    OURS: {},
    EAGER: {"APPFUNCTIONS_EAGER": "1"},
    SDK: {"APPFUNCTIONS_ENGINE": "sdk"},
    SPEED: {},
}


@dataclass(frozen=True)
class Command:
    """What starts a server."""

    server: str
    words: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Fleet:
    """Makes the commands of one run."""

    python: str | None = None
    """The interpreter of the Python servers; None installs the benchmark's own environment."""
    project: Path | None = None
    """Another checkout of this project to measure."""
    profile: Path | None = None
    """Where this project's servers leave a profile of themselves."""

    def command(self, server: str, app: App, port: int | None = None) -> Command:
        """The command of a server.

        Args:
            server: Its name.
            app: What it serves.
            port: Where, over HTTP; None for stdio.
        """
        environment = _environment()
        last = () if port is None else (str(port),)
        given = (str(app.folder()), str(app.count), *last)
        if server in OWN:
            return self._own(server, app, port, environment)
        if server == TYPESCRIPT:
            script = str(_SERVERS / "typescript_server.mjs")
            return Command(server, (node(), script, *given), environment | node_environment())
        script = str(_SERVERS / f"{server}_server.py")
        return Command(server, (self._python(), script, *given), environment)

    def _own(self, server: str, app: App, port: int | None, environment: dict[str, str]) -> Command:
        environment |= _OWN_SETTINGS[server]
        path = [self.project] if self.project else []
        path += [speed_folder()] if server == SPEED else []
        if path:
            environment["PYTHONPATH"] = os.pathsep.join(str(each.resolve()) for each in path)
        words = ["run", str(app.folder() / "app_metadata.xml")]
        if port is not None:
            environment["APPFUNCTIONS_MAX_BODY_BYTES"] = "64000000"
            # Logging is quiet in all servers that are compared; ours has a line a call by default.
            words += ["--http", str(port), "--log-level", "warning"]
        start = ("-P", "-m", "appfunctions_mcp")
        if self.profile is not None:
            start = ("-P", str(_SERVERS.parent / "profiled.py"), str(self.profile))
        return Command(server, (self._python(), *start, *words), environment)

    def _python(self) -> str:
        return self.python or venv_python()


def _environment() -> dict[str, str]:
    """A small environment that is the same in every run, with a cache and a state of its own."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    own = cache() / "home"
    return {
        **kept,
        "XDG_CACHE_HOME": str(own / "cache"),
        "XDG_STATE_HOME": str(own / "state"),
        "XDG_DATA_HOME": str(own / "data"),
        "FASTMCP_HOME": str(own / "fastmcp"),
        "FASTMCP_LOG_LEVEL": "ERROR",
        "FASTMCP_CHECK_FOR_UPDATES": "off",
    }
