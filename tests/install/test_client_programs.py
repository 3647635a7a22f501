"""The clients' own command line programs read back what was installed."""

import json
import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from appfunctions_mcp.install.entry import Launch
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.install.probe import probe
from tests.support.answering_server import Answer, Request, answering, as_mcp

ROOT = Path(__file__).resolve().parents[2]
METADATA = ROOT / "metadata" / "app_metadata.xml"
ARGS = ["-P", "-m", "appfunctions_mcp", "run", str(METADATA)]
URL = "https://notes.example.com/mcp"

pytestmark = [
    pytest.mark.node,
    pytest.mark.skipif("CLIENT_PROGRAMS" not in os.environ, reason="run by .ci/client-programs"),
]


@dataclass
class Desk:
    """A home and a project of a user who has the programs."""

    home: Path
    project: Path
    environment: dict[str, str]

    def run(self, *words: str) -> str:
        """What a command prints; it has to succeed."""
        done = subprocess.run(
            words,
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def ours(self, *words: str) -> str:
        """What our own command prints."""
        return self.run(sys.executable, "-m", "appfunctions_mcp", *words)

    def install(self, client: str, *words: str) -> str:
        """Installs the sample app."""
        database = f"NOTES_DB={self.home / 'notes.db'}"
        return self.ours("install", str(METADATA), client, "--env", database, *words)

    def ask(self, *words: str) -> None:
        """Runs a program that needs no success: its model answers nothing."""
        subprocess.run(
            words,
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=90,
            check=False,
        )

    def use_model(self, url: str) -> None:
        """Has Codex and Copilot CLI ask a model there, where nobody needs an account."""
        config = self.home / ".codex" / "config.toml"
        provider = (
            'model = "m"\nmodel_provider = "x"\n[model_providers.x]\nname = "x"\n'
            f'base_url = "{url}"\nwire_api = "responses"\n'
            "request_max_retries = 0\nstream_max_retries = 0\n"
        )
        config.write_text(provider + config.read_text())
        self.environment |= {
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": url,
            "COPILOT_PROVIDER_API_KEY": "x",
            "COPILOT_MODEL": "gpt-5",
        }

    def read_json(self, *words: str) -> Any:
        """What a command prints on stdout as JSON, whatever warnings stand around it."""
        said = self.run(*words)
        return json.loads(said[said.index("{") : said.rindex("}") + 1])


def without_model(answer: Answer) -> Answer:
    """Answers as an MCP server, and refuses what is asked of a model."""

    def refuse_or_answer(request: Request) -> None:
        request.seen[-1]["path"] = request.path
        if request.path.startswith("/model"):
            request.reply(400, b"{}", "application/json")
        else:
            answer(request)

    return refuse_or_answer


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A user who trusts the project's folder in every program."""
    home, project = tmp_path / "home", tmp_path / "project"
    for folder in (".codex", ".gemini", ".copilot"):
        (home / folder).mkdir(parents=True)
    project.mkdir()
    trust = f'[projects."{project}"]\ntrust_level = "trusted"\n'
    (home / ".codex" / "config.toml").write_text(trust)
    untrusting = '{\n  // no questions\n  "security": {"folderTrust": {"enabled": false}}\n}\n'
    (home / ".gemini" / "settings.json").write_text(untrusting)
    trusted = json.dumps({"trusted_folders": [str(project)], "trustedFolders": [str(project)]})
    (home / ".copilot" / "config.json").write_text(trusted)
    modules = Path(os.environ["CLIENT_PROGRAMS"])
    environment = {
        "HOME": str(home),
        "PATH": f"{modules / '.bin'}:{modules / 'node' / 'bin'}:/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "DISABLE_AUTOUPDATER": "1",
    }
    return Desk(home, project, environment)


def files_of(home: Path) -> dict[str, bytes]:
    """The configuration files of the four programs."""
    names = (".claude.json", ".codex/config.toml", ".gemini/settings.json")
    paths = [home / name for name in (*names, ".copilot/mcp-config.json")]
    return {path.name: path.read_bytes() for path in paths if path.is_file()}


def test_codex_reads_back_what_was_installed_beside_its_own(desk: Desk) -> None:
    desk.run("codex", "mcp", "add", "demo", "--env", "K=v", "--", "/usr/bin/true", "a b")
    before = files_of(desk.home)
    assert "`codex mcp get notes` finds it" in desk.install("codex")
    found = desk.read_json("codex", "mcp", "get", "notes", "--json")
    assert found["enabled"]
    assert found["transport"]["command"] == sys.executable
    assert found["transport"]["args"] == ARGS
    assert found["transport"]["env"]["NOTES_DB"] == str(desk.home / "notes.db")
    assert desk.read_json("codex", "mcp", "get", "demo", "--json")["transport"]["env"] == {"K": "v"}
    desk.ours("uninstall", "codex")
    assert files_of(desk.home) == before


def test_codex_reads_a_projects_file_and_an_address(desk: Desk) -> None:
    desk.install("codex", "--scope", "project", "--name", "here")
    assert desk.read_json("codex", "mcp", "get", "here", "--json")["transport"]["args"] == ARGS
    desk.ours("install", "codex", "--url", URL, "--name", "far")
    assert desk.read_json("codex", "mcp", "get", "far", "--json")["transport"]["url"] == URL


def test_codex_keeps_our_entry_when_it_writes_itself(desk: Desk) -> None:
    desk.install("codex")
    desk.run("codex", "mcp", "add", "later", "--", "/usr/bin/true")
    assert desk.read_json("codex", "mcp", "get", "notes", "--json")["transport"]["args"] == ARGS
    desk.ours("uninstall", "codex")
    assert "notes" not in desk.run("codex", "mcp", "list")
    assert "later" in desk.run("codex", "mcp", "list")


def test_gemini_reads_back_what_was_installed_and_connects(desk: Desk) -> None:
    before = files_of(desk.home)
    assert "`gemini mcp list` finds it" in desk.install("gemini-cli")
    listed = desk.run("gemini", "mcp", "list")
    assert f"notes: {sys.executable} {' '.join(ARGS)} (stdio) - Connected" in listed
    desk.ours("uninstall", "gemini-cli")
    assert files_of(desk.home) == before
    assert "notes" not in desk.run("gemini", "mcp", "list")


def test_gemini_reads_a_projects_file_and_an_address(desk: Desk) -> None:
    desk.install("gemini-cli", "--scope", "project", "--name", "here")
    desk.ours("install", "gemini-cli", "--url", URL, "--name", "far")
    listed = desk.run("gemini", "mcp", "list")
    assert f"here: {sys.executable} {' '.join(ARGS)} (stdio) - Connected" in listed
    assert f"far: {URL} (http)" in listed


def test_gemini_keeps_our_entry_when_it_writes_itself(desk: Desk) -> None:
    desk.install("gemini-cli")
    desk.run("gemini", "mcp", "add", "-s", "user", "later", "/usr/bin/true")
    assert "(stdio) - Connected" in desk.run("gemini", "mcp", "list")
    desk.ours("uninstall", "gemini-cli")
    listed = desk.run("gemini", "mcp", "list")
    assert "later: " in listed
    assert "notes: " not in listed


def test_claude_code_reads_back_what_was_installed_and_connects(desk: Desk) -> None:
    desk.run("claude", "mcp", "add", "-s", "user", "demo", "--", "/usr/bin/true")
    assert "`claude mcp get notes` finds it" in desk.install("claude-code")
    said = desk.run("claude", "mcp", "get", "notes")
    assert f"Command: {sys.executable}" in said
    assert f"Args: {' '.join(ARGS)}" in said
    assert "Connected" in said
    desk.ours("uninstall", "claude-code")
    listed = desk.run("claude", "mcp", "list")
    assert "demo: " in listed
    assert "notes: " not in listed


def test_claude_code_reads_a_projects_file_and_an_address(desk: Desk) -> None:
    desk.install("claude-code", "--scope", "project", "--name", "here")
    assert "Scope: Project config" in desk.run("claude", "mcp", "get", "here")
    desk.ours("install", "claude-code", "--url", URL, "--name", "far")
    assert f"URL: {URL}" in desk.run("claude", "mcp", "get", "far")


def test_copilot_reads_back_what_was_installed_beside_its_own(desk: Desk) -> None:
    desk.run("copilot", "mcp", "add", "demo", "--env", "K=v", "--", "/usr/bin/true")
    before = files_of(desk.home)
    assert "`copilot mcp get notes` finds it" in desk.install("copilot-cli")
    found = desk.read_json("copilot", "mcp", "get", "notes", "--json")["notes"]
    assert (found["command"], found["args"], found["tools"]) == (sys.executable, ARGS, ["*"])
    assert found["enabled"]
    desk.ours("uninstall", "copilot-cli")
    assert files_of(desk.home) == before


def test_copilot_and_claude_code_share_a_projects_file(desk: Desk) -> None:
    desk.install("claude-code", "--scope", "project", "--name", "here")
    desk.install("copilot-cli", "--scope", "project", "--name", "here")
    listed = desk.read_json("copilot", "mcp", "list", "--json")["mcpServers"]
    assert listed["here"]["args"] == ARGS
    assert "Scope: Project config" in desk.run("claude", "mcp", "get", "here")


def test_the_programs_send_the_token_that_a_variable_holds(desk: Desk) -> None:
    """In no file is the token; Codex and Copilot CLI connect only when they are asked something."""
    with answering(without_model(as_mcp("find", token="t-1"))) as served:
        desk.use_model(served.url.replace("/mcp", "/model"))
        words = ["--url", served.url, "--name", "far", "--bearer-env", "FAR_TOKEN"]
        asking = {
            "claude-code": ["claude", "mcp", "get", "far"],
            "gemini-cli": ["gemini", "mcp", "list"],
            "codex": ["codex", "exec", "--skip-git-repo-check", "hello"],
            "copilot-cli": ["copilot", "-p", "hello", "--allow-all-tools"],
        }
        for client, question in asking.items():
            said = desk.ours("install", client, *words)
            assert "FAR_TOKEN is not set here" in said
            desk.environment["FAR_TOKEN"] = "t-1"
            served.seen.clear()
            desk.ask(*question)
            sent = [each.get("authorization") for each in served.seen if "/mcp" in each["path"]]
            assert sent, f"{client} did not connect"
            assert set(sent) == {"Bearer t-1"}, client
            assert ": answers in " in desk.ours("doctor", client)
            del desk.environment["FAR_TOKEN"]
    assert not any(b"t-1" in content for content in files_of(desk.home).values())


def test_a_bundle_starts_as_its_manifest_says_with_uv_itself(desk: Desk) -> None:
    """What only the package index of the future has, this program, comes from a folder here."""
    wheels = desk.project / "wheels"
    desk.run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(wheels), str(ROOT))
    desk.ours("bundle", str(METADATA), "--author", "Ann Example", "-o", str(desk.project))
    (bundle,) = desk.project.glob("*.mcpb")
    unpacked = desk.project / "unpacked"
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(unpacked)
    config = json.loads((unpacked / "manifest.json").read_text())["server"]["mcp_config"]
    args = [word.replace("${__dirname}", str(unpacked)) for word in config["args"]]
    passed_on = ("SSL_CERT_FILE", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_CACHE_DIR")
    env = {name: os.environ[name] for name in passed_on if name in os.environ}
    env |= dict.fromkeys(config["env"], "") | {"UV_FIND_LINKS": str(wheels)}
    launch = Launch(os.environ["UV_PROGRAM"], tuple(args), env)
    machine = Machine("linux", {}, desk.home, desk.project)
    report = probe(launch, machine, 120)
    assert report.failure is None, report.stderr
    assert "create_note" in report.tools
    again = probe(launch, machine, 30)
    assert again.tools == report.tools


def test_a_bundle_is_what_the_clients_own_tool_and_schema_take(desk: Desk) -> None:
    desk.ours("bundle", str(METADATA), "--author", "Ann Example", "-o", str(desk.project))
    (bundle,) = desk.project.glob("*.mcpb")
    assert "Manifest schema validation passes" in desk.run(
        "mcpb", "unpack", str(bundle), str(desk.project / "unpacked")
    ) + desk.run("mcpb", "validate", str(desk.project / "unpacked" / "manifest.json"))
    manifest = json.loads((desk.project / "unpacked" / "manifest.json").read_text())
    schemas = Path(os.environ["CLIENT_PROGRAMS"]) / "@anthropic-ai" / "mcpb" / "schemas"
    schema = json.loads((schemas / "mcpb-manifest-v0.4.schema.json").read_text())
    jsonschema.validate(manifest, schema)
