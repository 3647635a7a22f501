"""Changes of a configuration file: locked, backed up, atomic."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from appfunctions_mcp.install.config_file import ConfigFile, looks_secret, unified_diff
from appfunctions_mcp.install.errors import InstallError

ROOT = Path(__file__).parents[2]
posix_only = pytest.mark.skipif(os.name != "posix", reason="modes and links of POSIX")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def config_file(tmp_path: Path, content: bytes | None = b"old") -> ConfigFile:
    path = tmp_path / "home" / "config.json"
    path.parent.mkdir(exist_ok=True)
    if content is not None:
        path.write_bytes(content)
    return ConfigFile(path, (tmp_path / "home",), tmp_path / "locks")


def files_beside(config: ConfigFile) -> list[str]:
    return sorted(path.name for path in config.path.parent.iterdir())


def test_a_change_keeps_the_bytes_from_before_in_a_private_backup(tmp_path: Path) -> None:
    config = config_file(tmp_path)
    done = config.rewrite(lambda content: (content or b"") + b" and new", backup=True)
    assert config.path.read_bytes() == b"old and new"
    assert done.changed
    assert done.backup is not None
    assert config.backups() == [done.backup]
    assert done.backup.read_bytes() == b"old"
    assert done.backup.parent == config.path.parent
    if os.name == "posix":
        assert mode_of(done.backup) == 0o600


@posix_only
def test_a_new_file_is_private(tmp_path: Path) -> None:
    config = config_file(tmp_path, None)
    done = config.rewrite(lambda _: b"new", backup=True)
    assert mode_of(config.path) == 0o600
    assert done.backup is None


@posix_only
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o660])
def test_the_mode_of_the_file_stays(tmp_path: Path, mode: int) -> None:
    config = config_file(tmp_path)
    config.path.chmod(mode)
    config.rewrite(lambda _: b"new", backup=True)
    assert mode_of(config.path) == mode


def test_missing_folders_are_made(tmp_path: Path) -> None:
    config = ConfigFile(tmp_path / "a" / "b" / "c.json", (tmp_path,), tmp_path / "locks")
    config.rewrite(lambda _: b"new", backup=True)
    assert config.read() == b"new"


def test_the_same_bytes_write_nothing(tmp_path: Path) -> None:
    config = config_file(tmp_path)
    before = config.path.stat().st_mtime_ns
    done = config.rewrite(lambda content: content, backup=True)
    assert not done.changed
    assert config.path.stat().st_mtime_ns == before
    assert files_beside(config) == ["config.json"]


def test_none_removes_the_file(tmp_path: Path) -> None:
    config = config_file(tmp_path)
    config.rewrite(lambda _: None, backup=False)
    assert config.read() is None


def test_an_edit_that_fails_leaves_no_trace(tmp_path: Path) -> None:
    config = config_file(tmp_path)

    def refuse(content: bytes | None) -> bytes:
        raise InstallError("no")

    with pytest.raises(InstallError, match="no"):
        config.rewrite(refuse, backup=True)
    assert config.read() == b"old"
    assert files_beside(config) == ["config.json"]


def test_a_change_that_another_program_makes_meanwhile_is_not_lost(tmp_path: Path) -> None:
    """Claude Code writes its file often; what it wrote after our reading is edited anew."""
    config = config_file(tmp_path)
    seen: list[bytes | None] = []

    def edit(content: bytes | None) -> bytes:
        seen.append(content)
        if len(seen) == 1:
            config.path.write_bytes(b"newer")
        return (content or b"") + b"+ours"

    config.rewrite(edit, backup=True)
    assert seen == [b"old", b"newer"]
    assert config.read() == b"newer+ours"
    assert [backup.read_bytes() for backup in config.backups()] == [b"newer"]


def test_a_file_that_never_rests_is_given_up(tmp_path: Path) -> None:
    config = config_file(tmp_path)
    count = 0

    def edit(content: bytes | None) -> bytes:
        nonlocal count
        count += 1
        config.path.write_bytes(b"other %d" % count)
        return b"ours"

    with pytest.raises(InstallError, match="another program keeps changing it"):
        config.rewrite(edit, backup=True)
    assert (config.read() or b"").startswith(b"other")
    assert files_beside(config) == ["config.json"]


@posix_only
def test_a_link_is_followed_and_stays_a_link(tmp_path: Path) -> None:
    """Dotfile managers link the configuration into a folder of their own."""
    config = config_file(tmp_path, None)
    dotfiles = tmp_path / "home" / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / "real.json").write_bytes(b"old")
    config.path.symlink_to("dotfiles/real.json")
    config.rewrite(lambda _: b"new", backup=True)
    assert config.path.is_symlink()
    assert (dotfiles / "real.json").read_bytes() == b"new"


@posix_only
@pytest.mark.parametrize("exists", [True, False])
def test_a_link_that_leads_out_is_refused(tmp_path: Path, exists: bool) -> None:
    config = config_file(tmp_path, None)
    outside = tmp_path / "outside.json"
    if exists:
        outside.write_bytes(b"old")
    config.path.symlink_to(outside)
    with pytest.raises(InstallError, match=r"leads to .*outside\.json, out of"):
        config.rewrite(lambda _: b"new", backup=True)
    assert outside.exists() == exists
    assert not exists or outside.read_bytes() == b"old"


@posix_only
def test_a_linked_folder_that_leads_out_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "home" / "Claude").symlink_to(tmp_path / "outside")
    path = tmp_path / "home" / "Claude" / "config.json"
    config = ConfigFile(path, (tmp_path / "home",), tmp_path / "locks")
    with pytest.raises(InstallError, match="out of"):
        config.rewrite(lambda _: b"new", backup=True)
    assert list((tmp_path / "outside").iterdir()) == []


@posix_only
def test_a_home_that_is_itself_a_link_is_no_way_out(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "home").symlink_to(tmp_path / "real")
    home = tmp_path / "home"
    config = ConfigFile(home / "config.json", (home,), tmp_path / "locks")
    config.rewrite(lambda _: b"new", backup=True)
    assert (tmp_path / "real" / "config.json").read_bytes() == b"new"


@posix_only
def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    config = config_file(tmp_path, None)
    os.mkfifo(config.path)
    with pytest.raises(InstallError, match="no regular file"):
        config.read()


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0, reason="the superuser may write everything"
)
def test_a_read_only_file_is_left_alone(tmp_path: Path) -> None:
    config = config_file(tmp_path)
    config.path.chmod(0o400)
    with pytest.raises(InstallError, match="read-only"):
        config.rewrite(lambda _: b"new", backup=True)


def test_a_folder_that_cannot_be_made_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    config = ConfigFile(tmp_path / "file" / "c.json", (tmp_path,), tmp_path / "locks")
    with pytest.raises(InstallError, match="nothing was changed") as caught:
        config.rewrite(lambda _: b"new", backup=True)
    assert len(str(caught.value).splitlines()) == 1


KILLED = """
import os, sys
from pathlib import Path
from appfunctions_mcp.install.config_file import ConfigFile

class Died(BaseException): pass
def die(*args, **kwargs): os._exit(9)
owner, name = sys.argv[2].rsplit(".", 1)
setattr({"os": os, "Path": Path}[owner], name, die)
home = Path(sys.argv[1])
ConfigFile(home / "config.json", (home,), home.parent / "locks").rewrite(
    lambda content: b"x" * 100_000, backup=True
)
"""


@posix_only
@pytest.mark.parametrize("step", ["os.fsync", "Path.chmod", "Path.replace"])
def test_a_process_killed_at_any_step_leaves_the_old_file(tmp_path: Path, step: str) -> None:
    config = config_file(tmp_path)
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(config.path.parent), step],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert killed.returncode == 9
    assert config.read() == b"old"
    config.rewrite(lambda _: b"new", backup=True)
    assert config.read() == b"new"
    assert not [name for name in files_beside(config) if name.endswith("-tmp")]


APPENDING = """
import sys
from pathlib import Path
from appfunctions_mcp.install.config_file import ConfigFile

home = Path(sys.argv[1])
for _ in range(10):
    ConfigFile(home / "config.json", (home,), home.parent / "locks").rewrite(
        lambda content: (content or b"") + b".", backup=True
    )
"""


def test_installations_at_once_lose_nothing(tmp_path: Path) -> None:
    config = config_file(tmp_path, b"")
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", APPENDING, str(config.path.parent)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for _ in range(4)
    ]
    assert [process.wait(60) for process in processes] == [0, 0, 0, 0]
    assert config.read() == b"." * 40
    assert len(config.backups()) == 40


HOLDING = """
import sys
from pathlib import Path
from appfunctions_mcp.install.config_file import ConfigFile

home = Path(sys.argv[1])

def edit(content):
    print("held", flush=True)
    sys.stdin.read()
    return b"theirs"

ConfigFile(home / "config.json", (home,), home.parent / "locks").rewrite(edit, backup=False)
"""


def test_a_file_that_another_installation_holds_is_waited_for_and_then_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = config_file(tmp_path)
    monkeypatch.setattr("appfunctions_mcp.install.config_file.LOCK_TIMEOUT_SECONDS", 0.2)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(config.path.parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(InstallError, match="another installation has held it"):
            config.rewrite(lambda _: b"ours", backup=True)
        assert config.read() == b"old"
        other.communicate()
    assert (other.returncode, config.read()) == (0, b"theirs")


def test_a_diff_shows_the_change_without_secrets() -> None:
    before = b'{\n  "API_KEY": "abc",\n  "PIN": "1234",\n  "a": 1\n}\n'
    diff = unified_diff(Path("c.json"), before, before.replace(b"1\n", b"2\n"), frozenset({"PIN"}))
    assert diff.splitlines() == [
        "--- c.json",
        "+++ c.json",
        "@@ -1,5 +1,5 @@",
        " {",
        '   "API_KEY": "***",',
        '   "PIN": "***",',
        '-  "a": 1',
        '+  "a": 2',
        " }",
    ]
    assert unified_diff(Path("c.json"), None, b"new").splitlines()[:2] == [
        f"--- {os.devnull}",
        "+++ c.json",
    ]


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [("API_KEY", True), ("github_token", True), ("DB_PASSWORD", True), ("NOTES_DB", False)],
)
def test_a_secret_is_known_by_its_name(name: str, is_secret: bool) -> None:
    assert looks_secret(name) == is_secret
