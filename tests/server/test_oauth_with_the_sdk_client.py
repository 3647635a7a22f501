"""A client of the official SDK gets in without being told anything but the address."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from tests.support.authorization_server import AuthorizationServer, authorization_server
from tests.support.guarded_server import guarded_server

pytestmark = pytest.mark.anyio

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "who_am_i"}}


class Storage:
    """Keeps a client's token in memory."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        """The token, if there is one."""
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keeps a token."""
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """What the authorization server knows of the client."""
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keeps what the authorization server knows of the client."""
        self.client = client_info


def provider(url: str, issuer: AuthorizationServer, asked: list[dict[str, str]]) -> httpx2.Auth:
    """A client whose user agrees to everything."""

    async def agree(address: str) -> None:
        asked.append(
            {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        )
        issuer.granted = asked[-1]["scope"]

    async def returned() -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code="a-code", state=asked[-1]["state"])

    return OAuthClientProvider(
        url,
        OAuthClientMetadata(redirect_uris=[AnyUrl("http://127.0.0.1:1/callback")]),
        Storage(),
        redirect_handler=agree,
        callback_handler=returned,
    )


async def test_the_challenge_leads_a_client_to_its_token(tmp_path: Path) -> None:
    """F51: RFC 9728, and from there RFC 8414 and PKCE."""
    asked: list[dict[str, str]] = []
    with authorization_server() as issuer:
        options = ("--oauth-scope", "notes:read")
        with guarded_server(tmp_path, issuer, *options) as server:
            auth = provider(server.http.url, issuer, asked)
            async with httpx2.AsyncClient(auth=auth) as client:
                answers = [await client.post(server.http.url, json=CALL) for _ in range(2)]

    callers = [answer.json()["result"]["structuredContent"] for answer in answers]
    assert [caller["name"] for caller in callers] == ["alice", "alice"]
    assert [form["grant_type"] for form in issuer.forms] == ["authorization_code"]
    assert asked[0]["scope"] == "notes:read"
    assert asked[0]["resource"] == issuer.forms[0]["resource"] == server.http.url
