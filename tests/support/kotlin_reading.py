"""Reads descriptions out of generated Kotlin, as Android's compiler does.

What stands in a KDoc is read by the compiler's rules; an annotation AppFunctionInstruction beats
it. Everything else of a file is its skeleton: the code without any text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.support.kotlin_lexer import Token

_TAGS = (
    "param|return|constructor|receiver|property|throws|exception|sample|see|author|since|suppress"
)
_KNOWN_TAG = re.compile(rf"@({_TAGS})\b")
_PARAM = re.compile(r"@param\s+(\w+)\s*(.*)", re.ASCII)
_RETURN = re.compile(r"@return\s+(.*)")
_ANY_TAG = re.compile(r"@\w+")
_INSTRUCTION = "AppFunctionInstruction"


@dataclass
class Described:
    """What a function, a class or a property says of itself and of its parts."""

    description: str = ""
    parts: dict[str, str] = field(default_factory=dict)
    result: str = ""


def doc_lines(comment: str) -> list[str]:
    """The lines of a KDoc without what makes it a comment."""
    text = comment.strip().strip("/").strip("*")
    return [line.lstrip().lstrip("*").removeprefix(" ") for line in re.split(r"\r\n|\n|\r", text)]


def doc_description(comment: str) -> str:
    """A KDoc without its tags, each of which reaches to the next one."""
    kept, is_skipping = [], False
    for line in doc_lines(comment):
        if _KNOWN_TAG.match(line.strip()):
            is_skipping = True
        elif is_skipping and _ANY_TAG.match(line.strip()):
            is_skipping = False
        if not is_skipping:
            kept.append(line)
    return "\n".join(kept).strip()


def doc_tags(comment: str) -> tuple[dict[str, str], str]:
    """What a KDoc says of parameters, and of the result; continued lines are joined."""
    found: dict[str, list[str]] = {}
    name = None
    for line in map(str.strip, doc_lines(comment)):
        if parameter := _PARAM.match(line):
            name = parameter[1]
            found[name] = [parameter[2]]
        elif result := _RETURN.match(line):
            name = "@return"
            found.setdefault(name, []).append(result[1])
        elif _ANY_TAG.match(line):
            name = None
        elif name is not None and line:
            found[name].append(line)
    texts = {name: " ".join(lines).strip() for name, lines in found.items()}
    result_text = texts.pop("@return", "")
    return texts, result_text


def described_functions(tokens: Sequence[Token]) -> dict[str, Described]:
    """What each function of a service says, by its name."""
    found = {}
    for at, token in enumerate(tokens):
        if token != Token("word", "AppFunctionDeclaration") or tokens[at - 1].text != "@":
            continue
        comment = tokens[at - 2] if tokens[at - 2].kind == "comment" else None
        name_at = _find(tokens, at, "fun") + 1
        described = Described()
        if comment is not None:
            described.description = doc_description(comment.text)
            described.parts, described.result = doc_tags(comment.text)
        described.description = _instruction(tokens[at:name_at], described.description)
        close = _closing(tokens, name_at + 1)
        for part in _split(tokens[name_at + 2 : close]):
            name, text = _part(part)
            described.parts[name] = text or described.parts.get(name, "")
        end = _find(tokens, close, "{")
        described.result = _instruction(tokens[close:end], described.result)
        found[tokens[name_at].text] = described
    return found


def described_classes(tokens: Sequence[Token]) -> dict[str, Described]:
    """What each class says of itself and of its properties, by its plain name."""
    found = {}
    for at, token in enumerate(tokens):
        if token != Token("word", "AppFunctionSerializable") or tokens[at - 1].text != "@":
            continue
        word_at = _find(tokens, at, "class", "interface")
        described = Described(description=_before(tokens, at - 1))
        if tokens[word_at].text == "class":
            opened = _find(tokens, word_at, "(")
            for part in _split(tokens[opened + 1 : _closing(tokens, opened)]):
                name, text = _part(part)
                described.parts[name] = text
        found[tokens[word_at + 1].text] = described
    return found


def _find(tokens: Sequence[Token], start: int, *texts: str) -> int:
    """Where the first of some words or marks of the code stands."""
    return next(
        at
        for at in range(start, len(tokens))
        if tokens[at].text in texts and tokens[at].kind in {"word", "mark"}
    )


def _before(tokens: Sequence[Token], at: int) -> str:
    """The KDoc or the instruction that ends before a place."""
    if at and tokens[at - 1].kind == "comment":
        return doc_description(tokens[at - 1].text)
    if at > 3 and tokens[at - 4].text == _INSTRUCTION:
        return tokens[at - 2].text
    return ""


def _part(tokens: Sequence[Token]) -> tuple[str, str]:
    """The name of a parameter or property, and what stands with it."""
    colon = max(
        i
        for i, token in enumerate(tokens)
        if token == Token("mark", ":") and tokens[max(i - 2, 0)] != Token("mark", "@")
    )
    text = next((doc_description(each.text) for each in tokens if each.kind == "comment"), "")
    return tokens[colon - 1].text, _instruction(tokens, text)


def _instruction(tokens: Sequence[Token], otherwise: str) -> str:
    for at, token in enumerate(tokens):
        if token == Token("word", _INSTRUCTION):
            return tokens[at + 2].text
    return otherwise


def _closing(tokens: Sequence[Token], opened: int) -> int:
    depth = 0
    for at in range(opened, len(tokens)):
        if tokens[at].kind == "mark":
            depth += {"(": 1, ")": -1}.get(tokens[at].text, 0)
        if not depth:
            return at
    raise ValueError("a parenthesis that does not end")


def _split(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """What stands between commas that are in no bracket."""
    part: list[Token] = []
    depth = 0
    for token in tokens:
        if token.kind == "mark":
            depth += {**dict.fromkeys("([<", 1), **dict.fromkeys(")]>", -1)}.get(token.text, 0)
        if token == Token("mark", ",") and not depth:
            yield part
            part = []
        else:
            part.append(token)
    if part:
        yield part


def skeleton(tokens: Sequence[Token]) -> list[str]:
    """The code of a file without its texts, and without what only stands there for a text."""
    text = " ".join(
        {"string": '""', "quoted": f"`{token.text}`"}.get(token.kind, token.text)
        for token in tokens
        if token.kind != "comment"
    )
    text = re.sub(rf'@ (property : )?{_INSTRUCTION} \( "" \) ', "", text)
    text = re.sub(rf"import androidx \. appfunctions \. {_INSTRUCTION} ", "", text)
    text = re.sub(r": Unit(?= [{}])", "", text)
    return re.sub(r" , (?=[)\]])", " ", text).split()
