"""An app's lifespan: whatever it raises becomes one line that names it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from appfunctions_mcp.exceptions import AppFunctionDeclarationError, SettingsError
from appfunctions_mcp.lifespans import opened

pytestmark = pytest.mark.anyio

NAME = "app_metadata.xml:5: the lifespan storage:open"


@contextlib.asynccontextmanager
async def takes_nothing() -> AsyncIterator[str]:
    yield "nothing"


@contextlib.asynccontextmanager
async def takes_settings(settings: Mapping[str, Any]) -> AsyncIterator[str]:
    yield settings["A"]


@contextlib.asynccontextmanager
async def takes_any(*settings: Mapping[str, Any]) -> AsyncIterator[str]:
    yield f"{len(settings)}"


@contextlib.asynccontextmanager
async def takes_a_name_only(*, folder: str = "here") -> AsyncIterator[str]:
    yield folder


@pytest.mark.parametrize(
    ("lifespan", "value"),
    [
        (takes_nothing, "nothing"),
        (takes_settings, "a"),
        (takes_any, "1"),
        (takes_a_name_only, "here"),
    ],
)
async def test_it_takes_the_settings_if_it_takes_an_argument(lifespan: Any, value: str) -> None:
    async with opened(lifespan, {"A": "a"}, NAME) as yielded:
        assert yielded == value


@contextlib.asynccontextmanager
async def crashes() -> AsyncIterator[None]:
    raise OSError("no disk\nat all")
    yield


async def is_no_manager() -> None:
    """Is not what it should be."""


def fails_at_once() -> Any:
    raise LookupError


@contextlib.asynccontextmanager
async def exits() -> AsyncIterator[None]:
    raise SystemExit(3)
    yield


@pytest.mark.parametrize(
    ("lifespan", "text"),
    [
        (crashes, "cannot be opened: OSError: no disk ("),
        (exits, "cannot be opened: SystemExit: 3 ("),
        (fails_at_once, "cannot be opened: LookupError ("),
        (is_no_manager, "gives a coroutine, which is no async context manager"),
        (lambda: 5, "gives a int, which is no async context manager"),
    ],
)
async def test_one_that_cannot_be_opened_is_an_authors_error(lifespan: Any, text: str) -> None:
    with pytest.raises(AppFunctionDeclarationError) as caught:
        async with opened(lifespan, {}, NAME):
            raise AssertionError("it is not open")
    assert str(caught.value).startswith(f"{NAME} {text}")
    assert "\n" not in str(caught.value).partition(";")[0]


async def test_an_authors_own_error_stays_what_it_is() -> None:
    @contextlib.asynccontextmanager
    async def refuses() -> AsyncIterator[None]:
        raise SettingsError("NOTES_DB is no file")
        yield

    with pytest.raises(SettingsError, match="NOTES_DB is no file"):
        async with opened(refuses, {}, NAME):
            raise AssertionError("it is not open")


async def test_one_that_fails_while_it_is_closed_is_warned_of(
    capsys: pytest.CaptureFixture[str],
) -> None:
    @contextlib.asynccontextmanager
    async def breaks() -> AsyncIterator[None]:
        yield
        raise OSError("disk full")

    async with opened(breaks, {}, NAME):
        assert capsys.readouterr().err == ""
    assert "failed while it was closed: OSError: disk full" in capsys.readouterr().err


async def test_it_is_closed_when_the_block_fails() -> None:
    closed = []

    @contextlib.asynccontextmanager
    async def plain() -> AsyncIterator[None]:
        yield
        closed.append(True)

    with pytest.raises(LookupError):
        async with opened(plain, {}, NAME):
            raise LookupError
    assert closed == [True]


async def test_a_cancellation_of_the_server_passes() -> None:
    started = asyncio.Event()

    @contextlib.asynccontextmanager
    async def waits() -> AsyncIterator[None]:
        started.set()
        await asyncio.sleep(60)
        yield

    async def run() -> None:
        async with opened(waits, {}, NAME):
            raise AssertionError("it is not open")

    task = asyncio.create_task(run())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
