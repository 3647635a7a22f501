"""Where a conversation is kept between runs, and how it is found again."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from appfunctions_mcp.assistant.conversation import Conversation, ConversationError
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.places import conversations_folder
from appfunctions_mcp.quoting import quoted

NEWEST = ""
"""`--resume` without a file."""


class KeptConversation:
    """A conversation, and the file in which it is kept.

    Args:
        conversation: The conversation.
        path: The file.
    """

    def __init__(self, conversation: Conversation, path: Path) -> None:
        self.conversation = conversation
        self.path = path
        self._is_told = False

    def keep(self) -> str | None:
        """Writes it down, if anything has been said.

        Returns:
            Why it cannot be kept, the first time; the conversation goes on without.
        """
        if not self.conversation.exchanges and not self.path.exists():
            return None
        try:
            self.conversation.save(self.path)
        except (ConversationError, OSError) as fault:
            if self._is_told:
                return None
            self._is_told = True
            return f"this conversation is not kept: {fault}"
        return None

    def move_to_new_file(self) -> None:
        """From now on another conversation is kept, in a file beside this one."""
        self.path = self.path.parent / _new_name()


def kept_conversation(
    name: str, sources: Sequence[str], resume: str | None, system: str
) -> KeptConversation:
    """A new conversation, or one that was kept.

    Args:
        name: What people call the functions' app or servers.
        sources: What the functions come from.
        resume: A file, `NEWEST` for the one that was kept last, None for a new conversation.
        system: What holds for a new conversation.

    Raises:
        ConversationError: The file holds no conversation, or a newer version's; it stays as it is.
        SettingsError: There is no such file, or none was kept.
    """
    folder = conversations_folder(name, sources)
    if resume is None:
        return KeptConversation(Conversation(system), folder / _new_name())
    path = _newest(folder, name) if resume == NEWEST else path_of(resume)
    try:
        return KeptConversation(Conversation.load(path), path)
    except FileNotFoundError as fault:
        raise SettingsError(f"--resume: there is no file {quoted(str(path), 400)}") from fault


def path_of(typed: str) -> Path:
    """A file as a person has typed it."""
    return Path(typed).expanduser().absolute()


def _newest(folder: Path, name: str) -> Path:
    kept = sorted(folder.glob("*.json"), key=lambda path: (path.stat().st_mtime_ns, path.name))
    if not kept:
        raise SettingsError(
            f"--resume: no conversation with {quoted(name)} has been kept; leave --resume out, or "
            "name a file"
        )
    return kept[-1]


def _new_name() -> str:
    """A name that no other conversation has; in a list, the newest comes last."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f}-{os.getpid()}.json"
