"""What an operator sees of a server over HTTP: `/readyz`, `/metrics`, and who was refused."""

from collections.abc import Callable, Mapping
from typing import Protocol

from appfunctions_mcp.server.http_access import HttpRefusal
from appfunctions_mcp.server.http_messages import HttpRequest
from appfunctions_mcp.server.metrics import Metrics, counting, metrics_route, refusal_reason
from appfunctions_mcp.server.readiness import StartedApp, readiness_route
from appfunctions_mcp.server.routes import Route
from appfunctions_mcp.service import AppFunctionService

_TOLD = frozenset({401, 403, 421})


class OperatedApp(StartedApp, Protocol):
    """An app that can be seen while it serves."""

    on_refusal: Callable[[HttpRequest, HttpRefusal], None]

    def add_routes(self, routes: Mapping[str, Route]) -> None:
        """Serves further paths."""


def operate(app: OperatedApp, service: AppFunctionService) -> Metrics:
    """Lets operators see an app: adds the routes, and counts and audits refusals.

    Args:
        app: What serves the service.
        service: Whose executions are counted.
    """
    metrics = counting(service)

    def tell(request: HttpRequest, refusal: HttpRefusal) -> None:
        reason = refusal_reason(refusal)
        metrics.count_rejection(reason)
        audit = service.manager.log.audit
        if audit is not None and refusal.status in _TOLD:
            client = (request.scope.get("client") or (None,))[0]
            path = request.scope["path"]
            audit.refused(refusal.status, reason, client=client, path=path)

    app.on_refusal = tell
    app.add_routes({"/readyz": readiness_route(service, app), "/metrics": metrics_route(metrics)})
    return metrics
