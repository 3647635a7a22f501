"""Whose tokens a server accepts: what it must know of an authorization server.

Only a record and the checks of its values; `server/auth.py` checks tokens by it.
"""

from appfunctions_mcp.addresses import require_safe_url
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record

ASYMMETRIC_ALGORITHMS = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
)
"""The algorithms whose keys may be published: who can check a token cannot make one."""

_SCOPE = regex(r"[\x21\x23-\x5b\x5d-\x7e]+")


@record(frozen=True, slots=True)
class OAuthSettings:
    """The authorization server whose tokens are accepted, and what they must say.

    Raises:
        SettingsError: Values that are not accepted, each with its name.
    """

    issuer: str
    """The `iss` of its tokens, to the letter."""
    audience: str
    """The `aud` that they must name: this server, mostly as the URL that clients connect to."""
    jwks_url: str
    """Where it publishes its keys."""
    scopes: tuple[str, ...] = ()
    """What every caller must have been granted."""
    algorithms: tuple[str, ...] = ASYMMETRIC_ALGORITHMS
    """How tokens may be signed."""

    def __post_init__(self) -> None:
        faults = []
        checks = [
            ("issuer", self.issuer, issuer_url),
            ("audience", self.audience, audience_name),
            ("jwks_url", self.jwks_url, require_safe_url),
            *(("scopes", scope, scope_name) for scope in self.scopes),
            *(("algorithms", algorithm, algorithm_name) for algorithm in self.algorithms),
        ]
        for name, value, check in checks:
            try:
                check(value)
            except ValueError as accepted:
                faults.append(f"{name}: {quoted(value)} is not accepted; give {accepted}")
        if not self.algorithms:
            faults.append(f"algorithms: none is given; give {', '.join(ASYMMETRIC_ALGORITHMS)}")
        if faults:
            raise SettingsError(faults)


def read_oauth(
    issuer: str | None,
    audience: str | None,
    jwks_url: str | None,
    *,
    scopes: tuple[str, ...],
    algorithms: tuple[str, ...],
    has_token: bool,
) -> OAuthSettings | None:
    """Makes the settings of what `run` was given; None where that was nothing.

    Args:
        issuer: `--oauth-issuer`.
        audience: `--oauth-audience`.
        jwks_url: `--oauth-jwks`.
        scopes: Every `--oauth-scope`.
        algorithms: Every `--oauth-algorithm`; none means all that are accepted.
        has_token: Whether `--token-env` was given.

    Raises:
        SettingsError: A part is missing, or a shared token is asked for as well.
    """
    needed = {
        "--oauth-issuer": issuer,
        "--oauth-audience": audience,
        "--oauth-jwks": jwks_url,
    }
    if not any([*needed.values(), scopes, algorithms]):
        return None
    missing = [option for option, value in needed.items() if not value]
    if missing:
        raise SettingsError(
            f"{', '.join(missing)}: not given; OAuth needs {', '.join(needed)} (the last is "
            "`jwks_uri` in what the issuer says at /.well-known/openid-configuration)"
        )
    if has_token:
        raise SettingsError("--token-env and --oauth-issuer: give one of them, not both")
    assert issuer and audience and jwks_url  # noqa: S101, PT018 - none of them is missing
    return OAuthSettings(issuer, audience, jwks_url, scopes, algorithms or ASYMMETRIC_ALGORITHMS)


def issuer_url(text: str) -> str:
    """Returns an issuer's URL, which has no query.

    Raises:
        ValueError: It is none; says what is accepted.
    """
    if "?" in text:
        raise ValueError("the issuer's URL as its tokens have it, which has no query")
    return require_safe_url(text)


def audience_name(text: str) -> str:
    """Returns an audience: one word of printable characters.

    Raises:
        ValueError: It is none; says what is accepted.
    """
    if not text or not text.isprintable() or " " in text:
        raise ValueError("the audience of its tokens, such as https://notes.example.com/mcp")
    return text


def scope_name(text: str) -> str:
    """Returns the name of a scope.

    Raises:
        ValueError: It is none; says what is accepted.
    """
    if not _SCOPE.fullmatch(text):
        raise ValueError("a scope without blanks and quotes, such as notes:read")
    return text


def algorithm_name(text: str) -> str:
    """Returns the name of an algorithm.

    Raises:
        ValueError: It is none, or not one whose keys may be published; says what is accepted.
    """
    if text not in ASYMMETRIC_ALGORITHMS:
        raise ValueError(", ".join(ASYMMETRIC_ALGORITHMS[:-1]) + f" or {ASYMMETRIC_ALGORITHMS[-1]}")
    return text
