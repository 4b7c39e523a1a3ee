"""Each platform has its own folder for such things."""

from pathlib import Path

import pytest

from mcp_server.login.places import Places


@pytest.mark.parametrize(
    ("platform", "values", "folder"),
    [
        ("linux", {}, Path.home() / ".config"),
        ("linux", {"XDG_CONFIG_HOME": "/somewhere"}, Path("/somewhere")),
        ("linux", {"XDG_CONFIG_HOME": "relative"}, Path.home() / ".config"),
        ("darwin", {"XDG_CONFIG_HOME": "/somewhere"}, Path.home() / "Library" / "Application Support"),
        ("win32", {"APPDATA": "/roaming"}, Path("/roaming")),
        ("win32", {}, Path.home() / "AppData" / "Roaming"),
    ],
)
def test_the_folder_is_the_platforms(
    monkeypatch: pytest.MonkeyPatch, platform: str, values: dict[str, str], folder: Path
) -> None:
    for name in ("XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in values.items():
        monkeypatch.setenv(name, value)

    assert Places().folder(platform) == folder / "minds-gateway"
