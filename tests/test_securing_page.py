"""Every promise of docs/securing.md names the tests that attack it, and they are there."""

import ast
import re

from tests.support.documents import ROOT

PAGE = ROOT / "docs" / "securing.md"
TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


def promises() -> list[tuple[str, str]]:
    """The rows of the tables of promises: what holds, and the cell with the attacks."""
    text = PAGE.read_text("utf-8")
    tables = re.findall(
        r"^\| what holds \| the attack \|\n\|[^\n]+\n((?:\|.*\n)+)", text, re.MULTILINE
    )
    rows = [row.strip("| ").split(" | ") for table in tables for row in table.splitlines()]
    return [(row[0], row[-1]) for row in rows]


def test_every_promise_names_an_attack_that_is_run() -> None:
    rows = promises()
    assert len(rows) > 30
    for promise, attacks in rows:
        named = TEST.findall(attacks)
        assert named, promise
        assert TEST.sub("", attacks).strip() == "", promise
        for file, test in named:
            tree = ast.parse((ROOT / file).read_text("utf-8"))
            tests = {
                node.name
                for node in tree.body
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            }
            assert (test in tests) if test else any(n.startswith("test_") for n in tests), (
                file,
                test,
            )


def test_no_table_of_the_page_is_left_out() -> None:
    text = PAGE.read_text("utf-8")
    assert text.count("| what holds |") == text.count("| what holds | the attack |\n")
