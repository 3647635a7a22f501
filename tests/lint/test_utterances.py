"""Reading utterances out of YAML."""

import sys
from pathlib import Path

import pytest

from appfunctions_mcp.lint.utterances import UtterancesError, read_utterances
from tests.support.evaluated import write_utterances

LIST = """# What users say.
- text: Delete   it
  function: delete_mail
- text: Удали письмо
  function: " delete_mail "
  arguments: {id: 3, when: 12:30, day: 2026-12-01, is_final: no, ok: true, share: -1.5e3, none: }
  contains: {text: [a, b]}
  without: [folder]
  before: {find: {ids: [3]}}
  language: uk
"""


def faults_of(folder: Path, text: str) -> list[str]:
    path = write_utterances(folder, text)
    with pytest.raises(UtterancesError) as caught:
        read_utterances(path)
    assert all(fault.startswith(str(path)) for fault in caught.value.faults)
    return [fault.removeprefix(str(path)) for fault in caught.value.faults]


def test_a_list_is_read_with_its_places(tmp_path: Path) -> None:
    first, second = read_utterances(write_utterances(tmp_path, LIST))

    assert (first.text, first.function, first.language) == ("Delete it", "delete_mail", "en")
    assert first.source == f"{tmp_path / 'utterances.yaml'}:2"
    assert (second.function, second.language, second.without) == ("delete_mail", "uk", ("folder",))
    assert second.contains == {"text": ["a", "b"]}
    assert second.before == {"find": {"ids": [3]}}


def test_values_are_what_json_would_make_of_them(tmp_path: Path) -> None:
    _, second = read_utterances(write_utterances(tmp_path, LIST))

    assert second.arguments == {
        "id": 3,
        "when": "12:30",
        "day": "2026-12-01",
        "is_final": "no",
        "ok": True,
        "share": -1500.0,
        "none": None,
    }


def test_parts_that_others_refer_to_stand_beside_the_list(tmp_path: Path) -> None:
    text = """\ufeffx-found: &found {find: []}
utterances:
- {text: Где письмо, function: f, before: {<<: *found, other: 1}}
"""
    (one,) = read_utterances(write_utterances(tmp_path, text))
    assert one.before == {"find": [], "other": 1}
    assert one.language == "ru"


def test_all_faults_are_told_at_once_with_their_lines(tmp_path: Path) -> None:
    text = """- text: a
- {text: b, function: 3}
- just a text
- {txt: c, function: f, text: ""}
- {text: d, function: f, arguments: [1], without: x, before: {1: 2}}
"""
    assert faults_of(tmp_path, text) == [
        ":1: 'function' is missing; give it as a text",
        ":2: 'function' is '3'; give a text, in quotes if need be",
        ":3: 'just a text' is no utterance; give an object with text and function",
        ":4: 'txt' is unknown; accepted is text",
        ":4: 'text' is ''; give a text, in quotes if need be",
        ":5: 'arguments' is no object; give names with values",
        ":5: 'before' is no object; give names with values",
        ":5: 'without' is no list of names; give the names of arguments",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ": the file is empty"),
        ("[]", ": there is no utterance"),
        ("text: a", ":1: 'text' stands in no list; begin each utterance with '- '"),
        ("say: a", ":1: 'say' is unknown; accepted are utterances, and keys that begin with x-"),
        ("- {text: Is it?, function: f}", ":1: expected ',' or '}', but got '?', at column 15; a"),
        ("- text: Buy this: a", ":1: mapping values are not allowed here, at column 17; a text"),
        ("- {text: a, function: f}\r\n---\r\n[]", ":2: expected a single document in the stream"),
        ("- text: a\n- text: \x01", ":2: the character #x0001 is not accepted; leave it out"),
        ("- {text: a b, function: f}\n- {text: A  B, function: g}", ":2: 'A B' is in line 1 too"),
        ("- [true, null]", ":1: '[true, null]' is no utterance"),
        ("x-a: 1", ":1: 'utterances' is missing"),
        ("utterances: 3", ":1: there is no list"),
        ("just a text", ":1: there is no list"),
        ("- {text: a, text: b, function: f}", ":1: the key 'text' stands there twice"),
        ("- {text: a, function: f, arguments: {b: 1, b: 2}}", ":1: the key 'b' stands there twice"),
        ("- text: 'a", ":1: found unexpected end of stream"),
        ("- !!python/name:os.system x", ":1: could not determine a constructor for the tag"),
        ("- {text: a, function: *f}", ":1: found undefined alias"),
        ("- {? [a] : b}", ":1: found unhashable key"),
        ("- {1: b, 2: c}", ":1: '1' is unknown"),
        ("- " + "[" * 5000, ": parts lie too deep in each other"),
    ],
)
def test_what_is_no_file_of_utterances_is_refused(text: str, told: str, tmp_path: Path) -> None:
    assert faults_of(tmp_path, text)[0].startswith(told)


def test_aliases_cannot_stand_for_endless_parts(tmp_path: Path) -> None:
    lines = ["x-0: &a0 [1, 1]"]
    lines += [f"x-{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]" for n in range(1, 40)]
    text = "\n".join([*lines, "utterances: *a39", ""])
    assert faults_of(tmp_path, text) == [": the file stands for more than 400000 parts; split it"]


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    with pytest.raises(UtterancesError, match="No such file"):
        read_utterances(tmp_path / "none.yaml")
    path = tmp_path / "utterances.yaml"
    path.write_bytes(b"- text: \xff\n")
    with pytest.raises(UtterancesError, match="not UTF-8; save it"):
        read_utterances(path)
    path.write_bytes(b"#" * (4 * 1024 * 1024 + 1))
    with pytest.raises(UtterancesError, match="more than 4194304 bytes; split it"):
        read_utterances(path)


def test_without_pyyaml_it_is_said_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(UtterancesError, match=r"pip install 'appfunctions-mcp\[eval\]'"):
        read_utterances(write_utterances(tmp_path, LIST))


def test_ten_thousand_utterances_are_read_and_each_knows_its_line(tmp_path: Path) -> None:
    """As editors of other systems write them, with a byte order mark and CRLF."""
    lines = [f"- {{text: say {n}, function: f, arguments: {{n: {n}}}}}" for n in range(10_000)]
    path = tmp_path / "utterances.yaml"
    path.write_bytes("\ufeff".encode() + "\r\n".join(lines).encode())

    found = read_utterances(path)

    assert len(found) == 10_000
    assert found[-1].source == f"{path}:10000"
    assert found[-1].arguments == {"n": 9999}
