"""Signed one-use tokens: proof that a call was shown to the user before it runs.

A token names nothing; it holds when it ends, a random number and a signature that binds both
to one function, its validated arguments and one caller. Knows nothing of how a user is asked.
"""

import base64
import dataclasses
import hashlib
import hmac
import math
import os
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from appfunctions_mcp.kept_files import KeptFile
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.metadata import AppFunctionCaller

CONFIRMATION_SECONDS = 300
USED_TOKENS_FILE_VERSION = 1

_KEYS_VARIABLE = "APPFUNCTIONS_STATE_KEYS"
_PURPOSE = b"appfunctions-mcp confirmation 1"
# Version, end as seconds, random number, signature: 27 bytes are 36 characters without padding.
_VERSION = b"\x01"
_END_BYTES = 4
_RANDOM_BYTES = 6
_BODY_BYTES = len(_VERSION) + _END_BYTES + _RANDOM_BYTES
_SIGNATURE_BYTES = 16
_TOKEN = regex(r"[A-Za-z0-9_-]{36}")


class UsedTokens(Protocol):
    """Remembers which tokens were used, until they have expired."""

    def claim(self, token_id: str, ends_at: float, now: float) -> bool:
        """Marks a token as used.

        Args:
            token_id: The token.
            ends_at: When it expires and need not be remembered any longer.
            now: The time of the claim; what expired before it is forgotten.

        Returns:
            Whether this is the first claim of the token.
        """


class InMemoryUsedTokens:
    """Remembers used tokens for one process; may be used in any thread."""

    def __init__(self) -> None:
        self._ends: dict[str, float] = {}
        self._claiming = threading.Lock()

    def claim(self, token_id: str, ends_at: float, now: float) -> bool:
        """Marks a token as used; tells whether it was not before."""
        with self._claiming:
            self._ends = {name: end for name, end in self._ends.items() if end > now}
            is_first = token_id not in self._ends
            self._ends[token_id] = ends_at
        return is_first


class JsonFileUsedTokens:
    """Remembers used tokens in a JSON file, so that several processes agree.

    Where the file cannot be written, this process alone remembers, and one warning says so.

    Args:
        path: The file; made by the first claim.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = KeptFile(path, kind="confirmations file", version=USED_TOKENS_FILE_VERSION)
        self._own = InMemoryUsedTokens()
        self._has_warned = False

    def claim(self, token_id: str, ends_at: float, now: float) -> bool:
        """Marks a token as used; tells whether no process did before. Waits for the disk.

        Raises:
            StateFileError: The file is another version's, damaged, or may not be read.
        """
        is_first = self._own.claim(token_id, ends_at, now)
        if is_first:
            try:
                is_first = self._claim_in_file(token_id, ends_at, now)
            except OSError as exc:
                self._warn(exc)
        return is_first

    def _claim_in_file(self, token_id: str, ends_at: float, now: float) -> bool:
        is_first = True

        def add(content: dict[str, Any]) -> bool:
            nonlocal is_first
            used = self._used_of(content)
            is_first = token_id not in used
            content["used"] = {name: end for name, end in used.items() if end > now}
            content["used"][token_id] = ends_at
            return is_first

        self._file.update(add)
        return is_first

    def _used_of(self, content: dict[str, Any]) -> dict[str, float]:
        used = content.get("used", {})
        if not isinstance(used, dict) or not all(map(_is_number, used.values())):
            raise self._file.fault("has something else than times of expiry")
        return used

    def _warn(self, exc: OSError) -> None:
        if not self._has_warned:
            self._has_warned = True
            from appfunctions_mcp import telemetry

            telemetry.warn(
                f"{self.path} cannot be written ({exc.strerror or exc}); other processes of "
                f"this server do not learn which confirmations were used"
            )


class Confirmations:
    """Issues and redeems confirmations.

    Args:
        keys: The secrets of this server and of its other processes: the first signs, all
            verify. Without any, a random one that ends with the process.
        used: Remembers what was redeemed.
        clock: The time in seconds since 1970.
    """

    def __init__(
        self,
        keys: Sequence[str] = (),
        used: UsedTokens | None = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.keys = tuple(key.encode() for key in keys) or (secrets.token_bytes(32),)
        """The secrets, a random one where none was given; others derive their own from them."""
        self._used: UsedTokens = used or InMemoryUsedTokens()
        self._clock = clock

    def issue(
        self,
        function_id: str,
        arguments: Mapping[str, Any],
        caller: AppFunctionCaller,
        *,
        question: str = "",
    ) -> str:
        """A new token for one call.

        Args:
            function_id: The function that would run.
            arguments: Its validated arguments, without the confirmation.
            caller: Who calls.
            question: What the function asks; empty where the call itself needs a confirmation.
        """
        ends_at = math.ceil(self._clock()) + CONFIRMATION_SECONDS
        body = _VERSION + ends_at.to_bytes(_END_BYTES, "big") + secrets.token_bytes(_RANDOM_BYTES)
        call = _digest([function_id, caller.name, caller.connection, arguments, question])
        return base64.urlsafe_b64encode(body + _signature(self.keys[0], body, call)).decode()

    def redeem(
        self,
        token: str,
        function_id: str,
        arguments: Mapping[str, Any],
        caller: AppFunctionCaller,
        *,
        question: str = "",
    ) -> bool:
        """Uses a token up. May wait for the disk: not on a loop.

        A token that is not for this call is not used up, nor is any other.

        Args:
            token: What the caller sent; blanks around it do not count.
            function_id: The function that is to run.
            arguments: Its validated arguments, without the confirmation.
            caller: Who calls.
            question: What the function asks.

        Returns:
            Whether the call may run: the token is genuine, for this call, neither expired nor
            used before.

        Raises:
            StateFileError: Which tokens were used cannot be read.
        """
        token = token.strip()
        if not _TOKEN.fullmatch(token):
            return False
        sent = _Token.parse(token)
        now = self._clock()
        if sent.version != _VERSION or sent.ends_at <= now:
            return False
        call = _digest([function_id, caller.name, caller.connection, arguments, question])
        # Every key is tried, so that the time does not tell which one it was.
        matches = [
            hmac.compare_digest(_signature(key, sent.body, call), sent.signature)
            for key in self.keys
        ]
        return any(matches) and self._used.claim(sent.body.hex(), sent.ends_at, now)


def shared_confirmations(server_name: str, metadata_path: Path | None) -> Confirmations | None:
    """Confirmations that several processes of a program of one's own understand.

    Args:
        server_name: The server's name.
        metadata_path: The metadata file; None for an app made in code.

    Returns:
        None where `APPFUNCTIONS_STATE_KEYS` gives no keys.

    Raises:
        SettingsError: The keys are not accepted.
    """
    given = os.environ.get(_KEYS_VARIABLE)
    if not given:
        return None
    from appfunctions_mcp.places import state_file
    from appfunctions_mcp.secret_values import keep_secret
    from appfunctions_mcp.settings import Settings

    keys = Settings.from_environment({_KEYS_VARIABLE: given}).state_keys
    keep_secret(*keys)
    used = state_file(server_name, metadata_path).with_suffix(".confirmations.json")
    return Confirmations(keys, JsonFileUsedTokens(used))


class _Token(NamedTuple):
    body: bytes
    signature: bytes

    @classmethod
    def parse(cls, token: str) -> "_Token":
        content = base64.urlsafe_b64decode(token)
        return cls(content[:_BODY_BYTES], content[_BODY_BYTES:])

    @property
    def version(self) -> bytes:
        return self.body[: len(_VERSION)]

    @property
    def ends_at(self) -> int:
        return int.from_bytes(self.body[len(_VERSION) :][:_END_BYTES], "big")


def _signature(key: bytes, body: bytes, call: bytes) -> bytes:
    return hmac.digest(key, _PURPOSE + body + call, "sha256")[:_SIGNATURE_BYTES]


def _digest(value: Any) -> bytes:
    """A digest of a value's canonical form: equal for equal arguments, whatever their order.

    Walks without recursion, since arguments may be nested deeper than Python's stack.
    """
    digest = hashlib.sha256()
    waiting = [value]
    while waiting:
        tag, text, children = _canonical(waiting.pop())
        for part in (tag, text, str(len(children)).encode()):
            digest.update(b"%d:%b" % (len(part), part))
        waiting.extend(reversed(children))
    return digest.digest()


def _canonical(value: Any) -> tuple[bytes, bytes, Sequence[Any]]:
    """One value without what is in it: its type, its own text, and its children in order."""
    children = _children_of(value)
    kind = "dict" if isinstance(value, Mapping) else type(value).__qualname__
    text = _text_of(value) if children is None else b""
    return _encoded(kind), text, children or ()


def _text_of(value: Any) -> bytes:
    if isinstance(value, Enum):
        return _encoded(value.name)
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    if isinstance(value, int):
        return b"%x" % value
    return _encoded(value if isinstance(value, str) else repr(value))


def _children_of(value: Any) -> Sequence[Any] | None:
    """What a value consists of, in an order that does not change; None for a scalar."""
    if isinstance(value, str | bytes | bytearray | Enum):
        return None
    if isinstance(value, Mapping):
        ordered = sorted(value.items(), key=lambda item: _digest(item[0]))
        return [part for item in ordered for part in item]
    if isinstance(value, AbstractSet):
        return sorted(map(_digest, value))
    if isinstance(value, list | tuple):
        return value
    fields = _fields_of(value)
    return None if fields is None else [fields]


def _fields_of(value: Any) -> dict[str, Any] | None:
    """The fields of a model, a dataclass or a plain object; None for a value of one text."""
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    names = getattr(type(value), "model_fields", None)
    if isinstance(names, Mapping):
        extra: Mapping[str, Any] = getattr(value, "model_extra", None) or {}
        return {name: getattr(value, name) for name in names} | dict(extra)
    kind: Any = type(value)
    # The representation that every object has would differ from call to call.
    return getattr(value, "__dict__", None) if kind.__repr__ is object.__repr__ else None


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
