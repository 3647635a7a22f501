"""The server as a protected resource of OAuth 2.1: challenges, and the documents of RFC 9728.

A client that is refused learns here which authorization server gives out tokens for which
audience. Knows nothing of what a token looks like; `auth.py` does.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Protocol
from urllib.parse import urlsplit

from appfunctions_mcp.json_text import write_json
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.oauth_settings import OAuthSettings
from appfunctions_mcp.records import record, replaced
from appfunctions_mcp.server.http_access import Headers, HttpAccess, HttpRefusal, Verified
from appfunctions_mcp.server.http_messages import HttpRequest, refuse, respond
from appfunctions_mcp.server.routes import Route

WELL_KNOWN = "/.well-known/oauth-protected-resource"
"""Where clients look for the document; the path of the resource follows."""
RESOURCE_PATHS = ("", "/mcp")
"""The paths below the place of the app at which MCP is served."""

_HOST = regex(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")


class TokenVerifier(Protocol):
    """What tells whose token it is; `auth.JwtVerifier` is one."""

    def begin(self, token: str) -> Verified | Awaitable[Verified]:
        """Tells the caller, at once where nobody else has to be asked."""


def protected(
    access: HttpAccess, settings: OAuthSettings, verifier: TokenVerifier | None = None
) -> tuple[HttpAccess, dict[str, Route]]:
    """Lets in only who has a token of an authorization server.

    Args:
        access: The checks of Host and Origin.
        settings: The authorization server.
        verifier: Checks tokens; one for JSON Web Tokens when left out.

    Returns:
        The checks with that of the token, and what is served beside MCP, by path.
    """
    if verifier is None:
        from appfunctions_mcp.server.auth import JwtVerifier

        verifier = JwtVerifier(
            settings.issuer,
            settings.audience,
            settings.jwks_url,
            settings.scopes,
            settings.algorithms,
        )
    resource = ProtectedResource(settings, verifier, access.is_allowed_host)
    return replaced(access, oauth=resource), resource.routes()


@record(frozen=True, slots=True)
class ProtectedResource:
    """One server's part in OAuth.

    Args:
        settings: The authorization server.
        verifier: Checks tokens.
        is_allowed_host: Whether a name is one by which this server is reached.
    """

    settings: OAuthSettings
    verifier: TokenVerifier
    is_allowed_host: Callable[[str], bool]

    def check(
        self, token: str | None, headers: Headers, scope: Mapping[str, Any]
    ) -> Verified | Awaitable[Verified]:
        """Tells the caller of a request; a refusal says where tokens are to be had."""
        if token is None:
            wanted = f' scope="{" ".join(self.settings.scopes)}"' if self.settings.scopes else ""
            refusal = HttpRefusal(
                401, "a bearer token is needed", (("WWW-Authenticate", f"Bearer{wanted}"),)
            )
            return self._with_document(refusal, headers, scope)
        begun = self.verifier.begin(token)
        if isinstance(begun, AppFunctionCaller):
            return begun
        if isinstance(begun, HttpRefusal):
            return self._with_document(begun, headers, scope)
        return self._verified(begun, headers, scope)

    async def _verified(
        self, begun: Awaitable[Verified], headers: Headers, scope: Mapping[str, Any]
    ) -> Verified:
        verified = await begun
        if isinstance(verified, HttpRefusal):
            return self._with_document(verified, headers, scope)
        return verified

    def _with_document(
        self, refusal: HttpRefusal, headers: Headers, scope: Mapping[str, Any]
    ) -> HttpRefusal:
        """The refusal with the address of the document in its challenge."""
        place = self._place_of(headers, scope)
        if place is None:
            return refusal
        root: str = scope.get("root_path", "")
        path = str(scope.get("path", "")).removeprefix(root).rstrip("/")
        document = (
            f'resource_metadata="{place}{WELL_KNOWN}{path if path in RESOURCE_PATHS else ""}"'
        )
        return replaced(
            refusal,
            headers=tuple(
                (name, f"{value}{',' if ' ' in value else ''} {document}")
                if name == "WWW-Authenticate"
                else (name, value)
                for name, value in refusal.headers
            ),
        )

    def _place_of(self, headers: Headers, scope: Mapping[str, Any]) -> str | None:
        """The address by which the client reaches this app; None where it can be none.

        A proxy tells in `X-Forwarded-Proto` and `X-Forwarded-Host` what the client has asked for;
        a host counts only if this server answers for it.
        """
        scheme = _first(headers, "x-forwarded-proto").lower()
        if scheme not in {"http", "https"}:
            scheme = scope.get("scheme", "http")
        forwarded = _first(headers, "x-forwarded-host")
        is_served = bool(forwarded) and self.is_allowed_host(forwarded)
        host = forwarded if is_served else headers.get("host", "")
        if not _HOST.fullmatch(host):
            return None
        return f"{scheme}://{host}{scope.get('root_path', '')}"

    def routes(self) -> dict[str, Route]:
        """What answers at the two places where clients look for the document."""
        return {
            f"{WELL_KNOWN}{path}": Route(partial(self._serve_document, path), is_public=True)
            for path in RESOURCE_PATHS
        }

    async def _serve_document(self, path: str, request: HttpRequest) -> None:
        place = self._place_of(request.headers, request.scope)
        if place is None or not self.is_allowed_host(request.headers.get("host", "")):
            await refuse(request.send, HttpRefusal(421, "this Host is not served here"))
            return
        document: dict[str, Any] = {
            "resource": self._resource_at(f"{place}{path}"),
            "authorization_servers": [self.settings.issuer],
            "bearer_methods_supported": ["header"],
        }
        if self.settings.scopes:
            document["scopes_supported"] = list(self.settings.scopes)
        # By another name of this server it would say something else.
        await respond(request.send, 200, write_json(document), [(b"cache-control", b"no-store")])

    def _resource_at(self, address: str) -> str:
        """The audience, where it is an address of this server's; else the one that was asked."""
        audience = urlsplit(self.settings.audience)
        is_address = audience.scheme in {"http", "https"} and bool(audience.netloc)
        return (
            self.settings.audience
            if is_address and self.is_allowed_host(audience.netloc)
            else address
        )


def _first(headers: Headers, name: str) -> str:
    """What the proxy nearest to the client says."""
    return headers.get(name, "").partition(",")[0].strip()
