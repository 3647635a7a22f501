"""The keys of an authorization server: fetched, kept, rotated, and while nobody answers."""

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from appfunctions_mcp.server import json_web_keys
from appfunctions_mcp.server.json_web_keys import (
    FRESH_SECONDS,
    MAX_JWKS_BYTES,
    REFETCH_SECONDS,
    USABLE_SECONDS,
    JsonWebKeys,
    KeysUnavailableError,
    parse_keys,
    read_url,
)
from tests.support.authorization_server import AuthorizationServer, authorization_server

pytestmark = pytest.mark.anyio


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        """The time."""
        return self.now


@pytest.fixture
def issuer() -> Iterator[AuthorizationServer]:
    """An authorization server."""
    with authorization_server() as running:
        yield running


@pytest.fixture
def clock() -> Clock:
    """A clock that stands still."""
    return Clock()


async def names(keys: JsonWebKeys, key_id: str | None = None) -> list[str | None]:
    """The ids of the keys that are found, asked for where they have to be."""
    found = keys.find(key_id)
    return [key.key_id for key in (await keys.ask(key_id) if found is None else found)]


async def until_asked(issuer: AuthorizationServer, count: int) -> None:
    """Waits until so many requests have come."""
    async with asyncio.timeout(10):
        while len(issuer.asked) < count:  # noqa: ASYNC110 - another thread counts
            await asyncio.sleep(0.01)


async def test_keys_are_fetched_once_and_then_known(
    issuer: AuthorizationServer, clock: Clock
) -> None:
    keys = JsonWebKeys(issuer.jwks_url, clock=clock)
    assert keys.find("one") is None
    together = await asyncio.gather(names(keys, "one"), names(keys, "rsa"))
    assert list(together) == [["one"], ["rsa"]]
    clock.now += FRESH_SECONDS - 1

    assert [key.key_id for key in keys.find("one") or ()] == ["one"]
    assert await names(keys) == ["one", "rsa"]
    assert len(issuer.asked) == 1


async def test_an_unknown_key_is_asked_for_but_not_again_and_again(
    issuer: AuthorizationServer, clock: Clock
) -> None:
    keys = JsonWebKeys(issuer.jwks_url, clock=clock)
    await names(keys)
    for _ in range(5):
        assert await names(keys, "two") == []
    assert len(issuer.asked) == 2
    issuer.add_key("two", ec.generate_private_key(ec.SECP256R1()))
    assert keys.find("two") == ()
    clock.now += REFETCH_SECONDS

    assert await names(keys, "two") == ["two"]
    assert len(issuer.asked) == 3


async def test_a_key_that_was_withdrawn_is_forgotten(
    issuer: AuthorizationServer, clock: Clock
) -> None:
    keys = JsonWebKeys(issuer.jwks_url, clock=clock)
    assert await names(keys, "one") == ["one"]
    issuer.withdraw("one")
    clock.now += FRESH_SECONDS
    assert await names(keys, "one") == []
    issuer.published.clear()
    clock.now += FRESH_SECONDS
    assert await names(keys) == []


async def test_known_keys_go_on_while_nobody_answers_but_not_for_ever(
    issuer: AuthorizationServer, clock: Clock
) -> None:
    keys = JsonWebKeys(issuer.jwks_url, clock=clock)
    await names(keys)
    issuer.status = 500
    clock.now += FRESH_SECONDS
    assert await names(keys, "one") == ["one"]
    assert await names(keys, "two") == []
    assert len(issuer.asked) == 2

    clock.now += REFETCH_SECONDS
    assert [key.key_id for key in keys.find("one") or ()] == ["one"]
    await until_asked(issuer, 3)
    issuer.status = 200
    clock.now += USABLE_SECONDS
    issuer.status = 503
    with pytest.raises(KeysUnavailableError):
        await names(keys, "one")


async def test_a_server_that_answers_again_is_heard_again(
    issuer: AuthorizationServer, clock: Clock
) -> None:
    keys = JsonWebKeys(issuer.jwks_url, clock=clock)
    issuer.status = 500
    for _ in range(3):
        with pytest.raises(KeysUnavailableError):
            await names(keys)
    assert len(issuer.asked) == 1
    issuer.status = 200
    clock.now += REFETCH_SECONDS
    assert await names(keys, "one") == ["one"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>",
        b"[]",
        b'{"keys": {}}',
        b"[" * 100_000,
        b'{"keys": [%b1]}' % (b"1," * 200),
        b'{"keys": []}' + b" " * MAX_JWKS_BYTES,
        b"\xff",
    ],
    ids=["empty", "page", "list", "object", "deep", "many", "long", "no text"],
)
async def test_what_is_no_key_set_changes_nothing(
    content: bytes, issuer: AuthorizationServer, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    keys = JsonWebKeys(issuer.jwks_url, clock=clock)
    await names(keys)
    issuer.content = content
    clock.now += FRESH_SECONDS

    assert await names(keys, "one") == ["one"]
    assert f"the keys at {issuer.jwks_url} cannot be had" in caplog.text


async def test_a_redirect_is_not_followed(issuer: AuthorizationServer, clock: Clock) -> None:
    issuer.status, issuer.headers = 302, {"Location": f"{issuer.issuer}/elsewhere"}
    with pytest.raises(KeysUnavailableError):
        await names(JsonWebKeys(issuer.jwks_url, clock=clock))
    assert issuer.asked == ["/jwks"]


async def test_a_server_that_does_not_speak_http_is_no_more_than_silent(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(b"I speak no HTTP\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(KeysUnavailableError):
            await names(JsonWebKeys(f"http://127.0.0.1:{port}/jwks"))
        thread.join()
    assert "cannot be had" in caplog.text


async def test_a_server_that_never_answers_is_given_up(
    monkeypatch: pytest.MonkeyPatch, issuer: AuthorizationServer, clock: Clock
) -> None:
    """Whoever waits goes on after the time is over, and meanwhile others are served."""
    monkeypatch.setattr(json_web_keys, "FETCH_SECONDS", 0.2)
    released = threading.Event()

    def read_slowly(url: str) -> bytes:
        released.wait(20)
        return read_url(url)

    keys = JsonWebKeys(issuer.jwks_url, read=read_slowly, clock=clock)
    try:
        with pytest.raises(KeysUnavailableError):
            await names(keys)
    finally:
        released.set()


async def test_a_client_that_leaves_does_not_end_the_fetch(
    issuer: AuthorizationServer, clock: Clock
) -> None:
    released = threading.Event()

    def read_later(url: str) -> bytes:
        released.wait(20)
        return read_url(url)

    keys = JsonWebKeys(issuer.jwks_url, read=read_later, clock=clock)
    leaving, staying = asyncio.ensure_future(names(keys)), asyncio.ensure_future(names(keys))
    await asyncio.sleep(0)
    leaving.cancel()
    released.set()

    assert await staying == ["one", "rsa"]
    assert len(issuer.asked) == 1


def test_two_event_loops_use_the_same_keys(issuer: AuthorizationServer, clock: Clock) -> None:
    keys = JsonWebKeys(issuer.jwks_url, clock=clock)
    assert asyncio.run(names(keys, "one")) == ["one"]
    clock.now += FRESH_SECONDS
    assert asyncio.run(names(keys, "one")) == ["one"]
    assert len(issuer.asked) == 2


def test_only_public_keys_for_signatures_are_read() -> None:
    kept = [
        {"kty": "EC", "kid": "a"},
        {"kty": "RSA", "kid": "b", "use": "sig"},
        {"kty": "OKP", "key_ops": ["verify"]},
    ]
    dropped = [
        {"kty": "oct", "kid": "a", "k": "AAAA"},
        {"kty": "EC", "kid": "a", "d": "AAAA"},
        {"kty": "RSA", "kid": "b", "p": "AAAA", "q": "AAAA"},
        {"kty": "RSA", "use": "enc"},
        {"kty": "RSA", "key_ops": ["sign"]},
        {"kty": "RSA", "key_ops": "verify"},
        {"kty": "RSA", "kid": 1},
        {"kid": "a"},
        {"kty": ["RSA"]},
        "RSA",
        None,
    ]
    keys = parse_keys(json.dumps({"keys": [*dropped, *kept]}).encode())
    assert [key.values for key in keys] == kept


@pytest.mark.parametrize(
    "beginning", [b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", b"HTTP/1.1 200 OK\r\nA: "]
)
def test_a_server_that_sends_a_byte_now_and_then_is_given_up(
    beginning: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_web_keys, "FETCH_SECONDS", 0.2)
    given_up = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]

        def answer() -> None:
            connection, _ = listening.accept()
            with connection, suppress(OSError):
                connection.recv(4096)
                connection.sendall(beginning)
                while not given_up.wait(0.02):
                    connection.sendall(b" ")

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            with pytest.raises(TimeoutError, match="it took longer than"):
                read_url(f"http://127.0.0.1:{port}/jwks")
        finally:
            given_up.set()
            thread.join()
