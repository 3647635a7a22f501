"""`appfunctions-mcp chat` at a terminal: typed lines, questions before calls, Ctrl+C, colours."""

import os
import select
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp.assistant.conversation import Conversation
from tests.support.chat_terminal import CTRL_C, CTRL_D, ChatTerminal, at_a_terminal
from tests.support.metadata_files import write_metadata
from tests.support.providers import Call, Hang, Reply, Usage, provider_server

if sys.platform == "win32":
    pytest.skip("there are no such terminals", allow_module_level=True)

PROMPT = "you> "
Terminal = Callable[..., AbstractContextManager[ChatTerminal]]


@pytest.fixture
def app(tmp_path: Path) -> str:
    content = '<mcp:functions module="tests.support.chat_functions" />\n'
    return str(write_metadata(tmp_path, content=content))


@pytest.fixture
def terminal(app: str) -> Terminal:
    def started(*words: str, **options: Any) -> AbstractContextManager[ChatTerminal]:
        provider = () if "--provider" in words else ("--provider", "scripted")
        environ = {"NO_COLOR": "1"} | options.pop("environ", {})
        return at_a_terminal("chat", app, *provider, *words, environ=environ, **options)

    return started


@pytest.fixture
def person(terminal: Terminal) -> Iterator[ChatTerminal]:
    """Somebody before the prompt of a conversation with the scripted provider."""
    with terminal() as chat:
        chat.wait_for(PROMPT)
        yield chat


def kept() -> Conversation:
    folder = Path(os.environ["XDG_STATE_HOME"], "appfunctions-mcp", "conversations")
    return Conversation.load(max(folder.rglob("*.json")))


def test_a_call_is_shown_with_its_arguments_and_result(person: ChatTerminal) -> None:
    assert "9 functions, scripted" in person.shown
    person.type("echo text=one; add first=1\n")
    seen = person.wait_for(PROMPT)

    assert '→ 1 echo {"text": "one"}\r\n  → 2 add {"first": 1}\r\n' in seen
    assert "  ← 1 one\r\n" in seen
    assert '← 2 {"result":2}\r\n' in seen
    assert 'echo: one\r\nadd: {"result":2}\r\n' in seen
    person.type(CTRL_D)
    assert person.wait_for_end() == 0
    assert len(kept().exchanges) == 1


def test_nothing_that_functions_print_is_shown_but_in_the_log(person: ChatTerminal) -> None:
    person.type("noisy\n")
    assert "PRINTED" not in person.wait_for(PROMPT)
    person.type("/log\n")
    seen = person.wait_for(PROMPT)
    assert "PRINTED-OUT\r\n" in seen
    assert "PRINTED-ERR\r\n" in seen


def test_foreign_text_does_not_control_the_terminal(person: ChatTerminal) -> None:
    person.type("hostile\n")
    seen = person.wait_for(PROMPT)

    assert "\x1b]0;owned" not in seen
    assert "\u202e" not in seen
    assert r"← 1 \u001b]0;owned\u0007\u001b[2Jred\u202etxt" in seen


@pytest.mark.parametrize(
    ("keys", "told"),
    [("y\n", "← 1 removed x"), ("n\n", "✗ 1 AppFunctionDenied"), ("\n", "the user declined")],
)
def test_a_destructive_call_runs_only_with_yes(keys: str, told: str, person: ChatTerminal) -> None:
    person.type('remove name="x"\n')
    seen = person.wait_for("[y/N] ")
    assert 'Its arguments:\r\n{\r\n  "name": "x"\r\n}\r\nRun it?' in seen
    person.type(keys)
    assert told in person.wait_for(PROMPT)


def test_arguments_are_asked_about_whole(person: ChatTerminal) -> None:
    """What is shown of a call may be short; what somebody agrees to is not."""
    person.type(f"remove name={'x' * 1000}END\n")
    seen = person.wait_for("[y/N] ")

    assert "… (615 more characters)" in seen
    assert "xEND" in seen.replace("\r\n", "")[-60:]


def test_ctrl_c_at_a_question_about_a_call_cancels_the_answer(person: ChatTerminal) -> None:
    person.type("remove name=x\n")
    person.wait_for("[y/N] ")
    person.type(CTRL_C)
    assert "cancelled" in person.wait_for(PROMPT)
    person.type("echo text=still\n")
    assert "still" in person.wait_for("  ← 1 still")


def test_ctrl_c_cancels_a_call_and_leaves_a_valid_conversation(person: ChatTerminal) -> None:
    person.type("echo text=first; wait_long\n")
    person.wait_for("← 1 first")
    person.type(CTRL_C)
    assert "cancelled" in person.wait_for(PROMPT)
    person.type("echo text=after\n")
    person.wait_for(PROMPT)
    person.type("/quit\n")

    assert person.wait_for_end() == 0
    cancelled, after = kept().exchanges
    first, wait = cancelled.steps[0].results
    assert (first.text, first.is_error) == ("first", False)
    assert wait.is_error
    assert after.answer is not None
    assert after.answer.text == "after"


def test_ctrl_c_twice_at_the_prompt_ends_with_exit_code_0(person: ChatTerminal) -> None:
    person.type("half a line")
    person.wait_for("half a line")
    person.type(CTRL_C)
    assert "Ctrl+C again, or Ctrl+D, ends the conversation" in person.wait_for(PROMPT)
    person.type("echo text=whole\n")
    assert "← 1 whole" in person.wait_for(PROMPT)
    person.type(CTRL_C)
    person.wait_for(PROMPT)
    person.type(CTRL_C)
    assert person.wait_for_end() == 0


def test_lines_can_be_edited_completed_and_brought_back(person: ChatTerminal) -> None:
    pytest.importorskip("readline")
    person.type("ech\t text=oxe\x1b[D\x7fn\n")
    person.wait_for("  ← 1 one")
    person.wait_for(PROMPT)
    person.type("\x1b[A\n")
    person.wait_for("  ← 1 one")
    person.wait_for(PROMPT)
    person.type("/too\t\n")
    assert "remove (destructive)" in person.wait_for(PROMPT)


def test_an_answer_to_a_question_is_not_brought_back(person: ChatTerminal) -> None:
    pytest.importorskip("readline")
    person.type("remove name=x\n")
    person.wait_for("[y/N] ")
    person.type("y\n")
    person.wait_for(PROMPT)
    person.type("\x1b[A")
    person.wait_for("remove name=x")


def test_an_order_to_end_leaves_the_terminal_in_order(person: ChatTerminal) -> None:
    person.process.send_signal(signal.SIGTERM)
    assert person.wait_for_end() == 128 + signal.SIGTERM


def test_colours_are_for_terminals_that_want_them(terminal: Terminal) -> None:
    with terminal(environ={"NO_COLOR": ""}) as chat:
        chat.wait_for("\x1b[1;36myou> \x1b[0m")
        chat.type("wait_long arg\n")
        chat.wait_for("key=value")
    for words, environ in (((), {"TERM": "dumb"}), (("--no-color",), {})):
        with terminal(*words, environ={"NO_COLOR": ""} | environ) as chat:
            chat.wait_for(PROMPT)
            chat.type("echo text=a\n")
            assert "\x1b[1;36m" not in chat.wait_for("← 1 a")


def test_a_conversation_is_resumed_at_a_terminal(terminal: Terminal) -> None:
    with terminal() as chat:
        chat.wait_for(PROMPT)
        chat.type("echo text=one\n")
        chat.wait_for(PROMPT)
        chat.type(CTRL_D)
        chat.wait_for_end()
    with terminal("--resume") as chat:
        assert "resumed; the last question was 'echo text=one'" in chat.wait_for(PROMPT)


def test_warnings_of_an_app_are_shown_first(terminal: Terminal) -> None:
    with terminal("--only", "zz*") as chat:
        assert "warning: --only 'zz*' matches no function" in chat.wait_for(PROMPT)
        chat.type("/tools\n")
        assert "there are no functions" in chat.wait_for(PROMPT)
        chat.type("/log\n")
        assert "have printed" in chat.wait_for(PROMPT)


def test_a_question_may_be_asked_about_where_answers_go_into_a_file(
    terminal: Terminal, tmp_path: Path
) -> None:
    with (
        (tmp_path / "answers").open("wb") as answers,
        terminal("-q", "remove name=x", stdout=answers) as chat,
    ):
        chat.wait_for("[y/N] ")
        chat.type("y\n")
        assert chat.wait_for_end() == 0
    assert (tmp_path / "answers").read_text(encoding="utf-8") == "removed x\n"


def test_text_comes_as_it_is_streamed_and_ctrl_c_ends_it(terminal: Terminal) -> None:
    """The stream hangs after its first pieces, which are shown by then."""
    hanging = Hang(Reply("It begins at once and then goes on."), after=3)
    with (
        provider_server(hanging, "Here I am.") as server,
        terminal("--provider", "openai-chat:any", "--base-url", server.openai_url) as chat,
    ):
        chat.wait_for(PROMPT)
        chat.type("Hello?\n")
        chat.wait_for("\nIt begins")
        chat.type(CTRL_C)
        assert "\r\ncancelled" in chat.wait_for(PROMPT)
        chat.type("And now?\n")
        assert "Here I am.\r\n" in chat.wait_for(PROMPT)
        chat.type(CTRL_D)
        assert chat.wait_for_end() == 0
    assert server.refused == []
    assert server.requests[1].user_text == "And now?"


def test_tokens_and_why_it_stopped_are_told(terminal: Terminal) -> None:
    call = Call("echo", {"text": "a"})
    steps = [
        *(Reply(call) for _ in range(3)),
        Reply("It says a.", usage=Usage(1200, 7, 1000)),
    ]
    words = ("--provider", "openai-chat:any", "--max-iterations", "3")
    with (
        provider_server(*steps) as server,
        terminal(*words, "--base-url", server.openai_url) as chat,
    ):
        chat.wait_for(PROMPT)
        chat.type("Hello?\n")
        seen = chat.wait_for(PROMPT)
    assert "and then had to answer without\r\n" in seen
    assert "1,560 tokens in (1,000 cached), 79 out\r\n" in seen


def test_a_server_that_does_not_start_is_told_with_what_it_printed() -> None:
    command = f"{sys.executable} -m nothing_of_this_name"
    with at_a_terminal("chat", "--command", command, "--provider", "scripted") as chat:
        assert chat.wait_for_end() == 1
    assert "cannot be used" in chat.shown
    assert "No module named nothing_of_this_name" in chat.shown


def test_ctrl_c_while_servers_start_ends_the_program(tmp_path: Path) -> None:
    script = tmp_path / "silent.py"
    up = tmp_path / "up"
    os.mkfifo(up)
    started = os.open(up, os.O_RDONLY | os.O_NONBLOCK)
    script.write_text(f"import time\nopen({str(up)!r}, 'w').write('up')\ntime.sleep(60)\n", "utf-8")
    command = f"{sys.executable} {script}"
    with at_a_terminal("chat", "--command", command, "--provider", "scripted") as chat:
        assert select.select([started], [], [], 30)[0]
        os.close(started)
        chat.type(CTRL_C)
        assert chat.wait_for_end() == 130
