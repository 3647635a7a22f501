"""The providers' own clients, set to the loopback server: one try, short times."""

import json
import urllib.error
import urllib.request
from typing import Any

import anthropic
import openai
from google import genai
from google.genai import types as genai_types

from tests.support.broken_requests import gemini
from tests.support.providers.server import ProviderServer


def openai_client(server: ProviderServer, **options: Any) -> openai.OpenAI:
    return openai.OpenAI(
        base_url=server.openai_url, api_key="any", **{"max_retries": 0, "timeout": 20, **options}
    )


def anthropic_client(server: ProviderServer, **options: Any) -> anthropic.Anthropic:
    return anthropic.Anthropic(
        base_url=server.anthropic_url, api_key="any", **{"max_retries": 0, "timeout": 20, **options}
    )


def gemini_client(server: ProviderServer) -> genai.Client:
    options = genai_types.HttpOptions(base_url=server.gemini_url, timeout=20_000)
    return genai.Client(api_key="any", http_options=options)


def post(url: str, body: Any) -> tuple[int, bytes]:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    asked = urllib.request.Request(url, content, {"Content-Type": "application/json"})  # noqa: S310 - this machine
    try:
        with urllib.request.urlopen(asked, timeout=20) as answer:  # noqa: S310 - this machine
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def generate(server: ProviderServer, *contents: Any, stream: bool = False) -> Any:
    client = gemini_client(server)
    config: Any = {"tools": gemini.TOOLS, "automatic_function_calling": {"disable": True}}
    asked: Any = {"model": "gemini-3-pro", "contents": list(contents), "config": config}
    if stream:
        return list(client.models.generate_content_stream(**asked))
    return client.models.generate_content(**asked)
