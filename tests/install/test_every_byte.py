"""What users have in their files is there to the byte after a server has come and gone."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from appfunctions_mcp.install.clients import CLIENT_NAMES, McpClient, Scope, find_client
from appfunctions_mcp.install.entry import Launch
from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.installation import Installation, Target, find_target, remove_entry
from appfunctions_mcp.install.machine import Machine
from tests.support.client_configs import BROKEN, CONFIGS

CASES = [
    pytest.param(client, text, id=f"{client}: {what}")
    for client, texts in CONFIGS.items()
    for what, text in texts.items()
]
LAUNCH = Launch(
    "/home/ann/venv/bin/python",
    ("-P", "-m", "appfunctions_mcp", "run", "/home/ann/notes/app_metadata.xml"),
    {"NOTES_DB": "/home/ann/notes.db"},
)
posix_only = pytest.mark.skipif(os.name != "posix", reason="modes, links and limits of POSIX")


def machine(tmp_path: Path) -> Machine:
    return Machine("linux", {}, tmp_path / "home", tmp_path / "project")


def target_of(client: McpClient, tmp_path: Path, text: str, scope: Scope = "user") -> Target:
    """The file of a client with this text in it."""
    target = find_target(client, machine(tmp_path), scope, tmp_path / "locks")
    target.file.path.parent.mkdir(parents=True, exist_ok=True)
    target.file.path.write_bytes(text.encode())
    return target


def launch_for(client: McpClient) -> Launch:
    """The launch with a secret, referred to where the client keeps it out of the file."""
    secret = client.references.write("notes", "TOKEN", is_optional=False)
    if secret is None:
        return Launch(LAUNCH.command, LAUNCH.args, LAUNCH.env, ("TOKEN",))
    return Launch(LAUNCH.command, LAUNCH.args, {**LAUNCH.env, "TOKEN": secret})


def install(target: Target) -> None:
    entry = target.client.stdio_entry(launch_for(target.client))
    Installation(target, "notes", entry).write()


def test_there_are_forty_files_of_eight_clients() -> None:
    assert len(CASES) >= 40
    assert tuple(CONFIGS) == tuple(BROKEN) == CLIENT_NAMES


@pytest.mark.parametrize(("name", "text"), CASES)
def test_a_server_comes_and_goes_and_every_byte_is_as_it_was(
    tmp_path: Path, name: str, text: str
) -> None:
    target = target_of(find_client(name), tmp_path, text)
    before = target.entries()
    install(target)
    assert list(target.entries()) == [*before, "notes"]
    assert target.file.path.read_bytes() != text.encode()
    remove_entry(target, "notes")
    assert target.file.path.read_bytes() == text.encode()
    assert [path.name for path in target.file.path.parent.iterdir()] == [target.file.path.name]


@pytest.mark.parametrize(("name", "text"), CASES)
def test_what_another_program_adds_meanwhile_stays(tmp_path: Path, name: str, text: str) -> None:
    """The file is no longer what the backup was; only the entry goes."""
    client = find_client(name)
    target = target_of(client, tmp_path, text)
    install(target)
    file, other = target.file.path, {"command": "other"}
    file.write_bytes(client.document.with_entry(file.read_bytes(), file, "other", other))
    kept = {**target.entries()}
    del kept["notes"]
    remove_entry(target, "notes")
    assert target.entries() == kept
    after = client.document.without_entry(file.read_bytes(), file, "other").decode()
    lines = [line.strip().rstrip(",") for line in text.lstrip("\ufeff").splitlines()]
    remarks = [line for line in lines if line.startswith(("//", "#", "/*"))]
    assert [line for line in remarks if line not in after] == []
    assert client.document.read_entries(after.encode(), file) == client.document.read_entries(
        text.encode(), file
    )


@pytest.mark.parametrize("name", CLIENT_NAMES)
def test_a_faulty_file_is_left_alone_and_its_place_is_told(tmp_path: Path, name: str) -> None:
    target = target_of(find_client(name), tmp_path, BROKEN[name])
    with pytest.raises(InstallError, match=r":\d+:\d+: |line \d+, column \d+"):
        install(target)
    assert target.file.path.read_bytes() == BROKEN[name].encode()
    assert target.file.backups() == []


@posix_only
@pytest.mark.parametrize("name", CLIENT_NAMES)
def test_a_link_into_the_users_dotfiles_stays_a_link(tmp_path: Path, name: str) -> None:
    text = next(iter(CONFIGS[name].values()))
    target = target_of(find_client(name), tmp_path, text)
    real = tmp_path / "home" / "dotfiles" / "config"
    real.parent.mkdir()
    target.file.path.rename(real)
    target.file.path.symlink_to(real)
    install(target)
    assert real.read_bytes() != text.encode()
    remove_entry(target, "notes")
    assert target.file.path.is_symlink()
    assert real.read_bytes() == text.encode()
    assert [path.name for path in real.parent.iterdir()] == ["config"]


@contextmanager
def ordinary_user(folder: Path) -> Iterator[None]:
    """The folder is another user's than the superuser's, who may write everything."""
    if os.geteuid() != 0:
        yield
        return
    nobody = 65534
    for path in (folder, *folder.rglob("*")):
        os.chown(path, nobody, nobody)
    os.setresuid(nobody, nobody, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@posix_only
@pytest.mark.parametrize("name", CLIENT_NAMES)
def test_a_read_only_file_is_refused(tmp_path: Path, name: str) -> None:
    text = next(iter(CONFIGS[name].values()))
    # What is imported when it is used has to be there before the user changes.
    install(target_of(find_client(name), tmp_path, text))
    with TemporaryDirectory() as place:
        folder = Path(place)
        target = target_of(find_client(name), folder, text)
        target.file.path.chmod(0o400)
        with ordinary_user(folder), pytest.raises(InstallError, match="read-only"):
            install(target)
        assert target.file.path.read_bytes() == text.encode()
        assert [path.name for path in target.file.path.parent.iterdir()] == [target.file.path.name]


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """No file can grow over this size."""
    import resource
    import signal

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


@posix_only
@pytest.mark.parametrize("room", ["none for the backup", "none for the new file"])
@pytest.mark.parametrize("name", CLIENT_NAMES)
def test_a_full_disk_leaves_the_file_and_nothing_beside_it(
    tmp_path: Path, name: str, room: str
) -> None:
    text = max(CONFIGS[name].values(), key=len)
    target = target_of(find_client(name), tmp_path, text)
    size = len(text.encode())
    with (
        full_disk(size - 1 if room == "none for the backup" else size + 1),
        pytest.raises(InstallError, match=r"File too large.*nothing was changed"),
    ):
        install(target)
    assert target.file.path.read_bytes() == text.encode()
    assert [path.name for path in target.file.path.parent.iterdir()] == [target.file.path.name]


@pytest.mark.parametrize("name", CLIENT_NAMES)
def test_a_file_that_was_not_there_is_gone_again(tmp_path: Path, name: str) -> None:
    client = find_client(name)
    for scope in client.scopes:
        target = find_target(client, machine(tmp_path), scope, tmp_path / "locks")
        install(target)
        assert list(target.entries()) == ["notes"]
        assert remove_entry(target, "notes").file_removed
        assert not target.file.path.exists()


def add_far(target: Target) -> None:
    """Puts a second server of ours into the file."""
    Installation(target, "far", target.client.stdio_entry(LAUNCH)).write()


@pytest.mark.parametrize("first", ["notes", "far"])
@pytest.mark.parametrize(("name", "text"), CASES)
def test_two_servers_come_and_go_in_either_order(
    tmp_path: Path, name: str, text: str, first: str
) -> None:
    """What means the same stays; to the byte where the one that came last goes first."""
    client = find_client(name)
    target = target_of(client, tmp_path, text)
    install(target)
    add_far(target)
    remove_entry(target, first)
    remove_entry(target, "far" if first == "notes" else "notes")
    after = target.file.read()
    if first == "far":
        assert after == text.encode()
    path = target.file.path
    assert client.document.read_entries(after, path) == client.document.read_entries(
        text.encode(), path
    )
    assert not any(backup.read_bytes() == after for backup in target.file.backups())


@pytest.mark.parametrize(("name", "text"), CASES)
def test_an_entry_that_its_user_has_edited_goes_alone(tmp_path: Path, name: str, text: str) -> None:
    client = find_client(name)
    target = target_of(client, tmp_path, text)
    before = target.entries()
    install(target)
    path = target.file.path
    edited = {**target.entries()["notes"], "timeout": 5}
    content = client.document.with_entry(path.read_bytes(), path, "notes", edited)
    path.write_bytes(content.replace(b"/home/ann/venv", b"/opt/venv"))
    remove_entry(target, "notes")
    assert target.entries() == before


def test_a_file_of_five_megabytes_comes_back_to_the_byte(tmp_path: Path) -> None:
    """Claude Code keeps the history of every project in its file."""
    history = ",\n".join(
        f'    "/p/{number}": {{"history": ["{"x" * 480}"], "mcpServers": {{}}}}'
        for number in range(10_000)
    )
    text = f'{{\n  "projects": {{\n{history}\n  }},\n  "mcpServers": {{}}\n}}\n'
    target = target_of(find_client("claude-code"), tmp_path, text)
    assert len(text) > 5_000_000
    install(target)
    assert list(target.entries()) == ["notes"]
    remove_entry(target, "notes")
    assert target.file.path.read_bytes() == text.encode()


def test_half_a_surrogate_pair_in_our_entry_stays_and_an_endless_number_is_refused(
    tmp_path: Path,
) -> None:
    ours = '"command": "a", "args": ["-m", "appfunctions_mcp"], "env": {"X": "\\ud800"}'
    text = f'{{"mcpServers": {{"notes": {{{ours}}}}}}}'
    target = target_of(find_client("claude-desktop"), tmp_path, text)
    wanted = target.client.stdio_entry(LAUNCH)
    Installation(target, "notes", wanted, force=True).write()
    assert b'"X": "\\ud800"' in target.file.path.read_bytes()
    endless = text.replace('"args"', '"n": 1e400, "args"')
    target = target_of(find_client("claude-desktop"), tmp_path, endless)
    with pytest.raises(InstallError, match="a number that is too large"):
        Installation(target, "notes", wanted, force=True).write()
    assert b"1e400" in target.file.path.read_bytes()


@posix_only
@pytest.mark.parametrize("name", CLIENT_NAMES)
def test_a_read_only_folder_is_refused(tmp_path: Path, name: str) -> None:
    text = next(iter(CONFIGS[name].values()))
    # What is imported when it is used has to be there before the user changes.
    install(target_of(find_client(name), tmp_path, text))
    with TemporaryDirectory() as place:
        folder = Path(place)
        target = target_of(find_client(name), folder, text)
        parent = target.file.path.parent
        with ordinary_user(folder):
            parent.chmod(0o500)
            try:
                with pytest.raises(InstallError, match=r"Permission denied.*nothing was changed"):
                    install(target)
            finally:
                parent.chmod(0o700)
        assert target.file.path.read_bytes() == text.encode()
        assert [path.name for path in parent.iterdir()] == [target.file.path.name]
