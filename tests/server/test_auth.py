"""From a token to a caller, without a server between."""

import time
from collections.abc import Iterator

import pytest

from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.server.auth import LEEWAY_SECONDS, MAX_TOKEN_CHARACTERS, JwtVerifier
from appfunctions_mcp.server.http_access import HttpRefusal
from tests.support.authorization_server import AUDIENCE, AuthorizationServer, authorization_server

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def issuer() -> Iterator[AuthorizationServer]:
    """An authorization server."""
    with authorization_server() as running:
        yield running


def verifier(issuer: AuthorizationServer, now: float | None = None) -> JwtVerifier:
    clock = time.time if now is None else lambda: now
    return JwtVerifier(issuer.issuer, AUDIENCE, issuer.jwks_url, now=clock)


async def test_whose_token_it_is_is_known_at_once_when_the_keys_are(
    issuer: AuthorizationServer,
) -> None:
    checks = verifier(issuer)
    caller = AppFunctionCaller(
        "alice", frozenset({"notes:read"}), connection=f"{issuer.issuer} sub alice"
    )
    begun = checks.begin(issuer.token())
    assert not isinstance(begun, AppFunctionCaller | HttpRefusal)
    assert await begun == caller
    assert checks.begin(issuer.token()) == caller
    assert await checks.verify(issuer.token()) == caller


async def test_a_token_expires_to_the_second_and_begins_with_some_patience(
    issuer: AuthorizationServer,
) -> None:
    start = int(time.time()) + 1000
    token = issuer.token(nbf=start, iat=start, exp=start + 100)
    admitted = {
        seconds: isinstance(
            await verifier(issuer, start + seconds).verify(token), AppFunctionCaller
        )
        for seconds in (-LEEWAY_SECONDS - 1, -LEEWAY_SECONDS, 0, 99.9, 100)
    }
    assert list(admitted.values()) == [False, True, True, True, False]


async def test_a_token_that_is_too_long_is_not_even_read(issuer: AuthorizationServer) -> None:
    refused = await verifier(issuer).verify("x" * (MAX_TOKEN_CHARACTERS + 1))
    assert isinstance(refused, HttpRefusal)
    assert refused.message == "the bearer token is not valid: it is too long"


async def test_without_any_keys_nobody_is_told_that_a_token_is_bad(
    issuer: AuthorizationServer,
) -> None:
    """A client would throw a good one away."""
    nowhere = JwtVerifier(issuer.issuer, AUDIENCE, "http://127.0.0.1:9/jwks")
    refused = await nowhere.verify(issuer.token())
    assert isinstance(refused, HttpRefusal)
    assert (refused.status, refused.headers) == (503, (("Retry-After", "10"),))
