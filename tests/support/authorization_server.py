"""An authorization server on this machine: it publishes keys over HTTP and signs tokens."""

import base64
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

AUDIENCE = "https://notes.example.com/mcp"

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey
Json = dict[str, Any]


class AuthorizationServer:
    """The keys of one issuer, and what clients asked it for.

    Args:
        port: Where it listens.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.issuer = f"http://127.0.0.1:{port}"
        self.keys: dict[str, PrivateKey] = {}
        self.published: list[Json] = []
        self.asked: list[str] = []
        """The path of each request."""
        self.status = 200
        self.content: bytes | None = None
        """What is answered instead of the keys."""
        self.headers: dict[str, str] = {}
        self.granted = ""
        """The scopes of the tokens that are given out."""
        self.forms: list[dict[str, str]] = []
        """What clients have sent for a token."""

    @property
    def jwks_url(self) -> str:
        """Where the keys are."""
        return f"{self.issuer}/jwks"

    def add_key(self, key_id: str, key: PrivateKey, **members: Any) -> Json:
        """Publishes a key; returns it as it is published."""
        self.keys[key_id] = key
        public = public_jwk(key) | {"kid": key_id, "use": "sig"} | members
        self.published.append(public)
        return public

    def withdraw(self, key_id: str) -> None:
        """Publishes a key no longer."""
        self.published = [key for key in self.published if key.get("kid") != key_id]

    def token(
        self,
        key_id: str = "one",
        algorithm: str = "ES256",
        *,
        header: Mapping[str, Any] | None = None,
        signed_by: Any = None,
        **claims: Any,
    ) -> str:
        """A good token, but for what is given; a claim or header of None is left out."""
        key = self.keys[key_id] if signed_by is None else signed_by
        named = {"kid": key_id, "typ": "at+jwt"} | dict(header or {})
        headers = {name: value for name, value in named.items() if value is not None}
        return jwt.encode(self.claims(**claims), key, algorithm=algorithm, headers=headers)

    def document(self, path: str) -> Json:
        """What is published at a path: the metadata of RFC 8414, or the keys."""
        if not path.startswith("/.well-known/"):
            return {"keys": self.published}
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "registration_endpoint": f"{self.issuer}/register",
            "code_challenge_methods_supported": ["S256"],
        }

    def answer(self, path: str, sent: str) -> Json:
        """Registers a client, or gives out a token of the scope that was asked for."""
        if path == "/register":
            return dict(json.loads(sent), client_id="a-client")
        self.forms.append(dict(parse_qsl(sent)))
        token = self.token(scope=self.granted)
        return {"access_token": token, "token_type": "Bearer", "expires_in": 300}

    def claims(self, **claims: Any) -> Json:
        """The claims of a good token, but for what is given."""
        now = int(time.time())
        good = {
            "iss": self.issuer,
            "sub": "alice",
            "aud": AUDIENCE,
            "iat": now,
            "nbf": now,
            "exp": now + 300,
            "scope": "notes:read",
        }
        return {name: value for name, value in (good | claims).items() if value is not None}


@contextmanager
def authorization_server() -> Iterator[AuthorizationServer]:
    """Serves an issuer with the key `one` (ES256) and `rsa` (RS256, PS256)."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            issuer.asked.append(self.path)
            content = issuer.content
            if content is None:
                content = json.dumps(issuer.document(self.path)).encode()
            self.send_response(issuer.status)
            for name, value in issuer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
            answer = issuer.answer(self.path, sent)
            content = json.dumps(answer).encode()
            self.send_response(201 if self.path == "/register" else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_arguments: object) -> None:
            """Tells nothing."""

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer = AuthorizationServer(listening.server_address[1])
    issuer.add_key("one", ec.generate_private_key(ec.SECP256R1()))
    issuer.add_key("rsa", rsa.generate_private_key(65537, 2048))
    thread = threading.Thread(target=listening.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield issuer
    finally:
        listening.shutdown()
        thread.join()
        listening.server_close()


def public_jwk(key: PrivateKey) -> Json:
    """The public half of a key, as a JSON Web Key."""
    match key:
        case rsa.RSAPrivateKey():
            return dict(RSAAlgorithm.to_jwk(key.public_key(), as_dict=True))
        case ec.EllipticCurvePrivateKey():
            return dict(ECAlgorithm.to_jwk(key.public_key(), as_dict=True))
        case ed25519.Ed25519PrivateKey():
            return dict(OKPAlgorithm.to_jwk(key.public_key(), as_dict=True))


def encoded(part: object) -> str:
    """One part of a token: JSON, or bytes as they are."""
    content = part if isinstance(part, bytes) else json.dumps(part).encode()
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()
