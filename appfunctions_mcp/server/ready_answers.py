"""The answers that a manifest keeps: what the engine says to a client that calls nothing yet.

A list that the app makes anew each time has none, so that an engine is asked for it.
"""

from collections.abc import Iterator, Mapping

from appfunctions_mcp.json_text import write_json
from appfunctions_mcp.metadata import AppFunctionMetadata, AppFunctionScope
from appfunctions_mcp.server import wire
from appfunctions_mcp.server.announcer import ListKind
from appfunctions_mcp.server.eras import (
    CAPABILITIES_KEY,
    HANDSHAKE_VERSIONS,
    MODERN_VERSIONS,
    VERSION_KEY,
    ClientSession,
    Era,
)
from appfunctions_mcp.server.methods import Methods
from appfunctions_mcp.server.process import STDIO_CALLER
from appfunctions_mcp.service import AppFunctionService

_HEAD = b'{"jsonrpc":"2.0","id":0,'
_PARTS: dict[str, ListKind] = {
    "resources/list": "resources",
    "resources/templates/list": "resources",
    "prompts/list": "prompts",
}
"""What clients ask for again and again, though the server may have said that it has none."""
_ASKED: dict[Era, tuple[str, ...]] = {
    "handshake": ("ping", "tools/list", *_PARTS),
    "modern": ("server/discover", "ping", "tools/list", *_PARTS),
}


def written_tools(service: AppFunctionService) -> list[tuple[AppFunctionMetadata, bytes]]:
    """Every function of a service that can be a tool, enabled or not, and that as it is sent.

    Raises:
        JsonTextError: A description holds what JSON cannot.
    """
    listed = (f.metadata for f in service.registry)
    return [(m, write_json(wire.tool(m))) for m in listed if m.scope is AppFunctionScope.GLOBAL]


def ready_answers(
    service: AppFunctionService, tools: list[tuple[AppFunctionMetadata, bytes]]
) -> dict[str, bytes]:
    """The engine's answers by era and method, each from behind its id to before the last brace.

    In those to `tools/list` a tab stands for the tools.

    Args:
        service: What is served.
        tools: What `written_tools` returned.
    """
    methods = Methods(service)
    listed = {m.function_id for m in service.manager.listed(STDIO_CALLER)}
    now = b",".join(tool for m, tool in tools if m.function_id in listed)
    answers = {}
    for era, asked in _ASKED.items():
        for method in asked:
            answer = _ask(methods, era, method, {})
            if answer is None:
                continue
            if method == "tools/list":
                answer = answer.replace(b'"tools":[%b]' % now, b'"tools":[\t]', 1)
            answers[f"{era} {method}"] = answer
    answers["handshake logging/setLevel"] = _answer(
        methods, "handshake", "logging/setLevel", {"level": "info"}
    )
    for version in HANDSHAKE_VERSIONS:
        client = {"name": "client", "version": "1"}
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        answer = _answer(methods, "handshake", "initialize", params)
        answers[f"handshake initialize {version}"] = answer
    return answers


def changed_parts(service: AppFunctionService, known: Mapping[bytes, bytes]) -> Iterator[ListKind]:
    """Which lists of resources or prompts are others than a client may have been told.

    Args:
        service: The app as it is.
        known: What was answered, see `Manifest.answers`.
    """
    methods = Methods(service)
    for method, kind in _PARTS.items():
        told = known.get(b"handshake %b" % method.encode())
        if told is not None and told != _ask(methods, "handshake", method, {}):
            yield kind


def _answer(methods: Methods, era: Era, method: str, params: wire.Json) -> bytes:
    answer = _ask(methods, era, method, params)
    assert answer is not None  # noqa: S101 - only the lists of parts take time
    return answer


def _ask(methods: Methods, era: Era, method: str, params: wire.Json) -> bytes | None:
    """The answer; None where it is made anew each time."""
    session = ClientSession(STDIO_CALLER, era=era, is_accepted=True)
    if era == "modern":
        meta = {VERSION_KEY: MODERN_VERSIONS[-1], CAPABILITIES_KEY: {}}
        params = {**params, "_meta": meta}
    request = {"jsonrpc": "2.0", "id": 0, "method": method, "params": params}
    answer = methods.prepare(request, session)
    if not isinstance(answer, bytes | dict):
        return None
    line = answer if isinstance(answer, bytes) else write_json(answer)
    return line.removeprefix(_HEAD)[:-1]
