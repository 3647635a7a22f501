r"""Android's escapes in texts: `\'`, `\n`, `\u2713`, and quotes that keep blanks.

Follows aapt2, Android's resource compiler: outside quotes a run of blanks is one space, quotes
keep them; attributes and CDATA sections keep every blank and read only the backslash. Knows
nothing of XML, nor of where strings are kept.
"""

import re

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted

_TOKEN = regex(
    r"""
    (?P<escape> \\ (?: u(?P<code>[0-9A-Fa-f]{4}) | (?P<escaped>.) | \Z ) )
    | (?P<quote> ["'] )
    | (?P<blanks> [ \t\n\v\f\r]+ )
    | (?P<plain> [^\\"' \t\n\v\f\r]+ )
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPED = {"n": "\n", "t": "\t"}
_SURROGATE = regex("[\ud800-\udfff]")


class EscapedText:
    """One text as it is read, piece by piece.

    Args:
        strip_lines: Also drops collapsed blanks beside a line break that is escaped, as a text
            of several lines wants it; Android keeps one.
    """

    def __init__(self, *, strip_lines: bool = False) -> None:
        self.faults: list[str] = []
        """What has no reading."""
        self.warnings: list[str] = []
        """What Android reads otherwise than its author probably meant."""
        self._strip_lines = strip_lines
        self._parts: list[str] = []
        self._in_quotes = False
        # True at the start, so that leading blanks are dropped.
        self._after_blank = True
        self._ends_in_blank = False

    def add(self, text: str, *, keep_blanks: bool) -> None:
        """Reads on.

        Args:
            text: What stands next in the source.
            keep_blanks: Whether blanks and quotes stand for themselves, as in an attribute or a
                CDATA section.
        """
        for token in _TOKEN.finditer(text):
            if token["escape"] is not None:
                self._add_escape(token)
            elif token["quote"] is not None and not keep_blanks:
                self._add_quote(token["quote"])
            elif token["blanks"] is not None and not keep_blanks and not self._in_quotes:
                self._add_collapsed()
            else:
                self._append(token[0])

    def finish(self) -> str:
        """The text without the blanks around it that nothing keeps."""
        self._drop_collapsed()
        text = "".join(self._parts)
        if not _SURROGATE.search(text):
            return text
        try:
            return text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            self.faults.append(
                r"half of a character: \uD800 to \uDFFF stand in pairs only; write the character"
            )
            return _SURROGATE.sub("", text)

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self._after_blank = self._ends_in_blank = False

    def _add_collapsed(self) -> None:
        if self._after_blank or (self._strip_lines and self._ends_in_newline()):
            return
        self._parts.append(" ")
        self._after_blank = self._ends_in_blank = True

    def _ends_in_newline(self) -> bool:
        return bool(self._parts) and self._parts[-1] == "\n"

    def _drop_collapsed(self) -> None:
        if self._ends_in_blank:
            self._parts.pop()
            self._ends_in_blank = False

    def _add_quote(self, quote: str) -> None:
        if quote == '"':
            self._in_quotes = not self._in_quotes
            # What follows the quotes is not at the start, nor after a blank of the source.
            self._after_blank = self._ends_in_blank = False
            return
        if not self._in_quotes:
            self.warnings.append(
                "an apostrophe without a backslash, which Android refuses; write \\'"
            )
        self._append(quote)

    def _add_escape(self, token: re.Match[str]) -> None:
        escaped = token["escaped"] or ""
        if token["code"] is not None:
            self._append_code(int(token["code"], 16))
        elif escaped == "u":
            written = token.string[token.start() : token.start() + 6]
            self.faults.append(f"{quoted(written)}: four hexadecimal digits follow \\u")
        else:
            if escaped == "n" and self._strip_lines:
                self._drop_collapsed()
            if not escaped or (escaped.isalnum() and escaped not in _ESCAPED):
                self.warnings.append(
                    f"{quoted(token[0])} is no escape, so its backslash is dropped; write \\\\ for "
                    "a backslash"
                )
            self._append(_ESCAPED.get(escaped, escaped))

    def _append_code(self, code: int) -> None:
        if code == 0:
            self.faults.append(r"\u0000 is no character; remove it")
        else:
            self._append(chr(code))
