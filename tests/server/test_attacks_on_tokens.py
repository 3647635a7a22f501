"""Tokens that must let nobody in, sent to real servers; and those that must."""

import hashlib
import hmac
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.support.authorization_server import (
    AUDIENCE,
    AuthorizationServer,
    Json,
    authorization_server,
    encoded,
    public_jwk,
)
from tests.support.guarded_server import GuardedServer, error_of, guarded_server

ROGUE = ec.generate_private_key(ec.SECP256R1())
LEAKED = ec.generate_private_key(ec.SECP256R1())
Attack = Callable[[AuthorizationServer], str]


@pytest.fixture(scope="module")
def issuer() -> Iterator[AuthorizationServer]:
    """The authorization server that the servers trust."""
    with authorization_server() as running:
        running.add_key("p384", ec.generate_private_key(ec.SECP384R1()))
        running.add_key("okp", ed25519.Ed25519PrivateKey.generate())
        running.add_key("enc", ec.generate_private_key(ec.SECP256R1()), use="enc")
        running.add_key("sign", ec.generate_private_key(ec.SECP256R1()), key_ops=["sign"])
        running.add_key("fixed", rsa.generate_private_key(65537, 2048), alg="RS256")
        running.add_key("short", rsa.generate_private_key(65537, 1024))  # noqa: S505 - what is refused
        running.add_key("leaked", LEAKED)
        running.published[-1] |= {"d": encoded(LEAKED.private_numbers().private_value.to_bytes(32))}
        running.published.append({"kty": "oct", "kid": "secret", "k": encoded(b"s" * 32)})
        running.published.append({"kty": "EC", "kid": "damaged", "crv": "P-256", "x": "?", "y": 1})
        yield running


@pytest.fixture(scope="module")
def attacker() -> Iterator[AuthorizationServer]:
    """An authorization server that nobody trusts."""
    with authorization_server() as running:
        yield running


@pytest.fixture(scope="module", params=["lean", "sdk", "sessions"])
def server(
    request: pytest.FixtureRequest,
    issuer: AuthorizationServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[GuardedServer]:
    """A server that accepts tokens of the issuer."""
    folder = tmp_path_factory.mktemp(request.param)
    env = {"APPFUNCTIONS_ENGINE": "sdk"} if request.param == "sdk" else {}
    options = ["--sessions"] if request.param == "sessions" else []
    with guarded_server(folder, issuer, *options, env=env) as running:
        yield running


def by_hand(header: Json, claims: Json, signature: bytes = b"") -> str:
    return ".".join(encoded(part) for part in (header, claims, signature))


def always(token: str) -> Attack:
    return lambda _issuer: token


def unsigned(algorithm: object) -> Attack:
    """A token without a signature that says so, in one spelling or another."""
    return lambda issuer: by_hand({"alg": algorithm, "typ": "at+jwt"}, issuer.claims())


def confused(issuer: AuthorizationServer) -> str:
    """The published key used as a shared secret: RS256 made HS256."""
    key = issuer.keys["rsa"].public_key()
    secret = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    header = {"alg": "HS256", "typ": "at+jwt", "kid": "rsa"}
    signing = by_hand(header, issuer.claims()).rpartition(".")[0]
    return f"{signing}.{encoded(hmac.digest(secret, signing.encode(), hashlib.sha256))}"


def tampered(issuer: AuthorizationServer) -> str:
    """The signature of one token under the claims of another."""
    header, _, signature = issuer.token().split(".")
    return ".".join([header, encoded(issuer.claims(sub="admin")), signature])


def retyped(issuer: AuthorizationServer) -> str:
    """A header that was changed after the signature."""
    _, claims, signature = issuer.token("rsa", "RS256").split(".")
    return ".".join([encoded({"alg": "PS256", "kid": "rsa"}), claims, signature])


def with_header(**header: object) -> Attack:
    """A token of the attacker's that says where its key is to be had."""
    return lambda issuer: issuer.token(header=header, signed_by=ROGUE)


def with_claims(**claims: Any) -> Attack:
    return lambda issuer: issuer.token(**claims)


ATTACKS: dict[str, Attack] = {
    "no token at all": always("let-me-in"),
    "two parts": lambda issuer: issuer.token().rpartition(".")[0],
    "five parts, encrypted": lambda issuer: issuer.token() + ".e30.e30",
    "empty parts": always(".."),
    "no JSON in the header": always(f"{encoded(b'{')}.{encoded({})}.AAAA"),
    "a list as the header": always(f"{encoded([1])}.{encoded({})}.AAAA"),
    "nested too deeply": always(f"{encoded(b'[' * 9000)}.{encoded({})}.AAAA"),
    "too long": lambda issuer: issuer.token(pad="x" * 20_000),
    "expired": lambda issuer: issuer.token(exp=int(time.time()) - 3600),
    "expired a second ago": lambda issuer: issuer.token(exp=int(time.time()) - 1),
    "without an expiry": with_claims(exp=None),
    "an expiry that never comes": lambda issuer: issuer.token(exp=float("inf")),
    "an expiry of 400 digits": lambda issuer: by_hand_signed(issuer, exp=10**400),
    "an expiry in words": with_claims(exp="9999999999"),
    "not valid yet": lambda issuer: issuer.token(nbf=int(time.time()) + 60),
    "issued in the future": lambda issuer: issuer.token(iat=int(time.time()) + 60),
    "wrong audience": with_claims(aud="https://other.example.com/mcp"),
    "an audience that only begins right": with_claims(aud=f"{AUDIENCE}/admin"),
    "an audience in other letters": with_claims(aud=AUDIENCE.upper()),
    "other audiences": with_claims(aud=["https://a.example", "https://b.example"]),
    "without an audience": with_claims(aud=None),
    "an audience that is an object": with_claims(aud={AUDIENCE: True}),
    "wrong issuer": with_claims(iss="https://evil.example"),
    "an issuer that only begins right": lambda issuer: issuer.token(iss=issuer.issuer + "/"),
    "issuers": lambda issuer: by_hand_signed(issuer, iss=[issuer.issuer]),
    "without an issuer": with_claims(iss=None),
    "for nobody": with_claims(sub=None),
    "for an empty name": with_claims(sub=""),
    "for a blank name": with_claims(sub="  "),
    "for a name of two lines": with_claims(sub="alice\nadmin"),
    "unsigned": unsigned("none"),
    "unsigned, written otherwise": unsigned("nOnE"),
    "unsigned, with a null": unsigned(None),
    "several algorithms": unsigned(["ES256"]),
    "its signature cut off": lambda issuer: issuer.token().rpartition(".")[0] + ".",
    "algorithm confused": confused,
    "signed with a shared secret of the key set": lambda issuer: issuer.token(
        "secret", "HS256", signed_by="s" * 32
    ),
    "tampered claims": tampered,
    "tampered header": retyped,
    "tampered signature": lambda issuer: issuer.token()[:-6] + "AAAAAA",
    "signed by another key": lambda issuer: issuer.token(signed_by=ROGUE),
    "an unknown key": lambda issuer: issuer.token(header={"kid": "two"}, signed_by=ROGUE),
    "a key that is a path": lambda issuer: issuer.token(
        header={"kid": "../../../dev/null"}, signed_by=ROGUE
    ),
    "without a key's name": lambda issuer: by_hand({"alg": "ES256"}, issuer.claims(), bytes(64)),
    "a key that is no name": lambda issuer: by_hand(
        {"alg": "ES256", "kid": 1}, issuer.claims(), bytes(64)
    ),
    "its own key (jwk)": with_header(jwk=public_jwk(ROGUE)),
    "its own certificate (x5c)": with_header(x5c=["MIIB"]),
    "a critical extension": lambda issuer: issuer.token(header={"crit": ["exp"], "exp": 1}),
    "a detached payload": lambda issuer: by_hand(
        {"alg": "ES256", "kid": "one", "b64": False, "crit": ["b64"]}, issuer.claims()
    ),
    "a token of another kind": lambda issuer: issuer.token(header={"typ": "logout+jwt"}),
    "a key for encryption": lambda issuer: issuer.token("enc"),
    "a key that may only sign": lambda issuer: issuer.token("sign"),
    "a key of another algorithm": lambda issuer: issuer.token("fixed", "PS256"),
    "a key of another kind": lambda issuer: issuer.token(
        "one", "RS256", signed_by=issuer.keys["rsa"]
    ),
    "a key whose secret half is published": lambda issuer: issuer.token("leaked"),
    "a key that is too short": lambda issuer: issuer.token("short", "RS256"),
    "a key that is damaged": lambda issuer: issuer.token("damaged", signed_by=ROGUE),
}


def by_hand_signed(issuer: AuthorizationServer, **claims: object) -> str:
    """A token with claims that the library would not sign."""
    header = {"alg": "EdDSA", "typ": "at+jwt", "kid": "okp"}
    signing = by_hand(header, issuer.claims() | claims).rpartition(".")[0]
    key = issuer.keys["okp"]
    assert isinstance(key, ed25519.Ed25519PrivateKey)
    return f"{signing}.{encoded(key.sign(signing.encode()))}"


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")
def test_a_bad_token_is_answered_with_401_and_reaches_no_function(
    attack: Attack, server: GuardedServer, issuer: AuthorizationServer
) -> None:
    """F51."""
    token, before = attack(issuer), server.calls

    answer = server.call(token)

    assert answer.status == 401, answer.body
    challenge = answer.headers["www-authenticate"]
    assert challenge.startswith('Bearer error="invalid_token", error_description="')
    assert 'resource_metadata="http://127.0.0.1:' in challenge
    assert "result" not in answer.message
    assert server.calls == before
    for part in token.split("."):
        assert len(part) < 8 or part.encode() not in answer.body
        assert len(part) < 8 or part not in challenge


@pytest.mark.parametrize("name", ["jku", "x5u"])
def test_an_address_in_a_token_is_never_asked(
    name: str, server: GuardedServer, issuer: AuthorizationServer, attacker: AuthorizationServer
) -> None:
    header = {name: attacker.jwks_url}
    for key_id in ("one", "two"):
        forged = attacker.token("one", header=header | {"kid": key_id}, iss=issuer.issuer)
        assert server.call(forged).status == 401

    assert attacker.asked == []


def test_a_token_is_taken_from_one_authorization_header_only(
    server: GuardedServer, issuer: AuthorizationServer
) -> None:
    """RFC 6750 forbids two ways at once; RFC 9700 the query."""
    token = issuer.token()
    before = server.calls
    for path in (f"/mcp?access_token={token}", f"/mcp?token={token}"):
        assert server.call(None, path=path).status == 401
    for header in (f"Basic {token}", f"Bearer{token}", token, "Bearer", "Bearer ", ""):
        answer = server.call(None, headers={"Authorization": header})
        assert answer.status == 401
        assert "error=" not in answer.headers["www-authenticate"]
    assert server.call(f"{token}, Bearer {token}").status == 401
    assert server.call(None, headers={"X-Authorization": f"Bearer {token}"}).status == 401
    assert server.calls == before


def test_every_way_into_the_server_asks_for_the_token(server: GuardedServer) -> None:
    before = server.calls
    for method in ("POST", "GET", "DELETE", "PUT", "HEAD"):
        for path in ("/mcp", "/mcp/", "/"):
            assert server.http.ask(method, path, b"").status == 401, (method, path)
    for asked in ("initialize", "tools/list", "server/discover", "ping", "subscriptions/listen"):
        assert server.ask(None, asked).status == 401
    session = {"Mcp-Session-Id": "dead", "Mcp-Protocol-Version": "2026-07-28"}
    assert server.call(None, headers=session).status == 401
    assert server.calls == before


@pytest.mark.parametrize(
    ("key_id", "algorithm"),
    [
        ("one", "ES256"),
        ("rsa", "RS256"),
        ("rsa", "RS512"),
        ("rsa", "PS256"),
        ("fixed", "RS256"),
        ("p384", "ES384"),
        ("okp", "EdDSA"),
    ],
)
def test_a_good_token_lets_its_owner_in(
    key_id: str, algorithm: str, server: GuardedServer, issuer: AuthorizationServer
) -> None:
    answer = server.call(
        issuer.token(key_id, algorithm), headers=initialized(server, issuer.token())
    )

    assert answer.status == 200, answer.body
    assert answer.message["result"]["structuredContent"] == {
        "name": "alice",
        "scopes": "notes:read",
        "connection": f"{issuer.issuer} sub alice",
    }


def initialized(server: GuardedServer, token: str) -> dict[str, str]:
    """The headers of a session of a token's owner, where the server has sessions."""
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    answer = server.ask(token, "initialize", params)
    assert answer.status == 200, answer.body
    session = answer.headers.get("mcp-session-id")
    return {} if session is None else {"Mcp-Session-Id": session}


@pytest.mark.parametrize("algorithm", ["ES256", "RS256", "ES384", "EdDSA"])
def test_a_token_that_does_not_name_its_key_is_checked_by_every_key(
    algorithm: str, server: GuardedServer, issuer: AuthorizationServer
) -> None:
    key_id = {"ES256": "one", "RS256": "rsa", "ES384": "p384", "EdDSA": "okp"}[algorithm]
    for header in ({"kid": None}, {"kid": None, "typ": None}):
        token = issuer.token(key_id, algorithm, header=header)
        assert server.call(token, headers=initialized(server, token)).status == 200


@pytest.mark.parametrize(
    ("claims", "name", "scopes"),
    [
        ({"scope": "b a"}, "alice", "a b"),
        ({"scope": ["a", "b"]}, "alice", "a b"),
        ({"scope": None, "scp": ["a", "b", 1]}, "alice", "a b"),
        ({"scope": None, "scp": "a"}, "alice", "a"),
        ({"scope": 1}, "alice", ""),
        ({"sub": None, "client_id": "robot"}, "robot", "notes:read"),
        ({"sub": None, "azp": "robot"}, "robot", "notes:read"),
        ({"aud": ["https://a.example", AUDIENCE]}, "alice", "notes:read"),
        ({"iat": None, "nbf": None}, "alice", "notes:read"),
    ],
)
def test_every_form_of_claims_is_read(
    claims: Json, name: str, scopes: str, server: GuardedServer, issuer: AuthorizationServer
) -> None:
    token = issuer.token(**claims)
    answer = server.call(token, headers=initialized(server, token))

    caller = answer.message["result"]["structuredContent"]
    assert (caller["name"], caller["scopes"]) == (name, scopes)


def test_a_clock_that_is_a_little_ahead_shuts_nobody_out(
    server: GuardedServer, issuer: AuthorizationServer
) -> None:
    soon = int(time.time()) + 5
    token = issuer.token(iat=soon, nbf=soon)
    assert server.call(token, headers=initialized(server, issuer.token())).status == 200


def test_a_session_serves_nobody_but_who_has_opened_it(
    tmp_path: Path, issuer: AuthorizationServer
) -> None:
    with guarded_server(tmp_path, issuer, "--sessions") as server:
        session = initialized(server, issuer.token())
        assert session
        assert server.call(issuer.token(), headers=session).status == 200
        for thief in (issuer.token(sub="bob"), issuer.token(sub=None, client_id="alice")):
            before = server.calls
            assert server.call(thief, headers=session).status == 404
            assert server.calls == before
        assert server.call(None, headers=session).status == 401


def test_an_algorithm_that_is_not_in_the_settings_is_refused(
    tmp_path: Path, issuer: AuthorizationServer
) -> None:
    with guarded_server(tmp_path, issuer, "--oauth-algorithm", "ES256") as server:
        assert server.call(issuer.token()).status == 200
        assert server.call(issuer.token("rsa", "RS256")).status == 401


def test_a_token_without_a_scope_that_every_caller_needs_is_answered_with_403(
    tmp_path: Path, issuer: AuthorizationServer
) -> None:
    """F51."""
    options = ("--oauth-scope", "notes:read", "--oauth-scope", "notes:write")
    with guarded_server(tmp_path, issuer, *options) as server:
        asked = server.call(None)
        refused = server.call(issuer.token())
        assert server.calls == []
        admitted = server.call(issuer.token(scope="notes:write notes:read"))

    assert asked.status == 401
    place = f"http://127.0.0.1:{server.http.port}"
    document = f'resource_metadata="{place}/.well-known/oauth-protected-resource/mcp"'
    scopes = 'scope="notes:read notes:write"'
    assert asked.headers["www-authenticate"] == f"Bearer {scopes}, {document}"
    assert refused.status == 403
    assert refused.headers["www-authenticate"] == (
        f'Bearer error="insufficient_scope", {scopes}, {document}'
    )
    assert admitted.status == 200


@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")
def test_no_token_is_in_any_log(tmp_path: Path, issuer: AuthorizationServer) -> None:
    tokens = [attack(issuer) for attack in ATTACKS.values()] + [issuer.token()]
    with guarded_server(tmp_path, issuer, "--log-level", "debug", "--debug") as server:
        for token in tokens:
            server.call(token)
            server.call(token, "no_such_function", {"count": "x"})
        server.http.process.process.terminate()
        assert server.http.process.wait() == 0
        log = server.log

    assert log.count("refused a bearer token") == 2 * len(ATTACKS)
    assert server.calls == ["who_am_i"]
    for token in tokens:
        assert token not in log or token == ".."
        assert not [part for part in token.split(".") if len(part) > 10 and part in log]


def test_a_confirmation_is_of_use_to_nobody_but_who_got_it(
    server: GuardedServer, issuer: AuthorizationServer
) -> None:
    """Not to a program either that has the user's name."""
    before = server.calls
    asked = {"name": "x"}
    alice = issuer.token(scope="notes:admin")
    session = initialized(server, alice)
    first = server.call(alice, "rename_everything", asked, headers=session).message["result"]
    confirmed = asked | {"confirmation": first["_meta"]["appfunctions/error"]["confirmation"]}
    for thief in ({"sub": "bob"}, {"sub": None, "client_id": "alice"}):
        token = issuer.token(scope="notes:admin", **thief)
        stolen = initialized(server, token)
        answer = server.call(token, "rename_everything", confirmed, headers=stolen)
        assert "confirmation needed" in error_of(answer)
    assert server.calls == before
    answer = server.call(alice, "rename_everything", confirmed, headers=session)
    assert answer.message["result"]["isError"] is False
    assert server.calls == [*before, "rename_everything"]


def test_a_function_gets_no_token(server: GuardedServer, issuer: AuthorizationServer) -> None:
    session = initialized(server, issuer.token())
    token = issuer.token()
    told = server.call(token, "tell_all", headers=session).message["result"]["content"][0]["text"]

    assert "name='alice'" in told
    assert "Bearer" not in told
    assert not [part for part in token.split(".") if part in told]


def test_a_key_set_that_cannot_be_had_lets_nobody_in_and_nobody_out(
    tmp_path: Path,
) -> None:
    with authorization_server() as issuer:
        issuer.status = 500
        with guarded_server(tmp_path / "never", issuer) as server:
            answer = server.call(issuer.token())
            assert answer.status == 503
            assert answer.headers["retry-after"] == "10"
            assert server.calls == []
            assert len(issuer.asked) == 1
        issuer.status = 200
        with guarded_server(tmp_path / "known", issuer) as server:
            assert server.call(issuer.token()).status == 200
            issuer.status = 500
            issuer.add_key("two", ec.generate_private_key(ec.SECP256R1()))
            assert server.call(issuer.token("two")).status == 401
            assert server.call(issuer.token()).status == 200
            assert server.calls == ["who_am_i", "who_am_i"]


def test_a_new_key_is_known_at_once(tmp_path: Path) -> None:
    with authorization_server() as issuer, guarded_server(tmp_path, issuer) as server:
        assert server.call(issuer.token()).status == 200
        issuer.add_key("two", ec.generate_private_key(ec.SECP256R1()))
        assert server.call(issuer.token("two")).status == 200
        assert issuer.asked == ["/jwks", "/jwks"]


def test_tokens_with_made_up_keys_do_not_make_the_server_ask_again_and_again(
    tmp_path: Path,
) -> None:
    with authorization_server() as issuer, guarded_server(tmp_path, issuer) as server:
        for number in range(20):
            forged = issuer.token(header={"kid": f"made up {number}"}, signed_by=ROGUE)
            assert server.call(forged).status == 401
        assert len(issuer.asked) <= 3


def test_a_function_that_a_caller_may_not_execute_is_denied_before_all_else_is_checked(
    server: GuardedServer, issuer: AuthorizationServer
) -> None:
    """Neither its state, nor its arguments, nor the confirmation that it needs is told."""
    session, before = initialized(server, issuer.token()), server.calls
    for name, arguments in (
        ("delete_everything", {"count": "many", "unknown": 1}),
        ("rename_everything", {"name": "x"}),
        ("rename_everything", {"name": "x", "confirmation": "x"}),
    ):
        answer = server.call(issuer.token(), name, arguments, headers=session)
        assert error_of(answer) == (
            f"AppFunctionDeniedException: this caller may not execute {name}"
        )
    assert server.calls == before


def test_a_function_that_a_caller_may_not_execute_is_in_no_list_and_no_hint(
    server: GuardedServer, issuer: AuthorizationServer
) -> None:
    session = initialized(server, issuer.token())
    listed = server.ask(issuer.token(), "tools/list", headers=session).message["result"]["tools"]
    hint = server.call(issuer.token(), "rename_everythin", headers=session).message["error"]

    assert [tool["name"] for tool in listed] == ["who_am_i", "tell_all", "read_diary"]
    assert "rename_everything" not in str(hint)


def test_a_resource_or_prompt_that_a_caller_may_not_have_is_as_if_it_were_not(
    server: GuardedServer, issuer: AuthorizationServer
) -> None:
    """No list, no completion, and the same answer as for what there is not."""
    session, before = initialized(server, issuer.token()), server.calls
    token, admin = issuer.token(), issuer.token(scope="notes:admin")

    def asked(token: str, method: str, params: Json | None = None) -> Json:
        return server.ask(token, method, params, headers=session).message

    def told(hidden: Json, absent: Json, name: str, other: str) -> None:
        assert "error" in hidden, hidden
        assert json.dumps(hidden).replace(name, other) == json.dumps(absent)

    resources = asked(token, "resources/list")["result"]["resources"]
    assert [resource["uri"] for resource in resources] == ["board://notice"]
    assert asked(token, "resources/templates/list")["result"]["resourceTemplates"] == []
    assert asked(token, "prompts/list")["result"]["prompts"] == []
    told(
        asked(token, "resources/read", {"uri": "diary://today"}),
        asked(token, "resources/read", {"uri": "nothing://today"}),
        "diary://",
        "nothing://",
    )
    told(
        asked(token, "prompts/get", {"name": "scold", "arguments": {"name": "x"}}),
        asked(token, "prompts/get", {"name": "scolt", "arguments": {"name": "x"}}),
        "scold",
        "scolt",
    )
    for reference, argument in (
        ({"type": "ref/prompt", "name": "scold"}, "name"),
        ({"type": "ref/resource", "uri": "diary://{day}"}, "day"),
    ):
        params = {"ref": reference, "argument": {"name": argument, "value": ""}}
        assert "error" in asked(token, "completion/complete", params)
        assert asked(admin, "completion/complete", params)["result"]["completion"]["values"]
    assert server.calls == before
    contents = asked(admin, "resources/read", {"uri": "diary://today"})["result"]["contents"]
    assert contents[0]["text"] == "Dear diary, today"
    assert server.calls == [*before, "diary"]


def test_metrics_are_for_callers_and_tell_them_of_nothing_hidden(
    server: GuardedServer, issuer: AuthorizationServer
) -> None:
    session = initialized(server, issuer.token())
    admin = issuer.token(scope="notes:admin")
    server.call(admin, "rename_everything", {"name": "x"}, headers=session)
    answers = {
        token: server.http.ask("GET", "/metrics", headers={"Authorization": f"Bearer {token}"})
        for token in ("x", issuer.token(), admin)
    }

    assert [answer.status for answer in answers.values()] == [401, 200, 200]
    assert server.http.ask("GET", "/metrics").status == 401
    assert server.http.ask("GET", "/readyz").status == 401
    _, seen, whole = (answer.body.decode() for answer in answers.values())
    assert "who_am_i" in seen
    assert "rename_everything" not in seen
    assert "rename_everything" in whole


def test_a_predicate_decides_by_who_shows_the_token(
    server: GuardedServer, issuer: AuthorizationServer
) -> None:
    for name in ("alice", "bob"):
        token = issuer.token(sub=name, scope="notes:admin")
        session = initialized(server, token)
        listed = server.ask(token, "tools/list", headers=session).message["result"]["tools"]
        names = [tool["name"] for tool in listed]
        may_see = ["who_am_i", "tell_all", "rename_everything"]
        assert names == may_see + ["read_diary"] * (name == "alice")
        answer = server.call(token, "read_diary", headers=session).message["result"]
        assert answer["isError"] is (name == "bob")
