"""Who may send a request over HTTP: the checks of Host, Origin and the bearer token.

Host and Origin keep a web page from reaching a server on its visitor's machine by a name that it
controls (DNS rebinding). Pure functions on headers; knows nothing of MCP.
"""

import hmac
import logging
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import urlsplit

from appfunctions_mcp.addresses import is_loopback
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record

ANONYMOUS = AppFunctionCaller(name="anonymous")
TOKEN_HOLDER = AppFunctionCaller(name="token", connection="token")

Headers = dict[str, str]
log = logging.getLogger("appfunctions_mcp.server")


@record(frozen=True, slots=True)
class HttpRefusal:
    """An answer instead of the one that was asked for."""

    status: int
    message: str
    headers: tuple[tuple[str, str], ...] = ()


Verified = AppFunctionCaller | HttpRefusal
"""Who calls, or why nobody does."""


class TokenCheck(Protocol):
    """What tells whose token a request shows; OAuth's is `protected_resource.py`."""

    def check(
        self, token: str | None, headers: Headers, scope: Mapping[str, Any]
    ) -> Verified | Awaitable[Verified]:
        """Tells the caller, at once where nobody else has to be asked."""


@record(frozen=True, slots=True)
class HttpAccess:
    """The rules of one server.

    Args:
        allowed_hosts: Names beside those of loopback, with or without a port; `*` admits all.
        allowed_origins: Origins beside those of loopback and of the server's own name; `*`
            admits all, a name without a scheme all that have it.
        token: What a caller has to show; without it and `oauth` everybody is admitted.
        oauth: Tells whose token it is, where callers have tokens of their own.
    """

    allowed_hosts: Sequence[str] = ()
    allowed_origins: Sequence[str] = ()
    token: str | None = None
    oauth: TokenCheck | None = None

    def check(
        self, headers: Headers, scope: Mapping[str, Any] | None = None
    ) -> Verified | Awaitable[Verified]:
        """Tells the caller of a request, or why there is none.

        Args:
            headers: By their names in lower case.
            scope: ASGI's description of the request, for the addresses in a challenge.

        Returns:
            The caller or the refusal, at once but where `oauth` has to ask for keys.
        """
        refusal = self.check_names(headers)
        if refusal is not None:
            return refusal
        if self.oauth is not None:
            return self.oauth.check(_bearer_token(headers), headers, scope or {})
        if self.token is None:
            return ANONYMOUS
        return _check_shared_token(self.token, _bearer_token(headers))

    def check_names(self, headers: Headers) -> HttpRefusal | None:
        """Tells why a request for this Host, or from a page of this Origin, is refused."""
        host = headers.get("host", "")
        if not self.is_allowed_host(host):
            log.warning("refused the Host %s; --allowed-host admits it", quoted(host))
            return HttpRefusal(421, f"the Host {quoted(host)} is not served here")
        origin = headers.get("origin")
        if origin is not None and not self.is_allowed_origin(origin, host):
            log.warning("refused the Origin %s; --allowed-origin admits it", quoted(origin))
            return HttpRefusal(403, f"the Origin {quoted(origin)} may not send requests here")
        return None

    def is_allowed_host(self, host: str) -> bool:
        """Whether a request may name this host."""
        if "*" in self.allowed_hosts:
            return True
        name, _ = _split_port(host)
        return is_loopback(name) or any(_is_named(host, a) for a in self.allowed_hosts)

    def is_allowed_origin(self, origin: str, host: str) -> bool:
        """Whether pages of this origin may send requests to this host."""
        if "*" in self.allowed_origins:
            return True
        try:
            parts = urlsplit(origin)
        except ValueError:  # a bracket without its end
            return False
        if parts.scheme not in {"http", "https"} or not parts.netloc:
            return any(origin == allowed for allowed in self.allowed_origins)
        name, _ = _split_port(parts.netloc)
        return (
            is_loopback(name)
            or _normal(parts.netloc) == _normal(host)
            or any(_is_same_origin(origin, allowed) for allowed in self.allowed_origins)
        )


def _bearer_token(headers: Headers) -> str | None:
    scheme, _, value = headers.get("authorization", "").partition(" ")
    return value.strip(" ") or None if scheme.lower() == "bearer" else None


def _check_shared_token(token: str, shown: str | None) -> Verified:
    if shown is None:
        return HttpRefusal(401, "a bearer token is needed", (("WWW-Authenticate", "Bearer"),))
    # Headers are read as Latin-1, whatever their bytes are.
    given = shown.encode("latin-1", "backslashreplace")
    if not hmac.compare_digest(given, token.encode()):
        challenge = ("WWW-Authenticate", 'Bearer error="invalid_token"')
        return HttpRefusal(401, "the bearer token is not valid", (challenge,))
    return TOKEN_HOLDER


def require_safe_binding(
    host: str,
    *,
    allowed_hosts: Sequence[str],
    token: str | None,
    allow_anonymous: bool,
    has_oauth: bool = False,
) -> None:
    """Refuses to listen where other machines can reach the server without any check.

    Raises:
        SettingsError: The address is not loopback, and no hosts are allowed by name or nobody
            has to show a token.
    """
    if is_loopback(host):
        return
    missing = []
    if not allowed_hosts:
        missing.append("--allowed-host NAME, the name by which clients reach it")
    if token is None and not has_oauth and not allow_anonymous:
        missing.append("--token-env NAME, --oauth-issuer URL, or --allow-anonymous")
    if missing:
        raise SettingsError(
            f"{host} can be reached from other machines; give {', and '.join(missing)}"
        )


def _normal(host: str) -> str:
    return host.strip().lower().removesuffix(".")


def _split_port(host: str) -> tuple[str, str | None]:
    """`name`, and the port if there is one; an address of IPv6 keeps its brackets."""
    name, colon, port = _normal(host).rpartition(":")
    if not colon or port.endswith("]") or not port.isdigit():
        return _normal(host), None
    return name, port


def _is_named(host: str, allowed: str) -> bool:
    """Whether an allowed name admits a Host; without a port it admits every port."""
    allowed_name, allowed_port = _split_port(allowed)
    name, port = _split_port(host)
    return name == allowed_name and allowed_port in {None, port}


def _is_same_origin(origin: str, allowed: str) -> bool:
    """Whether an allowed origin is this one; a name alone admits every scheme and port of it."""
    given, admitted = urlsplit(origin), urlsplit(allowed if "//" in allowed else f"//{allowed}")
    if not admitted.scheme:
        return _is_named(given.netloc, admitted.netloc)
    return given.scheme == admitted.scheme and (
        _with_port(given.netloc, given.scheme) == _with_port(admitted.netloc, admitted.scheme)
    )


def _with_port(netloc: str, scheme: str) -> tuple[str, str]:
    name, port = _split_port(netloc)
    return name, port or ("443" if scheme == "https" else "80")
