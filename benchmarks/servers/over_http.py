"""uvicorn as every Python server here runs it: asyncio and h11 unless more is installed."""

from typing import Any

import uvicorn


def serve(app: Any, port: int, lifespan: Any = "on") -> None:
    """Serves an ASGI app on the loopback address, without a log.

    Args:
        app: What is served.
        port: Where.
        lifespan: `on` or `off`.
    """
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=port,
        lifespan=lifespan,
        log_config=None,
        access_log=False,
        ws="none",
    )
