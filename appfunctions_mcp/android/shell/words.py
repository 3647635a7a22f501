"""The words of a shell command, taken one by one as `android.os.ShellCommand` takes them.

Options come first, in any order; the first word that is none ends them, and what follows it is
left alone. Knows nothing of what a command means.
"""

from collections.abc import Collection, Sequence

from appfunctions_mcp.lazy_regex import regex

__all__ = ["ShellError", "ShellWords", "UnknownOptionError", "whole_number"]

_WHOLE_NUMBER = regex(r"[+-]?[0-9]{1,19}\Z")


class ShellError(Exception):
    """What Android's shell answers with `Exception: …` and the exit code -1.

    Args:
        kind: The Java class of the exception that a device would name.
        message: What is wrong.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")


class UnknownOptionError(Exception):
    """An option that the command does not have; its text is the option."""


def illegal_argument(message: str) -> ShellError:
    """The exception of a word that cannot be used."""
    return ShellError("java.lang.IllegalArgumentException", message)


def whole_number(word: str, bits: int) -> int:
    """A word as Java reads a whole number: digits alone, with a sign or without.

    Args:
        word: The word.
        bits: How many the number may have: 32 for an int, 64 for a long.

    Raises:
        ValueError: It is none, or beyond these bits.
    """
    if not _WHOLE_NUMBER.match(word) or not -(2 ** (bits - 1)) <= int(word) < 2 ** (bits - 1):
        raise ValueError(f"no whole number of {bits} bits")
    return int(word)


class ShellWords:
    """The words behind the name of a service.

    Args:
        words: All of them, the command's name first.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._next = 0
        self._joined: str | None = None

    def word(self) -> str | None:
        """The next word, whatever it is; None at the end."""
        if self._joined is not None:
            joined, self._joined = self._joined, None
            return joined
        if self._next == len(self._words):
            return None
        self._next += 1
        return self._words[self._next - 1]

    def option(self) -> str | None:
        """The next option; None where the next word is none.

        Raises:
            ShellError: Text is joined to the option before, which takes none.
        """
        if self._joined is not None:
            raise illegal_argument(f'No argument expected after "{self._words[self._next - 1]}"')
        if self._next == len(self._words) or not self._words[self._next].startswith("-"):
            return None
        word = self._words[self._next]
        self._next += 1
        if word == "--":
            return None
        if len(word) > 2 and word[1] != "-":  # -xTEXT is the option -x and its argument
            self._joined = word[2:]
            return word[:2]
        return word

    def argument(self) -> str:
        """The word that belongs to the option before.

        Raises:
            ShellError: There is none.
        """
        word = self.word()
        if word is None:
            raise illegal_argument(f'Argument expected after "{self._words[self._next - 1]}"')
        return word

    def options(self, names: Collection[str], *, flags: Collection[str] = ()) -> dict[str, str]:
        """All options with their arguments; of one given twice, the later argument.

        Args:
            names: The options that take an argument.
            flags: Those that take none; they are empty text.

        Raises:
            UnknownOptionError: An option is none of them.
            ShellError: An argument is missing.
        """
        found: dict[str, str] = {}
        while (option := self.option()) is not None:
            if option in flags:
                found[option] = ""
            elif option in names:
                found[option] = self.argument()
            else:
                raise UnknownOptionError(option)
        return found
