"""A machine without a browser: the tests stand aside, except where nobody would notice."""

from pathlib import Path

import pytest

from tests.browser import chromium


@pytest.mark.parametrize(("ci", "outcome"), [("true", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_without_chromium_tests_are_skipped_and_in_ci_they_fail(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ci: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CI", ci)

    with pytest.raises(outcome):
        chromium.executable()
