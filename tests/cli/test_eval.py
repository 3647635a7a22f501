"""`appfunctions-mcp eval`: by texts, of apps, saved lists and servers; through a model."""

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp.cli import main
from appfunctions_mcp.lint.utterances import read_utterances
from tests.support.chat_terminal import at_a_terminal
from tests.support.evaluated import write_utterances
from tests.support.metadata_files import write_metadata
from tests.support.providers import Always, Call, Failure, Recorded, Reply, provider_server
from tests.support.providers.requests import Request
from tests.support.stdio_server import PROJECT

SAMPLE = str(PROJECT / "metadata" / "app_metadata.xml")
SAID = PROJECT / "metadata" / "utterances.yaml"
HELD_OUT = PROJECT / "tests" / "lint" / "held_out_utterances.yaml"
Said = tuple[int, str, str]
UTTERANCES = """
- {text: Add two numbers please, function: add, arguments: {first: 2, second: 2}, without: [exact]}
- {text: Repeat it, function: echo, contains: {text: it}}
- {text: Clean the house, function: wipe, before: {variable: "x", echo: {text: x}}}
"""


@pytest.fixture(autouse=True)
def _own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTES_DB", str(tmp_path / "notes.db"))
    for name in ("ANTHROPIC", "OPENAI", "GEMINI"):
        monkeypatch.setenv(f"{name}_API_KEY", "any")


@pytest.fixture
def app(tmp_path: Path) -> str:
    """An app of a few functions with its utterances beside it."""
    write_utterances(tmp_path, UTTERANCES)
    content = '<mcp:functions module="tests.support.chat_functions" />\n'
    return str(write_metadata(tmp_path, content=content))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    def ran(*words: str) -> Said:
        code = main(["eval", *words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return ran


def test_an_app_is_evaluated_with_the_utterances_beside_it(
    app: str, run: Callable[..., Said]
) -> None:
    code, out, err = run(app)

    assert (code, err) == (0, "")
    assert "3 utterances, 9 functions, chosen by their texts" in out
    assert "Clean the house" in out.partition("not reached")[2]
    assert "Add two numbers" not in out
    assert not any(line != line.rstrip() for line in out.splitlines())


def test_the_sample_app_has_sixty_utterances_that_each_name_a_function(
    run: Callable[..., Said],
) -> None:
    """Thirty in each language, of all functions, those that are switched off among them."""
    code, out, _ = run(SAMPLE, "--json")
    value = json.loads(out)

    assert code == 0
    assert [value["languages"][each]["count"] for each in ("en", "ru")] == [30, 30]
    assert all(each["count"] >= 4 for each in value["functions"].values())
    assert len(value["functions"]) == 9
    texts = [each["text"] for each in value["utterances"]]
    assert len(set(texts)) == 60
    assert "hard to tell apart" in run(SAMPLE)[1]


def test_the_sample_s_utterances_are_not_taken_from_its_descriptions(
    run: Callable[..., Said],
) -> None:
    main(["list", SAMPLE, "--all", "--json"])
    _, out, _ = run(SAMPLE, "--json")
    listed, _, evaluated = out.partition("}\n{")
    descriptions = listed.casefold()
    for each in json.loads("{" + evaluated)["utterances"]:
        words = each["text"].casefold().split()
        assert not any(" ".join(words[i : i + 4]) in descriptions for i in range(len(words) - 3))


@pytest.mark.parametrize(
    ("utterances", "first", "among_three"),
    [(SAID, 0.7, 0.88), (HELD_OUT, 0.6, 0.82)],
    ids=["own", "held out"],
)
def test_the_sample_is_reached_by_what_users_say_in_both_languages(
    utterances: Path, first: float, among_three: float, run: Callable[..., Said]
) -> None:
    """Some sentences below what is reached today: 77 % and 83 %, of the others 67 % and 77 %."""
    languages = json.loads(run(SAMPLE, str(utterances), "--json")[1])["languages"]

    assert [languages[each]["count"] for each in ("en", "ru")] == [30, 30]
    for language, counts in languages.items():
        assert counts["top_1"] >= first * 30, language
        assert counts["top_3"] >= among_three * 30, language


def test_no_held_out_sentence_is_one_of_the_sample_s() -> None:
    own, others = ({each.text for each in read_utterances(path)} for path in (SAID, HELD_OUT))
    assert len(others) == 60
    assert not own & others


def meant(request: Request) -> Reply:
    """What a perfect model would call, out of the sample's own expectations."""
    (said,) = [each for each in read_utterances(SAID) if each.text == request.user_text]
    if "find_notes" in said.before and not request.result_texts:
        return Reply(Call("find_notes", {"query": "it"}))
    arguments = {"create_note": {"title": "It"}, "find_notes": {"query": "it"}}.get(
        said.function, {}
    )
    given = {**arguments, **said.arguments}
    for name, texts in said.contains.items():
        is_set = said.function == "update_note"
        wanted = texts.get("value") if isinstance(texts, dict) else texts
        text = " ".join(wanted) if isinstance(wanted, list) else wanted or "it"
        given[name] = {"value": text} if is_set else text
    for attachment in given.get("attachments", []):
        attachment["name"] = "page"
    return Reply(Call(said.function, given))


def test_what_the_sample_s_utterances_expect_can_be_met(run: Callable[..., Said]) -> None:
    """The expected arguments fit the functions' schemas, also where an id is looked for first."""
    with provider_server(Always(meant)) as server:
        words = ("--provider", "openai-chat:any", "--base-url", server.openai_url)
        code, out, _ = run(SAMPLE, *words, "--at-least", "100")

    assert (code, server.refused) == (0, []), out
    assert len(server.requests) > 60


def test_the_same_texts_give_the_same_bytes(run: Callable[..., Said], tmp_path: Path) -> None:
    pages = [tmp_path / "one.html", tmp_path / "two.html"]
    printed = [run(SAMPLE, "--json", "--html", str(page))[1] for page in pages]

    assert printed[0] == printed[1]
    assert pages[0].read_bytes() == pages[1].read_bytes()


@pytest.mark.parametrize(("least", "code"), [("0", 0), ("66", 0), ("67", 1), ("100", 1)])
def test_fewer_than_are_asked_for_are_exit_code_1(
    least: str, code: int, app: str, run: Callable[..., Said]
) -> None:
    utterances = write_utterances(
        Path(app).parent,
        "- {text: Add numbers, function: add}\n- {text: add that, function: add}\n"
        "- {text: Hm, function: echo}\n",
    )
    assert run(app, str(utterances), "--at-least", least)[0] == code


def test_a_saved_list_of_tools_is_evaluated(tmp_path: Path, run: Callable[..., Said]) -> None:
    tools = tmp_path / "tools.json"
    tools.write_text(json.dumps({"tools": [{"name": "play_song"}, {"name": "stop"}]}))
    path = write_utterances(tmp_path, "- {text: Play a song, function: play_song}")
    code, out, _ = run(str(tools), str(path))

    assert code == 0
    assert f"{tools}: 1 utterance, 2 functions" in out.replace("\n", " ")


def test_utterances_are_looked_for_beside_what_is_given(
    app: str, run: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = "3 utterances, 9 functions"
    assert told in run(str(tmp_path))[1]
    monkeypatch.chdir(tmp_path)
    assert told in run()[1]
    assert told in run("utterances.yaml")[1]
    (tmp_path / "utterances.yaml").rename(tmp_path / "said.yml")
    assert told in run("said.yml")[1]
    assert run(app)[0] == 2
    monkeypatch.setenv("APPFUNCTIONS_FILE", app)
    monkeypatch.chdir("/")
    assert f"{tmp_path / 'utterances.yaml'}: No such file" in run()[2]


def test_an_android_app_is_evaluated(run: Callable[..., Said], tmp_path: Path) -> None:
    app = tmp_path / "app_functions.xml"
    app.write_text(
        "<appfunctions><appfunction><id>a.Notes#createNote</id><enabledByDefault>true"
        "</enabledByDefault><description>Creates a note.</description></appfunction>"
        "<appfunction><id>a.Notes#dropNote</id><enabledByDefault>true</enabledByDefault>"
        "<description>Deletes a note.</description></appfunction></appfunctions>"
    )
    path = write_utterances(tmp_path, "- {text: Delete my note, function: dropNote}")
    code, out, err = run(str(app), str(path), "--json")

    assert (code, err) == (0, "")
    assert json.loads(out)["utterances"][0]["rank"] == 1


def test_a_server_is_evaluated(app: str, tmp_path: Path) -> None:
    command = shlex.join([sys.executable, "-m", "appfunctions_mcp", "run", app])
    path = write_utterances(tmp_path, "- {text: Add two numbers, function: add}")
    words = ("--command", command, "--name", "far", "--only", "a*", str(path), "--json")
    done = subprocess.run(
        [sys.executable, "-m", "appfunctions_mcp", "eval", *words],
        capture_output=True,
        text=True,
        check=True,
        cwd=PROJECT,
        timeout=60,
    )

    assert list(json.loads(done.stdout)["functions"]) == ["add"]


def test_a_server_that_cannot_be_reached_is_exit_code_1(app: str, run: Callable[..., Said]) -> None:
    utterances = str(Path(app).parent / "utterances.yaml")
    code, out, err = run("--url", "http://127.0.0.1:9/mcp", utterances)

    assert (code, out) == (1, "")
    assert "http://127.0.0.1:9/mcp: the server cannot be asked" in err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["{app}", "a.yaml", "b.yaml"], "'b.yaml' is one word too many"),
        (["{app}", "--base-url", "http://x"], "--base-url has no effect alone"),
        (["{app}", "--at-least", "101"], "--at-least: '101'; give a whole number from 0 to 100"),
        (["{app}", "--at-least", "many"], "--at-least: 'many'; give a whole number from 0 to 100"),
        (["{app}", "--limit", "0"], "--limit: '0'; give a whole number from 1 to 99999"),
        (["{app}", "{utterances}", "--url", "http://x"], "FILE, --command and --url name"),
        (["--url", "http://x"], "give UTTERANCES, a YAML file"),
        (["t.json", "{utterances}"], "t.json: cannot be read: No such file or directory"),
        (["{empty}", "{utterances}"], "has no function that could be reached"),
        (["{app}", "--only", "zzz"], "has no function that could be reached"),
        (["{app}", "none.yaml"], "none.yaml: No such file or directory"),
        (["{app}", "--html", "/no/such/page.html"], "--html /no/such/page.html: No such file"),
        (["{app}", "--provider", "nobody:any"], "'nobody:any' names no model"),
    ],
)
def test_a_mistake_in_the_command_line_is_exit_code_2(
    words: list[str], told: str, app: str, run: Callable[..., Said], tmp_path: Path
) -> None:
    (tmp_path / "empty.json").write_text("[]")
    places = {
        "{app}": app,
        "{utterances}": str(tmp_path / "utterances.yaml"),
        "{empty}": str(tmp_path / "empty.json"),
    }
    code, out, err = run(*[places.get(word, word) for word in words])

    assert (code, out) == (2, "")
    assert told in err


def test_a_function_that_there_is_none_of_is_told_with_its_line(
    app: str, run: Callable[..., Said], tmp_path: Path
) -> None:
    path = write_utterances(tmp_path, "- {text: Say it, function: ecko}")
    assert run(app, str(path)) == (
        2,
        "",
        f"{path}:1: there is no function 'ecko'; near it: echo\n",
    )


def answered(request: Request) -> Reply | str:
    """Adds rightly, repeats with a wrong argument, and looks twice before it cleans."""
    if request.result_texts:
        return Reply(Call("wipe")) if len(request.result_texts) == 2 else "Hm."
    if "Add" in request.user_text:
        return Reply(Call("add", {"first": 2, "second": 2, "exact": True}))
    if "Repeat" in request.user_text:
        return Reply(Call("echo", {"text": "that"}))
    return Reply(Call("variable", {"name": "a"}), Call("echo", {"text": "x"}))


@pytest.mark.parametrize(
    ("provider", "form"),
    [
        ("anthropic:any", "anthropic"),
        ("openai:any", "openai-responses"),
        ("openai-chat:any", "openai-chat"),
        ("gemini:any", "gemini"),
    ],
)
def test_a_model_chooses_and_nothing_is_executed(
    provider: str, form: str, app: str, run: Callable[..., Said]
) -> None:
    with provider_server(Always(answered)) as server:
        words = ("--provider", provider, "--base-url", server.url_of(form), "--json")
        code, out, _ = run(app, *words)

    value = json.loads(out)
    assert (code, server.refused) == (0, [])
    assert (value["chosen_by"], value["top_1"], value["right"]) == (provider, 3, 1)
    added, repeated, cleaned = (each["argument_faults"] for each in value["utterances"])
    assert added == ["exact is given"]
    assert repeated == ["text is 'that', not a text with 'it'"]
    assert cleaned == []
    given = [text for request in server.requests for text in request.result_texts]
    assert [given[0], json.loads(given[1]) if form != "gemini" else {"text": given[1]}] == [
        "x",
        {"text": "x"},
    ]
    assert "Keeps lists." in json.dumps(server.requests[0].body)


def outcomes_of(answer: Any, app: str, run: Callable[..., Said]) -> list[dict[str, Any]]:
    with provider_server(Always(answer)) as server:
        words = ("--provider", "anthropic:any", "--base-url", server.anthropic_url, "--json")
        outcomes: list[dict[str, Any]] = json.loads(run(app, *words)[1])["utterances"]
    return outcomes


def test_a_model_that_does_not_call_or_calls_another_function_is_wrong(
    app: str, run: Callable[..., Said]
) -> None:
    outcomes = outcomes_of("I cannot.", app, run)
    assert [each["note"] for each in outcomes] == ["it said 'I cannot.'"] * 3
    assert [each["reached"] for each in outcomes] == [None] * 3

    outcomes = outcomes_of(Reply(Call("wipe"), Call("made_up")), app, run)
    assert [each["reached"] for each in outcomes] == ["wipe"] * 3
    assert [each["rank"] for each in outcomes] == [None, None, 1]
    assert outcomes[2]["note"] == "it called made_up beside"


def test_a_model_that_only_looks_and_never_acts_is_ended(
    app: str, run: Callable[..., Said]
) -> None:
    *_, last = outcomes_of(Reply(Call("echo", {"text": "x"})), app, run)

    assert (last["reached"], last["rank"]) == ("echo", None)
    assert last["note"] == "it called echo again and again"


def test_arguments_that_fit_no_schema_are_told(app: str, run: Callable[..., Said]) -> None:
    first, *_ = outcomes_of(Reply(Call("add", {"first": [2], "second": 2})), app, run)
    assert first["argument_faults"] == [
        "first is [2], not 2",
        "the arguments do not fit the function's schema",
    ]
    first, *_ = outcomes_of(Reply(Call("add", {"first": 1}), Call("add", {"first": 2})), app, run)
    assert first["argument_faults"] == ["second is missing, not 2"]


def test_arguments_and_replies_that_cannot_be_read_are_told(
    app: str, run: Callable[..., Said]
) -> None:
    with provider_server(
        Reply(Call("add", '{"first": ')), Always(Recorded({"choices": []}))
    ) as server:
        words = ("--provider", "openai-chat:any", "--base-url", server.openai_url, "--json")
        outcomes = json.loads(run(app, *words)[1])["utterances"]

    (unread,) = [each for each in outcomes if each["argument_faults"]]
    assert "were cut off" in unread["argument_faults"][0]
    assert all(each["note"] for each in outcomes if each is not unread)


def test_a_provider_that_refuses_ends_the_run_with_exit_code_1(
    app: str, run: Callable[..., Said]
) -> None:
    path = write_utterances(
        Path(app).parent, "".join(f"- {{text: Add {n}, function: add}}\n" for n in range(30))
    )
    with provider_server(Always(Failure(401))) as server:
        words = ("--provider", "anthropic:any", "--base-url", server.anthropic_url)
        code, out, err = run(app, str(path), *words)

    assert (code, out) == (1, "")
    assert len(server.requests) < 10
    assert "check the key in ANTHROPIC_API_KEY" in err
    assert "0 of 30 utterances were answered" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("status", [429, 500])
def test_a_provider_that_fails_is_told_with_what_is_known(
    status: int, app: str, run: Callable[..., Said]
) -> None:
    def failing(request: Request) -> Reply | Failure:
        is_first = "Add" in request.user_text
        return Reply(Call("add", {"first": 2, "second": 3})) if is_first else Failure(status)

    with provider_server(Always(failing)) as server:
        words = ("--provider", "openai-chat:any", "--base-url", server.openai_url)
        code, out, err = run(app, *words)

    assert code == 1
    assert "not right" in out
    assert "add (second is 3, not 2)" in out
    assert f"({status})" in err
    assert err.endswith("; 1 of 3 utterances were answered\n")


@pytest.mark.parametrize(("provider", "key"), [("openai", "OPENAI"), ("anthropic", "ANTHROPIC")])
def test_without_a_key_nothing_is_asked(
    provider: str,
    key: str,
    app: str,
    run: Callable[..., Said],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(f"{key}_API_KEY")
    code, out, err = run(app, "--provider", f"{provider}:any")

    assert (code, out) == (2, "")
    assert f"set {key}_API_KEY" in err


@pytest.mark.parametrize(
    ("limit", "asked"), [("2", ["one", "three"]), ("9", ["one", "two", "three", "four"])]
)
def test_a_limit_bounds_what_is_asked_and_takes_of_the_whole_file(
    limit: str, asked: list[str], app: str, run: Callable[..., Said]
) -> None:
    lines = [f"- {{text: {n}, function: add}}\n" for n in ("one", "two", "three", "four")]
    path = write_utterances(Path(app).parent, "".join(lines))
    with provider_server(Always("No.")) as server:
        words = ("--provider", "openai-chat:any", "--base-url", server.openai_url)
        code, out, _ = run(app, str(path), *words, "--limit", limit, "--json")

    assert code == 0
    assert len(server.requests) == len(asked)
    assert [each["text"] for each in json.loads(out)["utterances"]] == asked


def test_what_was_answered_before_a_refusal_is_reported(app: str, run: Callable[..., Said]) -> None:
    def once(request: Request) -> Reply | Failure:
        is_first = "Add" in request.user_text
        return Reply(Call("add", {"first": 2, "second": 2})) if is_first else Failure(400, "no")

    with provider_server(Always(once)) as server:
        words = ("--provider", "openai-chat:any", "--base-url", server.openai_url)
        code, out, _ = run(app, *words)

    assert code == 1
    assert "1 utterance, " in out


def test_a_terminal_gets_colours_and_sees_how_far_it_is(app: str) -> None:
    with provider_server(Always(answered)) as server:
        words = ("--provider", "anthropic:any", "--base-url", server.anthropic_url)
        with at_a_terminal("eval", app, *words) as person:
            person.wait_for("3 of 3")
            assert "exact is given" in person.wait_for("confusion")
            assert person.wait_for_end() == 0
