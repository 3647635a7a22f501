"""A server process with OAuth, and requests to it with a token."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.authorization_server import AUDIENCE, AuthorizationServer
from tests.support.http_server import Answer, HttpServer, http_server
from tests.support.metadata_files import write_metadata

MODULE = "tests.support.guarded_functions"


@dataclass(frozen=True, slots=True)
class GuardedServer:
    """A running server, and the file in which its functions leave a line."""

    http: HttpServer
    calls_file: Path

    @property
    def calls(self) -> list[str]:
        """The functions that have run."""
        return self.calls_file.read_text("utf-8").split()

    @property
    def log(self) -> str:
        """What the server has written to stderr."""
        return self.http.process.stderr

    def call(
        self,
        token: str | None,
        name: str = "who_am_i",
        arguments: Mapping[str, Any] | None = None,
        *,
        path: str = "/mcp",
        headers: Mapping[str, str | None] | None = None,
    ) -> Answer:
        """Calls a function with a token."""
        return self.ask(
            token, "tools/call", {"name": name, "arguments": arguments or {}}, path, headers
        )

    def ask(
        self,
        token: str | None,
        method: str,
        params: Mapping[str, Any] | None = None,
        path: str = "/mcp",
        headers: Mapping[str, str | None] | None = None,
    ) -> Answer:
        """Sends a request with a token."""
        shown = {"Authorization": None if token is None else f"Bearer {token}"}
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        return self.http.ask("POST", path, body, shown | dict(headers or {}))


@contextmanager
def guarded_server(
    folder: Path,
    issuer: AuthorizationServer | None,
    *options: str,
    env: Mapping[str, str] | None = None,
) -> Iterator[GuardedServer]:
    """Serves the guarded functions; with an issuer, to who has one of its tokens."""
    folder.mkdir(exist_ok=True)
    file = write_metadata(folder)
    calls = folder / "calls.txt"
    calls.write_text("", "utf-8")
    words = ["-m", "appfunctions_mcp", "run", str(file), "--module", MODULE, "--http", "0"]
    if issuer is not None:
        words += ["--oauth-issuer", issuer.issuer, "--oauth-audience", AUDIENCE]
        words += ["--oauth-jwks", issuer.jwks_url]
    environment = {"CALLS_FILE": str(calls), **(env or {})}
    with http_server(*words, *options, env=environment) as running:
        yield GuardedServer(running, calls)


def error_of(answer: Answer) -> str:
    """The text of a result that is an error."""
    result = answer.message["result"]
    assert result["isError"] is True
    return str(result["content"][0]["text"])
