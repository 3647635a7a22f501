"""What a client is told of the authorization server: the challenge, and RFC 9728's documents."""

from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.oauth_settings import OAuthSettings
from appfunctions_mcp.server.asgi import AppFunctionsApp, app_functions_asgi
from appfunctions_mcp.server.http_access import HttpAccess, HttpRefusal, Verified
from appfunctions_mcp.server.protected_resource import protected
from appfunctions_mcp.service import AppFunctionService
from tests.support.asgi_client import AsgiRequest
from tests.support.authorization_server import authorization_server
from tests.support.guarded_server import guarded_server
from tests.support.http_server import Answer
from tests.support.served_functions import add

pytestmark = pytest.mark.anyio

ROOT = "/.well-known/oauth-protected-resource"
ISSUER = "https://login.example.com"
PUBLIC = "https://notes.example.com/mcp"


def oauth(audience: str = PUBLIC, **settings: Any) -> OAuthSettings:
    return OAuthSettings(ISSUER, audience, f"{ISSUER}/jwks", **settings)


def app(settings: OAuthSettings, *hosts: str) -> AppFunctionsApp:
    service = AppFunctionService.from_functions([add], name="adder", description="Adds.")
    return app_functions_asgi(service, allowed_hosts=hosts, oauth=settings)


async def get(served: AppFunctionsApp, path: str, **headers: str) -> Answer:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return await AsgiRequest(served, [b""], given, method="GET", path=path).run()


async def challenge(served: AppFunctionsApp, path: str = "/mcp", **headers: str) -> str:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = await AsgiRequest(served, [b"{}"], given, path=path).run()
    assert answer.status == 401
    return answer.headers["www-authenticate"]


def test_both_forms_of_the_document_are_served_to_anyone(tmp_path: Path) -> None:
    """F51, over a socket."""
    with authorization_server() as issuer:
        options = ("--oauth-scope", "notes:read", "--allowed-host", "notes.example.com")
        with guarded_server(tmp_path, issuer, *options) as server:
            answers = [
                server.http.ask("GET", path, headers={"Host": "notes.example.com"})
                for path in (ROOT, f"{ROOT}/mcp", f"{ROOT}/mcp/")
            ]
            other = server.http.ask("GET", f"{ROOT}/other")
            posted = server.http.ask("POST", ROOT, {})
            behind = {"Host": "notes.example.com", "X-Forwarded-Proto": "https"}
            refused = server.http.ask(body={}, headers=behind)

    leading_there = f'resource_metadata="https://notes.example.com{ROOT}/mcp"'
    assert (refused.status, leading_there in refused.headers["www-authenticate"]) == (401, True)
    for answer in answers:
        assert answer.status == 200
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.message == {
            "resource": PUBLIC,
            "authorization_servers": [issuer.issuer],
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["notes:read"],
        }
    assert other.status == 404
    assert posted.status == 405
    assert issuer.asked == []


def test_a_server_with_a_shared_token_has_no_document(tmp_path: Path) -> None:
    """F51: there, the challenge is just `Bearer`."""
    env = {"SECRET": "s3cret"}
    with guarded_server(tmp_path, None, "--token-env", "SECRET", env=env) as server:
        assert server.http.ask("GET", ROOT).status == 404
        assert server.call(None).headers["www-authenticate"] == "Bearer"
        wrong = server.call("wrong")
        assert (wrong.status, server.calls) == (401, [])
        assert server.call("s3cret").status == 200
        assert "s3cret" not in server.log


async def test_the_address_of_the_document_is_absolute() -> None:
    """F51."""
    served = app(oauth(), "notes.example.com")
    assert await challenge(served) == f'Bearer resource_metadata="http://localhost{ROOT}/mcp"'
    assert await challenge(served, "/mcp/") == await challenge(served)
    assert await challenge(served, "/") == f'Bearer resource_metadata="http://localhost{ROOT}"'
    wrong = await challenge(served, authorization="Bearer x")
    assert wrong.startswith('Bearer error="invalid_token", error_description="')
    assert wrong.endswith(f'", resource_metadata="http://localhost{ROOT}/mcp"')


@pytest.mark.parametrize(
    ("headers", "place"),
    [
        ({"host": "localhost:8000"}, "http://localhost:8000"),
        ({"host": "[::1]:8000"}, "http://[::1]:8000"),
        ({"x_forwarded_proto": "https"}, "https://localhost"),
        ({"x_forwarded_proto": "HTTPS, http"}, "https://localhost"),
        ({"x_forwarded_proto": "javascript"}, "http://localhost"),
        (
            {"x_forwarded_proto": "https", "x_forwarded_host": "notes.example.com"},
            "https://notes.example.com",
        ),
        ({"x_forwarded_host": "evil.example"}, "http://localhost"),
        ({"x_forwarded_host": 'notes.example.com", x="'}, "http://localhost"),
        ({"x_forwarded_host": "notes.example.com, evil.example"}, "http://notes.example.com"),
    ],
)
async def test_a_proxy_tells_the_address_that_clients_know(
    headers: dict[str, str], place: str
) -> None:
    """F51: behind `X-Forwarded-Proto: https`; a host only if the server answers for it."""
    served = app(oauth("notes"), "notes.example.com")
    assert await challenge(served, **headers) == f'Bearer resource_metadata="{place}{ROOT}/mcp"'
    assert (await get(served, ROOT, **headers)).message["resource"] == place
    assert (await get(served, f"{ROOT}/mcp", **headers)).message["resource"] == f"{place}/mcp"


async def test_a_host_that_is_not_served_gets_no_document() -> None:
    for host in ("evil.example", 'localhost", x="', ""):
        answer = await get(app(oauth()), ROOT, host=host)
        assert answer.status == 421
    odd = await challenge(app(oauth(), "*"), host='evil", x="')
    assert odd == "Bearer"


async def test_an_audience_that_is_no_address_of_the_server_is_not_told_as_one() -> None:
    for audience in ("api://notes", "https://other.example/api"):
        answer = await get(app(oauth(audience)), f"{ROOT}/mcp")
        assert answer.message["resource"] == "http://localhost/mcp"


async def test_an_app_that_is_mounted_tells_the_address_below_its_place() -> None:
    served = app(oauth("notes"))

    async def mounted(scope: Any, receive: Any, send: Any) -> None:
        await served({**scope, "root_path": "/tools"}, receive, send)

    place = "http://localhost/tools"
    asked = await AsgiRequest(mounted, [b"{}"], {}, path="/tools/mcp").run()  # type: ignore[arg-type] # another ASGI app
    expected = f'Bearer resource_metadata="{place}{ROOT}/mcp"'
    assert asked.headers["www-authenticate"] == expected
    path = f"/tools{ROOT}/mcp"
    document = await AsgiRequest(mounted, [b""], {}, "GET", path).run()  # type: ignore[arg-type] # as above
    assert document.message["resource"] == f"{place}/mcp"


async def test_who_calls_is_known_at_once_or_later() -> None:
    caller = AppFunctionCaller(name="alice")

    class Verifier:
        def begin(self, token: str) -> Verified | Awaitable[Verified]:
            known: dict[str, Verified] = {"now": caller, "never": HttpRefusal(503, "no keys")}
            return known.get(token) or self.later()

        async def later(self) -> Verified:
            return caller

    access, _ = protected(HttpAccess(), oauth(), Verifier())
    host = {"host": "localhost"}
    assert access.check(host | {"authorization": "Bearer now"}) is caller
    assert access.check(host | {"authorization": "Bearer never"}) == HttpRefusal(503, "no keys")
    checked = access.check(host | {"authorization": "bearer later"}, {})
    assert not isinstance(checked, AppFunctionCaller | HttpRefusal)
    assert await checked is caller
    assert isinstance(
        access.check({"host": "evil.example", "authorization": "Bearer now"}), HttpRefusal
    )
