"""The sealed state of a call that is answered in rounds (MCP 2026-07-28).

A client carries it from one round to the next; it can neither read it nor change it, nor use it
for another call, another caller, another server or later than ten minutes.
"""

import base64
import hashlib
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from appfunctions_mcp.json_text import read_json, write_json
from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.server.protocol_errors import INVALID_PARAMS, ProtocolError
from appfunctions_mcp.server.wire import ACTIVITY_META_KEY

ROUND_SECONDS = 600
"""How long a user may take for the answers of one round."""

_PURPOSE = b"appfunctions-mcp request state 1"
_VERSION = b"\x01"
_NONCE_BYTES = 12
_END_BYTES = 5


def binding_of(method: str, params: Mapping[str, Any], caller: AppFunctionCaller) -> bytes:
    """What a state belongs to: the method, its name or address, the arguments and the caller.

    Args:
        method: The method of the request.
        params: Its params; what else stands in them may differ from round to round, but for the
            activity that a call belongs to.
        caller: Who sends it.
    """
    target = params.get("uri" if method == "resources/read" else "name")
    bound = [method, target, params.get("arguments") or {}, caller.name, caller.connection]
    activity_id = (params.get("_meta") or {}).get(ACTIVITY_META_KEY)
    if activity_id is not None:
        bound.append(activity_id)
    return hashlib.sha256(_canonical(bound)).digest()


class RequestStates:
    """Seals and opens the states of one server.

    Args:
        keys: The secrets of this server and of its other processes: the first seals, all open.
            Without any, a random one that ends with the process.
        audience: The server's name; states of another one are refused.
        clock: The time in seconds since 1970.
    """

    def __init__(
        self, keys: Sequence[str | bytes], audience: str, *, clock: Callable[[], float] = time.time
    ) -> None:
        given = [key.encode() if isinstance(key, str) else key for key in keys]
        self._keys = [
            hashlib.sha256(_PURPOSE + key).digest() for key in given or [secrets.token_bytes(32)]
        ]
        self._audience = audience.encode()
        self._clock = clock

    def seal(self, kept: Mapping[str, Any], binding: bytes) -> str:
        """Seals what is kept for the next round.

        Args:
            kept: JSON values by key.
            binding: What `binding_of` returned.

        Returns:
            Text that a client can neither read nor change.
        """
        ends_at = int(self._clock()) + ROUND_SECONDS
        plain = ends_at.to_bytes(_END_BYTES, "big") + write_json(dict(kept))
        nonce = secrets.token_bytes(_NONCE_BYTES)
        sealed = _cipher(self._keys[0]).encrypt(nonce, plain, self._bound(binding))
        return base64.urlsafe_b64encode(_VERSION + nonce + sealed).rstrip(b"=").decode()

    def open(self, state: str, binding: bytes) -> dict[str, Any]:
        """Opens a state that a client has brought back.

        Args:
            state: As it came.
            binding: What `binding_of` returned for the request that it came with.

        Returns:
            What was kept.

        Raises:
            ProtocolError: It was changed, has expired, or belongs to something else.
        """
        plain = self._opened(_decoded(state), self._bound(binding))
        if plain is None or int.from_bytes(plain[:_END_BYTES], "big") <= self._clock():
            raise _refused()
        kept: dict[str, Any] = read_json(plain[_END_BYTES:])
        return kept

    def _opened(self, sealed: bytes, bound: bytes) -> bytes | None:
        from cryptography.exceptions import InvalidTag

        nonce, content = sealed[1:][:_NONCE_BYTES], sealed[1 + _NONCE_BYTES :]
        if sealed[:1] != _VERSION or len(nonce) < _NONCE_BYTES:
            return None
        for key in self._keys:
            try:
                opened: bytes = _cipher(key).decrypt(nonce, content, bound)
            except InvalidTag:
                continue
            return opened
        return None

    def _bound(self, binding: bytes) -> bytes:
        return _PURPOSE + _VERSION + binding + self._audience


def _cipher(key: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key)


def _decoded(state: str) -> bytes:
    try:
        content = base64.b64decode(state + "=" * (-len(state) % 4), altchars=b"-_", validate=True)
    except ValueError:
        raise _refused() from None
    # Of several texts for the same bytes only the one that was given out is good.
    if base64.urlsafe_b64encode(content).rstrip(b"=").decode() != state:
        raise _refused()
    return content


def _refused() -> ProtocolError:
    return ProtocolError(
        INVALID_PARAMS, "Invalid or expired requestState", {"reason": "invalid_request_state"}
    )


def _canonical(value: Any) -> bytes:
    import json

    # Escaped, so that half surrogates in a client's text do no harm.
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
