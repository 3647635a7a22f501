"""What the checks of all providers' requests share: findings, paths, names, arguments, choices.

Written from what providers document, apart from everything that writes requests, so that a
mistake there cannot hide here. Knows no provider.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from appfunctions_mcp.formats.model_format import Violation
from appfunctions_mcp.json_text import JsonTextError, read_json
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted

__all__ = [
    "OPENAI_NAME",
    "Findings",
    "at",
    "choice_violations",
    "duplicates",
    "objects",
    "one_of",
    "shown",
    "unpaired",
]

OPENAI_NAME = regex(r"[a-zA-Z0-9_-]{1,64}")
"""The whole of a function's name at OpenAI, Mistral and most others."""


def at(path: str, *steps: str | int) -> str:
    """A JSON pointer prolonged by members and positions."""
    escaped = (str(step).replace("~", "~0").replace("/", "~1") for step in steps)
    return "/".join((path, *escaped))


def shown(value: Any) -> str:
    """A JSON value for a message: short, on one line."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Mapping):
        return f"an object with {one_of(value)}" if value else "an empty object"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value) if isinstance(value, int | float) else f"a value of {type(value).__name__}"


def one_of(accepted: Collection[str]) -> str:
    """Names for a message, the first ten of them."""
    first = [quoted(name) for name in list(accepted)[:10]]
    return ", ".join(first) + (" …" if len(accepted) > len(first) else "")


class Findings:
    """The violations that a check has found so far, in the order in which it came to them."""

    def __init__(self) -> None:
        self.violations: list[Violation] = []

    def add(self, path: str, rule: str, text: str) -> None:
        """Notes where a rule is broken, with what is there and what is accepted."""
        self.violations.append(Violation(path, rule, text))

    def add_below(self, path: str, violations: Iterable[Violation]) -> None:
        """Notes what another check has found in the value at a path."""
        self.violations += (
            Violation(f"{path}{each.path}", each.rule, each.text) for each in violations
        )

    def is_object(self, value: Any, path: str, what: str) -> TypeGuard[Mapping[str, Any]]:
        """Whether a value is an object; notes it where it is none."""
        if isinstance(value, Mapping):
            return True
        self.add(path, "object", f"{what} is {shown(value)}; an object is accepted.")
        return False

    def is_list(self, value: Any, path: str, what: str) -> TypeGuard[Sequence[Any]]:
        """Whether a value is a list that is not empty; notes it where it is not."""
        if isinstance(value, list | tuple) and value:
            return True
        self.add(path, "list", f"{what} is {shown(value)}; a list that is not empty is accepted.")
        return False

    def is_text(self, path: str, value: Any, rule: str, what: str) -> bool:
        """Whether a value is text that is not empty; notes it where it is not."""
        if isinstance(value, str) and value:
            return True
        self.add(path, rule, f"{what} is {shown(value)}; text that is not empty is accepted.")
        return False

    def check_name(
        self, path: str, name: Any, pattern: Any = OPENAI_NAME, accepted: str = ""
    ) -> None:
        """Checks the name of a call.

        Args:
            path: Where it stands.
            name: Any JSON value.
            pattern: What a whole name matches.
            accepted: The pattern in words; OpenAI's where it is empty.
        """
        if isinstance(name, str) and pattern.fullmatch(name):
            return
        words = accepted or "1 to 64 of the letters a-z and A-Z, digits, '_' and '-'"
        self.add(path, "call-name", f"the name is {shown(name)}; accepted are {words}.")

    def check_id(self, path: str, value: Any, longest: int) -> bool:
        """Checks an id that pairs a call with its result; False where it cannot pair anything."""
        if not self.is_text(path, value, "call-id", "the id"):
            return False
        if len(value) > longest:
            text = f"the id has {len(value)} characters; at most {longest} are accepted."
            self.add(path, "call-id", text)
        return True

    def check_arguments_text(self, path: str, arguments: Any) -> None:
        """Checks arguments that stand as text: a JSON object, since all history is parsed again."""
        if not isinstance(arguments, str):
            text = f"the arguments are {shown(arguments)}; the text of a JSON object is accepted."
            self.add(path, "call-arguments", text)
            return
        try:
            value = read_json(arguments)
        except JsonTextError as error:
            text = f"the arguments {quoted(arguments)} are no JSON ({error})"
            self.add(path, "call-arguments", f"{text}; the text of a JSON object is accepted.")
            return
        if not isinstance(value, dict):
            text = f"the arguments {quoted(arguments)} are no object"
            self.add(path, "call-arguments", f"{text}; the text of a JSON object is accepted.")

    def check_arguments_object(self, path: str, arguments: Any) -> None:
        """Checks arguments that stand as an object."""
        if not isinstance(arguments, Mapping):
            text = f"the arguments are {shown(arguments)}; an object is accepted."
            self.add(path, "call-arguments", text)


def objects(values: Any) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The objects of a list with their positions; what is none is left out."""
    if isinstance(values, list | tuple):
        for i, value in enumerate(values):
            if isinstance(value, Mapping):
                yield i, value


def duplicates(values: Sequence[Any]) -> list[int]:
    """The positions of values that have come before; None and empty ones do not count."""
    seen: list[Any] = []
    found = []
    for i, value in enumerate(values):
        if value in seen:
            found.append(i)
        elif value not in (None, ""):
            seen.append(value)
    return found


def unpaired(wanted: Sequence[Any], given: Sequence[Any]) -> list[int]:
    """The positions of what is wanted and not given, each given once for each time."""
    left = list(given)
    found = []
    for i, value in enumerate(wanted):
        if value in left:
            left.remove(value)
        else:
            found.append(i)
    return found


def choice_violations(body: Mapping[str, Any], members: Sequence[str], findings: Findings) -> None:
    """Checks that a request without tools says nothing of how they are chosen (F81).

    Args:
        body: The request.
        members: Those that choose or restrict tools.
        findings: Takes what is found.
    """
    if body.get("tools"):
        return
    for name in members:
        if body.get(name) is not None:
            text = f"the request has {quoted(name)} and no tools; it is accepted beside tools only."
            findings.add(at("", name), "choice-without-tools", text)
