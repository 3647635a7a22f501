"""How a conversation is shown: to a person at a terminal, as plain text, or as JSON lines.

All foreign text is made harmless here: nothing of it can control a terminal, and what would not
be seen is shown as an escape.
"""

import json
from collections.abc import Mapping
from typing import Any, Protocol

from appfunctions_mcp.assistant.events import (
    Answer,
    AssistantEvent,
    CallEvent,
    ResultEvent,
    StopEvent,
    StopReason,
    TextEvent,
)
from appfunctions_mcp.cli.chat_streams import ChatStreams
from appfunctions_mcp.formats.messages import FunctionCall, FunctionResult, Usage
from appfunctions_mcp.quoting import as_it_is_read, with_escapes

LONGEST_ARGUMENTS = 400
"""How many characters of a call's arguments are shown; a question shows all."""
LONGEST_RESULT = 600
MOST_RESULT_LINES = 8

_STOPS = {
    StopReason.MAX_ITERATIONS: "the model called functions up to the limit (--max-iterations), "
    "and then had to answer without",
    StopReason.REPEATED_CALL: "the model made the same call again and again, to the same end, "
    "and then had to answer without",
    StopReason.LENGTH: "cut: the model's limit of output tokens was reached",
    StopReason.REFUSED: "the model, or a filter of its provider, refused",
}
_STYLES = {"dim": "2", "bold": "1", "red": "31", "yellow": "33", "cyan": "36"}


class Screen(Protocol):
    """Where a conversation is shown."""

    prompt: str
    """What stands before a question that is typed."""

    def begin(self, question: str) -> None:
        """A question has been asked."""

    def show(self, event: AssistantEvent) -> None:
        """Something has happened while it is answered."""

    def end(self) -> None:
        """It is answered, or has been given up."""

    def tell(self, text: str) -> None:
        """What a person has asked the program itself."""

    def note(self, text: str) -> None:
        """What a person should know beside the conversation."""

    def fail(self, text: str) -> None:
        """Something has failed."""

    def ask(self, text: str) -> None:
        """What somebody is asked, who answers behind it."""


def screen_for(streams: ChatStreams, *, as_json: bool) -> Screen:
    """The screen that fits the streams."""
    if as_json:
        return JsonScreen(streams)
    return TerminalScreen(streams) if streams.is_terminal else PlainScreen(streams)


class _TextScreen:
    """Writes text to stdout, and knows whether a line has begun."""

    def __init__(self, streams: ChatStreams) -> None:
        self._streams = streams
        self._is_within_line = False

    def _write(self, text: str) -> None:
        self._streams.out.write(text)
        self._streams.out.flush()
        self._is_within_line = not text.endswith("\n") if text else self._is_within_line

    def _end_line(self) -> None:
        if self._is_within_line:
            self._write("\n")


class TerminalScreen(_TextScreen):
    """Shows everything to a person at a terminal, as it comes.

    Args:
        streams: The terminal.
    """

    def __init__(self, streams: ChatStreams) -> None:
        super().__init__(streams)
        self._numbers: dict[int, int] = {}
        is_unicode = (streams.out.encoding or "").lower().replace("-", "").startswith("utf")
        self._to, self._from, self._failed = "→←✗" if is_unicode else "><!"
        self.prompt = self._styled("you> ", "bold", "cyan")

    def begin(self, question: str) -> None:  # noqa: ARG002 - the person sees what was typed
        """Calls are numbered anew."""
        self._numbers = {}

    def show(self, event: AssistantEvent) -> None:
        """Shows a piece of text, a call, a result, or how it stopped."""
        match event:
            case TextEvent(text):
                self._write(as_it_is_read(text))
            case CallEvent(call):
                number = self._numbers[id(call)] = len(self._numbers) + 1
                name = self._styled(with_escapes(call.name), "bold")
                arguments = _shortened(compact(call.arguments), LONGEST_ARGUMENTS)
                self._line(f"  {self._to} {number} {name} {arguments}")
            case ResultEvent(call, result):
                self._show_result(self._numbers.get(id(call), 0), result)
            case StopEvent(answer):
                self._show_stop(answer)

    def end(self) -> None:
        """Ends the line, and leaves one empty."""
        self._line("")

    def tell(self, text: str) -> None:
        """Shows text line by line."""
        self._line(lines_with_escapes(text))

    def note(self, text: str) -> None:
        """Shows text that is less important."""
        self._line(self._styled(lines_with_escapes(text), "dim"))

    def fail(self, text: str) -> None:
        """Shows a fault."""
        self._line(self._styled(f"{self._failed} {lines_with_escapes(text)}", "red"))

    def ask(self, text: str) -> None:
        """Shows what is asked."""
        self._line(self._styled(lines_with_escapes(text), "yellow"))

    def _show_result(self, number: int, result: FunctionResult) -> None:
        shown = shortened_result(result).replace("\n", "\n      ")
        if result.is_error:
            self._line(self._styled(f"  {self._failed} {number} {shown}", "red"))
        else:
            self._line(f"  {self._from} {number} {self._styled(shown, 'dim')}")

    def _show_stop(self, answer: Answer) -> None:
        if not answer.text and answer.stop is StopReason.ANSWERED:
            self.note("the model answered nothing")
        if answer.stop in _STOPS:
            self._line(self._styled(_STOPS[answer.stop], "yellow"))
        if answer.usage != Usage():
            self.note(usage_in_words(answer.usage))

    def _styled(self, text: str, *styles: str) -> str:
        if not self._streams.has_colours:
            return text
        return f"\x1b[{';'.join(_STYLES[style] for style in styles)}m{text}\x1b[0m"

    def _line(self, text: str) -> None:
        self._end_line()
        self._write(f"{text}\n")


class PlainScreen(_TextScreen):
    """Writes the answers' text to stdout, and what led to it to stderr.

    Args:
        streams: Where to.
    """

    prompt = ""

    def begin(self, question: str) -> None:
        """Nothing is shown of a question."""

    def show(self, event: AssistantEvent) -> None:
        """Writes a piece of text; calls, results and how it stopped go to stderr."""
        match event:
            case TextEvent(text):
                self._write(as_it_is_read(text))
            case CallEvent(call):
                self._end_line()
                arguments = _shortened(compact(call.arguments), LONGEST_ARGUMENTS)
                self._aside(f"call: {with_escapes(call.name)} {arguments}")
            case ResultEvent(_, result):
                kind = "error" if result.is_error else "result"
                name = with_escapes(result.name)
                self._aside(f"{kind}: {name}: {shortened_result(result)}")
            case StopEvent(answer):
                self._end_line()
                if answer.stop in _STOPS:
                    self._aside(f"stopped: {_STOPS[answer.stop]}")

    def end(self) -> None:
        """Ends the line."""
        self._end_line()

    def tell(self, text: str) -> None:
        """Writes text that was asked for."""
        self._end_line()
        self._write(f"{lines_with_escapes(text)}\n")

    def note(self, text: str) -> None:
        """Writes text aside."""
        self._end_line()
        self._aside(text)

    def fail(self, text: str) -> None:
        """Writes a fault aside."""
        self._end_line()
        self._aside(text)

    def ask(self, text: str) -> None:
        """Writes aside what is asked."""
        self._end_line()
        self._aside(text)

    def _aside(self, text: str) -> None:
        print(lines_with_escapes(text), file=self._streams.err, flush=True)


class JsonScreen:
    """Writes each event as one line of JSON, for programs.

    Args:
        streams: Where to.
    """

    prompt = ""

    def __init__(self, streams: ChatStreams) -> None:
        self._streams = streams

    def begin(self, question: str) -> None:
        """Writes the question."""
        self._write("question", text=question)

    def show(self, event: AssistantEvent) -> None:
        """Writes an event."""
        match event:
            case TextEvent(text):
                self._write("text", text=text)
            case CallEvent(call):
                self._write("call", id=call.id, name=call.name, arguments=dict(call.arguments))
            case ResultEvent(call, result):
                self._write(
                    "result",
                    id=call.id,
                    name=call.name,
                    text=result.text,
                    structured=result.structured,
                    is_error=result.is_error,
                )
            case StopEvent(answer):
                self._write(
                    "stop",
                    reason=answer.stop.value,
                    text=answer.text,
                    rounds=answer.rounds,
                    input_tokens=answer.usage.input_tokens,
                    output_tokens=answer.usage.output_tokens,
                    cached_tokens=answer.usage.cached_tokens,
                )

    def end(self) -> None:
        """Nothing more is written of an answer."""

    def tell(self, text: str) -> None:
        """Writes what was asked for."""
        self._write("output", text=text)

    def note(self, text: str) -> None:
        """Writes what should be known."""
        self._write("note", text=text)

    def fail(self, text: str) -> None:
        """Writes a fault."""
        self._write("error", text=text)

    def ask(self, text: str) -> None:
        """Writes for a person what is asked, not into the events."""
        print(lines_with_escapes(text), file=self._streams.err)

    def _write(self, event: str, **members: Any) -> None:
        print(json.dumps({"event": event} | members), file=self._streams.out, flush=True)


def compact(value: Any) -> str:
    """A JSON value on one line, with everything in it visible."""
    return with_escapes(json.dumps(value, ensure_ascii=False, default=repr))


def whole_arguments(call: FunctionCall) -> str:
    """All arguments of a call, for somebody who decides about it."""
    arguments: Mapping[str, Any] = call.arguments
    return lines_with_escapes(
        json.dumps(dict(arguments), ensure_ascii=False, indent=2, default=repr)
    )


def lines_with_escapes(text: str) -> str:
    """Text whose lines stay, and in which everything else is visible."""
    return "\n".join(map(with_escapes, text.split("\n")))


def shortened_result(result: FunctionResult) -> str:
    """The beginning of a result, with how much is left out."""
    text = result.text.strip()
    lines = text[: LONGEST_RESULT + 1].split("\n")[:MOST_RESULT_LINES]
    shown = "\n".join(lines)[:LONGEST_RESULT]
    left = len(text) - len(shown)
    ending = f" … ({left:,} more characters)" if left else ""
    media = "".join(f"\n[{type(each).__name__}: {each.mime_type}]" for each in result.media)
    return (lines_with_escapes(shown) or "(nothing)") + ending + lines_with_escapes(media)


def usage_in_words(usage: Usage) -> str:
    """The tokens of an answer, such as `120 tokens in (40 cached), 24 out`."""
    cached = f" ({usage.cached_tokens:,} cached)" if usage.cached_tokens else ""
    return f"{usage.input_tokens:,} tokens in{cached}, {usage.output_tokens:,} out"


def _shortened(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return f"{text[:limit]} … ({len(text) - limit:,} more characters)"
