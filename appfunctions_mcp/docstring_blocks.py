"""A docstring's text, split into its description and the blocks that describe parts.

Reads Google headings, NumPy headings, reST fields and KDoc tags in one pass over the lines, so
that a docstring of mixed styles loses nothing. Knows nothing of what stands inside a block.
"""

from dataclasses import field
from typing import Literal

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.records import record

BlockKind = Literal["parameters", "returns", "raises", "attributes", "deprecated", "dropped"]
BlockStyle = Literal["google", "numpy", "rest", "kdoc"]

_HEADINGS: dict[str, BlockKind] = {
    "args": "parameters",
    "arguments": "parameters",
    "params": "parameters",
    "parameters": "parameters",
    "keyword args": "parameters",
    "keyword arguments": "parameters",
    "keyword parameters": "parameters",
    "other args": "parameters",
    "other arguments": "parameters",
    "other parameters": "parameters",
    "returns": "returns",
    "return": "returns",
    "yields": "returns",
    "yield": "returns",
    "raises": "raises",
    "raise": "raises",
    "throws": "raises",
    "exceptions": "raises",
    "attributes": "attributes",
    "deprecated": "deprecated",
}
_REST_FIELDS: dict[str, BlockKind] = {
    **dict.fromkeys(("param", "parameter", "arg", "argument"), "parameters"),
    **dict.fromkeys(("key", "keyword", "kwarg"), "parameters"),
    **dict.fromkeys(("return", "returns", "yield", "yields"), "returns"),
    **dict.fromkeys(("raise", "raises", "except", "exception", "throws"), "raises"),
    **dict.fromkeys(("ivar", "var", "cvar"), "attributes"),
    **dict.fromkeys(("type", "rtype", "ytype", "vartype", "meta"), "dropped"),
    "deprecated": "deprecated",
}
_KDOC_TAGS: dict[str, BlockKind] = {
    "param": "parameters",
    **dict.fromkeys(("return", "returns"), "returns"),
    **dict.fromkeys(("throws", "exception", "raise", "raises"), "raises"),
    "property": "attributes",
    "deprecated": "deprecated",
    **dict.fromkeys(("constructor", "receiver", "sample", "see"), "dropped"),
    **dict.fromkeys(("author", "since", "suppress"), "dropped"),
}
_HEADING = regex(r"([A-Za-z]+(?: [A-Za-z]+)?) ?:(?:[ \t]+(.+))?\Z")
_REST_FIELD = regex(r":([a-z]+)(?:[ \t]+((?:[^:`]|:(?=[^\s:])|`[^`]*`)*))?:(?:[ \t]+|\Z)(.*)")
_KDOC_TAG = regex(r"@([A-Za-z]+)(?![\w.(])[ \t]*(.*)")
_DIRECTIVE = regex(r"\.\. deprecated::[ \t]*(.*)")
_UNDERLINE = regex(r"(?:-{2,}|={2,})\Z")
# An entry's name and its colon; the entries themselves are read elsewhere, with more care.
_ENTRY = regex(r"(?:[-*+•][ \t]+)?[`\\*]*[^\W\d][\w.`]*(?:[ \t]*[,(].*)?[ \t]*:(?:\s|\Z)")
_NUMPY_ENTRY = regex(r"[`\\*]*[^\W\d][\w.`]*(?:[ \t]*,[ \t`\\*]*[^\W\d][\w.`]*)*(?: ?: .*)?\Z")
_FENCES = ("```", "~~~")
_WITH_ENTRIES: tuple[BlockKind, ...] = ("parameters", "raises", "attributes")


@record(slots=True)
class Block:
    """One section, field or tag of a docstring."""

    kind: BlockKind
    style: BlockStyle
    subject: str = ""
    """What a reST field or a KDoc tag is about: a parameter's name, an exception's class."""
    lines: list[str] = field(default_factory=list)
    indent: int = 0
    """How far the heading is indented."""
    unindented: bool = False
    """Whether lines that stand no deeper than the heading may belong to the block."""


@record(slots=True)
class SplitDocstring:
    """What `split_docstring` makes of a text."""

    description: str
    blocks: list[Block]
    is_kdoc: bool
    """Whether KDoc wrote it: it has a KDoc tag, or the comment's own frame."""


def split_docstring(text: str) -> SplitDocstring:
    """Splits a docstring; every line ends up in the description or in one block.

    Args:
        text: The docstring as it stands in the source; its indentation is cleaned.
    """
    lines, framed = _clean_lines(text)
    splitter = _Splitter(lines, has_fences=any(fence in text for fence in _FENCES))
    splitter.split()
    is_kdoc = framed or any(block.style == "kdoc" for block in splitter.blocks)
    return SplitDocstring(_joined(splitter.description), splitter.blocks, is_kdoc)


def indent_of(line: str) -> int:
    """How many blanks a line begins with."""
    return len(line) - len(line.lstrip())


def _clean_lines(text: str) -> tuple[list[str], bool]:
    """The lines without common indentation, and whether a comment's frame was taken off."""
    lines = text.expandtabs().splitlines()
    if text.lstrip().startswith("/**"):
        return [_unframed(line) for line in lines], True
    margin = min((indent_of(line) for line in lines[1:] if line.strip()), default=0)
    return [lines[0].strip(), *(line[margin:].rstrip() for line in lines[1:])], False


def _unframed(line: str) -> str:
    """A line of a `/** … */` comment without its frame."""
    line = line.strip().removeprefix("/**").removesuffix("*/")
    return line.removeprefix("*").removeprefix(" ").rstrip()


def _joined(lines: list[str]) -> str:
    """The lines as one text, with at most one blank line in a row."""
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return "\n".join(kept).strip()


class _Splitter:
    """One pass over the lines of one docstring."""

    def __init__(self, lines: list[str], *, has_fences: bool) -> None:
        self.description: list[str] = []
        self.blocks: list[Block] = []
        self._lines = lines
        self._has_fences = has_fences
        self._block: Block | None = None
        # The indent of a description line that ended in a colon: what stands deeper belongs to
        # it, so the `Args:` of an example opens no section.
        self._floor: int | None = None

    def split(self) -> None:
        """Fills `description` and `blocks`."""
        position = 0
        while position < len(self._lines):
            end = self._fence_end(position) if self._has_fences else position + 1
            if end == position + 1 and (used := self._open_block(position)):
                position += used
                continue
            if not self._continues(position):
                self._block = None
            for line in self._lines[position:end]:
                self._keep(line)
            position = end

    def _fence_end(self, position: int) -> int:
        """The position after a fenced piece of code that begins here, else the next line's."""
        fence = self._lines[position].lstrip()[:3]
        if fence in _FENCES:
            for later in range(position + 1, len(self._lines)):
                if self._lines[later].lstrip().startswith(fence):
                    return later + 1
        return position + 1

    def _keep(self, line: str) -> None:
        if self._block is not None:
            self._block.lines.append(line)
            return
        self.description.append(line)
        if line and (self._floor is None or indent_of(line) <= self._floor):
            self._floor = indent_of(line) if line.endswith(":") else None

    def _open_block(self, position: int) -> int:
        """Opens the block that begins at a line; how many lines its heading takes, else 0."""
        line = self._lines[position]
        has_sign = ":" in line or "@" in line or self._is_underlined(position)
        if not line or not has_sign or not self._may_begin_block(indent_of(line)):
            return 0
        block = (
            self._numpy_block(position)
            or self._rest_block(line)
            or self._kdoc_block(line)
            or self._google_block(position)
        )
        if block is None:
            return 0
        block.indent = indent_of(line)
        self._block = block
        self._floor = None
        self.blocks.append(block)
        self.description.append("")
        return 2 if block.style == "numpy" else 1

    def _may_begin_block(self, indent: int) -> bool:
        """Whether something this deep is a part of its own and not of what stands above."""
        block = self._block
        if block is None:
            return self._floor is None or indent <= self._floor
        return indent <= block.indent + (3 if block.style == "kdoc" else 0)

    def _numpy_block(self, position: int) -> Block | None:
        if not self._is_underlined(position):
            return None
        kind = _HEADINGS.get(self._lines[position].strip().rstrip(":").lower())
        return Block(kind, "numpy") if kind else None

    def _is_underlined(self, position: int) -> bool:
        below = self._lines[position + 1] if position + 1 < len(self._lines) else ""
        return below.lstrip()[:2] in {"--", "=="} and _UNDERLINE.match(below.strip()) is not None

    def _rest_block(self, line: str) -> Block | None:
        line = line.strip()
        if line[0] not in ".:":
            return None
        if directive := _DIRECTIVE.match(line):
            return Block("deprecated", "rest", "version", [directive[1]])
        found = _REST_FIELD.match(line)
        kind = _REST_FIELDS.get(found[1]) if found else None
        if found is None or kind is None:
            return None
        return Block(kind, "rest", found[2] or "", [found[3]], unindented=True)

    def _kdoc_block(self, line: str) -> Block | None:
        found = _KDOC_TAG.match(line.strip()) if "@" in line else None
        kind = _KDOC_TAGS.get(found[1]) if found else None
        return Block(kind, "kdoc", lines=[found[2]]) if found and kind else None

    def _google_block(self, position: int) -> Block | None:
        line = self._lines[position]
        found = _HEADING.match(line.strip()) if ":" in line else None
        kind = _HEADINGS.get(found[1].lower()) if found else None
        if found is None or kind is None:
            return None
        is_title = found[1][0].isupper()
        if not (is_title or self._begins_paragraph(position)):
            return None
        if found[2]:
            return _inline_block(kind, found[2]) if is_title and self._has_text() else None
        return self._headed_block(position, kind, is_title=is_title)

    def _begins_paragraph(self, position: int) -> bool:
        return self._block is not None or position == 0 or not self._lines[position - 1]

    def _has_text(self) -> bool:
        """Whether anything precedes; `Returns: the note` as all there is is a description."""
        return bool(self.blocks) or any(self.description)

    def _headed_block(self, position: int, kind: BlockKind, *, is_title: bool) -> Block | None:
        """The Google section below a heading, whose entries may stand no deeper than it."""
        block = Block(kind, "google")
        following = range(position + 1, len(self._lines))
        below = next((later for later in following if self._lines[later]), None)
        if below is None:
            return block if is_title else None
        line = self._lines[below]
        if indent_of(line) > indent_of(self._lines[position]):
            return block
        # Cleaning cannot see how deep the lines under a heading in the first line were.
        adjacent = below == position + 1 or position == 0
        if adjacent and _is_entry(kind, line):
            block.unindented = True
            return block
        return block if is_title and not adjacent else None

    def _continues(self, position: int) -> bool:
        """Whether a line that begins no block belongs to the open one."""
        block, line = self._block, self._lines[position]
        if block is None or not line:
            return block is not None
        if block.style == "kdoc":
            return _KDOC_TAG.match(line.strip()) is None
        return indent_of(line) > block.indent or self._continues_unindented(block, position)

    def _continues_unindented(self, block: Block, position: int) -> bool:
        """Whether a line no deeper than the open block's heading belongs to the block."""
        line = self._lines[position]
        follows_text = bool(self._lines[position - 1])
        if block.style == "numpy":
            return not self._is_underlined(position) and (
                follows_text or self._is_numpy_entry(position, block.kind)
            )
        if block.style == "rest":
            is_field = _REST_FIELD.match(line.strip()) is not None
            return block.unindented and follows_text and not is_field
        is_entry = block.kind in _WITH_ENTRIES and _is_entry(block.kind, line)
        return block.unindented and (follows_text or is_entry)

    def _is_numpy_entry(self, position: int, kind: BlockKind) -> bool:
        line = self._lines[position]
        if line.endswith(":"):
            return False
        below = self._lines[position + 1] if position + 1 < len(self._lines) else ""
        return indent_of(below) > indent_of(line) or (
            kind in _WITH_ENTRIES and _NUMPY_ENTRY.match(line.strip()) is not None
        )


def _is_entry(kind: BlockKind, line: str) -> bool:
    """Whether a line can be the first of a section whose lines are not indented."""
    return kind not in _WITH_ENTRIES or _ENTRY.match(line.strip()) is not None


def _inline_block(kind: BlockKind, text: str) -> Block | None:
    """The section whose text stands beside its heading, as `Returns: The note` has it."""
    if kind in _WITH_ENTRIES and not _ENTRY.match(text) and text.rstrip(".").lower() != "none":
        return None
    return Block(kind, "google", lines=[text], unindented=True)
