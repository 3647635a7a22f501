"""The public keys of an authorization server (JWKS), fetched when needed and kept.

A key that is not known is asked for at most every few seconds, whoever asks. While the server
cannot be reached the known keys go on for a day, and no other comes in. Knows nothing of tokens.
"""

import asyncio
import json
import logging
import math
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from appfunctions_mcp.addresses import is_loopback
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record

if TYPE_CHECKING:
    import http.client

FRESH_SECONDS = 300.0
"""How long keys are used without asking whether they have been withdrawn."""
USABLE_SECONDS = 24 * 3600.0
"""How long keys are used while their server cannot be asked."""
REFETCH_SECONDS = 10.0
"""How often a server is asked for a key that it did not have, or when it did not answer."""
FETCH_SECONDS = 5.0
MAX_JWKS_BYTES = 256 * 1024
MAX_KEYS = 100

_PUBLIC_KINDS = ("RSA", "EC", "OKP")
_SECRET_PARTS = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})

log = logging.getLogger("appfunctions_mcp.server")


class KeysUnavailableError(Exception):
    """No keys are known, and their server does not answer."""


@record(frozen=True, slots=True)
class JsonWebKey:
    """One public key, as its server describes it."""

    key_id: str | None
    values: Mapping[str, Any]
    prepared: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """What a verifier has made of it, by algorithm."""


class JsonWebKeys:
    """The keys at one URL.

    Args:
        url: Where they are published.
        read: Reads a URL, in a thread of its own.
        clock: Seconds that only grow.
    """

    def __init__(
        self,
        url: str,
        *,
        read: Callable[[str], bytes] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = url
        self._read = read or read_url
        self._clock = clock
        self._keys: tuple[JsonWebKey, ...] = ()
        self._fetched_at: float | None = None
        self._is_failing = False
        self._may_ask_at = -math.inf
        self._fetching: asyncio.Task[None] | None = None

    def find(self, key_id: str | None) -> tuple[JsonWebKey, ...] | None:
        """The known keys of an id, all of them without an id; None where `ask` is to be awaited."""
        if self._is_due():
            return None
        if self._is_failing:
            self._use_old_keys()
        if self._fetched_at is None:
            return None
        found = self._of_id(key_id)
        return None if not found and self._clock() >= self._may_ask_at else found

    async def ask(self, key_id: str | None) -> tuple[JsonWebKey, ...]:
        """The keys of an id, after their server was asked again where it may be.

        Raises:
            KeysUnavailableError: None are known, and it does not answer.
        """
        if self._is_due() or self._is_fetching() or self._take_turn():
            await self._fetched()
        if self._fetched_at is None:
            raise KeysUnavailableError
        return self._of_id(key_id)

    def _is_due(self) -> bool:
        return not self._is_failing and self._age() >= FRESH_SECONDS

    def _age(self) -> float:
        return math.inf if self._fetched_at is None else self._clock() - self._fetched_at

    def _use_old_keys(self) -> None:
        """Goes on with what is known, for a while, and asks for news meanwhile."""
        if self._age() >= USABLE_SECONDS:
            self._keys, self._fetched_at = (), None
        elif not self._is_fetching() and self._take_turn():
            self._begin_fetching()

    def _take_turn(self) -> bool:
        """Whether the server may be asked out of turn now; the next time is a while away."""
        now = self._clock()
        if now < self._may_ask_at:
            return False
        self._may_ask_at = now + REFETCH_SECONDS
        return True

    def _of_id(self, key_id: str | None) -> tuple[JsonWebKey, ...]:
        return tuple(key for key in self._keys if key_id is None or key.key_id == key_id)

    def _is_fetching(self) -> bool:
        task = self._fetching
        return (
            task is not None and not task.done() and task.get_loop() is asyncio.get_running_loop()
        )

    def _begin_fetching(self) -> "asyncio.Task[None]":
        self._fetching = asyncio.get_running_loop().create_task(self._fetch())
        return self._fetching

    async def _fetched(self) -> None:
        """Waits for a fetch that runs, or for a new one; whoever leaves does not end it."""
        running = self._fetching if self._is_fetching() else None
        await asyncio.wait({running or self._begin_fetching()})

    async def _fetch(self) -> None:
        try:
            async with asyncio.timeout(FETCH_SECONDS):
                text = await asyncio.to_thread(self._read, self._url)
            keys = parse_keys(text)
        except (OSError, ValueError) as fault:
            self._is_failing = True
            self._may_ask_at = self._clock() + REFETCH_SECONDS
            reason = quoted(str(fault) or type(fault).__name__)
            log.warning(
                "the keys at %s cannot be had, so that nobody new gets in: %s", self._url, reason
            )
            return
        self._keys, self._fetched_at, self._is_failing = keys, self._clock(), False


def parse_keys(text: bytes) -> tuple[JsonWebKey, ...]:
    """Reads a JWKS: its keys for signatures, without those that are secret or for other uses.

    Raises:
        ValueError: It is no JWKS.
    """
    try:
        document = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    keys = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(keys, list):
        raise ValueError("it is no JWKS, an object with `keys`")  # noqa: TRY004 - one class for all faults
    if len(keys) > MAX_KEYS:
        raise ValueError(f"it has {len(keys)} keys, more than the {MAX_KEYS} that are read")
    return tuple(JsonWebKey(key.get("kid"), key) for key in keys if _is_for_signatures(key))


def _is_for_signatures(key: object) -> bool:
    if not isinstance(key, dict) or key.get("kty") not in _PUBLIC_KINDS:
        return False
    if not _SECRET_PARTS.isdisjoint(key):  # everybody who has read it can sign with it
        return False
    operations = key.get("key_ops", ["verify"])
    return (
        isinstance(key.get("kid"), str | None)
        and key.get("use", "sig") == "sig"
        and isinstance(operations, list)
        and "verify" in operations
    )


def read_url(url: str) -> bytes:
    """Reads what is at an https URL, or at one of this machine; blocks.

    A redirect is not followed, since it could lead anywhere.

    Raises:
        OSError: It cannot be reached, or answers with another status than 200.
        ValueError: It is too long.
    """
    import http.client
    import urllib.error
    import urllib.request

    opened: list[http.client.HTTPConnection] = []
    headers = {"Accept": "application/jwk-set+json, application/json"}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - https, or this machine
    end = time.monotonic() + FETCH_SECONDS
    # A timeout of a socket begins anew with each byte.
    watch = threading.Timer(FETCH_SECONDS, _cut, [opened])
    watch.start()
    try:
        with _opener(url, opened).open(request, timeout=FETCH_SECONDS) as answer:
            return _read_all(answer, end)
    except urllib.error.HTTPError as refusal:
        refusal.close()
        raise OSError(f"it answers with status {refusal.code}") from None
    except (OSError, http.client.HTTPException) as fault:
        if time.monotonic() > end:
            raise TimeoutError(f"it took longer than {FETCH_SECONDS:.0f} s") from fault
        if isinstance(fault, OSError):
            raise
        raise OSError(f"it does not speak HTTP: {fault!r}") from fault
    finally:
        watch.cancel()


def _opener(url: str, opened: "list[http.client.HTTPConnection]") -> Any:
    """What opens a URL, without redirects; each connection that it makes is noted."""
    import http.client
    import urllib.request

    class _NoRedirect(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_arguments: object) -> None:
            return None

    def noted(kind: type[http.client.HTTPConnection]) -> Any:
        def make(*arguments: Any, **more: Any) -> http.client.HTTPConnection:
            opened.append(kind(*arguments, **more))
            return opened[-1]

        return make

    class _Http(urllib.request.HTTPHandler):
        def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(noted(http.client.HTTPConnection), request)

    class _Https(urllib.request.HTTPSHandler):
        def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(noted(http.client.HTTPSConnection), request)

    handlers: list[urllib.request.BaseHandler] = [_NoRedirect(), _Http(), _Https()]
    if is_loopback(urlsplit(url).hostname or ""):
        handlers.append(urllib.request.ProxyHandler({}))
    return urllib.request.build_opener(*handlers)


def _cut(opened: "list[http.client.HTTPConnection]") -> None:
    """Ends connections, so that whoever reads from them is done."""
    for connection in opened:
        if connection.sock is not None:
            with suppress(OSError):
                connection.sock.shutdown(socket.SHUT_RDWR)


def _read_all(answer: Any, end: float) -> bytes:
    text, chunk = bytearray(), b"-"
    while chunk:
        chunk = answer.read1(65_536)
        text += chunk
        if len(text) > MAX_JWKS_BYTES:
            raise ValueError(f"it has more than {MAX_JWKS_BYTES:,} bytes")
        if time.monotonic() > end:  # what was cut looks complete
            raise TimeoutError
    return bytes(text)
