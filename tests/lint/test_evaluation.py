"""What is counted of what users say, and how it is shown."""

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from appfunctions_mcp.lint.evaluation import (
    Evaluation,
    Outcome,
    evaluate_texts,
    functions_meant,
    reached,
)
from appfunctions_mcp.lint.evaluation_json import evaluation_as_json
from appfunctions_mcp.lint.evaluation_page import evaluation_page
from appfunctions_mcp.lint.utterances import UtterancesError
from tests.support.evaluated import MAIL, evaluated, functions_of, said

SAID = (
    said("Delete that message", "delete_mail"),
    said("Write to Anna by mail", "send_mail"),
    said("Throw away that mail of those people", "delete_mail"),
    said("Throw this mail into the bin", "delete_mail"),
    said("Hello", "list_folders"),
    said("Покажи папки", "list_folders", "ru"),
)


def test_utterances_are_counted_by_language_and_function() -> None:
    evaluation = evaluated(*SAID)

    assert evaluation.languages == ("en", "ru")
    assert reached(evaluation.of_language("ru"), 1) == 1
    assert [each.rank for each in evaluation.outcomes] == [1, 1, 2, 2, None, 1]
    assert (reached(evaluation.outcomes, 1), reached(evaluation.outcomes, 2)) == (3, 5)
    assert len(evaluation.of_function("delete_mail")) == 3
    assert evaluation.outcomes[4].first == ""


def test_the_words_that_decided_and_those_that_nobody_says_are_known() -> None:
    first, *_, greeting, _ = evaluated(*SAID).outcomes

    assert first.words[0] == "delete"
    assert greeting.unknown_words == ("hello",)


def test_what_is_as_good_as_the_right_function_comes_before_it() -> None:
    functions = functions_of(("one", "An apple."), ("two", "An apple."), ("three", "Plums."))
    (outcome,) = evaluate_texts(functions, [said("apple", "one")]).outcomes

    assert outcome.rank == 2
    assert outcome.chosen == ("two", "one")


def test_mistakes_make_a_confusion_and_a_pair() -> None:
    evaluation = evaluated(*SAID)

    assert evaluation.confused() == {
        ("delete_mail", "delete_mail"): 1,
        ("delete_mail", "send_mail"): 2,
        ("list_folders", ""): 1,
        ("list_folders", "list_folders"): 1,
        ("send_mail", "send_mail"): 1,
    }
    (pair,) = evaluation.pairs()
    assert (pair.first, pair.second, pair.mistaken) == ("send_mail", "delete_mail", 2)
    assert 0 < pair.likeness < 0.6


def test_texts_alone_make_a_pair_that_no_utterance_has_shown() -> None:
    functions = functions_of(
        ("get_user", "Returns a user by the id of an account."),
        ("get_users", "Returns users by the id of an account."),
        ("play", "Plays music."),
    )
    (pair,) = evaluate_texts(functions, [said("Play music", "play")]).pairs()
    assert (pair.mistaken, pair.likeness > 0.6) == (0, True)


def test_functions_are_meant_by_name_or_id_and_unknown_ones_are_told_together() -> None:
    (function,) = functions_meant(MAIL, [said("a", MAIL[0].function_id)])
    assert function is MAIL[0]
    with pytest.raises(UtterancesError) as caught:
        evaluated(said("a", "send_male"), said("b", "send_mail", before={"zzzz": 1}))
    assert caught.value.faults == (
        "said.yaml:1: there is no function 'send_male'; near it: send_mail",
        "said.yaml:1: there is no function 'zzzz'; there are send_mail, delete_mail, list_folders",
    )


def test_an_argument_that_a_function_does_not_take_is_told() -> None:
    schema = {"type": "object", "properties": {"product": {}, "count": {}}}
    functions = functions_of(
        {"name": "order", "inputSchema": schema},
        {"name": "open", "inputSchema": {"additionalProperties": True}},
        {"name": "any", "inputSchema": {"anyOf": []}},
        ("none", ""),
    )
    utterances = [
        said("a", "order", arguments={"produkt": 1, "count": 2}, without=("product", "x")),
        said("b", "open", contains={"x": ""}),
        said("c", "any", contains={"x": ""}),
        said("d", "none", contains={"x": ""}),
    ]
    with pytest.raises(UtterancesError) as caught:
        functions_meant(functions, utterances)
    assert caught.value.faults == (
        "said.yaml:1: order takes no 'produkt'; it takes product, count",
        "said.yaml:1: order takes no 'x'; it takes product, count",
        "said.yaml:1: none takes no 'x'; it takes nothing",
    )


def by_a_model() -> Evaluation:
    one, two, three, *_ = SAID
    return Evaluation(
        MAIL,
        (
            Outcome(one, "delete_mail", ("delete_mail",), 1),
            Outcome(two, "send_mail", ("send_mail",), 1, argument_faults=("to is missing",)),
            Outcome(three, "delete_mail", ("made_up",), None, note="it called x beside"),
        ),
        chosen_by="any:model",
    )


def test_a_model_s_call_is_right_with_its_arguments_only() -> None:
    value = evaluation_as_json(by_a_model())

    assert (value["chosen_by"], value["count"]) == ("any:model", 3)
    assert (value["top_1"], value["right"]) == (2, 1)
    assert "top_3" not in value
    assert value["utterances"][1]["argument_faults"] == ["to is missing"]
    assert value["utterances"][2]["reached"] == "made_up"


def test_json_has_everything_in_the_order_of_the_utterances() -> None:
    value: dict[str, Any] = json.loads(json.dumps(evaluation_as_json(evaluated(*SAID))))

    assert (value["count"], value["top_1"], value["top_3"]) == (6, 3, 5)
    assert value["languages"]["ru"] == {"count": 1, "top_1": 1, "top_3": 1}
    assert value["functions"]["delete_mail"] == {"count": 3, "top_1": 1, "top_3": 3}
    nowhere = {"expected": "list_folders", "reached": None, "count": 1}
    assert nowhere in value["confusion"]
    assert value["pairs"][0]["functions"] == ["send_mail", "delete_mail"]
    assert [each["text"] for each in value["utterances"]] == [each.text for each in SAID]
    assert value["utterances"][0]["reached"][0]["function"] == "delete_mail"
    assert value["utterances"][4]["unknown_words"] == ["hello"]


class _Elements(HTMLParser):
    """The elements of a page, each closed in its place."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.met: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:  # noqa: ARG002 - as the parser calls it
        self.met.append(tag)
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("evaluation", [evaluated(*SAID), by_a_model(), evaluated(SAID[0])])
def test_the_page_is_whole_and_loads_nothing(evaluation: Evaluation) -> None:
    page = evaluation_page(evaluation, "mail")
    elements = _Elements()
    elements.feed(page)

    assert elements.open == []
    assert not {"script", "link", "img", "iframe"} & set(elements.met)
    assert "http://" not in page
    assert "https://" not in page
    assert "default-src 'none'" in page
    assert page == evaluation_page(evaluation, "mail")


def test_the_page_shows_counts_mistakes_and_reasons() -> None:
    page = evaluation_page(evaluated(*SAID), "mail")

    assert "6 utterances, 3 functions, chosen by their texts." in page
    assert "top 1: 3 of 6" in page
    assert '<td class="wrong s2" title="delete_mail meant, send_mail reached">2</td>' in page
    assert "no function says <em>hello</em>" in page
    assert re.search(r"<h2>Russian</h2><p class=\"number\">100%</p>", page)
    assert "Not reached: 3" in page
    assert "to is missing" in evaluation_page(by_a_model(), "mail")
    assert "hard to tell apart</h2>\n<p>None" in evaluation_page(evaluated(SAID[0]), "mail")


def test_what_comes_from_outside_cannot_change_the_page() -> None:
    text = "<script>alert(1)</script>\u202e &amp; <b>"
    functions = functions_of(('a"><img>', "A script."), ("other", "A pear."))
    utterance = said(text, "other", '"><i>')
    page = evaluation_page(evaluate_texts(functions, [utterance]), "<h1>")
    assert '<th scope="col" title="a&quot;&gt;&lt;img&gt;"><span>a&quot;&gt;&lt;img&gt;' in page
    assert 'title="other meant, a&quot;&gt;&lt;img&gt; reached">1</td>' in page

    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp;amp; &lt;b&gt;" in page
    assert not any(word in page for word in ("<script", "<img", '"><i>', "<b>", "\u202e"))
