"""The locks: every dependency pinned by version and hash, and no file that says where packages come from."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = sorted((ROOT / "requirements").glob("*.txt"))
NODE_LOCKS = sorted(
    path
    for folder in ("tests", "bench")
    for path in (ROOT / folder).glob("**/package-lock.json")
    if "node_modules" not in path.parts
)

PIN = re.compile(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;]+)(?: ; [^\\]+?)?(?: --hash=sha256:[0-9a-f]{64})+")

# In two halves, so that this file does not name what it looks for.
REGISTRY_HOSTS = (
    "pypi" + ".org",
    "pythonhosted" + ".org",
    "npmjs" + ".org",
    "npmjs" + ".com",
    "yarnpkg" + ".com",
    "npmmirror" + ".com",
    "conda" + ".io",
    "anaconda" + ".org",
    "crates" + ".io",
    "rubygems" + ".org",
    "proxy.golang" + ".org",
    "deb.debian" + ".org",
)


def entries(lock: str) -> list[str]:
    """The logical lines of a requirement file, without its comments."""
    joined = re.sub(r"\\\n\s*", "", lock)
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in joined.splitlines())
    return [re.sub(r"\s+", " ", line) for line in lines if line]


def versions(lock: str) -> dict[str, str]:
    found = (PIN.fullmatch(line) for line in entries(lock))
    return {canonicalize_name(pin["name"]): pin["version"] for pin in found if pin}


def registries(text: str) -> list[str]:
    return [host for host in REGISTRY_HOSTS if host in text]


@pytest.fixture(scope="module")
def declared() -> dict[str, list[str]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {"runtime": project["dependencies"], **project["optional-dependencies"]}


@pytest.mark.parametrize("lock", REQUIREMENTS, ids=lambda path: path.name)
def test_a_requirement_file_holds_versions_with_hashes_and_nothing_else(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")

    assert len(entries(text)) > 20
    assert [line for line in entries(text) if not PIN.fullmatch(line)] == []


@pytest.mark.parametrize("extra", ["runtime", "test", "bench"])
def test_a_lock_satisfies_what_the_project_declares(extra: str, declared: dict[str, list[str]]) -> None:
    locked = versions((ROOT / "requirements" / f"{extra}.txt").read_text(encoding="utf-8"))
    wanted = [Requirement(line) for line in {*declared["runtime"], *declared[extra]}]

    assert [str(want) for want in wanted if canonicalize_name(want.name) not in locked] == []
    assert [str(w) for w in wanted if not w.specifier.contains(locked[canonicalize_name(w.name)])] == []


@pytest.mark.parametrize("extra", ["test", "bench"])
def test_what_is_tested_is_what_runs(extra: str) -> None:
    runtime = versions((ROOT / "requirements" / "runtime.txt").read_text(encoding="utf-8"))
    other = versions((ROOT / "requirements" / f"{extra}.txt").read_text(encoding="utf-8"))

    assert {name: other.get(name) for name in runtime} == runtime


def test_a_node_lock_is_of_its_package_file_and_carries_digests_and_no_addresses() -> None:
    assert NODE_LOCKS != []
    for path in NODE_LOCKS:
        package, lock = (json.loads(file.read_text("utf-8")) for file in (path.with_name("package.json"), path))
        root = lock["packages"].pop("")

        assert [name for name, p in lock["packages"].items() if "resolved" in p or "integrity" not in p] == [], path
        for group in ("dependencies", "devDependencies", "optionalDependencies"):
            assert root.get(group) == package.get(group), (path, group)


def test_no_tracked_file_names_a_package_registry() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, timeout=30)
    files = [ROOT / name for name in listed.stdout.decode().split("\0") if name]

    named = {
        path.relative_to(ROOT).as_posix(): found
        for path in files
        if path.is_file() and (found := registries(path.read_text(encoding="utf-8", errors="ignore")))
    }

    assert len(files) > 20
    assert named == {}
