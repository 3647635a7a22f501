"""`appfunctions-mcp chat`: a conversation with a model that may call functions."""

import argparse
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from appfunctions_mcp.cli.arguments import add_service_arguments, split_file
from appfunctions_mcp.cli.opening import read_settings
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.quoting import quoted

if TYPE_CHECKING:
    from appfunctions_mcp.assistant.models import Model
    from appfunctions_mcp.cli.chat_desk import Desk
    from appfunctions_mcp.cli.chat_history import KeptConversation
    from appfunctions_mcp.cli.chat_screen import Screen
    from appfunctions_mcp.cli.chat_sources import ChatSources
    from appfunctions_mcp.cli.chat_streams import ChatStreams
    from appfunctions_mcp.settings import Settings

USAGE = "[FILE]"
SUMMARY = (
    "Lets you talk with a model that may call the functions of an app or of MCP servers. Each call "
    "is shown; destructive ones are asked about first. Without a terminal each line of input is a "
    "question."
)
EXAMPLE = """appfunctions-mcp chat --provider anthropic:claude-sonnet-5-5
         appfunctions-mcp chat --provider scripted -q 'find_notes query=milk'
         appfunctions-mcp chat --command 'npx a-server' --provider ollama:qwen3"""

SCRIPTED = "scripted"
"""The provider that needs no key: the person plays the model."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds FILE and the options of the command."""
    parser.add_argument(
        "file", nargs="*", metavar="FILE", help="the metadata XML, or an app's folder"
    )
    _add_origins(parser)
    _add_model(parser)
    add = parser.add_argument
    add("-q", "--question", metavar="TEXT", help="answer this question, and end")
    add("--json", action="store_true", help="print events as JSON lines")
    add(
        "--resume",
        nargs="?",
        const="",
        metavar="FILE",
        help="go on with the last conversation, or with that in FILE",
    )
    add("--yes", action="store_true", help="run destructive calls without being asked")
    add("--no-color", action="store_true", help="no colours, as with NO_COLOR")
    add_service_arguments(parser)


def _add_origins(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--command",
        action="append",
        default=[],
        metavar="[NAME=]COMMAND",
        help="an MCP server to start; NAME_ begins its functions' names (repeatable)",
    )
    add(
        "--url",
        action="append",
        default=[],
        metavar="[NAME=]URL",
        help="an MCP server's endpoint (repeatable)",
    )
    add(
        "--only",
        action="append",
        metavar="GLOB",
        help="only these tool names or ids, such as 'labels_*' (repeatable)",
    )


def _add_model(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--provider",
        metavar="PROVIDER:MODEL",
        help="anthropic, gemini, mistral, ollama, openai or openai-chat; or 'scripted', where "
        "you type the calls yourself",
    )
    add("--base-url", metavar="URL", help="another server that speaks as the provider does")
    add("--system", metavar="TEXT", help="what holds for all of it (default: what the app says)")
    add("--max-iterations", metavar="N", help="rounds of calls for a question (default 8)")
    add("--max-history-tokens", metavar="N", help="forget the oldest exchanges beyond this")


def run(args: argparse.Namespace) -> int:
    """Converses; exit code 0, or 1 where a question was not answered and nobody sat before it."""
    from appfunctions_mcp.cli.chat_desk import Desk
    from appfunctions_mcp.cli.chat_streams import chat_streams

    file, rest = split_file(args.file)
    if rest:
        raise SettingsError(f"{rest[0]!r} is no metadata file; FILE ends in .xml or is a folder")
    if file is None and args.resume:
        resumed, others = split_file([args.resume])
        file, args.resume = (resumed, "") if not others else (None, args.resume)
    settings = read_settings(args)
    args.max_iterations = _number("--max-iterations", args.max_iterations, least=0)
    args.max_history_tokens = _number("--max-history-tokens", args.max_history_tokens)
    if args.question is not None and not args.question.strip():
        raise SettingsError("--question is empty; give it as -q 'What can you do?'")
    model = _model(settings.provider, args.base_url)
    is_plain = args.json or args.question is not None
    no_color = args.no_color or settings.no_color
    with chat_streams(is_plain=is_plain, no_color=no_color) as streams:
        desk = Desk(streams.read_line)
        return desk.run(lambda: _chat(args, file, settings, model, streams, desk))


async def _chat(
    args: argparse.Namespace,
    file: str | None,
    settings: "Settings",
    model: "Model",
    streams: "ChatStreams",
    desk: "Desk",
) -> int:
    """Opens the apps and servers, and converses."""
    from appfunctions_mcp.assistant.sources import SourceError
    from appfunctions_mcp.cli.chat_screen import screen_for
    from appfunctions_mcp.cli.chat_sources import chosen_sources

    sources = chosen_sources(args, file, settings)
    screen = screen_for(streams, as_json=args.json)
    for warning in sources.warnings:
        screen.note(f"warning: {warning}")
    try:
        async with sources.dispatcher:
            return await _converse(args, settings, model, sources, streams, screen, desk)
    except SourceError as fault:
        for line in fault.faults:
            screen.fail(line)
        if logged := streams.logged():
            screen.note(logged.rstrip("\n"))
        return 1
    finally:
        if isinstance(model, _Closing):
            await model.close()


async def _converse(
    args: argparse.Namespace,
    settings: "Settings",
    model: "Model",
    sources: "ChatSources",
    streams: "ChatStreams",
    screen: "Screen",
    desk: "Desk",
) -> int:
    from appfunctions_mcp.assistant.assistant import MAX_ITERATIONS
    from appfunctions_mcp.cli.chat_commands import COMMANDS
    from appfunctions_mcp.cli.chat_history import kept_conversation
    from appfunctions_mcp.cli.chat_session import ChatSession

    system = sources.system if args.system is None else args.system
    kept = kept_conversation(sources.name, sources.identities, args.resume, system)
    if args.system is not None:
        kept.conversation.system = args.system
    session = ChatSession(
        model,
        sources.dispatcher,
        kept,
        streams=streams,
        screen=screen,
        desk=desk,
        confirms_all=args.yes,
        max_iterations=MAX_ITERATIONS if args.max_iterations is None else args.max_iterations,
        max_history_tokens=args.max_history_tokens,
    )
    functions = await sources.dispatcher.functions()
    for warning in sources.unmatched(functions):
        screen.note(f"warning: {warning}")
    if args.question is not None:
        return await session.answer(args.question)
    if streams.is_terminal:
        names = [each.tool_name for each in functions]
        streams.complete_with([*(f"/{name}" for name in COMMANDS), *names])
        number = "1 function" if len(names) == 1 else f"{len(names)} functions"
        _greet(screen, kept, f"{sources.name}: {number}, {settings.provider}")
    return await session.converse()


def _greet(screen: "Screen", kept: "KeptConversation", what: str) -> None:
    screen.note(f"{what}. Type a question; /help shows what else.")
    if kept.conversation.exchanges:
        asked = " ".join(message.text for message in kept.conversation.exchanges[-1].user)
        screen.note(f"resumed; the last question was {quoted(asked)}")


def _model(provider: str | None, base_url: str | None) -> "Model":
    """The model that is asked.

    Raises:
        AppFunctionsError: None is named, or it cannot be used.
    """
    from appfunctions_mcp.assistant.providers.named import PROVIDERS, model_named

    examples = ", ".join(f"{name}:{model}" for name, model in PROVIDERS.items())
    choices = f"{examples}, or {SCRIPTED}, where you type the calls yourself"
    if provider is None:
        raise SettingsError(
            f"no model is named; give --provider PROVIDER:MODEL, such as {choices}, or set "
            "APPFUNCTIONS_PROVIDER"
        )
    if provider == SCRIPTED:
        if base_url is not None:
            raise SettingsError(f"--base-url has no effect with --provider {SCRIPTED}")
        from appfunctions_mcp.assistant.typed import TypedModel

        return TypedModel()
    name, _, model = provider.partition(":")
    if name not in PROVIDERS or not model:
        near = nearest_names(name, [*PROVIDERS, SCRIPTED], limit=1)
        hint = f"perhaps {near[0]}; " if near and near[0] != name else ""
        raise SettingsError(
            f"--provider {quoted(provider)} names no model; {hint}give PROVIDER:MODEL, such as "
            f"{choices}"
        )
    return model_named(provider, base_url=base_url)


def _number(option: str, text: str | None, *, least: int = 1) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 16 and int(text) >= least):
        raise SettingsError(f"{option}: {quoted(text)}; give a whole number of {least} or more")
    return int(text)


@runtime_checkable
class _Closing(Protocol):
    """A model that has connections."""

    async def close(self) -> None:
        """Closes them."""
