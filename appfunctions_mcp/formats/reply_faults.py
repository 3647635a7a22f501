"""What is wrong with a body or an event that a provider sent. Knows no provider."""

from collections.abc import Iterable, Mapping
from typing import Any

from appfunctions_mcp.formats.model_format import ReplyError
from appfunctions_mcp.quoting import quoted

__all__ = [
    "foreign_event",
    "kinds_in",
    "no_content",
    "no_member",
    "objects_in",
    "other_form",
    "refuse_failure",
    "require_object",
]

_MOST_NAMES = 20
_MOST_SHOWN = 500


def kinds_in(names: Iterable[Any]) -> str:
    """Names for a message, each once; 'nothing' where there is none."""
    distinct = list(dict.fromkeys(str(name) for name in names))
    shown = ", ".join(map(quoted, distinct[:_MOST_NAMES]))
    return f"{shown} …" if len(distinct) > _MOST_NAMES else shown or "nothing"


def no_content(
    kinds: Iterable[Any], ended_by: Any = None, *, has_refused: bool = False
) -> ReplyError:
    """Why a reply without text and calls cannot be used (field case F82).

    Args:
        kinds: What is there instead.
        ended_by: The provider's own word for why the reply ended.
        has_refused: Whether that word stands for a refusal.
    """
    ending = f", and ended by {quoted(str(ended_by))}" if ended_by else ""
    refusal = "; the model, or a filter of its provider, refused" if has_refused else ""
    return ReplyError(
        f"the reply has neither text nor a call; it has {kinds_in(kinds)}{ending}{refusal}"
    )


def no_member(name: str, body: Mapping[str, Any]) -> ReplyError:
    """Why a body is no reply: the member that holds the answer is not there, or is empty."""
    if name in body:
        return ReplyError(f"the {name!r} of the reply are empty")
    return ReplyError(f"the reply has no {name!r}; it has {kinds_in(body)}")


def foreign_event(event: Mapping[str, Any], awaited: str) -> ReplyError:
    """Why an event cannot be one of a provider's stream.

    Args:
        event: What came.
        awaited: What an event of the provider has.
    """
    return ReplyError(f"an event of the stream has {kinds_in(event)}; each has {awaited}")


def other_form(where: str, value: Any, accepted: str) -> ReplyError:
    """Why a member of a body cannot be read.

    Args:
        where: The member.
        value: What it holds.
        accepted: What it may hold.
    """
    shown = quoted(value) if isinstance(value, str) else f"of the type {type(value).__name__}"
    return ReplyError(f"{where} is {shown}; accepted: {accepted}")


def require_object(value: Any, where: str) -> Mapping[str, Any]:
    """A value that has to be an object.

    Raises:
        ReplyError: It is none.
    """
    if not isinstance(value, Mapping):
        raise other_form(where, value, "an object")
    return value


def objects_in(value: Any, where: str) -> list[Mapping[str, Any]]:
    """A list of objects; None counts as an empty one.

    Raises:
        ReplyError: It is no list, or something in it is no object.
    """
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise other_form(where, value, "a list of objects")
    return [require_object(each, f"{where}/{place}") for place, each in enumerate(value)]


def refuse_failure(body: Any) -> None:
    """Passes where a body, or an event of a stream, is an object that tells of no failure.

    Raises:
        ReplyError: It is no object, or tells of one; gives the provider's own words.
    """
    failure = _failure_in(require_object(body, "what came from the provider"))
    if failure:
        told = failure.get("message") if isinstance(failure, Mapping) else failure
        words = quoted(str(told or failure), _MOST_SHOWN)
        raise ReplyError(f"the provider tells of a failure instead of a reply: {words}")


def _failure_in(body: Mapping[str, Any]) -> Any:
    """What a body tells of a failure; it may itself be the failure, as Mistral's and events are."""
    return body.get("error") or ("error" in (body.get("object"), body.get("type")) and body)
