"""Tasks that begin at once, so that a call which never waits costs no turn of the event loop.

Python has them from 3.12 on. For 3.11 there is one of our own, made as Python's documentation
on extending asyncio has it; to `asyncio.current_task`, timeouts, task groups and anyio it is a
task like any other.
"""

import asyncio
import contextvars
import sys
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def begin_task(coroutine: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
    """Runs a coroutine up to where it first waits, or to its end, and returns its task.

    Args:
        coroutine: Gets a task and context variables of its own.
    """
    loop = asyncio.get_running_loop()
    if sys.version_info >= (3, 12):
        return asyncio.Task(coroutine, loop=loop, eager_start=True)
    task: Any = _EagerTask(coroutine, loop)
    return task  # type: ignore[no-any-return] # it has the methods of a task


if sys.version_info < (3, 12):
    _register_task: Callable[[Any], None] = asyncio.tasks._register_task  # noqa: SLF001 - documented for tasks of others
    # `_enter_task` and `_leave_task` write here; a step inside another would need four of them.
    _current_tasks: dict[Any, Any] = asyncio.tasks._current_tasks  # type: ignore[attr-defined]  # noqa: SLF001 - 3.11 alone, which keeps it

    class _EagerTask(asyncio.Future[Any]):
        """A task in Python that takes its first step in its constructor."""

        # anyio looks at the first two.
        __slots__ = (
            "_cancel_text",
            "_cancels",
            "_context",
            "_coroutine",
            "_fut_waiter",
            "_must_cancel",
            "_name",
            "_running_loop",
        )

        def __init__(
            self, coroutine: Coroutine[Any, Any, Any], loop: asyncio.AbstractEventLoop
        ) -> None:
            super().__init__(loop=loop)
            self._running_loop = loop
            self._coroutine = coroutine
            self._context = contextvars.copy_context()
            self._fut_waiter: asyncio.Future[Any] | None = None
            self._must_cancel = False
            self._cancel_text: Any = None
            self._cancels = 0
            self._name: str | None = None
            self._step()
            if not self.done():
                _register_task(self)

        def cancel(self, msg: Any = None) -> bool:
            """Raises CancelledError where the coroutine waits, or in its next step."""
            if self.done():
                return False
            self._cancels += 1
            if self._fut_waiter is None or not self._fut_waiter.cancel(msg=msg):
                self._must_cancel = True
                self._cancel_text = msg
            return True

        def cancelling(self) -> int:
            """How many cancellations were asked for and not taken back."""
            return self._cancels

        def uncancel(self) -> int:
            """Takes back a cancellation that was dealt with; returns how many are left."""
            self._cancels = max(0, self._cancels - 1)
            return self._cancels

        def get_coro(self) -> Coroutine[Any, Any, Any]:
            """The coroutine that runs."""
            return self._coroutine

        def get_name(self) -> str:
            """A name for logs."""
            return self._name or f"eager {getattr(self._coroutine, '__qualname__', '')}"

        def set_name(self, value: object) -> None:
            """Gives the task another name for logs."""
            self._name = str(value)

        def get_stack(self, *, limit: int | None = None) -> list[Any]:
            """Where the coroutine is."""
            frame = getattr(self._coroutine, "cr_frame", None)
            return [frame] if frame is not None and limit != 0 else []

        def _go_on(self, _ended: object = None) -> None:
            self._fut_waiter = None
            self._step()

        def _step(self) -> None:
            waits_for: Any = None
            outer = _current_tasks.get(self._running_loop)
            _current_tasks[self._running_loop] = self
            try:
                if self._must_cancel:
                    self._must_cancel = False
                    # anyio tells its own cancellations by their text.
                    cancelled = asyncio.CancelledError(*_given(self._cancel_text))
                    waits_for = self._context.run(self._coroutine.throw, cancelled)
                else:
                    waits_for = self._context.run(self._coroutine.send, None)
            except StopIteration as end:
                if self._must_cancel:
                    super().cancel(msg=self._cancel_text)
                else:
                    self.set_result(end.value)
            except asyncio.CancelledError as cancelled:
                super().cancel(msg=next(iter(cancelled.args), None))
            except (KeyboardInterrupt, SystemExit) as failure:
                self.set_exception(failure)
                raise
            except BaseException as failure:  # noqa: BLE001 - whoever awaits the task raises it
                self.set_exception(failure)
            else:
                self._wait_for(waits_for)
            finally:
                if outer is None:
                    del _current_tasks[self._running_loop]
                else:
                    _current_tasks[self._running_loop] = outer

        def _wait_for(self, future: Any) -> None:
            if future is None:  # asyncio.sleep(0)
                self._running_loop.call_soon(self._go_on)
                return
            # This is how futures and tasks understand each other; see asyncio's own Task.
            future._asyncio_future_blocking = False  # noqa: SLF001 - as the comment says
            future.add_done_callback(self._go_on)
            self._fut_waiter = future
            if self._must_cancel and future.cancel(msg=self._cancel_text):
                self._must_cancel = False

    def _given(text: Any) -> tuple[Any, ...]:
        return () if text is None else (text,)
