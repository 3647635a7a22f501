"""The end of a command that makes a folder of functions: writes it, and says what comes next."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from appfunctions_mcp.cli.folder_writing import write_folder
from appfunctions_mcp.cli.output import print_json


def write_and_report(
    args: argparse.Namespace,
    folder: Path,
    files: Mapping[str, str],
    *,
    package: str,
    functions: Sequence[str],
    warnings: Sequence[str],
    next_steps: Sequence[str],
) -> int:
    """Writes the files and says so, with `--json` as JSON; 1 where they cannot be written.

    Args:
        args: Has `force` and `json`.
        folder: Where to.
        files: Texts by their path in it.
        package: What is made.
        functions: The ids of its functions.
        warnings: What the author should know.
        next_steps: What a person can do with it, a line each.
    """
    try:
        write_folder(folder, files, force=args.force)
    except OSError as fault:
        print(f"{folder}: nothing was written: {fault}", file=sys.stderr)
        return 1
    for text in warnings:
        print(f"warning: {text}", file=sys.stderr)
    if args.json:
        print_json(
            {
                "folder": os.path.abspath(folder),  # noqa: PTH100 - links stay
                "package": package,
                "files": sorted(files),
                "functions": list(functions),
                "warnings": list(warnings),
            }
        )
        return 0
    count = f"{len(functions)} function{'' if len(functions) == 1 else 's'}"
    print(f"Wrote {count} in {len(files)} files into {folder}. Next:", *next_steps, sep="\n")
    return 0
