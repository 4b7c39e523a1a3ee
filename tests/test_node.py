"""Which Node runs the clients, on machines with an old one, a new one and none."""

import os
from pathlib import Path

import pytest

from tests import node


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine whose PATH is one folder, and a folder of packages that brings no Node."""
    packages, path = tmp_path / "packages", tmp_path / "path"
    packages.mkdir()
    path.mkdir()
    monkeypatch.setattr(node, "BIN", packages)
    monkeypatch.setenv("PATH", str(path))
    monkeypatch.setattr(node, "node", node.node.__wrapped__)  # what another machine found does not count here
    return tmp_path


def install(folder: Path, version: str) -> Path:
    program = folder / "node"
    program.write_text(f"#!/bin/sh\necho {version}\n", "utf-8")
    program.chmod(0o755)
    return program


def test_the_node_of_the_packages_wins_over_an_old_one(machine: Path) -> None:
    install(machine / "path", "v20.19.0")
    brought = install(machine / "packages", "v24.1.0")

    assert node.node() == str(brought)


def test_a_new_node_on_the_path_is_enough(machine: Path) -> None:
    own = install(machine / "path", "v22.0.0")

    assert node.node() == str(own)


@pytest.mark.parametrize("version", ["v20.19.0", "v9.0.0", "nonsense"])
def test_an_old_node_alone_is_refused(machine: Path, version: str) -> None:
    install(machine / "path", version)

    with pytest.raises(node.NodeMissing):
        node.node()


def test_no_node_at_all_is_refused(machine: Path) -> None:
    with pytest.raises(node.NodeMissing):
        node.node()


def test_packages_that_were_never_installed_are_refused(machine: Path) -> None:
    (machine / "packages").rmdir()

    with pytest.raises(node.NodeMissing):
        node.node()


def test_a_program_finds_the_node_of_the_packages_first() -> None:
    assert node.environment()["PATH"].split(os.pathsep)[0] == str(node.BIN)
