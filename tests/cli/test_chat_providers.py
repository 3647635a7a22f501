"""`appfunctions-mcp chat` with the providers' own clients, and with MCP servers."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from appfunctions_mcp.assistant.conversation import Conversation
from appfunctions_mcp.cli import main
from tests.support.chat_terminal import CTRL_C, CTRL_D, at_a_terminal
from tests.support.http_server import http_server
from tests.support.metadata_files import write_metadata
from tests.support.providers import Call, Failure, Reply, ReplyStop, Usage, provider_server
from tests.support.stdio_server import PROJECT

Said = tuple[int, str, str]
PROVIDERS = {
    "openai:any": "openai-responses",
    "openai-chat:any": "openai-chat",
    "anthropic:any": "anthropic",
    "gemini:any": "gemini",
    "mistral:any": "mistral",
}


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC", "GEMINI", "MISTRAL", "OPENAI"):
        monkeypatch.setenv(f"{name}_API_KEY", "any")


@pytest.fixture
def app(tmp_path: Path) -> str:
    content = '<mcp:functions module="tests.support.chat_functions" />\n'
    return str(write_metadata(tmp_path, content=content))


@pytest.fixture
def command(app: str) -> str:
    """The command of an MCP server with the same functions."""
    return shlex.join([sys.executable, "-m", "appfunctions_mcp", "run", app])


@pytest.fixture
def chat(capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    def said(*words: str) -> Said:
        code = main(["chat", *words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return said


@pytest.fixture
def program() -> Callable[..., Said]:
    """As `chat`, in a process of its own, whose servers need real streams."""

    def said(*words: str) -> Said:
        done = subprocess.run(
            [sys.executable, "-m", "appfunctions_mcp", "chat", *words],
            capture_output=True,
            text=True,
            check=False,
            cwd=PROJECT,
            stdin=subprocess.DEVNULL,
            timeout=60,
        )
        return done.returncode, done.stdout, done.stderr

    return said


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_model_calls_functions_and_answers(
    provider: str, app: str, chat: Callable[..., Said]
) -> None:
    calls = [Call("echo", {"text": "one"}), Call("remove", {"name": "x"})]
    with provider_server(Reply("I look. ", *calls), "It is one.") as server:
        url = server.url_of(PROVIDERS[provider])
        words = ("--provider", provider, "--base-url", url, "-q", "What is it?", "--yes")
        code, out, err = chat(app, *words)

    assert (code, server.refused) == (0, [])
    assert out == "I look. \nIt is one.\n"
    assert 'call: echo {"text": "one"}\n' in err
    assert "result: remove: removed x\n" in err
    assert [request.model for request in server.requests] == ["any", "any"]
    assert server.requests[1].result_texts == ["one", "removed x"]


def test_a_conversation_goes_on_with_another_provider(app: str, chat: Callable[..., Said]) -> None:
    with provider_server(Reply(Call("echo", {"text": "a"})), "It is a.", "Still a.") as server:
        for provider, more in (("anthropic:any", []), ("openai:any", ["--resume"])):
            url = server.url_of(PROVIDERS[provider])
            words = ("--provider", provider, "--base-url", url, "-q", "What is it?", *more)
            assert chat(app, *words)[0] == 0

    assert server.refused == []
    assert "What is it?" in json.dumps(server.requests[2].body)
    assert "It is a." in json.dumps(server.requests[2].body)


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (Failure(401), "check the key in ANTHROPIC_API_KEY"),
        (Reply("Too lo", stop=ReplyStop.LENGTH), "cut: the model's limit of output tokens"),
        (Reply("No.", stop=ReplyStop.REFUSED), "refused"),
    ],
)
def test_a_question_without_a_whole_answer_is_exit_code_1(
    step: Reply | Failure, told: str, app: str, chat: Callable[..., Said]
) -> None:
    with provider_server(step) as server:
        url = server.anthropic_url
        code, _, err = chat(app, "--provider", "anthropic:any", "--base-url", url, "-q", "Hm?")

    assert code == 1
    assert told in err


def test_tokens_are_told_as_json(app: str, chat: Callable[..., Said]) -> None:
    with provider_server(Reply("Yes.", usage=Usage(100, 7, 40))) as server:
        words = ("--provider", "openai:any", "--base-url", server.openai_url)
        _, out, _ = chat(app, *words, "--json", "-q", "Hm?")

    stop = json.loads(out.splitlines()[-1])
    counted = (stop["input_tokens"], stop["output_tokens"], stop["cached_tokens"])
    assert counted == (100, 7, 40)


def test_an_mcp_server_is_started_and_its_tools_are_called(
    command: str, program: Callable[..., Said]
) -> None:
    words = ("--command", command, "--provider", "scripted")
    code, out, _ = program(*words, "-q", "echo text=one; add first=1 second=2")

    assert code == 0
    assert out == 'echo: one\nadd: {"result":3}\n'


def test_what_a_server_tells_of_itself_is_the_system_text(
    command: str, program: Callable[..., Said], tmp_path: Path
) -> None:
    assert program("--command", command, "--provider", "scripted", "-q", "echo text=one")[0] == 0
    (kept,) = (tmp_path / "xdg_state_home").rglob("conversations/*/*.json")
    assert Conversation.load(kept).system == "Keeps lists."


def test_the_provider_s_key_is_not_passed_on_to_a_server(
    command: str, program: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OF_THE_SERVER", "passed on")
    question = "variable name=OPENAI_API_KEY; variable name=OF_THE_SERVER"
    _, out, _ = program("--command", command, "--provider", "scripted", "-q", question)

    assert out == "variable: (not set)\nvariable: passed on\n"


def test_an_app_and_servers_stand_side_by_side(
    app: str, command: str, program: Callable[..., Said]
) -> None:
    words = ("--command", f"far={command}", "--provider", "scripted", "--only", "*echo")
    arguments = ["-m", "appfunctions_mcp", "run", app, "--http", "0"]
    with http_server(*arguments, cwd=str(PROJECT), env=dict(os.environ)) as running:
        question = "echo text=a; far_echo text=b; web_echo text=c; add first=1"
        _, out, _ = program(app, *words, "--url", f"web={running.url}", "-q", question)
        assert "There is no function 'add'" in out
        _, out, _ = program(app, *words, "--url", f"web={running.url}", "-q", question[:-13])

    assert out == "echo: a\nfar_echo: b\nweb_echo: c\n"


def test_globs_that_match_nothing_of_servers_are_told(
    command: str, program: Callable[..., Said]
) -> None:
    words = ("--command", f"far={command}", "--provider", "scripted", "--only", "zz*")
    _, out, err = program(*words, "-q", "/help")

    assert "--only 'zz*' matches no function; those of servers begin with their NAME_" in err
    assert out == "There is no function that could be called now.\n"


def test_arguments_are_checked_before_anybody_is_asked(
    app: str, command: str, program: Callable[..., Said]
) -> None:
    words = ("--command", f"far={command}", "--provider", "scripted", "--only", "remove")
    _, out, err = program(app, *words, "-q", "remove nme=x")

    assert "AppFunctionInvalidArgumentException" in out
    assert "nobody can be asked" not in err


def test_a_server_that_cannot_be_reached_is_exit_code_1(program: Callable[..., Said]) -> None:
    url = "http://127.0.0.1:9/mcp"
    code, out, err = program("--url", url, "--provider", "scripted", "-q", "echo text=a")

    assert (code, out) == (1, "")
    assert "the MCP server '127.0.0.1' cannot be used" in err


def test_ctrl_c_cancels_a_call_of_a_server_that_stays(command: str) -> None:
    with at_a_terminal("chat", "--command", command, "--provider", "scripted") as person:
        person.wait_for("you> ")
        person.type("wait_long\n")
        person.wait_for("→ 1")
        person.type(CTRL_C)
        assert "cancelled" in person.wait_for("you> ")
        person.type("echo text=still\n")
        person.wait_for("still\r\n")
        person.wait_for("you> ")
        person.type(CTRL_D)
        assert person.wait_for_end() == 0
