"""What a conversation's functions come from: a metadata file, MCP servers, or several of them."""

import argparse
import fnmatch
import os
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from appfunctions_mcp.assistant.dispatcher import ToolDispatcher
from appfunctions_mcp.assistant.mcp_source import McpSource
from appfunctions_mcp.assistant.service_source import ServiceSource
from appfunctions_mcp.assistant.several_sources import SeveralSources
from appfunctions_mcp.assistant.sources import FunctionSource, SourceCall
from appfunctions_mcp.cli.opening import open_service
from appfunctions_mcp.exceptions import AppFunctionException, SettingsError
from appfunctions_mcp.formats.messages import FunctionResult
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record, replaced
from appfunctions_mcp.settings import Settings

_NAMED = regex(r"([A-Za-z_][A-Za-z0-9_-]*)=(.*)", re.DOTALL)
_KEYS = (
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "MISTRAL_API_KEY",
    "OPENAI_API_KEY",
)
"""Are the model's, and no business of the servers that are started."""


@record(frozen=True, slots=True)
class _Origin:
    """One app or server."""

    prefix: str
    name: str
    """What people call it."""
    identity: str
    """What tells it from another one of the same name."""
    source: FunctionSource
    description: Callable[[], str]
    """What it tells about itself; known when it is open."""
    warnings: tuple[str, ...] = ()


class ChatSources:
    """The apps and servers whose functions a model may call.

    Args:
        origins: One or more.
        only: Globs of the names of functions; what matches none is left out.
    """

    def __init__(self, origins: Sequence[_Origin], only: Sequence[str]) -> None:
        self._origins = origins
        self._only = only
        self.name = "+".join(each.prefix or each.name for each in origins)
        """What people call all of them."""
        self.identities = [f"{each.prefix}={each.identity}" for each in origins]
        """What tells them from others."""
        self.warnings = [text for each in origins for text in each.warnings]
        self.dispatcher = ToolDispatcher(self._source())

    @property
    def system(self) -> str:
        """What they tell a model about themselves; servers only when they are open."""
        told = [(each.prefix or each.name, each.description().strip()) for each in self._origins]
        if len(told) == 1:
            return told[0][1]
        return "\n\n".join(f"{name}: {text}" for name, text in told if text)

    def unmatched(self, functions: Sequence[AppFunctionMetadata]) -> list[str]:
        """Tells of each glob that matches none of the functions, as a misspelled one does."""
        return [
            f"--only {quoted(glob)} matches no function; those of servers begin with their NAME_"
            for glob in self._only
            if not any(_is_wanted(function, [glob]) for function in functions)
        ]

    def _source(self) -> FunctionSource:
        first = self._origins[0]
        if len(self._origins) == 1 and not first.prefix and not self._only:
            return first.source
        several = SeveralSources({each.prefix: each.source for each in self._origins})
        return _OnlySome(several, self._only) if self._only else several


def chosen_sources(args: argparse.Namespace, file: str | None, settings: Settings) -> ChatSources:
    """The apps and servers that a command line names.

    Args:
        args: The command line.
        file: FILE, if it was given.
        settings: The options.

    Raises:
        AppFunctionsError: A server has no name or no command, two have the same one, or FILE
            cannot be loaded.
    """
    servers = [_command(text) for text in args.command] + [_url(text) for text in args.url]
    if not servers:
        return ChatSources([_app(args, file, settings)], ())
    # The globs are for the names of all, which the app alone does not know.
    apps = [_app(args, file, replaced(settings, only=()))] if file is not None else []
    if len(apps) + len(servers) > 1:
        _require_names(servers)
    return ChatSources([*apps, *servers], settings.only)


def _app(args: argparse.Namespace, file: str | None, settings: Settings) -> _Origin:
    service = open_service(args, file, settings=settings, audited_as="chat")
    app = service.metadata
    return _Origin(
        "",
        app.name,
        os.path.normcase(os.path.abspath(app.path or "")),  # noqa: PTH100 - links stay
        ServiceSource(service),
        lambda: app.description,
        tuple(service.warnings),
    )


def _command(text: str) -> _Origin:
    prefix, command = _parts(text)
    try:
        words = shlex.split(command, posix=os.name != "nt")
    except ValueError as fault:
        raise SettingsError(f"--command {quoted(text)}: {fault}; quote it as a shell does") from (
            fault
        )
    if not words:
        raise SettingsError("--command has no command; give it as --command 'python -m server'")
    passed_on = {key: value for key, value in os.environ.items() if key not in _KEYS}
    source = McpSource(words, env=passed_on)
    identity = f"{Path.cwd()}: {command}"
    return _Origin(prefix, source.name, identity, source, lambda: source.instructions)


def _url(text: str) -> _Origin:
    prefix, url = _parts(text)
    if not url.startswith(("http://", "https://")):
        raise SettingsError(f"--url {quoted(text)} is no URL; give it as http://127.0.0.1:8000/mcp")
    source = McpSource(url)
    return _Origin(prefix, source.name, url, source, lambda: source.instructions)


def _parts(text: str) -> tuple[str, str]:
    named = _NAMED.fullmatch(text.strip())
    return (named[1], named[2].strip()) if named else ("", text.strip())


def _require_names(servers: Sequence[_Origin]) -> None:
    """Functions of several origins must not have the same names."""
    for each in servers:
        if not each.prefix:
            raise SettingsError(
                f"the server {quoted(each.name)} is one of several and needs a name before its "
                "functions; give it as NAME=…, such as --command 'files=python -m server'"
            )
    names = [each.prefix for each in servers]
    for name in sorted({name for name in names if names.count(name) > 1}):
        raise SettingsError(f"two servers have the name {quoted(name)}; give each its own")


class _OnlySome:
    """Those functions of a source whose names or ids match a glob.

    Args:
        source: The source.
        only: The globs.
    """

    def __init__(self, source: SeveralSources, only: Sequence[str]) -> None:
        self._source = source
        self._only = only

    async def __aenter__(self) -> Self:
        await self._source.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._source.__aexit__(kind, fault, trace)

    async def functions(self) -> list[AppFunctionMetadata]:
        return [each for each in await self._source.functions() if _is_wanted(each, self._only)]

    def refusal(self, name: str) -> AppFunctionException:
        return self._source.refusal(name)

    def check(self, call: SourceCall) -> None:
        self._source.check(call)

    async def execute(self, call: SourceCall) -> FunctionResult:
        return await self._source.execute(call)


def _is_wanted(function: AppFunctionMetadata, only: Sequence[str]) -> bool:
    names = (function.tool_name, function.function_id)
    return any(fnmatch.fnmatchcase(name, glob) for glob in only for name in names)
