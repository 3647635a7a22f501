"""`/readyz`: whether requests are served, and what is left out of the app.

Unlike `/healthz` it tells of the app, so that it is under the access of `/mcp`.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from appfunctions_mcp.json_text import write_json
from appfunctions_mcp.secret_values import without_secrets
from appfunctions_mcp.server.http_messages import HttpRequest, respond
from appfunctions_mcp.server.routes import Route
from appfunctions_mcp.service import AppFunctionService


class StartedApp(Protocol):
    """What is asked whether it serves."""

    is_draining: bool

    @property
    def open_here(self) -> Callable[[], Awaitable[object]]:
        """Opens the app on this event loop, unless it is open; raises what keeps it from that."""


def readiness_route(service: AppFunctionService, app: StartedApp) -> Route:
    """Makes the route that answers 200 while requests are served, and else 503.

    Args:
        service: What is served.
        app: What serves it.
    """

    async def serve(request: HttpRequest) -> None:
        status = "ready"
        if app.is_draining:
            status = "ending"
        else:
            try:
                await app.open_here()
            except Exception:  # noqa: BLE001 - whoever opens it first tells of it
                status = "failed"
        body = write_json(_described(service, status))
        shown = without_secrets(body.decode()).encode()
        await respond(request.send, 200 if status == "ready" else 503, shown)

    return Route(serve)


def _described(service: AppFunctionService, status: str) -> dict[str, Any]:
    audit = service.manager.log.audit
    described: dict[str, Any] = {
        "status": status,
        "server": service.metadata.name,
        "version": service.metadata.version,
        "skipped": service.skipped,
    }
    if audit is not None:
        described["audit"] = "failing" if audit.is_failing else "written"
    return described
