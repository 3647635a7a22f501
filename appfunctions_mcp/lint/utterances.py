"""Reads what users say, and the function that each should reach, out of a YAML file.

The file holds data alone: YAML's tags make no objects, and a value is read as JSON would read it,
so that `12:30`, `no` and a date stay the texts that they look like.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from appfunctions_mcp.exceptions import AppFunctionsError
from appfunctions_mcp.lint.stems import is_russian, words_of
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record

if TYPE_CHECKING:
    from collections.abc import Hashable

    import yaml

__all__ = ["Utterance", "UtterancesError", "read_utterances"]

MOST_BYTES = 4 * 1024 * 1024
MOST_NODES = 400_000
"""Aliases may repeat a part again and again; what is counted is what they stand for."""
_KEYS = ("text", "function", "language", "arguments", "contains", "without", "before")
_TEXTS = ("text", "function", "language")
_UNREAD = "x-"
"""Keys of the whole file that begin so are the author's, such as parts that others refer to."""


class UtterancesError(AppFunctionsError):
    """A file of utterances cannot be used; each fault names file and line."""


@record(frozen=True, slots=True)
class Utterance:
    """What a user says, and what should come of it."""

    text: str
    function: str
    """The tool name or the id of the function that it should reach."""
    language: str
    """Such as `en`; reports count by it."""
    source: str = ""
    """`FILE:LINE`."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Arguments that a call has to have; an object may have further members."""
    contains: Mapping[str, Any] = field(default_factory=dict)
    """Texts that an argument has to contain: one, several, or an object of such."""
    without: tuple[str, ...] = ()
    """Arguments that a call must not have."""
    before: Mapping[str, Any] = field(default_factory=dict)
    """Functions that a model may rightly call first, with the result that it then gets."""


def read_utterances(path: Path) -> list[Utterance]:
    """The utterances of a file, in its order.

    Args:
        path: A YAML file: a list of utterances, or an object whose `utterances` is one.

    Raises:
        UtterancesError: Names every fault, and PyYAML where it is not installed.
    """
    root = _root_of(path)
    faults: list[str] = []
    found = []
    lines: dict[str, int] = {}
    for line, value in _items(root, path):
        place = f"{path}:{line}"
        told = list(_faults_of(value))
        if not told:
            utterance = _utterance(value, place)
            found.append(utterance)
            before = lines.setdefault(utterance.text.casefold(), line)
            if before != line:
                told = [f"{quoted(utterance.text)} is in line {before} too; keep one of them"]
        faults += [f"{place}: {fault}" for fault in told]
    if faults:
        raise UtterancesError(faults)
    if not found:
        raise UtterancesError(f"{path}: there is no utterance; give a list of text and function")
    return found


def _root_of(path: Path) -> "yaml.Node":
    try:
        import yaml
    except ImportError as missing:
        raise UtterancesError(
            "utterances are YAML, and PyYAML is not installed: pip install 'appfunctions-mcp[eval]'"
        ) from missing
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise UtterancesError(f"{path}: the file has more than {MOST_BYTES} bytes; split it")
        text = content.decode("utf-8-sig")
        root = yaml.compose(text, Loader=_loader())
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise UtterancesError(f"{path}: {reason}; give a file of utterances") from fault
    except UnicodeDecodeError as fault:
        raise UtterancesError(f"{path}: the file is not UTF-8; save it as UTF-8") from fault
    except yaml.reader.ReaderError as fault:
        line = text.count("\n", 0, fault.position) + 1
        sign = f"the character #x{fault.character:04x} is not accepted; leave it out"
        raise UtterancesError(f"{path}:{line}: {sign}") from fault
    except (yaml.YAMLError, RecursionError) as fault:
        raise UtterancesError(_yaml_fault(path, fault)) from fault
    if root is None:
        raise UtterancesError(f"{path}: the file is empty; give a list of text and function")
    _require_few(root, path)
    return root


def _loader() -> "type[yaml.SafeLoader]":
    """YAML's loader with JSON's idea of what is a number, a boolean or null."""
    import re

    import yaml

    class JsonLikeLoader(yaml.SafeLoader):
        """Data alone, and no guesses."""

    JsonLikeLoader.yaml_implicit_resolvers = {}
    for tag, pattern, first in (
        ("null", r"null|~|", ["n", "~", ""]),
        ("bool", r"true|false", list("tf")),
        ("int", r"-?(?:0|[1-9][0-9]*)", list("-0123456789")),
        ("float", r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", list("-0123456789")),
        ("merge", r"<<", ["<"]),
    ):
        whole = re.compile(rf"(?:{pattern})\Z")
        JsonLikeLoader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", whole, first)
    return JsonLikeLoader


def _yaml_fault(path: Path, fault: Exception) -> str:
    import yaml

    mark = getattr(fault, "problem_mark", None)
    if mark is None:
        return f"{path}: parts lie too deep in each other"
    problem = str(getattr(fault, "problem", None) or fault)
    if problem.startswith("but "):
        problem = f"{getattr(fault, 'context', '')}, {problem}"
    # Most faults of those who write sentences are signs that YAML keeps for itself.
    is_grammar = isinstance(fault, yaml.scanner.ScannerError | yaml.parser.ParserError)
    hint = "; a text with one of : , ? # [ ] { } stands in quotes" if is_grammar else ""
    return f"{path}:{mark.line + 1}: {problem}, at column {mark.column + 1}{hint}"


def _require_few(root: "yaml.Node", path: Path) -> None:
    """Counts what aliases stand for, so that a few lines cannot become a billion parts."""
    left = MOST_NODES
    waiting = [root]
    while waiting:
        left -= 1
        if left < 0:
            raise UtterancesError(
                f"{path}: the file stands for more than {MOST_NODES} parts; split it"
            )
        waiting += _parts(waiting.pop())


def _parts(node: "yaml.Node") -> "list[yaml.Node]":
    value = node.value
    if isinstance(value, str):
        return []
    return [each for part in value for each in (part if isinstance(part, tuple) else (part,))]


def _items(root: "yaml.Node", path: Path) -> Iterator[tuple[int, Any]]:
    import yaml

    listed = root
    if isinstance(root, yaml.MappingNode):
        parts = {key.value: part for key, part in root.value}
        unknown = [key for key in parts if key != "utterances" and not key.startswith(_UNREAD)]
        if unknown and set(unknown) <= set(_KEYS):
            raise UtterancesError(
                f"{path}:{root.start_mark.line + 1}: {quoted(unknown[0])} stands in no list; "
                "begin each utterance with '- '"
            )
        if unknown or "utterances" not in parts:
            said = f"{quoted(unknown[0])} is unknown" if unknown else "'utterances' is missing"
            raise UtterancesError(
                f"{path}:{root.start_mark.line + 1}: {said}; accepted are utterances, and keys "
                f"that begin with {_UNREAD}"
            )
        listed = parts["utterances"]
    if not isinstance(listed, yaml.SequenceNode):
        line = listed.start_mark.line + 1
        raise UtterancesError(f"{path}:{line}: there is no list; give a list of text and function")
    for node in listed.value:
        yield node.start_mark.line + 1, _value_of(node, path)


def _value_of(node: "yaml.Node", path: Path) -> Any:
    """The JSON value that a node stands for."""
    import yaml

    loader = _loader()("")
    try:
        _require_single_keys(node)
        return loader.construct_document(node)
    except (yaml.YAMLError, RecursionError) as fault:
        raise UtterancesError(_yaml_fault(path, fault)) from fault
    finally:
        loader.dispose()


def _require_single_keys(node: "yaml.Node") -> None:
    import yaml

    if isinstance(node, yaml.MappingNode):
        seen: set[Hashable] = set()
        for key, _ in node.value:
            if isinstance(key.value, str) and key.value in seen:
                problem = f"the key {quoted(key.value)} stands there twice"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            seen.add(key.value if isinstance(key.value, str) else id(key))
    for part in _parts(node):
        _require_single_keys(part)


def _faults_of(value: Any) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{_shown(value)} is no utterance; give an object with text and function"
        return
    for key in value:
        if key not in _KEYS:
            near = nearest_names(str(key), _KEYS, limit=1) or [", ".join(_KEYS)]
            yield f"{quoted(str(key))} is unknown; accepted is {near[0]}"
    for key in ("text", "function"):
        if key not in value:
            yield f"{key!r} is missing; give it as a text"
    yield from _faults_of_parts(value)


def _shown(value: Any) -> str:
    return quoted(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _faults_of_parts(value: dict[str, Any]) -> Iterator[str]:
    for key in [key for key in _TEXTS if key in value]:
        if not isinstance(value[key], str) or not value[key].strip():
            yield f"{key!r} is {_shown(value[key])}; give a text, in quotes if need be"
    for key in ("arguments", "contains", "before"):
        part = value.get(key, {})
        if not isinstance(part, dict) or not all(isinstance(name, str) for name in part):
            yield f"{key!r} is no object; give names with values"
    without = value.get("without", [])
    if not isinstance(without, list) or not all(isinstance(name, str) for name in without):
        yield "'without' is no list of names; give the names of arguments"


def _utterance(value: dict[str, Any], source: str) -> Utterance:
    text = " ".join(value["text"].split())
    return Utterance(
        text=text,
        function=value["function"].strip(),
        language=value.get("language") or _language_of(text),
        source=source,
        arguments=value.get("arguments", {}),
        contains=value.get("contains", {}),
        without=tuple(value.get("without", ())),
        before=value.get("before", {}),
    )


def _language_of(text: str) -> str:
    """Russian where a word has Russian letters; else English."""
    return "ru" if any(map(is_russian, words_of(text))) else "en"
