"""What is served beside `/mcp`: a table of paths, and what answers each of them."""

from collections.abc import Awaitable, Callable

from appfunctions_mcp.records import record
from appfunctions_mcp.server.http_messages import HttpRequest, respond

PLAIN_TEXT = "text/plain; charset=utf-8"


@record(frozen=True, slots=True)
class Route:
    """What answers one path.

    Args:
        serve: Answers a request; `caller` of it is set unless the route is public.
        is_public: Whether anyone is answered, without a check of Host, Origin or token.
        methods: Which HTTP methods are served.
    """

    serve: Callable[[HttpRequest], Awaitable[None]]
    is_public: bool = False
    methods: tuple[str, ...] = ("GET", "HEAD")


async def _answer_ok(request: HttpRequest) -> None:
    await respond(request.send, 200, b"ok", media_type=PLAIN_TEXT)


HEALTH = Route(_answer_ok, is_public=True)
"""Says that the process answers, and nothing else."""
