"""Reads the Markdown pages of the project: fenced blocks with the comment above them.

`<!-- file: NAME -->` makes a block a file, `<!-- raises: NAME -->` says that a Python block
raises, `<!-- tools/list -->` that a JSON block is what a client is shown, and
`<!-- made: NAME -->` that a block is a file that the commands of the page have made.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_BLOCK = re.compile(
    r"(?:^<!-- (?P<note>[^\n]*?) -->\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    page: str
    line: int
    language: str
    note: str
    """The comment right above the block; empty where there is none."""
    text: str

    @property
    def file_name(self) -> str | None:
        """The file that the block is, if it is one."""
        return self.note.removeprefix("file: ") if self.note.startswith("file: ") else None


@dataclass(frozen=True)
class TypedCommand:
    """What a reader types in a console block, and what the page says is printed."""

    block: Block
    command: str
    output: str


def pages() -> list[Path]:
    """The README, every page under `docs/`, and how to contribute."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            page.name,
            text.count("\n", 0, found.start("language")) + 1,
            found["language"],
            found["note"] or "",
            found["text"],
        )
        for found in _BLOCK.finditer(text)
    ]


def commands_of(block: Block) -> Iterator[TypedCommand]:
    """The commands of a console block, each with the output below it."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield TypedCommand(block, command, output)
