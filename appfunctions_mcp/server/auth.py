"""From a bearer token to a caller: JSON Web Tokens of one authorization server (RFC 9068).

What a token says of its own keys (`jku`, `x5u`, `jwk`, `x5c`) is never read. No token and no
part of one is logged, passed on or given to a function. Knows nothing of requests.
"""

import logging
import math
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.oauth_settings import ASYMMETRIC_ALGORITHMS
from appfunctions_mcp.server.http_access import HttpRefusal, Verified
from appfunctions_mcp.server.json_web_keys import (
    REFETCH_SECONDS,
    JsonWebKey,
    JsonWebKeys,
    KeysUnavailableError,
)

MAX_TOKEN_CHARACTERS = 16_384
LEEWAY_SECONDS = 10
"""How far the issuer's clock may be ahead; a token that has expired has expired."""
MAX_NAME_CHARACTERS = 255

_TYPES = frozenset({"jwt", "at+jwt", "application/jwt", "application/at+jwt"})
_OPTIONS: Mapping[str, Any] = {
    "require": ["exp", "iss", "aud"],
    "enforce_minimum_key_length": True,
    # Times are checked here: the leeway is not for all of them.
    "verify_iat": False,
    "verify_nbf": False,
    "verify_sub": False,
    "verify_jti": False,
}

log = logging.getLogger("appfunctions_mcp.server")


class JwtVerifier:
    """Checks the tokens of one authorization server.

    Args:
        issuer: The `iss` that a token must have.
        audience: The `aud` that it must name.
        jwks_url: Where the issuer's keys are.
        scopes: What every caller must have been granted.
        algorithms: How tokens may be signed.
        keys: The issuer's keys; fetched from `jwks_url` when left out.
        now: The time, in seconds since 1970.
    """

    def __init__(
        self,
        issuer: str,
        audience: str,
        jwks_url: str,
        scopes: Sequence[str] = (),
        algorithms: Sequence[str] = ASYMMETRIC_ALGORITHMS,
        *,
        keys: JsonWebKeys | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._issuer = issuer
        self._audience = audience
        self._scopes = tuple(scopes)
        self._algorithms = frozenset(algorithms)
        self._keys = keys or JsonWebKeys(jwks_url)
        self._now = now

    async def verify(self, token: str) -> Verified:
        """Tells whose token it is, or why it lets nobody in."""
        begun = self.begin(token)
        return begun if isinstance(begun, AppFunctionCaller | HttpRefusal) else await begun

    def begin(self, token: str) -> Verified | Awaitable[Verified]:
        """As `verify`, at once where the issuer need not be asked for its keys."""
        try:
            header = self._header_of(token)
        except _InvalidTokenError as fault:
            return _refusal_of(fault)
        keys = self._keys.find(header.get("kid"))
        return self._ask(token, header) if keys is None else self._checked(token, header, keys)

    async def _ask(self, token: str, header: Mapping[str, Any]) -> Verified:
        try:
            keys = await self._keys.ask(header.get("kid"))
        except KeysUnavailableError:
            retry = ("Retry-After", f"{REFETCH_SECONDS:.0f}")
            return HttpRefusal(503, "tokens cannot be checked at the moment", (retry,))
        return self._checked(token, header, keys)

    def _header_of(self, token: str) -> Mapping[str, Any]:
        """The header of a token that may be one of the issuer's; nothing in it is trusted."""
        import jwt

        if len(token) > MAX_TOKEN_CHARACTERS:
            raise _InvalidTokenError("it is too long")
        try:
            header = jwt.get_unverified_header(token)
        except jwt.PyJWTError:
            raise _InvalidTokenError("it is no JSON Web Token") from None
        algorithm, kind = header.get("alg"), header.get("typ", "JWT")
        if not isinstance(algorithm, str) or algorithm not in self._algorithms:
            raise _InvalidTokenError("its algorithm is not accepted")
        if not isinstance(kind, str) or kind.lower() not in _TYPES:
            raise _InvalidTokenError("it is no access token")
        if "crit" in header:
            raise _InvalidTokenError("it asks for an extension that is not known")
        return header

    def _checked(
        self, token: str, header: Mapping[str, Any], keys: Sequence[JsonWebKey]
    ) -> Verified:
        try:
            claims = self._claims_of(token, header["alg"], keys)
            self._require_times(claims)
            caller = _caller_of(claims, self._issuer)
        except _InvalidTokenError as fault:
            return _refusal_of(fault)
        missing = [scope for scope in self._scopes if scope not in caller.scopes]
        return self._insufficient(missing) if missing else caller

    def _claims_of(self, token: str, algorithm: str, keys: Sequence[JsonWebKey]) -> dict[str, Any]:
        """The claims of a token that one of the keys has signed for this audience."""
        import jwt

        fault = _InvalidTokenError("its key is not known")
        for key in keys:
            prepared = _prepared(key, algorithm)
            if prepared is None:
                continue
            try:
                return jwt.decode(
                    token,
                    prepared,
                    algorithms=[algorithm],
                    audience=self._audience,
                    issuer=self._issuer,
                    options=_OPTIONS,  # type: ignore[arg-type]  # a TypedDict of PyJWT's
                )
            except jwt.InvalidSignatureError:
                fault = _InvalidTokenError("its signature is not valid")
            except jwt.InvalidKeyError:  # of another curve, or too short
                continue
            except jwt.PyJWTError as reason:
                raise _InvalidTokenError(_told(reason)) from None
        raise fault

    def _require_times(self, claims: Mapping[str, Any]) -> None:
        """Checks the times themselves, which a token may write as text or not at all."""
        now = self._now()
        if _seconds(claims, "exp", None) <= now:
            raise _InvalidTokenError("it has expired")
        latest = max(_seconds(claims, "nbf", now), _seconds(claims, "iat", now))
        if latest > now + LEEWAY_SECONDS:
            raise _InvalidTokenError("it is not valid yet")

    def _insufficient(self, missing: Sequence[str]) -> HttpRefusal:
        log.info("refused a caller without the scope %s", " ".join(missing))
        challenge = f'Bearer error="insufficient_scope", scope="{" ".join(self._scopes)}"'
        message = f"the token lacks the scope {' '.join(missing)}"
        return HttpRefusal(403, message, (("WWW-Authenticate", challenge),))


class _InvalidTokenError(Exception):
    """A token lets nobody in; the text says why and has nothing of the token."""


def _refusal_of(fault: _InvalidTokenError) -> HttpRefusal:
    log.info("refused a bearer token: %s", fault)
    challenge = f'Bearer error="invalid_token", error_description="{fault}"'
    message = f"the bearer token is not valid: {fault}"
    return HttpRefusal(401, message, (("WWW-Authenticate", challenge),))


def _prepared(key: JsonWebKey, algorithm: str) -> Any:
    """The key as the library wants it; None where it is not one for the algorithm."""
    if algorithm not in key.prepared:
        import jwt

        declared = key.values.get("alg", algorithm)
        try:
            made = jwt.PyJWK(dict(key.values), algorithm) if declared == algorithm else None
        except (jwt.PyJWTError, ValueError, TypeError, AttributeError):
            made = None  # of another kind, or damaged
        key.prepared[algorithm] = made
    return key.prepared[algorithm]


def _told(reason: Exception) -> str:
    """Why a token was refused, in words that have nothing of it."""
    import jwt

    match reason:
        case jwt.ExpiredSignatureError():
            return "it has expired"
        case jwt.InvalidAudienceError():
            return "it is for another audience"
        case jwt.InvalidIssuerError():
            return "it is from another issuer"
        case jwt.MissingRequiredClaimError():
            return "it lacks exp, iss or aud"
        case _:
            return "it is malformed"


def _seconds(claims: Mapping[str, Any], name: str, absent: float | None) -> float:
    value = claims.get(name, absent)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    try:
        seconds = float(value) if is_number else math.nan
    except OverflowError:  # an integer of more than 308 digits
        seconds = math.inf
    if not math.isfinite(seconds):
        raise _InvalidTokenError(f"its {name} is no time")
    return seconds


def _caller_of(claims: Mapping[str, Any], issuer: str) -> AppFunctionCaller:
    """Who a token speaks for: its subject, else the client itself."""
    for kind in ("sub", "client_id", "azp"):
        name = claims.get(kind)
        if isinstance(name, str) and _is_name(name):
            return AppFunctionCaller(
                name=name,
                scopes=frozenset([*_words(claims.get("scope")), *_words(claims.get("scp"))]),
                connection=f"{issuer} {kind} {name}",
            )
    raise _InvalidTokenError("it names nobody: it has neither sub nor client_id")


def _is_name(text: str) -> bool:
    """Whether a text tells somebody from all others, in a log too."""
    return len(text) <= MAX_NAME_CHARACTERS and text.isprintable() and text.strip() != ""


def _words(scopes: object) -> list[str]:
    """Scopes as the one text of RFC 8693, or as the list that some issuers write."""
    if isinstance(scopes, str):
        return scopes.split()
    return [s for s in scopes if isinstance(s, str)] if isinstance(scopes, list) else []
