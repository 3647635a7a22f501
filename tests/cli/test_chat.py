"""`appfunctions-mcp chat` without a terminal: pipes, files of conversations, options."""

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp.assistant.conversation import Conversation
from appfunctions_mcp.assistant.events import TextEvent
from appfunctions_mcp.assistant.models import ModelRequest
from appfunctions_mcp.assistant.scripted import ScriptedModel
from appfunctions_mcp.cli import main
from appfunctions_mcp.cli.chat_screen import PlainScreen
from appfunctions_mcp.cli.chat_streams import ChatStreams
from appfunctions_mcp.cli.chat_trace import TracedModel
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    History,
    ModelReply,
    Opaque,
    UserMessage,
)
from tests.support.metadata_files import write_metadata
from tests.support.stdio_server import PROJECT

SAMPLE = str(PROJECT / "metadata" / "app_metadata.xml")
PROGRAM = (sys.executable, "-m", "appfunctions_mcp")
Said = tuple[int, str, str]


@pytest.fixture(autouse=True)
def _own_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTES_DB", str(tmp_path / "notes.db"))


@pytest.fixture
def app(tmp_path: Path) -> str:
    content = '<mcp:functions module="tests.support.chat_functions" />\n'
    return str(write_metadata(tmp_path, content=content))


@pytest.fixture
def chat(
    app: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Said]:
    """Talks with the scripted provider, in this process."""

    def said(*words: str, typed: str = "", file: str = app) -> Said:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = main(["chat", file, "--provider", "scripted", *words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return said


def kept_files() -> list[Path]:
    folder = Path(os.environ["XDG_STATE_HOME"], "appfunctions-mcp", "conversations")
    return sorted(folder.rglob("*.json"))


def test_each_line_of_a_pipe_is_a_question(chat: Callable[..., Said]) -> None:
    """Answers alone are on stdout; calls and results are told beside."""
    code, out, err = chat(typed="echo text=one\n\necho text=two; add first=1\n")

    assert code == 0
    assert out == 'one\necho: two\nadd: {"result":2}\n'
    assert err.splitlines() == [
        'call: echo {"text": "one"}',
        "result: echo: one",
        'call: echo {"text": "two"}',
        'call: add {"first": 1}',
        "result: echo: two",
        'result: add: {"result":2}',
    ]


def test_a_question_may_be_an_argument(chat: Callable[..., Said]) -> None:
    assert chat("-q", "echo text=hi", typed="echo text=unread\n")[:2] == (0, "hi\n")
    assert chat("--question", "/quit is no command here")[0] == 0


def test_what_functions_print_stays_out_of_the_answers(app: str) -> None:
    words = ["chat", app, "--provider", "scripted", "-q", "noisy"]
    done = subprocess.run(
        [*PROGRAM, *words], capture_output=True, text=True, cwd=PROJECT, check=True, timeout=60
    )

    assert done.stdout == "quiet\n"
    assert "PRINTED-OUT" in done.stderr
    assert "PRINTED-ERR" in done.stderr


def test_events_are_lines_of_json(chat: Callable[..., Said]) -> None:
    code, out, err = chat("--json", typed="add first=1 second=2\n/undo\n/nothing\n/tools add\n")

    events = [json.loads(line) for line in out.splitlines()]
    call_id = events[1]["id"]
    assert code == 1
    assert err == ""
    assert events[:4] == [
        {"event": "question", "text": "add first=1 second=2"},
        {
            "event": "call",
            "id": call_id,
            "name": "add",
            "arguments": {"first": 1, "second": 2},
        },
        {
            "event": "result",
            "id": call_id,
            "name": "add",
            "text": '{"result":3}',
            "structured": {"result": 3},
            "is_error": False,
        },
        {"event": "text", "text": '{"result":3}'},
    ]
    assert events[4] | {"event": "stop", "reason": "answered", "rounds": 1} == events[4]
    assert [event["event"] for event in events[5:]] == ["note", "error", "output"]


def test_foreign_text_cannot_control_a_terminal(chat: Callable[..., Said]) -> None:
    """F82: neither the answer nor what is told of results has controls or overrides."""
    _, out, err = chat(typed='hostile\necho text="\\u001b[31m"\n')

    assert not {"\x1b", "\x07", "\u202e"} & set(out + err)
    assert r"\u001b]0;owned\u0007" in err
    assert r"\u202e" in err
    assert "owned" in out


def test_long_results_are_shortened(chat: Callable[..., Said]) -> None:
    _, out, err = chat(typed="long_text\n")

    assert "line 499" in out
    assert "line 7 … (4,334 more characters)" in err
    assert "line 8" not in err


def test_a_destructive_call_is_declined_where_nobody_can_be_asked(
    chat: Callable[..., Said],
) -> None:
    _, out, err = chat(typed="remove name=x\n")

    assert "the user declined" in out
    assert "'remove' was not run, as nobody can be asked; --yes runs it unasked" in err
    assert chat("--yes", typed="remove name=x; wipe\n")[1] == "remove: removed x\nwipe: wiped\n"


class Typist(io.StringIO):
    """A person whose output goes into a pipe."""

    def isatty(self) -> bool:
        """Yes."""
        return True


@pytest.mark.parametrize(("key", "told"), [("y\n", "removed"), ("\n", "declined"), ("", "decl")])
def test_a_person_is_asked_on_stderr_where_answers_go_into_a_pipe(
    key: str,
    told: str,
    app: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", Typist(key))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["chat", app, "--provider", "scripted", "-q", "remove name=x"]) == 0

    captured = capsys.readouterr()
    assert told in captured.out
    assert '{\n  "name": "x"\n}\nRun it? [y/N] ' in captured.err
    assert "[y/N]" not in captured.out


def test_commands_work_in_a_pipe_too(chat: Callable[..., Said], tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    typed = f"/undo\necho text=one\n/save {saved}\n/undo\n/save\n/log\n/help\n/quit\necho text=no\n"
    code, out, err = chat(typed=typed)

    assert code == 1
    assert "there is nothing to undo" in err
    assert "forgotten: 'echo text=one'; what its calls have done stays done" in err
    assert f"saved to {saved}" in err
    assert "modules and servers print to stderr" in err
    assert "/undo" in out
    assert "no\n" not in out.splitlines(keepends=True)
    assert len(Conversation.load(saved).exchanges) == 1
    assert Conversation.load(kept_files()[0]).exchanges == ()


def test_tools_are_shown_with_how_they_are_exported(chat: Callable[..., Said]) -> None:
    code, out, err = chat(typed="/tools\n/tools add\n/tools ad\n/tool\n/zzz\n")

    assert code == 1
    assert "remove (destructive)\n  Removes something.\n" in out
    assert "wipe (destructive, asks for confirmation)\n  Removes everything.\n" in out
    assert "add (reads only)\n  Adds two numbers.\n  note: " in out
    assert json.loads(out[out.index("\n{") :])["function"]["name"] == "add"
    assert "there is no function 'ad'; near it: add" in err
    assert "there is no command '/tool'; perhaps /tools" in err
    assert "there is no command '/zzz'; /help shows those that are" in err


def test_the_trace_of_a_streamed_reply_begins_on_a_line_of_its_own() -> None:
    """Also where answers and what is told beside go to one place."""
    both = io.StringIO()
    streams = ChatStreams(both, both, None, is_terminal=False, has_colours=False)
    screen = PlainScreen(streams)
    screen.show(TextEvent("I look."))
    screen.note("reply: calls")
    screen.show(TextEvent("Done."))
    screen.end()
    assert both.getvalue() == "I look.\nreply: calls\nDone.\n"


def test_an_empty_question_is_a_mistake_of_the_command_line(chat: Callable[..., Said]) -> None:
    code, out, err = chat("-q", "  ")
    assert (code, out) == (2, "")
    assert err == "--question is empty; give it as -q 'What can you do?'\n"


def test_a_line_that_begins_with_a_path_is_a_question(chat: Callable[..., Said]) -> None:
    assert "There is no function '/etc/hosts'" in chat(typed="/etc/hosts says what?\n")[1]


def test_the_trace_shows_requests_and_replies(chat: Callable[..., Said]) -> None:
    _, out, err = chat("--system", "Be short.", typed="/trace\necho text=a\n/trace\necho text=b\n")

    assert out == "a\nb\n"
    assert "request (openai-chat): 1 message (1 user)" in err
    assert "tools: 9, " in err
    assert '"role": "system",\n      "content": "Be short."' in err
    assert 'echo {"text": "a"}' in err
    assert "reply by typed: calls" in err
    assert 'text: "a"' in err
    assert err.count("request (openai-chat)") == 2


def test_the_system_text_is_what_the_app_says_of_itself(chat: Callable[..., Said]) -> None:
    chat("-q", "echo text=a")
    assert Conversation.load(kept_files()[-1]).system == "Keeps lists."
    chat("-q", "echo text=a", "--system", "Be short.")
    assert Conversation.load(kept_files()[-1]).system == "Be short."
    chat("-q", "echo text=a", "--resume", "--system", "Be long.")
    assert Conversation.load(kept_files()[-1]).system == "Be long."


def test_a_conversation_is_kept_for_its_owner_and_resumed(chat: Callable[..., Said]) -> None:
    chat(typed="echo text=one\n")
    chat(typed="echo text=two\n")
    chat("--resume", typed="echo text=three\n")

    first, second = kept_files()
    assert first.stat().st_mode & 0o777 == 0o600
    assert first.parent.stat().st_mode & 0o777 == 0o700
    assert len(Conversation.load(first).exchanges) == 1
    resumed = Conversation.load(second)
    assert [e.user[0].text for e in resumed.exchanges] == ["echo text=two", "echo text=three"]


def test_a_conversation_is_resumed_from_a_file_and_goes_on_there(
    chat: Callable[..., Said], tmp_path: Path
) -> None:
    saved = tmp_path / "mine.json"
    chat(typed=f"echo text=one\n/save {saved}\n")
    chat("--resume", str(saved), typed="echo text=two\n")

    assert len(Conversation.load(saved).exchanges) == 2


def test_a_metadata_file_behind_resume_is_the_metadata_file(
    app: str, chat: Callable[..., Said], capsys: pytest.CaptureFixture[str]
) -> None:
    chat(typed="echo text=one\n")
    words = ["--provider", "scripted", "-q", "echo text=two", "--resume", app]
    assert main(["chat", *words]) == 0
    assert capsys.readouterr().out == "two\n"
    assert len(kept_files()) == 1


def test_a_new_conversation_leaves_the_one_before(chat: Callable[..., Said]) -> None:
    _, _, err = chat(typed="echo text=one\n/new\necho text=two\n")

    assert "a new conversation" in err
    kept = [Conversation.load(path) for path in kept_files()]
    assert [c.exchanges[0].user[0].text for c in kept] == ["echo text=one", "echo text=two"]
    assert {c.system for c in kept} == {"Keeps lists."}


def test_conversations_of_other_apps_are_not_resumed(chat: Callable[..., Said]) -> None:
    chat(typed="echo text=one\n")
    code, _, err = chat("--resume", "-q", "x", file=SAMPLE)

    assert code == 2
    assert "--resume: no conversation with 'notes' has been kept" in err


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ('{"version": 99, "exchanges": []}', "99"),
        ('{"version": 1', "is no JSON"),
        ('{"version": 1, "system": "", "exchanges": 5}', "/exchanges"),
        ('{"version": 1, "states": {}}', "holds something else"),
    ],
)
def test_a_history_that_cannot_be_read_is_named_and_left_alone(
    content: str, fault: str, chat: Callable[..., Said], tmp_path: Path
) -> None:
    file = tmp_path / "history.json"
    file.write_text(content, encoding="utf-8")
    code, out, err = chat("--resume", str(file), "-q", "echo text=a")

    assert (code, out) == (2, "")
    assert str(file) in err
    assert fault in err
    assert file.read_text(encoding="utf-8") == content


def test_a_missing_history_is_named(chat: Callable[..., Said], tmp_path: Path) -> None:
    code, _, err = chat("--resume", str(tmp_path / "none.json"), "-q", "echo text=a")

    assert code == 2
    assert f"--resume: there is no file '{tmp_path}/none.json'" in err


def test_an_unwritable_place_is_told_once_and_the_conversation_goes_on(
    chat: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    code, out, err = chat(typed=f"echo text=one\necho text=two\n/save {tmp_path}/file/x.json\n")

    assert code == 1
    assert out == "one\ntwo\n"
    assert err.count("this conversation is not kept: ") == 1
    assert "is no folder" in err.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ([], "no model is named; give --provider PROVIDER:MODEL, such as anthropic:"),
        (["--provider", "scriptde"], "names no model; perhaps scripted; give"),
        (["--provider", "openai"], "'openai' names no model; give PROVIDER:MODEL"),
        (["--provider", "openai:gpt"], "there is no key for OpenAI; set OPENAI_API_KEY"),
        (["--provider", "anthropic:x"], "there is no key for Anthropic; set ANTHROPIC_API_KEY"),
        (["--provider", "scripted", "--base-url", "http://x"], "--base-url has no effect"),
        (["--provider", "scripted", "--max-iterations", "-1"], "a whole number of 0 or more"),
        (["--provider", "scripted", "--max-history-tokens", "0"], "number of 1 or more"),
        (["--provider", "scripted", "--url", "a=ftp://x"], "is no URL; give it as http://"),
        (["--provider", "scripted", "--command", "a= "], "--command has no command"),
        (["--provider", "scripted", "--command", "a 'b"], "No closing quotation"),
        (["--provider", "scripted", "--command", "x"], "needs a name before its functions"),
        (
            ["--provider", "scripted", "--command", "a=x", "--command", "a=y"],
            "two servers have the name 'a'",
        ),
        (["--provider", "scripted", "find_notes"], "is no metadata file"),
    ],
)
def test_what_cannot_be_used_is_one_line_with_exit_code_2(
    words: list[str],
    fault: str,
    app: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    files = [app] if words[-1:] != ["find_notes"] else []
    assert main(["chat", *files, *words]) == 2

    err = capsys.readouterr().err
    assert fault in err
    assert err.count("\n") == 1


def test_the_provider_may_stand_in_a_variable(
    app: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APPFUNCTIONS_PROVIDER", "scripted")
    assert main(["chat", app, "-q", "echo text=hi"]) == 0
    assert capsys.readouterr().out == "hi\n"


def test_only_some_functions_may_be_offered(chat: Callable[..., Said]) -> None:
    _, out, err = chat("--only", "add*", "--only", "zz*", "-q", "echo text=a")

    assert "There is no function 'echo'" in out
    assert "add(first, second, exact)" in out
    assert "warning: --only 'zz*' matches no function" in err


def test_the_oldest_exchanges_are_forgotten_beyond_a_limit(chat: Callable[..., Said]) -> None:
    typed = "".join(f"echo text={'x' * 400}{number}\n" for number in range(5))
    chat("--max-history-tokens", "900", "--system", "", typed=typed)

    assert 0 < len(Conversation.load(kept_files()[0]).exchanges) < 5


def test_no_function_can_be_called_with_no_rounds(chat: Callable[..., Said]) -> None:
    assert chat("--max-iterations", "0", "-q", "echo text=a")[1] == (
        "There is no function that could be called now.\n"
    )


def test_a_reader_who_has_gone_ends_the_conversation(app: str) -> None:
    """F30 for what is read by another program."""
    words = [*PROGRAM, "chat", app, "--provider", "scripted"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(words, stderr=subprocess.PIPE, cwd=PROJECT, **pipes) as process:
        assert process.stdout is not None
        process.stdout.close()
        process.stdout = None
        _, err = process.communicate(b"echo text=a\necho text=b\n", timeout=60)

    assert process.returncode == 1
    assert b"Traceback" not in err


def test_ctrl_c_ends_a_pipe_with_130_and_keeps_what_was_said(app: str) -> None:
    words = [*PROGRAM, "chat", app, "--provider", "scripted"]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(words, cwd=PROJECT, **pipes) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"wait_long\necho text=unread\n")
        process.stdin.flush()
        assert process.stderr.readline() == b"call: wait_long {}\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)

    assert (process.returncode, out) == (130, b"")
    assert err.endswith(b"cancelled\n")
    assert Conversation.load(kept_files()[0]).open_calls == ()


def test_ctrl_c_ends_a_pipe_that_nothing_comes_from(app: str) -> None:
    words = [*PROGRAM, "chat", app, "--provider", "scripted"]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(words, cwd=PROJECT, **pipes) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"echo text=one\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"one\n"
        process.send_signal(signal.SIGINT)
        process.wait(60)

    assert process.returncode == 130


@pytest.mark.anyio
async def test_whole_replies_are_traced_too() -> None:
    told: list[str] = []
    opaque = Opaque("anthropic", {"type": "thinking"})
    reply = ModelReply((opaque, FunctionCall("1", "add", {}, fault="cut")), model="some")
    traced = TracedModel(ScriptedModel([reply, reply]), told.append)
    request = ModelRequest(History((UserMessage(("Hello?",)),)))

    assert await traced.reply(request) == await traced.reply(request)
    assert told == []
    traced = TracedModel(ScriptedModel([reply]), told.append)
    traced.is_on = True
    await traced.reply(request)
    assert "tools: 0, none" in told[0]
    assert told[2].startswith("reply by some: end; ")
    assert told[3:] == [
        '  opaque (anthropic): {"type": "thinking"}',
        "  call 1: add {}; fault: cut",
    ]
