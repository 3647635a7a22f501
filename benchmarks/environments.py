"""Where the compared servers are installed: a virtual environment and a Node of their own.

Everything lies in the user's cache, is installed once, and again when what is asked for changes.
"""

import functools
import hashlib
import os
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
PYTHON_PACKAGES = ("fastmcp==4.2.3", "orjson>=3.10")
SPEED_PACKAGES = ("uvloop>=0.21", "httptools>=0.6")
NODE_PACKAGES = (
    "node@24",
    "@modelcontextprotocol/server@2.4.0",
    "@modelcontextprotocol/node@2.1.2",
    "zod@4",
    "js-tiktoken@1.0.21",  # counts tokens
)


def cache() -> Path:
    """The benchmark's folder in the user's cache."""
    named = os.environ.get("BENCHMARK_HOME")
    kept = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = Path(named) if named else kept / "appfunctions-mcp-ci" / "benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@functools.cache
def venv_python() -> str:
    """The Python that has this project and every compared Python server, installed if need be."""
    python = cache() / "venv" / "bin" / "python"
    if not python.exists():
        _run([sys.executable, "-m", "venv", str(python.parents[1])])
    constraints = PROJECT / "constraints.txt"
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    inputs = [str(PROJECT), constraints.read_text(), *project["dependencies"], *PYTHON_PACKAGES]
    if _is_new("venv", inputs):
        _pip(str(python), "-c", str(constraints), "-e", str(PROJECT), *PYTHON_PACKAGES)
        _keep("venv", inputs)
    return str(python)


@functools.cache
def speed_folder() -> Path:
    """A folder for PYTHONPATH with what the `[speed]` extra brings.

    It is kept apart, since uvicorn takes uvloop and httptools wherever it finds them.
    """
    folder = cache() / "speed"
    if _is_new("speed", SPEED_PACKAGES):
        _pip(venv_python(), "--upgrade", "--target", str(folder), "--no-deps", *SPEED_PACKAGES)
        _keep("speed", SPEED_PACKAGES)
    return folder


@functools.cache
def node_folder() -> Path:
    """The folder that holds `node_modules`, with the TypeScript SDK and a Node to run it."""
    folder = cache() / "node"
    if _is_new("node", NODE_PACKAGES):
        folder.mkdir(exist_ok=True)
        (folder / "package.json").write_text('{"private": true}\n')
        npm = ["npm", "install", "--silent", "--no-fund", "--no-audit", *NODE_PACKAGES]
        _run(npm, folder=folder)
        _keep("node", NODE_PACKAGES)
    return folder


def node_environment() -> dict[str, str]:
    """What the scripts for Node find in their environment."""
    return {"BENCHMARK_NODE": str(node_folder())}


def node() -> str:
    """The Node that runs them."""
    return str(node_folder() / "node_modules" / "node" / "bin" / "node")


def versions(python: str, *, with_node: bool) -> str:
    """The versions of what is compared, in words.

    Args:
        python: The interpreter that the Python servers run on.
        with_node: Whether the TypeScript SDK is among it.
    """
    code = (
        "import importlib.metadata as m, platform\n"
        "print('Python', platform.python_version(), end='')\n"
        "found = {d.name: d.version for d in m.distributions()}\n"
        "for name in ('mcp', 'fastmcp', 'pydantic', 'uvicorn', 'orjson'):\n"
        "    print(f', {name} {found[name]}' if name in found else '', end='')"
    )
    found = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    if not with_node:
        return found.stdout
    told = subprocess.run([node(), "--version"], capture_output=True, text=True, check=True)
    return f"{found.stdout}, Node {told.stdout.strip().lstrip('v')}, {NODE_PACKAGES[1]}"


def _pip(python: str, *words: str) -> None:
    _run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *words])


def _run(command: Sequence[str], folder: Path | None = None) -> None:
    print(f"setting up: {' '.join(command[:6])} …", file=sys.stderr)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def _stamp(name: str) -> Path:
    return cache() / f"{name}.stamp"


def _digest(inputs: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(inputs).encode()).hexdigest()


def _is_new(name: str, inputs: Sequence[str]) -> bool:
    stamp = _stamp(name)
    return not stamp.exists() or stamp.read_text() != _digest(inputs)


def _keep(name: str, inputs: Sequence[str]) -> None:
    _stamp(name).write_text(_digest(inputs))
