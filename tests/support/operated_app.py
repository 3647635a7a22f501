"""An app that operators look at: spans go to a file, secrets come from everywhere.

Served by tests with `--module tests.support.operated_app`; `SPANS_FILE` names the file.
"""

import os
from pathlib import Path
from typing import Annotated

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from pydantic import Field, SecretStr

from appfunctions_mcp import (
    AppFunctionContext,
    AppFunctionPermissionRequiredException,
    app_function,
    app_prompt,
    app_resource,
)
from tests.support.metadata_files import write_metadata


def _line(span: ReadableSpan) -> str:
    return str(span.to_json(indent=None)) + "\n"


if "SPANS_FILE" in os.environ and isinstance(
    trace.get_tracer_provider(), trace.ProxyTracerProvider
):
    provider = TracerProvider()
    spans_file = open(os.environ["SPANS_FILE"], "a", encoding="utf-8")  # noqa: PTH123, SIM115 - as long as the process
    exporter = ConsoleSpanExporter(out=spans_file, formatter=_line)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)

_tracer = trace.get_tracer("app")


@app_function
async def greet(name: str) -> str:
    """Greets."""
    with _tracer.start_as_current_span("inner"):
        return f"Hello, {name}."


@app_function
def greet_in_thread(name: str) -> str:
    """Greets from a thread."""
    with _tracer.start_as_current_span("inner in a thread"):
        return f"Hello, {name}."


@app_function
def log_in(
    password: str, word: Annotated[str, Field(json_schema_extra={"writeOnly": True})]
) -> None:
    """Fails with what it was given."""
    raise RuntimeError(f"refused {password!r} and {word}")


@app_function
def log_in_hidden(password: SecretStr) -> None:
    """Fails with what it was given as a secret."""
    raise RuntimeError(f"refused {password.get_secret_value()}")


@app_function
def connect(context: AppFunctionContext) -> None:
    """Crashes with a setting in its text."""
    raise RuntimeError(f"no answer for key {context.settings['OPERATED_KEY']}")


@app_function
def ask_for_permission(context: AppFunctionContext) -> None:
    """Fails for the caller to read, with a setting in its text."""
    key = context.settings["OPERATED_KEY"]
    raise AppFunctionPermissionRequiredException(
        f"the key {key} was refused", recovery=f"Not {key}."
    )


@app_function(access="admin")
def wipe() -> None:
    """Removes everything."""


@app_resource("vault://{token}")
def vault(token: str) -> str:
    """Crashes with a part of its address."""
    raise RuntimeError(f"nothing behind {token}")


@app_prompt
def sign_in(password: str) -> str:
    """Crashes with its argument."""
    raise RuntimeError(f"refused {password}")


def run_operated(folder: Path, *options: str) -> tuple[str, ...]:
    """What follows the interpreter's name to serve this module."""
    file = write_metadata(
        folder,
        'appfn:description="Serves tests." mcp:name="operated"',
        f'<mcp:functions module="{__name__}" />\n'
        '<mcp:setting name="OPERATED_KEY" sensitive="true" />\n',
    )
    return ("-m", "appfunctions_mcp", "run", str(file), *options)
