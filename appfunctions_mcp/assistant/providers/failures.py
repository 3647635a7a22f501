"""What can go wrong with a provider, in words that say what helps."""

from collections.abc import Iterator
from contextlib import contextmanager

from appfunctions_mcp.assistant.models import ProviderError
from appfunctions_mcp.quoting import quoted

__all__ = ["lost_connections_told", "missing_library_told", "no_answer", "no_key", "refusal"]

_MOST_SHOWN = 2_000
# Which one a client uses depends on its version and on what is installed.
_HTTP_LIBRARIES = {"aiohttp", "httpcore", "httpcore2", "httpx", "httpx2"}
_HELP = {
    401: "check the key in {key}",
    402: "the account has no credit",
    403: "the key in {key} may not use this model",
    404: "there is no such model or address",
    413: "the conversation is too long; set max_history_tokens",
    429: "too many requests or no credit; wait, or ask for a higher limit",
    529: "the provider is overloaded; try again later",
}


@contextmanager
def missing_library_told(package: str, extra: str) -> Iterator[None]:
    """Tells how to install the provider's client where the block cannot import it.

    Args:
        package: The client's.
        extra: Of this package, which brings it.

    Raises:
        ProviderError: It is not installed.
    """
    try:
        yield
    except ImportError as fault:
        raise ProviderError(
            f'the package {package!r} is not installed; run pip install "appfunctions-mcp[{extra}]"'
        ) from fault


def no_key(provider: str, key: str) -> ProviderError:
    """Why a model cannot be made without a key.

    Args:
        provider: Whose.
        key: The environment variable that holds it.
    """
    return ProviderError(f"there is no key for {provider}; set {key}, or in code pass api_key=")


def refusal(provider: str, status: int | None, message: str, *, key: str) -> ProviderError:
    """Why a provider refused a request.

    Args:
        provider: Whose.
        status: Of HTTP, where there was an answer.
        message: The provider's own words.
        key: The environment variable that holds the key.
    """
    words = quoted(" ".join(message.split()), _MOST_SHOWN)
    hint = _HELP.get(status or 0, "").format(key=key)
    ending = f"; {hint}" if hint else ""
    return ProviderError(f"{provider} refused the request ({status or 'error'}): {words}{ending}")


def no_answer(provider: str, fault: BaseException) -> ProviderError:
    """Why there is no answer of a provider, or no whole one."""
    words = " ".join(str(fault).split()) or type(fault).__name__
    return ProviderError(f"{provider} cannot be reached: {words}")


@contextmanager
def lost_connections_told(provider: str) -> Iterator[None]:
    """Tells of a connection that fails in the block; the providers' clients let some through."""
    try:
        yield
    except Exception as fault:
        library = type(fault).__module__.partition(".")[0]
        if isinstance(fault, OSError) or library in _HTTP_LIBRARIES:
            raise no_answer(provider, fault) from fault
        raise
