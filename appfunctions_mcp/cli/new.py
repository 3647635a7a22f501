"""`appfunctions-mcp new`: starts a project that runs and passes its test at once.

The files come from `templates/`. Nothing is ever overwritten, and nothing is left behind where
a file cannot be written.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from string import Template

from appfunctions_mcp.cli.package_names import require_free_name
from appfunctions_mcp.exceptions import SettingsError

USAGE = "NAME"
SUMMARY = "Starts a project: metadata, a module of functions, a test and a README."
EXAMPLE = "appfunctions-mcp new shopping -o ~/projects/shopping"

_TEMPLATES = Path(__file__).parents[1] / "templates"
_NAME = re.compile(r"[a-z](?:[a-z0-9_-]{0,38}[a-z0-9])?")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    parser.add_argument(
        "name",
        metavar=USAGE,
        help="the server's name: a small letter, then small letters, digits, '-' and '_'",
    )
    parser.add_argument(
        "-o", "--output", metavar="DIR", help="the folder to write into (default: ./NAME)"
    )


def run(args: argparse.Namespace) -> int:
    """Writes the project and says what can be done with it."""
    module = _module_of(args.name)
    folder = Path(args.output).expanduser() if args.output else Path(args.name)
    texts = project_files(args.name, module)
    present = [str(folder / name) for name in texts if (folder / name).exists()]
    if present or (folder.exists() and not folder.is_dir()):
        found = ", ".join(present) or f"{folder}, which is no folder,"
        there = "are" if len(present) > 1 else "is"
        print(f"{found} {there} there already; give another folder with -o", file=sys.stderr)
        return 1
    try:
        _write_all(folder, texts)
    except OSError as fault:
        print(f"{folder}: nothing was written: {fault}", file=sys.stderr)
        return 1
    print(_next_steps(folder, texts))
    return 0


def project_files(name: str, module: str) -> dict[str, str]:
    """The texts of a new project by their path in its folder.

    Args:
        name: The server's name.
        module: The name of its module of functions.
    """
    names = {
        "app_metadata.xml": "app_metadata.xml.txt",
        "values/strings.xml": "values/strings.xml.txt",
        f"{module}.py": "functions.py.txt",
        f"test_{module}.py": "test_functions.py.txt",
        "README.md": "README.md.txt",
    }
    words = {"name": name, "module": module, "title": re.sub("[-_]+", " ", name).capitalize()}
    return {
        path: Template((_TEMPLATES / template).read_text(encoding="utf-8")).substitute(words)
        for path, template in names.items()
    }


def _module_of(name: str) -> str:
    """The module's name for a server's name, if both can be used."""
    if not _NAME.fullmatch(name):
        raise SettingsError(
            f"{name!r} is no name for a server; accepted are up to 40 small letters, digits, '-' "
            "and '_', beginning with a letter and ending with a letter or digit; a folder is "
            "given with -o"
        )
    module = name.replace("-", "_")
    require_free_name(module)
    return module


def _write_all(folder: Path, texts: dict[str, str]) -> None:
    """Writes every file, or none of them."""
    paths = {folder / name: text for name, text in texts.items()}
    parents = sorted({path.parent for path in paths} | {folder}, reverse=True)
    made = [parent for parent in parents if not parent.exists()]
    written: list[Path] = []
    try:
        for path, text in paths.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8", newline="\n") as file:
                written.append(path)
                file.write(text)
    except OSError:
        for path in written:
            path.unlink(missing_ok=True)
        for parent in made:
            if parent.is_dir():
                parent.rmdir()
        raise


def _next_steps(folder: Path, texts: dict[str, str]) -> str:
    as_typed = subprocess.list2cmdline if os.name == "nt" else shlex.join
    return "\n".join(
        (
            f"Wrote {len(texts)} files into {folder}. Next:",
            f"  {as_typed(['cd', str(folder)])}",
            "  appfunctions-mcp list",
            '  appfunctions-mcp call add_task --param title="Buy milk"',
            f"  {as_typed([sys.executable, '-m', 'unittest'])}",
            "  appfunctions-mcp install claude-desktop",
        )
    )
