"""`appfunctions-mcp export-android`: writes an app's functions as an Android app has them.

Nothing is replaced without `--force`, and nothing is left behind where a file cannot be written.
"""

import argparse
from pathlib import Path

from appfunctions_mcp.android.describing.exported_app import exported_files, is_package, package_of
from appfunctions_mcp.cli.arguments import add_service_arguments, split_file
from appfunctions_mcp.cli.folder_writing import require_free_folder
from appfunctions_mcp.cli.opening import open_service
from appfunctions_mcp.cli.written_folder import write_and_report
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.service import AppFunctionService

USAGE = "[FILE] -o DIR"
SUMMARY = (
    "Writes functions as an Android app has them: the app's metadata, a functions XML for each "
    "module, and Kotlin with bodies to write."
)
NOTES = "kotlin/NOTES.md"
EXAMPLE = "appfunctions-mcp export-android -o android --package com.me.notes"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds FILE and the options of the command."""
    parser.add_argument("file", nargs="*", metavar="FILE", help="the metadata XML")
    parser.add_argument(
        "-o", "--output", required=True, metavar="DIR", help="the folder to write into"
    )
    parser.add_argument(
        "--package",
        metavar="NAME",
        help="the Kotlin package (default: mcp:package, or com.example and the app's name)",
    )
    parser.add_argument(
        "--only",
        action="append",
        metavar="GLOB",
        help="only these tool names or ids, such as 'labels_*' (repeatable)",
    )
    parser.add_argument(
        "--force", action="store_true", help="write into a folder that holds files, replacing them"
    )
    parser.add_argument("--json", action="store_true", help="print what was written as JSON")
    add_service_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Writes the files and says where they belong in an Android project."""
    file, rest = split_file(args.file)
    if rest:
        raise SettingsError(f"{rest[0]!r} is no metadata file; FILE ends in .xml or is a folder")
    if args.package is not None and not is_package(args.package):
        raise SettingsError(
            f"--package {quoted(args.package)} is no name of an Android package; accepted are two "
            "or more words with dots between them, such as com.example.notes"
        )
    folder = Path(args.output).expanduser()
    require_free_folder(folder, force=args.force)
    service = open_service(args, file, require_settings=False)
    package = args.package or package_of(service.metadata)
    files = exported_files(service, package=package)
    return write_and_report(
        args,
        folder,
        files,
        package=package,
        functions=[function.names.function_id for function in service.registry],
        warnings=_left_out(service),
        next_steps=_next_steps(folder, files),
    )


def _next_steps(folder: Path, files: dict[str, str]) -> list[str]:
    """Where the files belong in an Android project."""
    kotlin = f"its sources, package {_packages_in(files)}, and write the bodies;"
    steps = [
        f"  put {folder / 'res'} into the app's src/main",
        f"  put the Kotlin in {folder / 'kotlin'} into {kotlin}",
        f"  of it Android's compiler makes XML such as that in {folder / 'assets'}",
        f"  merge the two fragments in {folder / 'kotlin'} into its manifest and Gradle file",
    ]
    if NOTES in files:
        steps.append(f"  read {folder / NOTES}, on what is otherwise on Android")
    return steps


def _packages_in(files: dict[str, str]) -> str:
    """The packages of the Kotlin, as its files name them."""
    first = (text.partition("package ")[2] for path, text in files.items() if path.endswith(".kt"))
    return ", ".join(dict.fromkeys(text.partition("\n")[0] for text in first))


def _left_out(service: AppFunctionService) -> list[str]:
    """What an app has here and cannot have on Android."""
    told = [f"{module} is left out: {why}" for module, why in service.skipped.items()]
    # A function that hands out steps and grants makes resources that are no part of the app.
    if service.has_prompts or (service.has_resources and len(service.resources.registry)):
        told.append("resources and prompts are left out; Android has none")
    return told
