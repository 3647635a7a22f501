"""Settings for every test: asyncio, and an environment without our own variables."""

import logging
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from appfunctions_mcp import secret_values
from tests.support import corpus  # noqa: F401 - reads its variable before tests run without it

if "CI" not in os.environ:  # hypothesis has a profile of its own there, always the same examples
    settings.register_profile("unhurried", deadline=None)
    settings.load_profile("unhurried")

# A shell has its background jobs ignore Ctrl+C, and so would the programs that tests start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update-wire` writes the server's side of the golden transcripts anew."""
    parser.addoption("--update-wire", action="store_true", help="rewrite tests/wire/*.jsonl")


@pytest.fixture
def anyio_backend() -> str:
    """The core runs on asyncio."""
    return "asyncio"


_FOLDERS = ("XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")


@pytest.fixture(autouse=True, scope="session")
def _kept_files_apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What servers of a whole module keep stays away from the user's own files too."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        for variable in _FOLDERS:
            monkeypatch.setenv(variable, str(tmp_path_factory.mktemp(variable.lower())))
        yield


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable of ours from outside, and every kept file below the test's own folder."""
    for name in list(os.environ):
        if name.startswith("APPFUNCTIONS_"):
            monkeypatch.delenv(name)
    for variable in _FOLDERS:
        monkeypatch.setenv(variable, str(tmp_path / variable.lower()))


@pytest.fixture(autouse=True)
def _forgotten_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Secrets that an earlier test has named are ordinary words again."""
    monkeypatch.setattr(secret_values, "_known", {})


@pytest.fixture(params=["lean", "sdk"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Servers that the test starts use one engine, then the other."""
    monkeypatch.setenv("APPFUNCTIONS_ENGINE", request.param)
    assert isinstance(request.param, str)
    return request.param


@pytest.fixture(autouse=True)
def _logging_as_before() -> Iterator[None]:
    """What a test, or a command in its process, configures of logging ends with the test."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    yield
    root.setLevel(level)
    root.handlers[:] = handlers
