"""Asks a server that runs elsewhere for its tools, as a client with an entry would.

Speaks streamable HTTP with the standard library, as `probe` speaks the lines of stdio. A
redirection is not followed: a client may not, and a token must not go to another host.
"""

import json
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPException, HTTPResponse
from typing import Any

from typing_extensions import override

from appfunctions_mcp.install.probe import INITIALIZE, MAX_PAGES, ProbeReport
from appfunctions_mcp.quoting import as_it_is_read, quoted

ADDRESS_PROBE_SECONDS = 10.0
_MAX_BODY_BYTES = 16 * 1024 * 1024
_CHUNK_BYTES = 65536
_ACCEPTED = "application/json, text/event-stream"
_ALLOW_HOST = "allow the host where the server runs: --allowed-host"
_WRONG_PATH = "correct the address; its path is mostly /mcp"


def probe_address(
    url: str, headers: Mapping[str, str], timeout_seconds: float = ADDRESS_PROBE_SECONDS
) -> ProbeReport:
    """Connects, initializes, lists the tools and ends the session.

    Args:
        url: The address of an entry.
        headers: What its client sends along, variables replaced.
        timeout_seconds: When an unanswered probe ends.
    """
    started = time.monotonic()
    conversation = _Conversation(url, dict(headers), started, started + timeout_seconds)
    failure, fix = None, ""
    try:
        conversation.run()
    except _Refused as refusal:
        failure, fix = str(refusal), refusal.fix
    return ProbeReport(
        failure=failure,
        start_seconds=conversation.start_seconds,
        seconds=time.monotonic() - started,
        tools=tuple(conversation.tools),
        timed_out=conversation.timed_out,
        fix=fix,
    )


class _Refused(Exception):  # noqa: N818 - it is no error but the end of a conversation
    """The address is of no use as it is; the message says why, `fix` what helps."""

    def __init__(self, what: str, fix: str) -> None:
        super().__init__(what)
        self.fix = fix


class _NoRedirection(urllib.request.HTTPRedirectHandler):
    """Answers a redirection as the refusal that it is for a client."""

    @override
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


@dataclass(slots=True)
class _Conversation:
    """The requests of one probe, and what they have shown."""

    url: str
    headers: dict[str, str]
    started: float
    deadline: float
    start_seconds: float | None = None
    tools: list[str] = field(default_factory=list)
    timed_out: bool = False
    last_id: int = 0

    def run(self) -> None:
        """Speaks with the server; raises where it is of no use."""
        if not self.url.startswith(("http://", "https://")):
            raise _Refused(f"{self.url} is no address of http or https", "correct the address")
        answer = self._ask("initialize", INITIALIZE)
        self.start_seconds = time.monotonic() - self.started
        self.headers["MCP-Protocol-Version"] = str(answer.get("protocolVersion"))
        self._post({"method": "notifications/initialized"}, None)
        self._list_tools()
        if "Mcp-Session-Id" in self.headers:
            self._end_session()

    def _list_tools(self) -> None:
        parameters: dict[str, Any] = {}
        for _ in range(MAX_PAGES):
            page = self._ask("tools/list", parameters)
            tools = page.get("tools")
            if not isinstance(tools, list):
                raise _Refused("tools/list was answered without a list of tools", "correct it")
            names = (str(tool.get("name")) for tool in tools if isinstance(tool, dict))
            # They are shown on terminals, and come from anywhere.
            self.tools += map(as_it_is_read, names)
            if not page.get("nextCursor"):
                return
            parameters = {"cursor": page["nextCursor"]}
        raise _Refused(f"tools/list has more than {MAX_PAGES} pages", "correct it")

    def _ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """The result of a request."""
        self.last_id += 1
        answer = self._post(
            {"id": self.last_id, "method": method, "params": parameters}, self.last_id
        )
        result = answer.get("result")
        if isinstance(result, dict):
            return result
        what = f"{self.url} answered {method} with {json.dumps(answer.get('error'))}"
        raise _Refused(what, "read the log of the server")

    def _post(self, message: dict[str, Any], awaited: int | None) -> dict[str, Any]:
        """Sends a message; the answer of this id, or nothing where none is awaited."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        sent = {**self.headers, "Content-Type": "application/json", "Accept": _ACCEPTED}
        request = urllib.request.Request(self.url, body, sent, method="POST")  # noqa: S310 - http or https, see above
        with _in_words(self), self._open(request) as response:
            session = response.headers.get("Mcp-Session-Id")
            if session is not None:
                self.headers["Mcp-Session-Id"] = session
            if awaited is None:
                return {}
            for each in self._messages(response):
                if each.get("id") == awaited and "method" not in each:
                    return each
        what = f"{self.url} gave no answer to {message['method']}: no MCP server is there"
        raise _Refused(what, _WRONG_PATH)

    def _open(self, request: urllib.request.Request) -> HTTPResponse:
        opener = urllib.request.build_opener(_NoRedirection)
        response: HTTPResponse = opener.open(request, timeout=self._remaining())
        return response

    def _remaining(self) -> float:
        remaining = self.deadline - time.monotonic()
        if remaining <= 0:
            raise TimeoutError
        return remaining

    def _messages(self, response: HTTPResponse) -> Iterator[dict[str, Any]]:
        """The messages of an answer: a body of JSON, or events as they come."""
        kind = response.headers.get_content_type()
        if kind == "text/event-stream":
            lines = (line for line in self._lines(response) if line.startswith(b"data:"))
            yield from filter(None, (_parse(line.removeprefix(b"data:")) for line in lines))
            return
        body = b"\n".join(self._lines(response))
        message = _parse(body) if kind == "application/json" else None
        if message is None:
            what = f"{self.url} answers with {kind} and no JSON-RPC: no MCP server is there"
            raise _Refused(what, _WRONG_PATH)
        yield message

    def _lines(self, response: HTTPResponse) -> Iterator[bytes]:
        """The lines of a body, each as soon as it is there."""
        rest, size = b"", 0
        while chunk := response.read1(_CHUNK_BYTES):
            self._remaining()
            size += len(chunk)
            if size > _MAX_BODY_BYTES:
                raise _Refused(f"{self.url} answers with over {_MAX_BODY_BYTES:,} bytes", "see why")
            *lines, rest = (rest + chunk).split(b"\n")
            yield from lines
        yield rest

    def _end_session(self) -> None:
        """Tells the server that nobody comes back; one that refuses keeps its session."""
        request = urllib.request.Request(self.url, headers=self.headers, method="DELETE")  # noqa: S310 - as above
        try:
            self._open(request).close()
        except (OSError, HTTPException):
            return


@contextmanager
def _in_words(conversation: _Conversation) -> Iterator[None]:
    """Turns what the network says into one sentence."""
    url = conversation.url
    try:
        yield
    except urllib.error.HTTPError as error:
        with error:
            raise _refusal(url, error.code, error.headers, conversation.headers) from error
    except (OSError, HTTPException, ValueError) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(reason, TimeoutError):
            conversation.timed_out = True
            seconds = conversation.deadline - conversation.started
            what = f"{url} did not answer within {seconds:.0f} s"
            fix = "see that the server runs and that nothing on the way blocks it"
            raise _Refused(what, fix) from error
        raise _unreachable(url, reason) from error


def _unreachable(url: str, reason: BaseException | str) -> _Refused:
    """Why nothing came back at all."""
    if isinstance(reason, ssl.SSLError):
        what = f"{url}: no secure connection ({getattr(reason, 'verify_message', '') or reason})"
        return _Refused(what, "correct the server's certificate, or the address")
    if isinstance(reason, ConnectionRefusedError):
        return _Refused(f"{url} refuses connections", "start the server, or correct the port")
    if isinstance(reason, socket.gaierror):
        return _Refused(f"{url}: the host has no address", "correct the host's name")
    text = quoted(getattr(reason, "strerror", None) or str(reason) or type(reason).__name__, 200)
    if isinstance(reason, HTTPException) and not isinstance(reason, OSError):
        return _Refused(f"{url} does not speak HTTP ({text})", "correct the address")
    return _Refused(f"{url} cannot be reached ({text})", "see that the server runs")


def _refusal(url: str, code: int, headers: Message, sent: Mapping[str, str]) -> _Refused:
    """What a status means for a client, and what helps."""
    has_token = any(name.lower() == "authorization" for name in sent)
    match code:
        case 301 | 302 | 303 | 307 | 308:
            what = f", to {quoted(headers.get('Location', 'another address'), 200)}"
            fix = "install the address that it leads to"
        case 401 if has_token:
            what, fix = ": it does not take this token", "give a valid token"
        case 401:
            what = ": it asks for a token"
            fix = "install it with --bearer-env NAME, or sign in where the client offers it"
        case 403:
            what = ": it does not let this client in"
            fix = f"give a token that has this right, or {_ALLOW_HOST}"
        case 404 | 405:
            what, fix = ": no MCP server is there", _WRONG_PATH
        case 421:
            what, fix = ": it does not serve this host name", _ALLOW_HOST
        case _:
            what, fix = "", "read the log of the server, and of what stands before it"
    return _Refused(f"{url} answers with status {code}{what}", fix)


def _parse(text: bytes) -> dict[str, Any] | None:
    """A text as a JSON-RPC message; None where it is none."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    is_message = isinstance(message, dict) and message.get("jsonrpc") == "2.0"
    return message if is_message else None
