"""What a provider's client gives back, read as JSON: anything may answer in a provider's place."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from appfunctions_mcp.formats.model_format import ReplyError
from appfunctions_mcp.quoting import quoted

__all__ = ["object_of", "unreadable", "unreadable_answers_told"]

_MOST_SHOWN = 200


def unreadable(provider: str, what: object) -> ReplyError:
    """Why an answer cannot be used.

    Args:
        provider: Whose.
        what: What is wrong with it.
    """
    words = quoted(" ".join(str(what).split()), _MOST_SHOWN)
    return ReplyError(
        f"{provider} answered with what is no reply of a model; check the address: {words}"
    )


def object_of(provider: str, answer: Any) -> dict[str, Any]:
    """The JSON object that an answer is, or an event of a stream.

    The clients of OpenAI and Anthropic give a page of a proxy, or a list, as it is.

    Args:
        provider: Whose.
        answer: What its client gave.

    Raises:
        ReplyError: It is none.
    """
    to_dict = getattr(answer, "to_dict", None)
    if to_dict is None:
        raise unreadable(provider, answer)
    # Servers that speak a form in their own way have members of other types.
    read: dict[str, Any] = to_dict(mode="json", warnings=False)
    return read


@contextmanager
def unreadable_answers_told(provider: str) -> Iterator[None]:
    """Tells of an answer in the block that is no JSON at all.

    Args:
        provider: Whose.

    Raises:
        ReplyError: It came.
    """
    try:
        yield
    except (json.JSONDecodeError, UnicodeDecodeError) as fault:
        raise unreadable(provider, getattr(fault, "doc", "") or fault) from fault
