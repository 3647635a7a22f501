"""From a command line to a loaded service: settings, the metadata file, the kept state."""

import argparse
import os
from dataclasses import replace
from pathlib import Path

from appfunctions_mcp.cli.arguments import find_files
from appfunctions_mcp.cli.output import modules_print_on_stderr
from appfunctions_mcp.confirmation import Confirmations, JsonFileUsedTokens
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.metadata import AppMetadata
from appfunctions_mcp.metadata_xml import parse_metadata
from appfunctions_mcp.places import state_file
from appfunctions_mcp.plugin_search import skip_plugin_search
from appfunctions_mcp.secret_values import keep_secret
from appfunctions_mcp.service import AppFunctionService
from appfunctions_mcp.settings import Settings
from appfunctions_mcp.state import JsonFileStateStore


def read_settings(args: argparse.Namespace) -> Settings:
    """The server's options: the command line's, else the environment's.

    Raises:
        SettingsError: Values that are not accepted.
    """
    return Settings.from_environment(os.environ).merged(vars(args))


def open_service(
    args: argparse.Namespace,
    file: str | None,
    *,
    settings: Settings | None = None,
    require_settings: bool = True,
    audited_as: str | None = None,
) -> AppFunctionService:
    """Loads the service that a command line names.

    Args:
        args: The command line.
        file: FILE, if it was given.
        settings: What `read_settings` returned, where the command has read it already.
        require_settings: Whether settings that the user must supply have to be there.
        audited_as: The command's name, where it executes or switches anything.

    Returns:
        The service, with its states kept in the user's folder.

    Raises:
        AppFunctionsError: Names every fault of the metadata, the modules and the settings.
    """
    options = settings or read_settings(args)
    path, *on_the_way = find_files(file or options.file)
    metadata = parse_metadata(
        path,
        modules=options.module,
        locale=options.locale,
        resources=options.resources,
    )
    if on_the_way:
        metadata = _of_android_app(metadata, on_the_way)
    if options.no_loop_guard:
        metadata = replace(metadata, limits=replace(metadata.limits, loop_guard=False))
    kept_in = options.state_file or state_file(metadata.name, metadata.path)
    used = JsonFileUsedTokens(kept_in.with_suffix(".confirmations.json"))
    skip_plugin_search()
    keep_secret(*options.state_keys)
    with modules_print_on_stderr():
        service = AppFunctionService.from_metadata(
            metadata,
            only=options.only,
            require_settings=require_settings,
            store=JsonFileStateStore(kept_in),
            confirmations=Confirmations(options.state_keys, used),
            debug=options.debug,
        )
    if audited_as is not None:
        start_auditing(service, options, audited_as)
    return service


def _of_android_app(metadata: AppMetadata, manifests: list[Path]) -> AppMetadata:
    """The metadata of an Android app's folder, which says no more than Android needs."""
    if not metadata.modules:
        raise SettingsError(
            f"{manifests[0]}: an Android app names no Python module; give one with --module NAME, "
            "or make one of the app's functions: appfunctions-mcp import-android "
            f"{manifests[0].parent} -o DIR"
        )
    return replace(metadata, sources=(*metadata.sources, *manifests))


def start_auditing(service: AppFunctionService, options: Settings, command: str) -> None:
    """Writes down what a service executes and refuses, where the options ask for that.

    Raises:
        SettingsError: Arguments are to be written, but nothing else.
    """
    if options.audit_file is None:
        if options.audit_arguments:
            raise SettingsError("--audit-arguments has no effect alone; give --audit-file PATH too")
        return
    from appfunctions_mcp.audit import start_audit

    start_audit(service, options.audit_file, log_arguments=options.audit_arguments, command=command)
