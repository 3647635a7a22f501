"""What declares functions for readers passes our own lint: pages, templates, the sample app."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from appfunctions_mcp.cli import main
from appfunctions_mcp.lint.reports import line_of
from appfunctions_mcp.lint.rule_set import all_rules, findings_in, selected_rules
from appfunctions_mcp.lint.rules import Severity
from tests.support.documents import ROOT, blocks_of, pages
from tests.support.page_functions import functions_of_page
from tests.support.rule_table import PAGE, page_text

WITH_FUNCTIONS = [
    pytest.param(page, id=page.name)
    for page in pages()
    if any("@app_function\n" in b.text or "@app_function(" in b.text for b in blocks_of(page))
]
NOT_OF_EXAMPLES = "AF006"
"""Names of one word: an example has a few functions, which meet no other server's."""
ON_PURPOSE = {
    ("errors.md", "AF058"),  # shows what a crash tells
    ("observing.md", "AF058"),  # shows that a crash's text reaches no log
    ("observing.md", "AF134"),  # shows that a password reaches no log
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where a page's files are imported from; what they are is forgotten afterwards."""
    for name in ("ANTHROPIC", "GEMINI", "MISTRAL", "OPENAI"):
        monkeypatch.setenv(f"{name}_API_KEY", "any")
    known = set(sys.modules)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in set(sys.modules) - known:
        if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(tmp_path):
            del sys.modules[name]


@pytest.mark.parametrize("page", WITH_FUNCTIONS)
def test_the_functions_of_a_page_have_no_finding(page: Path, folder: Path) -> None:
    rules = selected_rules(all_rules())
    found = [
        (page.name, each.rule.id, line_of(each))
        for declared in functions_of_page(page, folder)
        for each in findings_in(declared.subject, rules)
        if each.severity is not Severity.NOTE and each.rule.id != NOT_OF_EXAMPLES
    ]
    assert [line for name, rule, line in found if (name, rule) not in ON_PURPOSE] == []
    assert {each[:2] for each in found} == {each for each in ON_PURPOSE if each[0] == page.name}


def test_the_functions_of_all_pages_are_judged(folder: Path) -> None:
    """A block that is skipped by mistake would pass."""
    (page,) = [page for page in pages() if page.name == "functions.md"]
    judged = sum(len(each.subject.functions) for each in functions_of_page(page, folder))
    written = sum(
        block.text.count("@app_function\n") + block.text.count("@app_function(")
        for block in blocks_of(page)
        if block.language == "python" and not block.note.startswith("raises: ")
    )
    assert judged == written


def test_a_new_project_has_no_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "shopping"
    assert main(["new", "shopping", "-o", str(folder)]) == 0
    capsys.readouterr()
    assert main(["lint", str(folder), "--strict"]) == 0, capsys.readouterr().out


def test_the_sample_app_has_no_finding(capsys: pytest.CaptureFixture[str]) -> None:
    metadata = ROOT / "metadata" / "app_metadata.xml"
    assert main(["lint", str(metadata), "--strict"]) == 0, capsys.readouterr().out


def test_the_page_of_the_rules_lists_all_of_them_as_they_are() -> None:
    """`python -m tests.support.rule_table` writes it anew."""
    assert PAGE.read_text("utf-8") == page_text()
