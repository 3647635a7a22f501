"""Who may send a request over HTTP: the checks of Host, Origin and the bearer token.

Host and Origin keep a web page from reaching a server on its visitor's machine by a name that it
controls (DNS rebinding). Pure functions on headers; knows nothing of MCP.
"""

import hmac
import ipaddress
import logging
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import urlsplit

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


@record(frozen=True, slots=True)
class HttpAccess:
    """The rules of one server.

    Args:
        allowed_hosts: Names beside those of loopback, with or without a port; `*` admits all.
        allowed_origins: Origins beside those of loopback and of the server's own name.
        token: What a caller has to show; None admits everybody.
    """

    allowed_hosts: Sequence[str] = ()
    allowed_origins: Sequence[str] = ()
    token: str | None = None

    def check(self, headers: Headers) -> AppFunctionCaller | HttpRefusal:
        """Tells the caller of a request, or why there is none.

        Args:
            headers: By their names in lower case.
        """
        host = headers.get("host", "")
        if not self._is_allowed_host(host):
            log.warning("refused the Host %s; --allowed-host admits it", quoted(host))
            return HttpRefusal(421, f"the Host {quoted(host)} is not served here")
        origin = headers.get("origin")
        if origin is not None and not self._is_allowed_origin(origin, host):
            log.warning("refused the Origin %s; --allowed-origin admits it", quoted(origin))
            return HttpRefusal(403, f"the Origin {quoted(origin)} may not send requests here")
        if self.token is None:
            return ANONYMOUS
        return self._check_token(self.token, headers.get("authorization"))

    def _check_token(self, token: str, shown: str | None) -> AppFunctionCaller | HttpRefusal:
        scheme, _, value = (shown or "").partition(" ")
        if scheme.lower() != "bearer" or not value.strip(" "):
            challenge = ("WWW-Authenticate", "Bearer")
            return HttpRefusal(401, "a bearer token is needed", (challenge,))
        # Headers are read as Latin-1, whatever their bytes are.
        given = value.strip(" ").encode("latin-1", "backslashreplace")
        if not hmac.compare_digest(given, token.encode()):
            challenge = ("WWW-Authenticate", 'Bearer error="invalid_token"')
            return HttpRefusal(401, "the bearer token is not valid", (challenge,))
        return TOKEN_HOLDER

    def _is_allowed_host(self, host: str) -> bool:
        if "*" in self.allowed_hosts:
            return True
        name, _ = _split_port(host)
        return is_loopback(name) or any(_is_named(host, a) for a in self.allowed_hosts)

    def _is_allowed_origin(self, origin: str, host: str) -> bool:
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


def require_safe_binding(
    host: str, *, allowed_hosts: Sequence[str], token: str | None, allow_anonymous: bool
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
    if token is None and not allow_anonymous:
        missing.append("--token-env NAME, or --allow-anonymous")
    if missing:
        raise SettingsError(
            f"{host} can be reached from other machines; give {' and '.join(missing)}"
        )


@lru_cache(maxsize=64)
def is_loopback(host: str) -> bool:
    """Whether a name or an address means this machine alone."""
    name = _normal(host).removeprefix("[").removesuffix("]")
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


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
    given, admitted = urlsplit(origin), urlsplit(allowed if "//" in allowed else f"//{allowed}")
    return admitted.scheme in {"", given.scheme} and _is_named(given.netloc, admitted.netloc)
