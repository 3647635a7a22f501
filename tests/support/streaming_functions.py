"""A function that reports progress for a while, to be served behind a proxy."""

import asyncio

from appfunctions_mcp import AppFunctionContext, app_function


@app_function
async def count_slowly(context: AppFunctionContext, steps: int, seconds: float) -> int:
    """Counts, and says how far it is.

    Args:
        context: The call.
        steps: How far to count.
        seconds: How long each step takes.
    """
    for step in range(steps):
        context.report_progress(step, steps)
        await asyncio.sleep(seconds)
    return steps
