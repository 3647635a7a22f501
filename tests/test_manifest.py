"""The manifest: when it is fresh, and who may have written it."""

import os
import re
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest

from appfunctions_mcp import manifest as reader
from appfunctions_mcp.install.manifest_checks import check_manifests
from appfunctions_mcp.manifest import hash_of, manifest_folder, manifest_name, read_manifest
from appfunctions_mcp.manifest_writing import MAX_KEPT, reason_against
from appfunctions_mcp.service import AppFunctionService, load_service
from appfunctions_mcp.state import InMemoryStateStore, JsonFileStateStore
from tests.support.manifest_app import (
    LISTS,
    listed_names,
    manifests,
    running,
    start_once,
    was_imported,
    write_app,
    write_module,
)
from tests.support.metadata_files import write_strings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes and pipes of POSIX")

Change = Callable[[Path], None]


def change_time(path: Path) -> None:
    """Gives a file another time, and leaves its content."""
    os.utime(path, ns=(1, 1))


def test_the_second_start_imports_nothing_of_the_app(tmp_path: Path) -> None:
    file = write_app(tmp_path / "app")
    assert was_imported(file)
    assert not was_imported(file)


@pytest.mark.parametrize(
    ("what", "change"),
    [
        ("the module", lambda app: write_module(app, LISTS.replace("Adds an", "Adds one"))),
        ("the metadata", lambda app: write_app(app, more='mcp:title="Lists"')),
        ("a string", lambda app: write_strings(app / "values", '<string name="a">B</string>')),
        (
            "a further file of strings",
            lambda app: write_strings(app / "values", "", file="more.xml"),
        ),
        ("a locale", lambda app: write_strings(app / "values-ru", "")),
        ("a data file", lambda app: (app / "rules.json").write_text("[1]", "utf-8")),
        ("a module that another one imports", lambda app: (app / "words.py").write_text("A = 2")),
        ("a module that has gone", lambda app: (app / "words.py").unlink()),
        ("a module that was not there", lambda app: (app / "more_words.py").write_text("A = 3")),
        ("a package that was not there", lambda app: (app / "more_words").mkdir()),
        ("a module of a package", lambda app: (app / "pages" / "second.py").write_text("A = 4")),
        (
            "strings in a folder that had none",
            lambda app: write_strings(app / "values-ru", '<string name="a">B</string>'),
        ),
        (
            "where a link in the folder leads",
            lambda app: (app / "extras").unlink() or (app / "extras").symlink_to("values"),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_change_makes_the_manifest_old(tmp_path: Path, what: str, change: Change) -> None:
    app = tmp_path / "app"
    write_strings(app / "values", '<string name="a">A</string>')
    (app / "rules.json").write_text("[]", "utf-8")
    (app / "words.py").write_text("A = 1\n", "utf-8")
    (app / "pages").mkdir()
    (app / "pages" / "__init__.py").write_text("", "utf-8")
    (app / "values-ru").mkdir()
    (app / "extras").symlink_to("pages")
    optional = "import contextlib\nwith contextlib.suppress(ImportError):\n    import "
    module = f"import pages\n{optional}words\n{optional}more_words\n{LISTS}"
    depends = '<mcp:dependsOn src="rules.json" />'
    file = write_app(app, depends, module=module, more='mcp:title="@string/a"')
    locale = ("--locale", "ru")
    start_once(file, *locale)
    assert not was_imported(file, *locale)
    change(app)
    assert was_imported(file, *locale), what


def test_where_links_on_the_way_to_the_metadata_lead_counts(tmp_path: Path) -> None:
    file = write_app(tmp_path / "first")
    write_app(tmp_path / "second", module=LISTS.replace("add_item", "put_item"))
    current = tmp_path / "current"
    current.symlink_to("first")
    for expected in ("add_item", "put_item"):
        for _ in range(2):
            with running(current / file.name, cwd=tmp_path) as server:
                assert listed_names(server) == [expected]
                server.close_input()
                server.wait()
        assert "imported" not in server.stderr
        current.unlink()
        current.symlink_to("second")


def test_what_an_app_writes_beside_its_modules_does_not_count(tmp_path: Path) -> None:
    app = tmp_path / "app"
    file = write_app(app)
    start_once(file)
    (app / "notes.json").write_text("[]", "utf-8")
    (app / ".#app_lists.py").symlink_to("editor@host.1234")
    assert not was_imported(file)


@pytest.mark.parametrize("name", ["app_lists.py", "app_metadata.xml", "rules.json"])
def test_times_of_what_the_author_wrote_do_not_count(tmp_path: Path, name: str) -> None:
    app = tmp_path / "app"
    app.mkdir()
    (app / "rules.json").write_text("[]", "utf-8")
    file = write_app(app, '<mcp:dependsOn src="rules.json" />')
    start_once(file)
    change_time(app / name)
    assert not was_imported(file)


def test_the_time_of_an_installed_module_counts(tmp_path: Path) -> None:
    installed = tmp_path / "site-packages"
    installed.mkdir()
    (installed / "library.py").write_text("A = 1\n", "utf-8")
    file = write_app(tmp_path / "app", module="import library\n" + LISTS)
    env = {"PYTHONPATH": f"{Path(reader.__file__).parents[1]}{os.pathsep}{installed}"}
    start_once(file, env=env)
    assert not was_imported(file, env=env)
    change_time(installed / "library.py")
    assert was_imported(file, env=env)


@pytest.mark.parametrize(
    ("options", "is_same"),
    [
        (["--only", "add_*"], False),
        (["--locale", "ru"], False),
        (["--state-file", "states.json"], False),
        (["--log-level", "loud"], False),
        (["--log-level", "error"], True),
        (["--max-body-bytes", "1000"], True),
        (["--max-body-bytes", "-1"], False),
        (["--max-body-bytes"], False),
        (["--debug", "--no-loop-guard"], True),
    ],
)
def test_options_that_change_a_list_have_a_manifest_of_their_own(
    options: list[str], *, is_same: bool
) -> None:
    assert (manifest_name(["a.xml"]) == manifest_name(["a.xml", *options])) is is_same


@pytest.mark.parametrize(
    ("variable", "value", "is_same"),
    [
        ("LISTS_FILE", "a", False),
        ("LANG", "ru_RU.UTF-8", False),
        ("APPFUNCTIONS_LOCALE", "ru", False),
        ("APPFUNCTIONS_LOG_LEVEL", "error", True),
        ("APPFUNCTIONS_LOG_LEVEL", "loud", False),
        ("APPFUNCTIONS_MAX_BODY_BYTES", "1000", True),
        ("APPFUNCTIONS_MAX_BODY_BYTES", "many", False),
        ("SHLVL", "7", True),
        ("SSH_AUTH_SOCK", "/tmp/agent", True),
    ],
)
def test_variables_count_but_for_those_that_always_change(
    variable: str, value: str, *, is_same: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = manifest_name([])
    monkeypatch.setenv(variable, value)
    assert (manifest_name([]) == before) is is_same


def test_the_places_of_modules_and_the_current_folder_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {manifest_name([])}
    with monkeypatch.context() as patch:
        patch.syspath_prepend(str(tmp_path))
        names.add(manifest_name([]))
    monkeypatch.chdir(tmp_path)
    names.add(manifest_name([]))
    assert len(names) == 3


@pytest.mark.parametrize(
    ("options", "env"),
    [(["--eager"], {}), ([], {"APPFUNCTIONS_EAGER": "true"}), ([], {"APPFUNCTIONS_ENGINE": "sdk"})],
)
def test_eager_starts_neither_read_nor_write_manifests(
    tmp_path: Path, options: list[str], env: dict[str, str]
) -> None:
    file = write_app(tmp_path / "app")
    assert was_imported(file, *options, env=env)
    assert manifests() == []
    assert was_imported(file, *options, env=env)


def test_the_metadata_can_opt_out(tmp_path: Path) -> None:
    file = write_app(tmp_path / "app", more='mcp:manifest="off"')
    assert was_imported(file)
    assert was_imported(file)
    assert manifests() == []


def test_an_access_predicate_opts_out(tmp_path: Path) -> None:
    module = LISTS.replace("@app_function\n", "@app_function(access=lambda caller: True)\n")
    file = write_app(tmp_path / "app", module=module)
    assert was_imported(file)
    assert was_imported(file)


def test_an_access_scope_does_not_opt_out(tmp_path: Path) -> None:
    module = LISTS.replace("@app_function\n", '@app_function(access="lists.write")\n')
    file = write_app(tmp_path / "app", module=module)
    start_once(file)
    assert not was_imported(file)


def test_an_app_with_a_module_left_out_is_tried_anew_each_time(tmp_path: Path) -> None:
    broken = '<mcp:functions module="broken" onError="skip" />'
    file = write_app(tmp_path / "app", broken)
    assert was_imported(file)
    assert was_imported(file)


def test_reasons_against_a_manifest_are_named(tmp_path: Path) -> None:
    def lists() -> None:
        """Lists."""

    in_code = AppFunctionService.from_functions([lists], name="lists", description="Lists.")
    in_code.store = JsonFileStateStore(tmp_path / "states.json")
    assert reason_against(in_code) == "its states are not kept in a file"
    file = write_app(tmp_path / "app", more='mcp:manifest="off"', name="lists_without_manifest")
    service = load_service(file, store=InMemoryStateStore())
    assert reason_against(service) == 'the metadata says mcp:manifest="off"'


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """The manifest of an app that was started once."""
    start_once(write_app(tmp_path / "app"))
    (path,) = manifests()
    assert read_manifest(str(path)) is not None
    return path


def test_a_manifest_is_its_owners_alone(made: Path) -> None:
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert stat.S_IMODE(made.parent.stat().st_mode) == 0o700


def let_others_read(path: Path) -> None:
    path.chmod(0o640)


def let_others_write_the_folder(path: Path) -> None:
    path.parent.chmod(0o777)


def put_a_link(path: Path) -> None:
    other = path.with_name("other")
    path.rename(other)
    path.symlink_to(other)


def link_the_folder(path: Path) -> None:
    elsewhere = path.parent.with_name("elsewhere")
    path.parent.rename(elsewhere)
    path.parent.symlink_to(elsewhere)


def put_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path, 0o600)


def cut_it_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def change_a_byte(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:-3] + bytes([content[-3] ^ 1]) + content[-2:])


def empty_it(path: Path) -> None:
    path.write_bytes(b"")


def make_it_newer(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"version":2', b'"version":3'))


def lengths(written: str) -> Callable[[Path], None]:
    """A manifest whose hash is right and whose lengths are something else."""

    def put(path: Path) -> None:
        content = path.read_bytes()
        path.write_bytes(re.sub(rb'"lengths":\[[^]]*\]', f'"lengths":{written}'.encode(), content))

    return put


def say_an_unknown_kind(path: Path) -> None:
    head, _, body = path.read_bytes().partition(b"\n")
    changed = body.replace(b"\n= ", b"\n? ", 1)
    assert changed != body
    head = head.replace(hash_of(body).encode(), hash_of(changed).encode())
    path.write_bytes(head + b"\n" + changed)


def age(seconds: int) -> Callable[[Path], None]:
    def make_older(path: Path) -> None:
        def older(found: re.Match[bytes]) -> bytes:
            return b'"made":%d' % (int(found[1]) - seconds)

        path.write_bytes(re.sub(rb'"made":(\d+)', older, path.read_bytes(), count=1))

    return make_older


@pytest.mark.parametrize(
    "spoil",
    [
        let_others_read,
        let_others_write_the_folder,
        put_a_link,
        link_the_folder,
        put_a_pipe,
        cut_it_off,
        change_a_byte,
        empty_it,
        make_it_newer,
        lengths("[1]"),
        lengths("[1,2,3,4,5]"),
        lengths('["1",2,3,4,5]'),
        lengths("[null,2,3,4,5]"),
        lengths("{}"),
        say_an_unknown_kind,
        age(8 * 24 * 3600),
        age(-3600),
        Path.unlink,
    ],
)
def test_a_manifest_that_is_not_good_is_not_read(made: Path, spoil: Change) -> None:
    spoil(made)
    assert read_manifest(str(made)) is None


def test_a_manifest_is_good_for_seven_days(made: Path) -> None:
    age(7 * 24 * 3600 - 60)(made)
    assert read_manifest(str(made)) is not None


def test_old_manifests_and_too_many_are_pruned(tmp_path: Path) -> None:
    folder = manifest_folder()
    assert folder is not None
    kept = Path(folder)
    kept.mkdir(parents=True, mode=0o700)
    now = time.time()
    for number in range(MAX_KEPT + 5):
        (kept / f"{number:032x}").write_bytes(b"")
        os.utime(kept / f"{number:032x}", (now - number, now - number))
    os.utime(kept / f"{1:032x}", (now - 8 * 24 * 3600,) * 2)
    (kept / "left.tmp").write_bytes(b"")
    os.utime(kept / "left.tmp", (now - 600,) * 2)
    start_once(write_app(tmp_path / "app"))
    left = {path.name for path in manifests()}
    assert f"{0:032x}" in left
    assert not {f"{1:032x}", f"{MAX_KEPT + 4:032x}", "left.tmp"} & left
    assert len(left) <= MAX_KEPT + 1


def test_a_cache_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    cache = tmp_path / "no folder"
    cache.write_text("", "utf-8")
    file = write_app(tmp_path / "app")
    assert start_once(file, env={"XDG_CACHE_HOME": str(cache)}) == "imported\n"


def test_the_folder_is_that_of_the_platform() -> None:
    expected = platformdirs.user_cache_path("appfunctions-mcp", appauthor=False) / "manifests"
    assert manifest_folder() == str(expected)


def test_there_is_no_place_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    assert sys.platform == "darwin" or manifest_folder() is None


def test_several_processes_may_start_at_once(tmp_path: Path) -> None:
    file = write_app(tmp_path / "app")
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(lambda _: start_once(file), range(4)))
    assert set(said) <= {"imported\n", ""}
    assert len(manifests()) == 1
    assert not was_imported(file)


def test_doctor_finds_a_list_that_an_undeclared_file_has_changed(tmp_path: Path) -> None:
    file = write_app(tmp_path / "app", name="lists_for_doctor")
    start_once(file)
    functions = [
        {"tool_name": f.metadata.tool_name, "input_schema": f.metadata.input_schema}
        for f in load_service(file).registry
    ]
    assert list(check_manifests(file, functions)) == []
    (finding,) = check_manifests(file, functions[1:])
    assert finding.check == "stale-manifest"
    assert "add_item" in finding.what
    assert str(manifests()[0]) in finding.fix
    assert list(check_manifests(tmp_path / "other.xml", functions[1:])) == []
