"""The programs that stand in front of a gateway; where one is missing its tests are skipped, but not in CI."""

import os
import shutil

import pytest


@pytest.fixture(scope="session")
def program(request: pytest.FixtureRequest) -> str:
    """The path of the program that a test names by its parameter."""
    name: str = request.param
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if found is None:
        reason = f"{name} is not installed (on Debian: apt-get install {'nginx-light' if name == 'nginx' else name})"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found
