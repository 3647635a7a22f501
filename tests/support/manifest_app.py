"""An app in a folder, and server processes that start it with or without a manifest."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import cache_from_source
from pathlib import Path

from tests.support.metadata_files import write_metadata
from tests.support.stdio_server import StdioServer, stdio_server

ATTRIBUTES = 'appfn:description="Keeps lists." mcp:name="lists" mcp:version="1.2.3"'
LISTS = '''
import sys
from appfunctions_mcp import app_function

print("imported", file=sys.stderr)


@app_function
def add_item(text: str) -> str:
    """Adds an item.

    Args:
        text: The item.
    """
    return f"added {text}"


@app_function(enabled=False)
def clear_list() -> str:
    """Removes every item."""
    return "cleared"
'''


def write_app(
    folder: Path,
    content: str = "",
    *,
    module: str = LISTS,
    more: str = "",
    name: str = "app_lists",
) -> Path:
    """Writes an app with one module and returns its metadata file.

    A test that loads it in its own process gives the module a name of its own.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_module(folder, module, name=name)
    functions = f'<mcp:functions module="{name}" />\n'
    return write_metadata(folder, f"{ATTRIBUTES} {more}", functions + content)


def write_module(folder: Path, text: str, *, name: str = "app_lists") -> None:
    """Writes the app's module anew."""
    path = folder / f"{name}.py"
    path.write_text(text, "utf-8")
    # Python takes a compiled module for fresh if the source has the same second and length.
    Path(cache_from_source(str(path))).unlink(missing_ok=True)


@contextmanager
def running(
    file: Path, *options: str, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Iterator[StdioServer]:
    """Starts `run` on a metadata file."""
    with stdio_server(
        *("-P", "-m", "appfunctions_mcp", "run", str(file)),
        *options,
        env=env,
        cwd=cwd or file.parent,
    ) as server:
        yield server


def listed_names(server: StdioServer) -> list[str]:
    """The names of the tools that the server lists, after a handshake."""
    server.initialize()
    return [tool["name"] for tool in server.request("tools/list")["result"]["tools"]]


def start_once(file: Path, *options: str, env: Mapping[str, str] | None = None) -> str:
    """Starts the server, lists the tools, ends it; returns what it wrote to stderr."""
    with running(file, *options, env=env) as server:
        listed_names(server)
        server.close_input()
        assert server.wait() == 0
        return server.stderr


def was_imported(file: Path, *options: str, env: Mapping[str, str] | None = None) -> bool:
    """Whether a start that only lists the tools imports the app."""
    return "imported" in start_once(file, *options, env=env)


def manifests() -> list[Path]:
    """The manifests that are kept for this test."""
    folder = Path(os.environ["XDG_CACHE_HOME"], "appfunctions-mcp", "manifests")
    return sorted(folder.iterdir()) if folder.is_dir() else []
