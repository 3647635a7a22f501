"""What a command line asks to judge, told apart and read."""

import argparse
import logging
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from appfunctions_mcp.cli.arguments import DEFAULT_FILES
from appfunctions_mcp.cli.opening import open_service, read_settings
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.metadata_attributes import MCP
from appfunctions_mcp.metadata_xml import ROOT
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record
from appfunctions_mcp.xml_elements import read_xml

__all__ = ["Target", "open_target"]

_MAX_XML_BYTES = 2 * 1_048_576
_JSON_STARTS = (b"[", b"{")
_UTF_16_STARTS = (b"\xff\xfe[", b"\xff\xfe{", b"\xfe\xff\x00[", b"\xfe\xff\x00{")


@record(frozen=True, slots=True)
class Target:
    """What is judged."""

    name: str
    """As people call it."""
    subject: LintSubject
    warnings: tuple[str, ...] = ()
    """What the author should know, though it can be judged."""


@contextmanager
def open_target(args: argparse.Namespace) -> Iterator[Target]:
    """What a command line names; what an archive unpacks to is there until the block ends.

    Args:
        args: `file`, `command`, `url`, `name`, and what `open_service` takes.

    Raises:
        AppFunctionsError: Several targets are named, or the one cannot be read or reached.
    """
    named = [each for each in (args.file, args.command, args.url) if each is not None]
    if len(named) > 1:
        raise SettingsError("FILE, --command and --url name different targets; give one of them")
    if args.command is not None or args.url is not None:
        yield _server(args)
        return
    settings = read_settings(args)
    file = args.file or settings.file
    path = Path(file) if file is not None else None
    if path is None or settings.module or _is_ours(path):
        yield _service(args, str(path) if path is not None else None)
    elif _is_json(path):
        from appfunctions_mcp.lint.saved_tools import saved_subject

        yield Target(str(path), saved_subject(path, server_name=args.name or ""))
    else:
        import tempfile

        from appfunctions_mcp.lint.android_target import android_subject

        with tempfile.TemporaryDirectory(prefix="appfunctions-mcp-") as folder:
            yield Target(str(path), android_subject(path, Path(os.path.realpath(folder))))


def _service(args: argparse.Namespace, file: str | None) -> Target:
    from appfunctions_mcp.lint.targets import service_subject

    service = open_service(args, file, require_settings=False)
    app = service.metadata
    return Target(str(app.path or app.name), service_subject(service), tuple(service.warnings))


def _server(args: argparse.Namespace) -> Target:
    import anyio

    from appfunctions_mcp.lint.targets import server_subject

    target, options = args.url, {}
    if args.command is not None:
        try:
            target = shlex.split(args.command, posix=os.name != "nt")
        except ValueError as fault:
            raise SettingsError(f"--command {quoted(args.command)}: {fault}") from fault
        options["env"] = _passed_on()
    if not target:
        raise SettingsError("--command has no command; give it as --command 'python -m server'")
    if args.url is not None and not args.url.startswith(("http://", "https://")):
        raise SettingsError(
            f"--url {quoted(args.url)} is no URL; give it as http://127.0.0.1:8000/mcp"
        )

    async def ask() -> LintSubject:
        return await server_subject(target, name=args.name or "", **options)

    heard = _Heard()
    logging.getLogger("mcp").addHandler(heard)
    try:
        subject = anyio.run(ask)
    finally:
        logging.getLogger("mcp").removeHandler(heard)
    return Target(args.command or args.url, subject, tuple(heard.warnings()))


class _Heard(logging.Handler):
    """Hears what the SDK logs of a connection, so that no trace of its inside is printed."""

    def __init__(self) -> None:
        super().__init__()
        self._printed = 0

    def emit(self, record: logging.LogRecord) -> None:
        self._printed += "Failed to parse" in record.getMessage()

    def warnings(self) -> Iterator[str]:
        """What the author of the server should know."""
        if self._printed:
            yield (
                "the server writes to its standard output what is no message, which ends the "
                "connection in some clients; write it to standard error"
            )


def _passed_on() -> dict[str, str]:
    """The environment without keys of models, which are no business of a foreign server."""
    return {key: value for key, value in os.environ.items() if not key.endswith("_API_KEY")}


def _is_ours(path: Path) -> bool:
    """Whether a file or folder is the metadata of Python functions."""
    if path.is_dir():
        return any((path / place).is_file() for place in DEFAULT_FILES)
    if path.suffix != ".xml" or not path.is_file():
        return False
    root = read_xml(path, max_bytes=_MAX_XML_BYTES)
    return root.name == ROOT and any(
        each.namespace == MCP and each.name == "functions" for each in root.children
    )


def _is_json(path: Path) -> bool:
    """Whether a file is JSON by its name, or by how it begins."""
    if not path.is_file():
        return path.suffix == ".json"
    with path.open("rb") as file:
        start = file.read(256).removeprefix(b"\xef\xbb\xbf").lstrip()
    is_named_so = path.suffix in {".json", ".jsonl", ".ndjson"}
    return is_named_so or start.startswith((*_JSON_STARTS, *_UTF_16_STARTS))
