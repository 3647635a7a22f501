"""`appfunctions-mcp bundle`: packs an app as a bundle for Claude Desktop."""

import argparse
import json
import os
import sys
from pathlib import Path

from appfunctions_mcp.cli.arguments import add_service_arguments, find_file, split_file
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.install.bundle import Bundle, build_bundle, build_server_json
from appfunctions_mcp.install.bundle_files import BundleFiles, find_bundle_files
from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.pins import PROGRAM, is_installed_from_folder, pinned_requirements
from appfunctions_mcp.metadata import AppMetadata
from appfunctions_mcp.metadata_xml import parse_metadata
from appfunctions_mcp.settings import Settings

USAGE = "[FILE] --author NAME"
SUMMARY = (
    "Packs an app as a bundle for Claude Desktop (.mcpb), which a double click installs; with an "
    "address also the server.json of the MCP registry."
)
EXAMPLE = "appfunctions-mcp bundle --author 'Ann Example' -o dist"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds FILE and the options of the command."""
    add = parser.add_argument
    add("file", nargs="*", metavar="FILE", help="the metadata XML")
    add("--author", required=True, metavar="NAME", help="who answers for the app")
    add("-o", "--output", default=".", metavar="DIR", help="the folder to write into (default: .)")
    add("--registry-name", metavar="NAME", help="the name in the registry, io.github.USER/NAME")
    add("--download-url", metavar="URL", help="where the bundle can be loaded from; server.json")
    add("--force", action="store_true", help="replace files that are there")
    add("--dry-run", action="store_true", help="list what would go in, write nothing")
    add_service_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Writes the bundle and lists what is in it."""
    try:
        return _bundle(args)
    except InstallError as fault:
        for line in fault.faults:
            print(line, file=sys.stderr)
        return 1


def _bundle(args: argparse.Namespace) -> int:
    if bool(args.registry_name) != bool(args.download_url):
        raise SettingsError("server.json needs both --registry-name and --download-url")
    metadata = _read_metadata(args)
    files = find_bundle_files(metadata)
    requirements = pinned_requirements(files.installed)
    bundle = build_bundle(metadata, files, requirements, args.author)
    folder = Path(args.output)
    written = {folder / f"{metadata.name}-{metadata.version}.mcpb": bundle.content}
    if args.download_url:
        server = build_server_json(metadata, bundle, args.registry_name, args.download_url)
        text = json.dumps(server, ensure_ascii=False, indent=2)
        written[folder / "server.json"] = f"{text}\n".encode()
    if not args.dry_run:
        _write(written, force=args.force)
    _report(bundle, files, list(written), is_written=not args.dry_run)
    return 0


def _read_metadata(args: argparse.Namespace) -> AppMetadata:
    file, rest = split_file(args.file)
    if rest:
        raise SettingsError(f"{rest[0]!r} is no metadata file; FILE ends in .xml or is a folder")
    options = Settings.from_environment(os.environ).merged(vars(args))
    path = find_file(file or options.file)
    metadata = parse_metadata(
        path, modules=options.module, locale=options.locale, resources=options.resources
    )
    if not metadata.modules:
        raise SettingsError(
            f"{path}:1: names no module; add <mcp:functions module=.../> or give --module NAME"
        )
    return metadata


def _write(written: dict[Path, bytes], *, force: bool) -> None:
    """Writes all files, or none where one is there already and would change."""
    for path, content in written.items():
        if not force and path.exists() and path.read_bytes() != content:
            raise InstallError(f"{path}: is there already; replace it with --force")
    for path, content in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _report(bundle: Bundle, files: BundleFiles, paths: list[Path], *, is_written: bool) -> None:
    """What is in the bundle on stdout; what is not, and what to know, on stderr."""
    for name in bundle.names:
        print(name)
    for line in files.refused:
        print(f"left out: {line}", file=sys.stderr)
    if is_installed_from_folder():
        print(
            f"warning: {PROGRAM} was installed from a folder here: a client can start the bundle "
            "only if its package index has this version",
            file=sys.stderr,
        )
    for path in paths if is_written else ():
        print(f"wrote {path}", file=sys.stderr)
    print(f"sha256 of the bundle: {bundle.sha256}", file=sys.stderr)
