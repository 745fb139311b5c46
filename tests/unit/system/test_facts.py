"""What is true of this machine, and what is said to be unknown."""

from __future__ import annotations

import os
import pwd
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sayso.policy.facts import Facts
from sayso.system import facts as facts_module
from sayso.system.facts import LocalFacts

pytestmark = pytest.mark.skipif(os.name != "posix", reason="paths of POSIX")


@pytest.fixture
def facts() -> LocalFacts:
    return LocalFacts()


def test_it_is_what_policy_asks_for(facts: LocalFacts) -> None:
    asked: Facts = facts
    assert asked.home == str(Path.home())
    assert asked.windows is False
    assert LocalFacts("/home/other").home == "/home/other"
    assert LocalFacts("~").home is None


def test_a_name_is_told_only_where_the_system_gives_it_that_home() -> None:
    entry = pwd.getpwuid(os.getuid())
    assert LocalFacts(entry.pw_dir).user == entry.pw_name
    assert LocalFacts("/home/other").user is None
    assert LocalFacts("~").user is None


def test_links_are_followed_and_the_rest_is_kept(facts: LocalFacts, tmp_path: Path) -> None:
    real = Path(os.path.realpath(tmp_path))
    (real / "deep" / "er").mkdir(parents=True)
    (real / "link").symlink_to("deep/er")
    (real / "absolute").symlink_to(real / "link")
    (real / "dangling").symlink_to("nothing/here")
    (real / "deep" / "up").symlink_to("../..")
    expected = {
        "deep": "deep",
        "link": "deep/er",
        "link/new/file": "deep/er/new/file",
        "absolute/x": "deep/er/x",
        "link/../y": "deep/y",
        "dangling/z": "nothing/here/z",
        "missing/../link/a": "deep/er/a",
        "deep//./er/": "deep/er",
    }
    for written, resolved in expected.items():
        assert facts.resolve(f"{real}/{written}") == f"{real}/{resolved}"
    assert facts.resolve(f"{real}/deep/up") == str(real.parent)
    assert facts.resolve("/../..") == "/"


def test_what_cannot_be_known_is_unknown(facts: LocalFacts, tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert facts.resolve(f"{tmp_path}/a/x") is None
    assert facts.resolve("relative/path") is None
    assert facts.resolve("/nul\0byte") is None
    assert facts.resolve(f"{tmp_path}/{'n' * 5000}") is None
    assert facts.ignores_case("relative") is None
    assert facts.ignores_case(f"{tmp_path}/a/x") is None


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may look anywhere"
)
def test_what_may_not_be_searched_is_unknown(facts: LocalFacts, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o000)
    assert facts.resolve(f"{closed}/x") is None
    closed.chmod(stat.S_IRWXU)


def test_a_directory_that_refuses_is_unknown(
    facts: LocalFacts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(path: str) -> os.stat_result:
        raise PermissionError(13, "no", path)

    monkeypatch.setattr(facts_module.os, "lstat", refuse)
    assert facts.resolve(f"{tmp_path}/x") is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(parts=st.lists(st.sampled_from(["a", "b", "l1", "l2", "up", "..", "new", "."]), max_size=6))
def test_it_agrees_with_the_kernel(facts: LocalFacts, tmp_path: Path, parts: list[str]) -> None:
    if not (tmp_path / "a").exists():
        (tmp_path / "a" / "b").mkdir(parents=True)
        (tmp_path / "l1").symlink_to("a")
        (tmp_path / "a" / "l2").symlink_to("../l1/b")
        (tmp_path / "a" / "b" / "up").symlink_to("../..")
    path = "/".join([str(tmp_path), *parts])
    assert facts.resolve(path) == os.path.realpath(path)


def test_the_case_rule_is_that_of_the_directory(facts: LocalFacts, tmp_path: Path) -> None:
    (tmp_path / "Name").write_text("")
    expected = (tmp_path / "nAME").exists()
    assert facts.ignores_case(f"{tmp_path}/anything") is expected
    assert facts.ignores_case(f"{tmp_path}/Name") is expected
    assert facts.ignores_case(f"{tmp_path}/not/there/yet") is expected
    (tmp_path / "empty").mkdir()
    assert facts.ignores_case(f"{tmp_path}/empty/x") is expected


@pytest.mark.parametrize("ignores", [True, False])
def test_the_case_rule_is_found_by_asking(
    facts: LocalFacts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ignores: bool
) -> None:
    (tmp_path / "12345").write_text("")
    (tmp_path / "name").write_text("")
    lstat = os.lstat

    def either(path: str) -> os.stat_result:
        if path.endswith("/NAME"):
            if not ignores:
                raise FileNotFoundError(2, "no", path)
            path = path.replace("NAME", "name")
        return lstat(path)

    monkeypatch.setattr(facts_module.os, "lstat", either)
    assert facts.ignores_case(f"{tmp_path}/x") is ignores
    monkeypatch.undo()
    assert facts.ignores_case(f"{tmp_path}/y") is ignores, "remembered for the directory"


def test_a_directory_without_names_to_ask_for_is_unknown(facts: LocalFacts, tmp_path: Path) -> None:
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "2").mkdir()
    (tmp_path / "1" / "2" / "3").write_text("")
    assert facts.ignores_case(f"{tmp_path}/1/2/x") is None


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "::1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("64:ff9b::a00:1", "10.0.0.1"),
        ("::7f00:1", "127.0.0.1"),
        ("2001:DB8::0:1", "2001:db8::1"),
        ("::", "::"),
        ("fe80::1%eth0", "fe80::1"),
    ],
)
def test_literal_addresses_are_known(facts: LocalFacts, host: str, address: str) -> None:
    assert facts.addresses(host) == (address,)


@pytest.mark.parametrize("host", ["example.com", "localhost", "", "1.2.3", "0x7f.1", "::1::"])
def test_names_are_never_looked_up(facts: LocalFacts, host: str) -> None:
    assert facts.addresses(host) is None
