"""Functions and utterances to evaluate, in few words."""

from pathlib import Path
from typing import Any

from appfunctions_mcp.formats.mcp_tools import metadata_of_tools
from appfunctions_mcp.lint.evaluation import Evaluation, evaluate_texts
from appfunctions_mcp.lint.utterances import Utterance
from appfunctions_mcp.metadata import AppFunctionMetadata


def functions_of(
    *described: tuple[str, str] | dict[str, Any],
) -> tuple[AppFunctionMetadata, ...]:
    """Functions by name and description, or as tools."""
    return metadata_of_tools(
        [
            each if isinstance(each, dict) else {"name": each[0], "description": each[1]}
            for each in described
        ]
    )


MAIL = functions_of(
    ("send_mail", "Sends a message to people by mail."),
    ("delete_mail", "Deletes a message for good."),
    ("list_folders", "Lists the folders of a mailbox."),
)


def said(text: str, function: str, language: str = "en", **more: Any) -> Utterance:
    return Utterance(text, function, language, "said.yaml:1", **more)


def evaluated(*utterances: Utterance) -> Evaluation:
    """The utterances, by the texts of `MAIL`."""
    return evaluate_texts(MAIL, utterances)


def write_utterances(folder: Path, text: str) -> Path:
    path = folder / "utterances.yaml"
    path.write_text(text, encoding="utf-8")
    return path
