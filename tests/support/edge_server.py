"""The functions of `served_functions` over HTTP, with any options, by either parser or mounted.

Run as `python -m tests.support.edge_server PARSER PLACE OPTIONS`: PARSER is `h11` or `httptools`;
PLACE is `alone`, `bare`, `mount`, `route` or `hosted`; OPTIONS is JSON, for `serve_http` or
`app_functions_asgi`. It prints `ready URL` on stderr. Only `alone` and `hosted` have a lifespan.
"""

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

if __name__ == "__main__" and sys.argv[1] == "h11":
    sys.modules["httptools"] = None  # type: ignore[assignment] # importing it fails then

from appfunctions_mcp.service import AppFunctionService
from tests.support.served_functions import add, served_functions


def parsers() -> list[str]:
    """The parsers that are installed."""
    try:
        import httptools  # noqa: F401 - whether it can be imported is the question
    except ImportError:
        return ["h11"]
    return ["h11", "httptools"]


@asynccontextmanager
async def _broken() -> AsyncIterator[None]:
    raise OSError("no database")
    yield


def _service(*, is_broken: bool) -> AppFunctionService:
    if not is_broken:
        return served_functions()
    return AppFunctionService.from_functions(
        [add], name="broken", description="Cannot start.", lifespan=_broken
    )


def _ready(url: str) -> None:
    print(f"ready {url}", file=sys.stderr, flush=True)


def _place(app: Any, place: str) -> Any:
    """The app, or one of another framework that has it below `/mcp`."""
    from starlette.applications import Starlette
    from starlette.routing import Mount, Route

    if place == "mount":
        return Starlette(routes=[Mount("/tools", app)])
    if place == "hosted":
        return Starlette(routes=[Mount("/tools", app)], lifespan=lambda _: app.running())
    return Starlette(routes=[Route("/mcp", app)]) if place == "route" else app


def main(place: str, options: dict[str, Any]) -> None:
    """Serves until a signal comes."""
    service = _service(is_broken=options.pop("is_broken", False))
    if place == "alone":
        from appfunctions_mcp.server.http import serve_http

        serve_http(service, port=0, on_ready=_ready, **options)
        return
    import uvicorn

    from appfunctions_mcp.server.asgi import app_functions_asgi

    app = _place(app_functions_asgi(service, **options), place)
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, lifespan="on" if place == "hosted" else "off", log_level="warning")
    _ready(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp")
    asyncio.run(uvicorn.Server(config).serve([listening]))


if __name__ == "__main__":
    main(sys.argv[2], json.loads(sys.argv[3]))
