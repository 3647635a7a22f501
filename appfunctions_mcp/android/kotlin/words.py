"""Kotlin's smallest words: names, string literals, and the texts that a KDoc gives back.

Nothing that is written here can end its comment, its string or its back-quotes. Knows nothing
of functions or types.
"""

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted

__all__ = [
    "KotlinError",
    "annotation",
    "camel_case",
    "comment",
    "identifier",
    "is_doc_text",
    "is_tag_text",
    "qualified",
    "snake_case",
    "string_literal",
    "usable_name",
    "wrapped_tag",
]

INDENT = "    "
LINE_LENGTH = 100
MAX_NAME_LENGTH = 200
"""What is left of a file name of 255 bytes for the class file of a name."""
MAX_CONSTANT_BYTES = 65535
"""How long a text in a class file may be."""

_HARD_KEYWORDS = frozenset(
    {
        *("as", "break", "class", "continue", "do", "else", "false", "for", "fun", "if", "in"),
        *("interface", "is", "null", "object", "package", "return", "super", "this", "throw"),
        *("true", "try", "typealias", "typeof", "val", "var", "when", "while"),
        # Soft, but read as modifiers before a parameter, or as a type of their own.
        *("vararg", "noinline", "crossinline", "dynamic", "suspend"),
    }
)
# Letters that every version of Kotlin's lexer knows; other ones are back-quoted.
_LETTERS = "A-Za-z_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0400-\u0481\u048a-\u04ff\u4e00-\u9fa5"
_PLAIN = regex(f"[{_LETTERS}][{_LETTERS}0-9]*")
# What the names of Android's executables may hold: `SimpleName` of the DEX format.
_ILLEGAL = regex(
    "[^A-Za-z0-9 $_\\-\u00a1-\u1fff\u2010-\u2027\u2030-\ud7ff\ue000-\uffef\U00010000-\U0010ffff]"
)
_TAG_NAME = regex(r"[A-Za-z0-9_]+")
_WORDS = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "$": "\\$", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class KotlinError(ValueError):
    """Something that Kotlin has no word for; the text says what, and what to do."""


def identifier(name: str) -> str:
    """A name as Kotlin writes it, in back-quotes where it needs them.

    Raises:
        KotlinError: Not even back-quotes can hold it.
    """
    illegal = _ILLEGAL.search(name) or next((c for c in name if not c.isprintable()), None)
    if not name or illegal:
        character = illegal if isinstance(illegal, str) or illegal is None else illegal[0]
        found = f"holds U+{ord(character):04X}" if character else "is empty"
        raise KotlinError(
            f"the name {quoted(name)} {found}, which no name in an Android app can; rename it"
        )
    if len(name.encode()) > MAX_NAME_LENGTH:
        raise KotlinError(
            f"the name {quoted(name)} has {len(name)} characters; accepted are about "
            f"{MAX_NAME_LENGTH}; shorten it"
        )
    if _PLAIN.fullmatch(name) and name not in _HARD_KEYWORDS and name.strip("_"):
        return name
    return f"`{name}`"


def qualified(name: str) -> str:
    """A name with dots as Kotlin writes it.

    Raises:
        KotlinError: Not even back-quotes can hold a part of it.
    """
    return ".".join(map(identifier, name.split(".")))


def usable_name(name: str) -> str:
    """A name that Kotlin can hold, as near to one as possible."""
    return _ILLEGAL.sub("_", "".join(c if c.isprintable() else "_" for c in name)).strip() or "_"


def camel_case(text: str) -> str:
    """`sample_app.notes` as `SampleAppNotes`; empty where nothing in it is a Latin letter."""
    words = "".join(word[0].upper() + word[1:].lower() for word in _WORDS.findall(text))
    return f"N{words}" if words[:1].isdigit() else words


def snake_case(text: str) -> str:
    """`ChatAppFunctionService` as `chat_app_function_service`."""
    return "_".join(word.lower() for word in _WORDS.findall(text))


def string_literal(text: str) -> str:
    r"""A text as a string literal of one line; what nobody sees stands as `\uXXXX`.

    Raises:
        KotlinError: The text is longer than a class file can hold.
    """
    if len(text.encode("utf-8", "surrogatepass")) > MAX_CONSTANT_BYTES:
        raise KotlinError(
            f"the text {quoted(text)} is longer than the {MAX_CONSTANT_BYTES} bytes of a string "
            "in an Android app; shorten it, or write it as plain lines"
        )
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


def is_doc_text(text: str) -> bool:
    """Whether a KDoc gives this text back unchanged, as Android's compiler reads it.

    The compiler strips the lines and what looks like the comment's own asterisks, and takes
    lines that begin with `@` for tags.
    """
    return _is_visible(text) and all(
        line == line.strip() and not line.startswith(("@", "*")) for line in text.split("\n")
    )


def is_tag_text(text: str, name: str = "return") -> bool:
    """Whether a KDoc gives this text back behind `@return`, or behind `@param` with a name."""
    return "\n" not in text and _is_visible(text) and _TAG_NAME.fullmatch(name) is not None


def _is_visible(text: str) -> bool:
    """No character that is unseen or misleading, nothing that begins or ends a comment."""
    return (
        text == text.strip()
        and text.replace("\n", "").isprintable()
        and "*/" not in text
        and "/*" not in text
    )


def wrapped_tag(tag: str, text: str, width: int) -> list[str]:
    """A tag of a KDoc, in several lines where the compiler joins them to the same text again."""
    whole = f"{tag} {text}"
    lines = textwrap.wrap(
        whole,
        width,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
    )
    joined = " ".join(line.strip() for line in lines)
    if joined != whole or any(line.strip().startswith(("@", "*")) for line in lines[1:]):
        return [whole]
    return lines


def annotation(
    name: str, arguments: Sequence[tuple[str, str | Sequence[str]]], indent: str
) -> Iterator[str]:
    """An annotation, with an argument a line where it is too long for one line.

    Args:
        name: Its name, with its target if it needs one.
        arguments: Names and values; several values are an array.
        indent: What stands before each line.
    """
    short = ", ".join(
        f"{key} = {value}" if isinstance(value, str) else f"{key} = [{', '.join(value)}]"
        for key, value in arguments
    )
    if len(f"{indent}@{name}({short})") <= LINE_LENGTH:
        yield f"{indent}@{name}({short})"
        return
    yield f"{indent}@{name}("
    for key, value in arguments:
        if isinstance(value, str):
            yield f"{indent}{INDENT}{key} = {value},"
            continue
        yield f"{indent}{INDENT}{key} = ["
        yield from (f"{indent}{INDENT}{INDENT}{each}," for each in value)
        yield f"{indent}{INDENT}],"
    yield f"{indent})"


def comment(lines: Iterable[str], indent: str) -> Iterator[str]:
    """A KDoc of these lines, of which each must be fit for one; nothing where there are none."""
    texts = list(lines)
    if not texts:
        return
    short = f"{indent}/** {texts[0]} */"
    if len(texts) == 1 and len(short) <= LINE_LENGTH:
        yield short
        return
    yield f"{indent}/**"
    yield from (f"{indent} * {text}".rstrip() for text in texts)
    yield f"{indent} */"
