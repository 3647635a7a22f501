"""`appfunctions-mcp import-android`: makes a Python project of an Android app's functions.

What is made is served at once. Nothing is replaced without `--force`, and nothing is left
behind where a file cannot be written.
"""

import argparse
import os
import re
import shlex
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

from appfunctions_mcp.android.app.sources import AndroidSource, read_source
from appfunctions_mcp.android.python.imported_project import project_files
from appfunctions_mcp.cli.folder_writing import require_free_folder
from appfunctions_mcp.cli.package_names import fault_of_name, require_free_name
from appfunctions_mcp.cli.written_folder import write_and_report
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.metadata_values import android_package
from appfunctions_mcp.quoting import quoted

USAGE = "SOURCE… -o DIR"
SUMMARY = (
    "Makes a Python project of an Android app's functions: stubs and types with their Android "
    "names, and metadata that is served at once."
)
EXAMPLE = """appfunctions-mcp import-android app/src/main -o chat
         appfunctions-mcp import-android chat.apk -o chat --package com.me.chat"""

_PACKAGE = re.compile(r"[a-z_][a-z0-9_]{0,63}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the sources and the options of the command."""
    add = parser.add_argument
    add(
        "source",
        nargs="+",
        metavar="SOURCE",
        help="functions XML files, an app's src/main folder, or an archive with assets/",
    )
    add("-o", "--output", required=True, metavar="DIR", help="the folder to write into")
    add(
        "--package",
        metavar="NAME",
        help="the app's package, such as com.example.chat, where SOURCE does not tell; or, "
        "without dots, the name of the Python package and the server (default: of the app's "
        "package, or of DIR)",
    )
    add("--force", action="store_true", help="write into a folder that holds files, replacing them")
    add("--json", action="store_true", help="print what was written as JSON")


def run(args: argparse.Namespace) -> int:
    """Writes the project and says what can be done with it."""
    folder = Path(args.output).expanduser()
    require_free_folder(folder, force=args.force)
    app, name = _packages_of(args.package)
    with tempfile.TemporaryDirectory(prefix="appfunctions-mcp-") as unpacked:
        source = read_source(
            [Path(each).expanduser() for each in args.source], unpack_into=Path(unpacked)
        )
        source = replace(source, package=app or source.package)
        package = name or _package_of(source, folder)
        files = project_files(source, package=package)
    return write_and_report(
        args,
        folder,
        files,
        package=package,
        functions=[each.id for _, document, _ in source.documents for each in document.functions],
        warnings=source.warnings,
        next_steps=_next_steps(source, folder, package),
    )


def _next_steps(source: AndroidSource, folder: Path, package: str) -> list[str]:
    as_typed = subprocess.list2cmdline if os.name == "nt" else shlex.join
    return [
        f"  {as_typed(['appfunctions-mcp', 'list', str(folder)])}",
        f"  write the bodies in {as_typed([str(folder / package)])}",
        *_advice(source, folder),
        f"  {as_typed(['appfunctions-mcp', 'install', str(folder), 'claude-desktop'])}",
    ]


def _advice(source: AndroidSource, folder: Path) -> list[str]:
    """What only the author knows: without the app's package no script for a device fits."""
    if source.package is not None:
        return []
    metadata = folder / "metadata" / "app_metadata.xml"
    return [f'  say which app it is, such as mcp:package="com.example.chat", in {metadata}']


def _packages_of(given: str | None) -> tuple[str | None, str | None]:
    """The app's package and the Python package that were given; one of them at most.

    Raises:
        SettingsError: What was given is neither.
    """
    if given is None:
        return None, None
    if "." in given:
        try:
            return android_package(given), None
        except ValueError as fault:
            raise SettingsError(f"--package: {quoted(given)}; accepted is {fault}") from fault
    if not _PACKAGE.fullmatch(given):
        raise SettingsError(
            f"--package: {quoted(given)} is no name for a Python package; accepted are small "
            "letters, digits and '_', not beginning with a digit, or the app's package, such as "
            "com.example.chat"
        )
    require_free_name(given)
    return None, given


def _package_of(source: AndroidSource, folder: Path) -> str:
    """A name for the package: the app's, else the folder's, with an ending where it is taken."""
    app = (source.package or "").rpartition(".")[2]
    for words in (app, os.path.basename(os.path.abspath(folder))):  # noqa: PTH100, PTH119 - links stay
        name = re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")[:58]
        if name and name[0].isalpha():
            return name if fault_of_name(name) is None else f"{name}_app"
    return "imported_app"
